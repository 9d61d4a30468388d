"""The documents are correct: examples, links, tables and claims."""

from __future__ import annotations

import ast
import doctest
import importlib
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import click
import pytest

from arena.bots.languages import LANGUAGES
from arena.cli.league import COMMANDS as LEAGUE_COMMANDS
from arena.cli.main import COMMANDS
from arena.cli.main import arena as arena_group
from arena.cli.site import COMMANDS as SITE_COMMANDS
from arena.core.game import Setup
from arena.core.registry import find_game, game_names, library_games
from arena.core.replies import Answer, Silence, Why
from arena.core.settings import keys
from arena.core.steps import Note, Show, Step, Tell
from arena.core.table import Table
from arena.guide.pages import guide_names
from arena.match.report import PROTOCOL as PROTOCOL_FAULTS
from arena.players.player import Stopped
from arena.testing import conformance
from tests import structure
from tests.cli.conftest import Arena, arena, arena_process
from tests.games.tables import read_table
from tests.guide.reading import code_words
from tests.support.tools import needs_open_spiel

__all__ = ["arena"]

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
PROTOCOL = (ROOT / "protocol.md").read_text("utf-8")
DOCUMENTS = [
    ROOT / "README.md",
    ROOT / "protocol.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "arena").glob("guide/*.md")),
    *sorted((ROOT / "arena").glob("games/*/rules.md")),
]
VAGUE = r"\b(whoever|whomever|whom|nobody|somebody|everybody|anybody)\b"
"""Words that hide who does something. A player, a bot, the arena, a spectator does it."""

each_document = pytest.mark.parametrize(
    "path", DOCUMENTS, ids=[str(path.relative_to(ROOT)) for path in DOCUMENTS]
)


def test_the_first_bot_of_the_readme_plays_without_a_fault(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert len(code.splitlines()) <= 20
    bot = tmp_path / "my_bot.py"
    bot.write_text(code)
    process = arena_process("check", "warlight", str(bot))
    out, _ = process.communicate()
    assert process.returncode == 0
    assert out.count("\n") == out.count("ok  ") == 7


def test_the_readme_begins_with_two_commands() -> None:
    first, second = re.findall(r"```sh\n(.*?)\n```", README, re.DOTALL)[:2]
    assert first.startswith("python3 -m venv .venv && ")
    assert "arena play warlight" in first
    assert second.startswith("python3 -m venv .venv && ")
    assert "pytest" in second


@pytest.mark.dear
def test_the_contest_of_the_readme_is_five_commands(arena: Arena, tmp_path: Path) -> None:
    """They are run as they stand, but without walls, which not every machine has."""
    (block,) = re.findall(r"```sh\n(arena league new.*?)```", README, re.DOTALL)
    commands = block.splitlines()
    assert len(commands) == 5
    path, printed = tmp_path / "cup.league", ""
    for command in commands:
        words = command.replace("cup.league", str(path)).partition(" > ")[0].split()[1:]
        quick = ["--sandbox", "off", "--set", "max_rounds=3"] if words[1] == "new" else []
        ran = arena(*words, *quick)
        assert ran.status == 0, ran.err
        printed += ran.out
    assert "12 matches played" in printed
    assert "<table>" in printed


def test_the_readme_has_every_command() -> None:
    assert all(f"`arena {name} " in README or f"`arena {name}`" in README for name in COMMANDS)


def test_the_readme_has_every_game() -> None:
    games = read_table(README, "game | players | moves | hidden | chance | length")
    assert {code_words(row[0])[0] for row in games} == set(game_names())


def test_the_readme_leads_to_every_guide() -> None:
    pages = {"protocol": "protocol.md"}
    assert all(f"({pages.get(name, f'arena/guide/{name}.md')})" in README for name in guide_names())


def test_the_match_of_the_readme_is_played_so(arena: Arena) -> None:
    """Every line but for times and sizes."""
    (shown,) = re.findall(r"```\n\$ arena (play.*?)```", README, re.DOTALL)
    command, *lines = shown.splitlines()
    printed = arena(*command.split()).out.splitlines()
    assert printed[0] == lines[0]
    assert printed[1].partition(" in ")[0] == lines[1].partition(" in ")[0]
    assert printed[3].split() == lines[3].split()
    assert [row.split()[:4] for row in printed[4:6]] == [row.split()[:4] for row in lines[4:6]]


def test_the_protocol_has_every_reason_for_which_a_program_is_ended() -> None:
    assert all(f"`{why}`" in PROTOCOL for why in Stopped)


BLANK, ABSENT = Answer(""), Silence(Why.LATE)
NOTHING_SAID = {
    ("Warlight", "pick_starting_region"): ("a fault (`pick`)", ["pick"]),
    ("Warlight", "go place_armies"): ("no orders in this half", []),
    ("Toroid Wars", "go action"): ("told as `result 2 skip`", []),
    ("Hextrategic", "go action"): ("automatic moves run on", []),
    ("TNCC", "go action"): ("`wait`", []),
    ("Code Character", "go action"): ("soldiers go on with their old ones", []),
}
"""What protocol.md says of the request, and the faults that `No moves` is."""


@pytest.mark.parametrize(("game", "head"), NOTHING_SAID)
def test_what_the_protocol_says_of_saying_nothing(game: str, head: str) -> None:
    """`No moves` in any case, a blank line and a missed request are the same to the rules."""
    (section,) = re.findall(r"^## Saying nothing\n(.*?)^## ", PROTOCOL, re.DOTALL | re.MULTILINE)
    words, faults = NOTHING_SAID[game, head]
    assert any(row.startswith(f"| {game}") and words in row for row in section.splitlines())
    found = find_game(game.split()[0].lower().replace("code", "codecharacter"))
    setup = Setup("7", found.seats[0], found.settings())
    seen = []
    for reply in (Answer("No moves"), Answer("nO mOVES"), BLANK, ABSENT):
        table = Table(found, setup)
        while table.asked[0].head != head:
            for ask in table.asked:
                table.answer(ask.seat, Answer(ask.tail.split()[0] if ask.tail else ""))
        table.take()
        first = table.asked[0].seat
        for ask in table.asked:
            table.answer(ask.seat, reply if ask.seat == first else BLANK)
        steps = table.take()
        notes = [step.code for step in steps if isinstance(step, Note) and step.fault]
        assert notes == ([] if reply is ABSENT else faults)
        kept = [without_misses(step) for step in steps if not isinstance(step, Note)]
        seen.append((kept, table.asked))
    assert seen == [seen[0]] * 4


def without_misses(step: Step) -> Step:
    """A step; of a frame all but the number of missed rounds."""
    if isinstance(step, Show):
        return Show({key: value for key, value in step.frame.items() if key != "missed"})
    return step


def test_every_fault_and_every_reason_is_explained() -> None:
    (section,) = re.findall(r"^## Faults\n(.*?)^## ", PROTOCOL, re.DOTALL | re.MULTILINE)
    faults, reasons = section.split("After one of these your program has ended")
    named = [
        [word for row in read_table(part, "code | you") for word in code_words(row[0])]
        for part in (faults, reasons)
    ]
    assert sorted(named[0] + named[1]) == sorted(PROTOCOL_FAULTS)
    assert sorted(named[1]) == sorted(Stopped)


def test_the_example_dialogue_is_what_the_arena_says() -> None:
    """The lines of the example in protocol.md, from a match on that very map."""
    example = re.findall(r"```\n(> settings timebank.*?)```", PROTOCOL, re.DOTALL)[0]
    lines = [line[2:] for line in example.splitlines() if line.startswith("> ")]
    neighbours = {1: [2, 3], 2: [4], 3: [4, 5], 4: [6], 5: [6], 6: [7], 7: [8], 8: []}
    regions = [
        {"id": i, "superRegion": (i + 1) // 2, "neighbors": near} for i, near in neighbours.items()
    ]
    bonus = [{"id": i, "bonus": b} for i, b in enumerate([2, 1, 2, 1], 1)]
    game = find_game("warlight")
    data = {"Regions": regions, "SuperRegions": bonus}
    table = Table(game, Setup("3", 2, game.settings(), data))
    told = lines_to_player1(table.take())
    assert told == lines[:11]
    answers = iter(["2", "8", "5", "4"])
    while len(table.asked) == 1:
        assert table.asked[0].head == "pick_starting_region"
        table.answer(table.asked[0].seat, Answer(next(answers)))
    told += lines_to_player1(table.take())
    assert told[11:] == [line for line in lines[13:17] if not line.startswith("go")]


def lines_to_player1(steps: list[Step]) -> list[str]:
    return [step.line for step in steps if isinstance(step, Tell) and step.seat == 0]


@pytest.mark.parametrize("name", game_names())
def test_the_rules_of_a_game_have_every_setting(name: str) -> None:
    game = find_game(name)
    assert all(f"| {key.name} |" in game.rules for key in keys(game.settings))


@each_document
def test_a_document_names_who_does_something(path: Path) -> None:
    assert re.findall(VAGUE, path.read_text("utf-8"), re.IGNORECASE) == []


@each_document
def test_the_links_of_a_document_lead_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8")):
        file, _, heading = target.partition("#")
        found = path.parent / file if file else path
        assert found.is_file(), target
        assert not heading or heading in headings(found.read_text("utf-8")), target


def headings(text: str) -> set[str]:
    """The headings of a document, as links name them."""
    titles = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def commands_of(text: str) -> list[list[str]]:
    """The words of each command line of the arena that stands alone in a line of a block."""
    lines = re.findall(r"^(?:\$ )?arena (?!:)(.*)$", "\n".join(blocks(text)), re.MULTILINE)
    return [shlex.split(line.partition(" > ")[0]) for line in lines]


def blocks(text: str) -> list[str]:
    """The blocks of code of a document."""
    return re.findall(r"^```\w*\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def resolved(words: list[str]) -> tuple[click.Command, list[str]]:
    """The command that these words name, in whatever group, and the words behind it."""
    found: click.Command = arena_group
    while isinstance(found, click.Group) and words:
        found, words = found.get_command(click.Context(found), words[0]) or found, words[1:]
    return found, words


@each_document
def test_the_commands_of_a_document_are_understood(path: Path) -> None:
    """By the parser of each command, which knows its options and their values."""
    for line in commands_of(path.read_text("utf-8")):
        found, words = resolved(line)
        found.make_context(found.name, words)


def names_of(option: click.Parameter) -> list[str]:
    """Its names, also those that switch it off."""
    return [*option.opts, *option.secondary_opts]


@each_document
def test_the_commands_in_sentences_have_their_options(path: Path) -> None:
    for quoted in code_words(path.read_text("utf-8")):
        if quoted.startswith("arena ") and quoted.split()[1].isalpha():
            found, words = resolved(quoted.split()[1:])
            known = {name for option in found.params for name in names_of(option)}
            assert {word for word in words if word.startswith("--")} <= known | {"--help"}, quoted


def test_every_option_that_is_named_exists() -> None:
    commands = [resolved([name])[0] for name in COMMANDS]
    commands += [resolved(["league", name])[0] for name in LEAGUE_COMMANDS]
    commands += [resolved(["site", name])[0] for name in SITE_COMMANDS]
    commands.append(resolved(["cluster", "keys"])[0])
    known = {name for one in commands for option in one.params for name in names_of(option)}
    for path in DOCUMENTS:
        for word in code_words(path.read_text("utf-8")):
            if word.startswith("--"):
                assert word.split()[0] in known | {"--help"}, f"{path.name}: {word}"


@pytest.mark.dear_for("*openspiel.md")
@each_document
def test_every_setting_that_is_named_exists(path: Path) -> None:
    if path.stem == "openspiel":
        needs_open_spiel()
    games = [*game_names(), *(library_games() if path.stem == "openspiel" else ())]
    known = {key.name for name in games for key in keys(find_game(name).settings)}
    for setting in re.findall(r"--set \"?(\w+)=", path.read_text("utf-8")):
        assert setting in known | {"KEY"}, setting


def test_documents_and_code_speak_of_the_project_alone() -> None:
    listed = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    for name in listed:
        path = ROOT / name
        if path.suffix in (".py", ".md", ".toml", ".sh") and path != Path(__file__):
            text = path.read_text("utf-8")
            assert "../shared" not in text
            assert "/work/" not in text, name


SPOKEN = [
    path
    for path in [*DOCUMENTS, *(ROOT / "arena").rglob("*"), *(ROOT / ".github").rglob("*.md")]
    if path.suffix in (".py", ".md", ".js", ".html")
]


@pytest.mark.dear
def test_no_text_shows_the_index_of_a_seat() -> None:
    """Seats count from 0 in Python and in data. Text says player1, and never "seat 0"."""
    for name, path in structure.modules(ROOT / "arena").items():
        texts = [
            node for node in ast.walk(structure.parsed(path)) if isinstance(node, ast.JoinedStr)
        ]
        for text in texts:
            words = [part.value for part in text.values[:-1] if isinstance(part, ast.Constant)]
            assert not any(str(word).endswith("seat ") for word in words), (name, text.lineno)


def test_no_option_counts_seats() -> None:
    """Where a number is that of a player, the option says so: --seats is how many there are. The
    option --player of `rerun` was called --seat, and still hears to that."""
    for name in COMMANDS:
        for option in resolved([name])[0].params:
            assert "--seat" not in option.opts or option.name == "player", name
            assert option.metavar != "SEAT", name


def test_the_guides_say_from_where_seats_count() -> None:
    for name in ("records", "python"):
        guide = " ".join((ROOT / "arena/guide" / f"{name}.md").read_text("utf-8").split())
        assert re.search(r"[Ss]eat`?[\w ,]* counts from 0", guide), name


def test_sizes_are_said_in_the_unit_that_limits_have() -> None:
    """All are powers of 1024 (``--memory 64M`` are 64 MiB), so none is said in millions."""
    millions = re.compile(r"\b[kKMG]B\b")  # without ".*", which looks at all the rest of each line
    for path in SPOKEN:
        text = path.read_text("utf-8")
        if millions.search(text):
            assert [line for line in text.splitlines() if millions.search(line)] == [], path


def test_sizes_are_put_in_words_in_one_place() -> None:
    """But for the program that the doctor starts behind walls, which has nothing of the arena."""
    wording = re.compile(r"\} [KMG]iB\b")
    found = {path.name for path in SPOKEN if wording.search(path.read_text("utf-8"))}
    assert found == {"text.py", "escape.py"}


EXAMPLES = [
    name
    for name, path in structure.modules(ROOT / "arena").items()
    if ">>> " in path.read_text("utf-8")
]


@pytest.mark.dear_for("arena.testing.conformance")
@pytest.mark.parametrize("name", EXAMPLES)
def test_the_examples_in_docstrings_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(conformance, "MAX_REQUESTS", 50)  # tests/testing plays the whole matches
    ran = doctest.testmod(importlib.import_module(name))
    assert ran.attempted > 0
    assert ran.failed == 0


INSTALLERS = {
    "pip": r"pip3? install ((?:-\S+ )*(?:'[^'\n]+'|[\w.\[\]-]+))",
    "apt": r"apt(?:-get)? install ((?:-\S+ )*[\w+.-]+(?: [\w+.-]+)*)",
    "others": r"\b(?:npm|gem|cargo|snap|brew|conda|pipx|uv tool) install (\S+)",
}
NAMES = {
    "pip": {
        ".",
        ".[wasm]",
        ".[archives]",
        ".[cluster]",
        ".[web]",
        ".[tune]",
        ".[large]",
        ".[openspiel]",
        "open_spiel",
        ".[data]",
        ".[train]",
        "cmaes",
        ".[test]",
        ".[test-all]",
        ".[test-all,lint]",
        "pytest",
        "ziglang",
        *("FOLDER", "my_bot"),  # of --target: folders, no packages
    },
    "apt": {"bubblewrap", "util-linux", "gcc", "linux-libc-dev"},
    "others": set(),
}
"""What we tell people to install: looked up, each, and found to be what is meant. `botarena` is not
published: from a clone it is installed as ``.``."""
PACKAGES = {
    "python3", "nodejs", "ruby", "php-cli", "lua5.4", "perl", "bash", "gawk",
    "default-jdk-headless", "default-jre-headless", "gcc", "g++", "rustc", "golang-go",
    "clang", "lld", "wasi-libc", "libclang-rt-dev-wasm32", "libc++-dev-wasm32",
    "tcl", "r-base-core", "guile-3.0", "sbcl", "swi-prolog-nox", "gforth", "rakudo", "elixir",
    "kotlin", "scala", "clojure", "groovy", "mono-mcs", "mono-runtime", "node-typescript",
    "erlang-base", "racket", "ghc", "ocaml-nox", "fp-compiler", "fp-units-base", "gnat",
    "gfortran", "ldc", "nim", "crystal", "valac", "gnucobol4",
}  # fmt: skip
"""Packages of Debian and Ubuntu that are that language's own (looked up with ``apt-cache show``). A
name alone says little: Debian's `swift` is no compiler."""
TEXTS_OF_SAMPLES = [one for one in (ROOT / "sample_bots").rglob("*.*") if one.suffix != ".pyc"]
MESSAGES = [*(ROOT / "arena").rglob("*.py"), *TEXTS_OF_SAMPLES]


@pytest.mark.parametrize("installer", INSTALLERS)
def test_what_people_are_told_to_install_is_what_is_meant(installer: str) -> None:
    """In every document and every message."""
    pages = [*DOCUMENTS, *MESSAGES, *(ROOT / ".github").rglob("*.md")]
    found = {
        word.strip("'")
        for path in pages
        for words in re.findall(INSTALLERS[installer], path.read_text("utf-8"))
        for word in ([shlex.split(words)[-1]] if installer == "pip" else words.split())
        if not word.startswith("-")
    }
    assert found <= NAMES[installer]


def test_the_packages_of_languages_are_that_language() -> None:
    named = {package for one in LANGUAGES for package in one.packages.split()}
    assert named <= PACKAGES
    author = (ROOT / "arena/guide/author.md").read_text("utf-8")
    for words in re.findall(r"needs `([^`]*)` of Debian", author):
        assert set(words.split()) <= PACKAGES


def test_the_distribution_is_not_that_of_another_project() -> None:
    """Its name, its import and its command."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert (project["name"], set(project["scripts"])) == ("botarena", {"arena"})
