"""Tests mirror sources: the tests of ``arena/F/N.py`` are in ``tests/F/test_N.py``.

`WHOLE` names the test files that have no module, `COVERED` the modules that have no test file. A
line of either table that is not needed fails, with the line to delete.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.structure import ROOT

WHOLE = {
    "test_architecture": "the imports and lengths of all modules",
    "test_documents": "README.md, protocol.md and the rules, compared with what the arena does",
    "test_every_game": "each game in matches between programs",
    "test_gate": "the commands in .ci",
    "test_mirror": "the tree of the tests itself",
    "test_plugins": "a game that is installed from another distribution",
    "test_sample_bots": "the files in sample_bots",
    "test_scaling": "the cost of a round, by the size of the map",
    "test_soak": "what many matches leave behind",
    "bench/test_*": "what developers measure, in tests/bench",
    "bots/archives/test_changed": "archives with bytes changed at random",
    "hostile/test_*": "each attack on the whole arena, by its id in tests/hostile/cases.py",
    "bots/test_trees": "trees of the usual layouts of each build tool, from a folder to an answer",
    "bots/test_projects": "a whole project in each language, from its folder to an answer",
    "games/*/test_golden": "whole maps and matches, compared with files",
    "games/*/test_invariants": "what holds in every world of random matches",
    "games/*/test_examples": "the worked examples of the rules, as they are written there",
    "games/*/test_rules_text": "rules.md, compared with the game",
    "games/*/test_match": "the way of a whole match",
    "games/warlight/test_recorded": "recorded matches of the original game",
    "games/codecharacter/test_bots": "matches between scripted players",
    "games/hextrategic/test_update": "the end of a round: moves, battles and growth",
    "cli/test_completion": "the completion in bash, zsh and fish",
    "cli/test_debug": "the options --debug and --show-stderr",
    "cli/test_human": "whole matches of a person, in a terminal and through a pipe",
    "cli/test_foreign": "foreign text in the messages of all commands",
    "cli/test_league": "a contest, from an empty folder to a table",
    "league/test_damage": "a league whose file is damaged, in every command",
    "league/test_kills": "a league that is killed, and goes on",
    "cli/test_meter": "the option --meter, from the command line to the record",
    "view/test_areas": "a script of pages: where regions lie",
    "view/test_boards": "the boards of all games, drawn without a browser",
    "view/test_seen": "the views of seats of all games, compared with what seats were told",
    "view/test_browser": "pages in a real browser",
    "view/test_asked": "the boards of requests in all games, compared with what seats were told",
    "view/test_picks": "what clicks mean in all games: orders that the rules take",
    "web/test_person": "people who play on pages, in a real browser",
    "view/test_firefox": "pages in another browser",
    "test_face": "what `import arena` offers, and what it costs",
    "guide/test_[acdoprs]*": "what a guide says, compared with the arena",
}
"""Test files without a module, and what they test."""

COVERED = {
    "__init__": "cli/test_main: the version",
    "__main__": "cli/test_main: starts commands with it",
    "core/__init__": "guide/test_designer: a game imports all from it",
    "games/*/__init__": "testing/test_conformance: every registered game is checked",
    "bots/foreign": "bots/archives/test_unpack: .rar and .zst by programs",
    "bots/archives/members": "bots/archives/test_unpack: what every reader gives",
    "bots/archives/rars": "bots/archives/test_unpack: .rar",
    "bots/archives/signatures": "bots/archives/test_unpack: an archive in every format",
    "bots/compiled": "bots/test_languages: every language",
    "bots/machines": "bots/test_languages: every language",
    "bots/packed": "bots/test_intake: an archive, and a .jar",
    "bots/scripts": "bots/test_languages: every language",
    "bots/language": "bots/test_languages: every language",
    "bots/selftest": "bots/test_languages: every self-test",
    "bots/selftests/bot": "bots/test_languages: every self-test",
    "api/inside": "api/test_play: calls inside Trio, and their errors",
    "api/match": "api/test_play: what a played match gives",
    "api/metering": "cli/test_meter: every refusal",
    "cli/options/*": "cli/test_play: the options of a whole command line",
    "cli/hints": "cli/test_play: a file beside a single file is named",
    "cli/status": "cli/test_main: the exit status and the document of every error",
    "cli/shells": "cli/test_completion: real shells",
    "cli/text/*": "cli/test_play: what a whole command prints, also on a terminal",
    "cli/lazy": "cli/test_main: every command is found by it",
    "cli/cluster/*": "cli/test_worker: the keys of a cluster, and what is refused",
    "cli/league/*": "cli/test_league: each of them from a command line",
    "cli/submit": "cli/test_league: bots that pass, and that do not",
    "league/league": "league/test_judge: all that a judge asks of it",
    "league/lock": "league/test_judge: O06 and stopping",
    "league/progress": "cli/test_league: the lines of a run",
    "league/schema": "league/test_audit: its triggers",
    "league/table": "league/test_judge: the digests and the counts",
    "doctor/capability": "doctor/test_examine: a diagnosis is made of them",
    "doctor/context": "doctor/test_examine: every probe runs in one",
    "games/*/seat": "players/test_helper: the board in every game, and what it must not tell",
    "games/codecharacter/orders": "games/codecharacter/test_words: orders are read there",
    "games/hextrategic/rules": "games/hextrategic/test_update",
    "games/hextrategic/words": "games/hextrategic/test_orders",
    "record/given": "record/test_reader: what a match gives",
    "runtime/capacity": "hostile/test_operator: O12, too few descriptors and processes",
    "players/leaving": "players/test_process: programs that wait for a core",
    "record/stderr": "trial/test_diagnosis: the words of each interpreter",
    "trial/twins": "trial/test_match: programs that hold their answers back, or play other games",
    "trial/witness": "trial/test_match: what it sees decides every case",
    "match/report": "match/test_summary: the values that a report is made of",
    "match/spec": "match/test_play: a spec is what is played",
    "core/view": "view/test_make: every game has one",
    "games/*/picks": "view/test_picks: whatever is offered makes orders that the rules take",
    "web/news": "web/test_live: pages wait for it",
    "record/totals": "record/test_format: totals as lines",
    "view/chapters": "view/test_texts: entries, marks and banks by frame",
    "view/difference": "view/test_make: a comparison",
    "view/game": "view/test_make: every game",
    "view/page": "view/test_make: the policy, the blocks",
    "view/story": "view/test_make: what is told of a match, and what cannot be",
    "view/worlds": "view/test_make: a record that the rules do not give",
    "players/terms": "players/test_entrant: the terms on which a player is opened",
}
"""Modules without a test file of their own, the test file that covers them, and perhaps why."""


def source_modules(package: Path) -> set[str]:
    """The modules that need tests, as ``folder/name``: no package that only has a docstring and
    what it takes from its modules. Starter kits are data."""
    return {
        path.relative_to(package).with_suffix("").as_posix()
        for path in package.rglob("*.py")
        if (path.name != "__init__.py" or has_code(path))
        and "kits" not in path.relative_to(package).parts
    }


def has_code(path: Path) -> bool:
    """Whether a file has statements beyond a docstring, imports and ``__all__``."""
    body = ast.parse(path.read_text("utf-8")).body
    return not all(
        isinstance(node, ast.Expr | ast.Import | ast.ImportFrom)
        or (isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__")
        for node in body
    )


def modules_of_tests(folder: Path) -> set[str]:
    """The test files, as ``folder/test_name``."""
    return {
        path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob("test_*.py")
    }


def mirrored(module: str) -> str:
    """The test file of a module."""
    folder, slash, name = module.rpartition("/")
    return f"{folder}{slash}test_{name}"


def complaints(
    modules: set[str], tests: set[str], whole: Mapping[str, str], covered: Mapping[str, str]
) -> list[str]:
    """All that is wrong with the mirror, or with the tables."""
    alone = tests - {mirrored(module) for module in modules}
    bare = {module for module in modules if mirrored(module) not in tests}
    coverers = {line: text.partition(":")[0] for line, text in covered.items()}
    return [
        *(f"tests/{test}.py has no module" for test in _unnamed(alone, whole)),
        *(f"arena/{module}.py has no test file" for module in _unnamed(bare, covered)),
        *(f"delete from WHOLE: {line}" for line in _stale(whole, alone)),
        *(f"delete from COVERED: {line}" for line in _stale(covered, bare)),
        *(
            f"COVERED, {line}: no tests/{test}.py"
            for line, test in coverers.items()
            if test not in tests
        ),
    ]


def _unnamed(found: Iterable[str], table: Iterable[str]) -> list[str]:
    """What no line of a table is for."""
    return sorted(name for name in found if not any(fnmatchcase(name, line) for line in table))


def _stale(table: Iterable[str], found: Iterable[str]) -> list[str]:
    """The lines of a table that are for nothing."""
    return [line for line in table if not any(fnmatchcase(name, line) for name in found)]


def test_tests_mirror_sources() -> None:
    modules, tests = source_modules(ROOT / "arena"), modules_of_tests(ROOT / "tests")
    assert complaints(modules, tests, WHOLE, COVERED) == []


@pytest.mark.parametrize(
    ("tests", "whole", "covered", "said"),
    [
        ("a b", {}, {}, []),
        ("a", {}, {}, ["arena/core/b.py has no test file"]),
        ("a", {}, {"core/b": "core/test_a: why"}, []),
        ("a", {}, {"core/*": "core/test_c"}, ["COVERED, core/*: no tests/core/test_c.py"]),
        ("a b", {}, {"core/b": "core/test_a"}, ["delete from COVERED: core/b"]),
        ("a b c", {}, {}, ["tests/core/test_c.py has no module"]),
        ("a b c", {"core/test_*": "all"}, {}, []),
        ("a b", {"core/test_c": "all"}, {}, ["delete from WHOLE: core/test_c"]),
    ],
)
def test_the_check_sees_what_it_is_for(
    tests: str, whole: dict[str, str], covered: dict[str, str], said: list[str]
) -> None:
    """With the modules core/a and core/b, and these test files."""
    files = {f"core/test_{name}" for name in tests.split()}
    assert complaints({"core/a", "core/b"}, files, whole, covered) == said


def test_packages_without_code_need_no_tests(tmp_path: Path) -> None:
    for folder, text in [
        ("face", '"""x"""\nfrom a import b\n__all__ = ["b"]\n'),
        ("code", "X = 1"),
    ]:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "__init__.py").write_text(text)
    assert source_modules(tmp_path) == {"code/__init__"}
