"""The environment of programs: the same wherever a match is played, on one seed the same hashes."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from pathlib import Path

import pytest

import arena
from arena.errors import UsageError
from arena.players.terms import PlayerTerms
from arena.sandbox.environment import FIXED, PASSED_ON, hash_seeds, outside, passed
from tests.sandbox.programs import needs

PROTOCOL = (Path(__file__).parents[2] / "protocol.md").read_text("utf-8")
SEES = """import json, os, sys
for line in sys.stdin:
    if line.startswith("go"):
        print("No moves", flush=True)
    elif line.startswith("pick"):
        print("No moves", flush=True)
        print(json.dumps(dict(os.environ)), file=sys.stderr, flush=True)
"""
SET = """import sys
for line in sys.stdin:
    match line.split():
        case ["pick_starting_region", _, *some]:
            print(next(iter(set(some))), flush=True)
        case ["go", *_]:
            print("No moves", flush=True)
"""
HASH = """#!/usr/bin/perl
$| = 1;
while (<STDIN>) {
    if (/^pick_starting_region \\d+ (.*)/) {
        my %some = map { $_ => 1 } split / /, $1;
        print((keys %some)[0], "\\n");
    }
    print "No moves\\n" if /^go/;
}
"""
"""Bots that choose by the order of a set or a hash."""
SHORT = {"max_rounds": 1}


@pytest.fixture
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment of another country, with secrets."""
    for name in ("LANG", "LC_ALL", "LC_NUMERIC", "LANGUAGE"):
        monkeypatch.setenv(name, "tr_TR.UTF-8")
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    monkeypatch.setenv("PYTHONHASHSEED", "7")
    monkeypatch.setenv("API_KEY", "secret")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/opt/lib")


def seen(
    tmp_path: Path, sandbox: arena.Level | str = "off", pass_env: tuple[str, ...] = ()
) -> dict[str, str]:
    """The environment of a bot in a match."""
    bot, replay = tmp_path / "sees.py", tmp_path / "r.jsonl"
    bot.write_text(SEES)
    match = arena.play(
        "warlight",
        [bot, bot],
        seed="3",
        settings=SHORT,
        sandbox=sandbox,
        replay=replay,
        pass_env=pass_env,
    )
    assert "secret" not in replay.read_text().replace('\\"API_KEY\\": \\"secret\\"', "")
    written: dict[str, str] = json.loads(match.report.players[0].stderr[0].text.splitlines()[0])
    return written


@pytest.mark.parametrize("level", list(arena.Level), ids=str)
def test_the_locale_the_zone_and_secrets_of_the_caller_stay_outside(
    tmp_path: Path, level: arena.Level, elsewhere: None
) -> None:
    needs(level)
    env = seen(tmp_path, level)
    assert {name: env[name] for name in FIXED} == {"LC_ALL": "C.UTF-8", "TZ": "UTC"}
    assert dict(hash_seeds("3")).items() <= env.items()
    assert not {"LANG", "LC_NUMERIC", "LANGUAGE", "API_KEY"} & env.keys()
    assert ("LD_LIBRARY_PATH" in env) == (level is arena.Level.OFF)


@pytest.mark.parametrize("sandbox", ["off", "auto"])
def test_what_the_caller_names_is_passed_on(tmp_path: Path, sandbox: str, elsewhere: None) -> None:
    env = seen(tmp_path, sandbox, ("API_KEY", "PYTHONHASHSEED"))
    assert (env["API_KEY"], env["PYTHONHASHSEED"]) == ("secret", "7")


def test_a_name_that_is_not_set_is_refused() -> None:
    message = r"there is no variable 'NO_SUCH_KEY' to pass on: set it first"
    with pytest.raises(UsageError, match=message):
        arena.play("warlight", ["a", "b"], pass_env=["NO_SUCH_KEY"])


def test_the_protocol_lists_the_variables() -> None:
    (listed,) = re.findall(r"lie are passed on:\n(.*?)\. A build", PROTOCOL, re.DOTALL)
    assert re.findall(r"`(\w+)`", listed) == list(PASSED_ON)
    assert all(f"`{name}={value}`" in PROTOCOL for name, value in FIXED.items())


def test_without_walls_one_finds_ones_tools(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in PASSED_ON:
        monkeypatch.setenv(name, f"/{name}")
    monkeypatch.delenv("HOME")
    assert outside() == {**FIXED, **{name: f"/{name}" for name in PASSED_ON if name != "HOME"}}
    assert passed(["PATH", "HOME"]) == (("PATH", "/PATH"),)


@pytest.mark.parametrize(("name", "code"), [("set.py", SET), ("hash.pl", HASH)])
def test_one_seed_is_one_match_for_languages_that_seed_their_hashes(
    tmp_path: Path, name: str, code: str
) -> None:
    if name == "hash.pl" and shutil.which("perl") is None:
        pytest.skip("needs perl")
    bot = tmp_path / name
    bot.write_text(code)

    def digests(jobs: int = 1) -> list[str | None]:
        replay = tmp_path / "r.jsonl"
        series = arena.series(
            "warlight",
            [bot, bot],
            games=4,
            jobs=jobs,
            seed="3",
            settings=SHORT,
            replay=replay,
            overwrite=True,
        )
        return [report.digest for report in sorted(series, key=lambda one: one.replay or "")]

    first = digests()
    assert digests() == first
    assert digests(jobs=2) == first
    match = arena.Match.read(tmp_path / "r-2.jsonl")
    assert arena.rerun(match, 0, bot).first_difference is None
    replay = tmp_path / "s.jsonl"
    again = arena.play("warlight", [bot, bot], seed=match.seed, settings=SHORT, replay=replay)
    assert again.report.digest == first[1]


def test_other_seeds_give_other_hashes() -> None:
    assert len({hash_seeds(str(number)) for number in range(50)}) == 50
    assert all(0 <= int(hash_seeds(str(n))[0][1]) < 2**32 for n in range(50))
    assert hash_seeds("3") == (("PYTHONHASHSEED", "2306761808"), ("PERL_HASH_SEED", "897e6450"))


def test_a_bot_that_sets_its_own_seed_keeps_it(tmp_path: Path) -> None:
    bot = tmp_path / "own.py"
    bot.write_text(
        "import os, sys\n"
        "if os.environ['PYTHONHASHSEED'] != '5':\n"
        "    os.environ['PYTHONHASHSEED'] = '5'\n"
        f"    os.execv({sys.executable!r}, ['python', *sys.argv])\n" + SET
    )
    matches = [arena.play("warlight", [bot, bot], seed="3", settings=SHORT) for _ in range(3)]
    assert len({match.digest for match in matches}) == 1
    assert [match.report.players[0].stopped for match in matches] == [None] * 3


def test_hash_seeds_are_part_of_what_is_prestarted() -> None:
    assert PlayerTerms(environment=hash_seeds("1")) != PlayerTerms(environment=hash_seeds("2"))
    assert os.environ.get("PERL_HASH_SEED") is None
