"""What `author.md` says is so."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import msgspec

from arena.bots import content, folder, modules, steps
from arena.bots.languages import LANGUAGES
from arena.core.limits import Limits
from arena.core.lines import LINE_CAP
from arena.core.steps import Fate
from arena.players import kept
from arena.players.inbox import TURN_LINES
from arena.players.stderr import StderrLog
from tests.cli.conftest import SIMPLE, Arena
from tests.guide.reading import block, code_words, flat, rows

TEXT = flat("author")


def test_every_ending_is_named() -> None:
    table = [code_words(row[0]) for row in rows("author", "you name | what happens")]
    shown = {f".{word.rpartition('.')[2]}" for words in table[:3] for word in words}
    assert shown == {language.endings[0] for language in LANGUAGES}
    others = [ending for language in LANGUAGES for ending in language.endings[1:]]
    (sentence,) = re.findall(r"These endings are known as well: (.*?)\. ", TEXT)
    assert code_words(sentence) == others


def test_what_runs_and_what_is_compiled() -> None:
    run, compiled, wasm = rows("author", "you name | what happens")[:3]
    for language in LANGUAGES:
        row = wasm if language.endings == (".wasm",) else compiled if language.compile else run
        assert f"{language.endings[0]}`" in row[0]


def test_the_keys_of_a_bot_toml() -> None:
    given = tomllib.loads(block("author", "name ="))
    assert list(given) == [field.name for field in msgspec.structs.fields(folder._BotToml)]
    assert f"The time for a build is {steps.BUILD_SECONDS} seconds" in TEXT


def test_how_much_a_bot_may_be() -> None:
    most = f"may have {content.SIZE >> 20} MiB and {content.FILES:,} files"
    assert most in TEXT
    assert f"at the top of a folder there may be {content.AT_TOP}." in TEXT
    assert f"{kept.KEPT_FILES} of them and {Limits().disk >> 20} MiB at most" in TEXT


def test_what_is_no_part_of_a_program() -> None:
    (listed,) = re.findall(r"Tests and examples \((.*?)\) are no part", TEXT)
    assert sorted(code_words(listed)) == sorted(modules.TESTS)
    (places,) = re.findall(r"A virtual environment in the folder \((.*?)\)", TEXT)
    assert tuple(code_words(places)) == folder.ENVIRONMENTS


def test_the_limits() -> None:
    limits = Limits()
    assert limits.memory == 1 << 30
    assert "1 GiB of memory (`--memory 512M`)" in TEXT
    assert f"{limits.processes} processes and threads, and a minute more CPU time" in TEXT
    assert limits.cpu_grace == 60
    assert f"An answer may be {LINE_CAP >> 10} KiB long" in TEXT
    assert f"between two requests {limits.turn_output >> 20} MiB or {TURN_LINES} lines" in TEXT
    assert f"that of a match {limits.match_output >> 20} MiB" in TEXT
    assert f"The first and the last {StderrLog.PART >> 10} KiB are kept" in TEXT


def test_what_check_prints(arena: Arena) -> None:
    """Every line but for the time of an answer."""

    def timeless(text: str) -> str:
        return re.sub(r"[\d.]+ ms|plays behind walls: .*", "T", text)

    printed = arena("check", "warlight", SIMPLE).out
    assert timeless(block("author", "ok ")) == timeless(printed).replace("after 100 ms", "T")


def test_what_a_match_prints(arena: Arena) -> None:
    """Who won when, and the names of the columns."""
    samples = Path(SIMPLE).parent
    printed = arena(
        *("play", "warlight", f"{samples}/strong.py", f"{samples}/border.sh", "--seed", "7")
    ).out.splitlines()
    shown = block("author", "player1 won").splitlines()
    assert shown[0] == printed[0]
    assert shown[1].partition(" in ")[0] == printed[1].partition(" in ")[0]
    assert shown[3].split() == printed[3].split()
    explained = [word for row in rows("author", "column | meaning") for word in
                 code_words(row[0])]  # fmt: skip
    assert set(printed[3].split()) <= {*explained, "bot", "rank", "points"}


def test_every_fate_is_named() -> None:
    (row,) = [row for row in rows("author", "column | meaning") if row[0] == "`fate`"]
    assert code_words(row[1]) == list(Fate)
