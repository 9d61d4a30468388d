"""The plug-in for pytest: what it collects, and what it says of a game that fails."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.testing.pytest_plugin import read_line
from tests.tiny import TINY, TinySettings

pytest_plugins = ["pytester"]

MINI = """
import dataclasses
from tests.tiny import TINY

GAME = dataclasses.replace(TINY, name="mini", seats=(2,))
"""


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A package with one game, whose files import more than they may."""
    pytester.makepyfile(mini=MINI, test_other="def test_it(): pass\n")
    pytester.syspathinsert()
    return pytester


def ini(project: pytest.Pytester, *lines: str) -> None:
    project.makeini("\n".join(["[pytest]", *lines]))


def outcomes(project: pytest.Pytester, *arguments: str) -> dict[str, int]:
    return project.runpytest_inprocess(*arguments).parseoutcomes()


@pytest.mark.dear
def test_without_games_it_does_nothing(project: pytest.Pytester) -> None:
    ini(project)
    assert outcomes(project) == {"passed": 1}


def test_every_check_and_playthrough_is_a_test(project: pytest.Pytester) -> None:
    ini(project, "arena_games = mini:GAME")
    ran = project.runpytest_inprocess("--collect-only", "-q")
    listed = [line for line in ran.outlines if line.startswith("tox.ini::")]
    assert listed[0] == "tox.ini::mini::determinism"
    assert listed[-2:] == ["tox.ini::mini::playthrough[2]", "tox.ini::leftovers"]
    assert len(listed) == 14


def test_two_settings_of_a_game_have_two_playthroughs(project: pytest.Pytester) -> None:
    ini(project, "arena_games =", "  mini:GAME", "  mini:GAME max_rounds=2 purse=9")
    assert outcomes(project, "--update-playthroughs", "-k", "playthrough")["passed"] == 2
    kept = sorted(path.name for path in (project.path / "playthroughs").iterdir())
    assert kept == ["mini-2.txt", "mini-max_rounds=2 purse=9-2.txt"]
    assert outcomes(project, "-k", "playthrough or leftovers")["passed"] == 3


@pytest.mark.dear
def test_a_game_that_is_named_twice_with_the_same_settings_is_refused(
    project: pytest.Pytester,
) -> None:
    ini(project, "arena_games =", "  mini:GAME", "  mini:GAME")
    ran = project.runpytest_inprocess("--collect-only")
    ran.stdout.fnmatch_lines(["*arena_games: mini is named twice*"])


def test_a_failure_is_told_in_plain_words(project: pytest.Pytester) -> None:
    ini(project, "arena_games = mini:GAME")
    ran = project.runpytest_inprocess("-k", "imports or playthrough")
    assert ran.parseoutcomes() == {"failed": 2, "deselected": 13}
    ran.stdout.fnmatch_lines(["*imports *, which is no part of the contract"])
    ran.stdout.fnmatch_lines(["there is no *mini-2.txt: run pytest --update-playthroughs"])
    assert "Traceback" not in ran.stdout.str()
    assert "def check_imports" not in ran.stdout.str()


@pytest.mark.dear
def test_playthroughs_are_written_compared_and_missed(project: pytest.Pytester) -> None:
    ini(project, "arena_games = mini:GAME max_rounds=3", "arena_playthroughs = golden")
    chosen = "-k", "playthrough or leftovers"
    folder = project.path / "golden"
    assert outcomes(project, *chosen, "--update-playthroughs")["passed"] == 2
    assert [path.name for path in folder.iterdir()] == ["mini-2.txt"]
    assert outcomes(project, *chosen)["passed"] == 2
    ini(project, "arena_games = mini:GAME max_rounds=4", "arena_playthroughs = golden")
    (folder / "mini-5.txt").touch()
    ran = project.runpytest_inprocess(*chosen)
    assert ran.parseoutcomes()["failed"] == 2
    ran.stdout.fnmatch_lines(["mini no longer plays as in mini-2.txt:", "--- kept", "+++ now"])
    ran.stdout.fnmatch_lines(["playthroughs of no game: remove mini-5.txt from *golden"])


def test_the_ini_file_belongs_to_the_paths_of_tests(project: pytest.Pytester) -> None:
    folder = project.mkdir("checks")
    Path("test_other.py").rename(folder / "test_other.py")
    ini(project, "arena_games = mini:GAME", "testpaths = checks")
    every = outcomes(project, "-k", "determinism or test_it")
    assert every == {"passed": 2, "deselected": 13}
    assert outcomes(project, "checks") == {"passed": 1}


def test_a_single_test_can_be_named(project: pytest.Pytester) -> None:
    ini(project, "arena_games = mini:GAME")
    assert outcomes(project, "tox.ini::mini::fog") == {"passed": 1}
    assert outcomes(project, "test_other.py") == {"passed": 1}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no_such_module:GAME", "the game cannot be used, since no_such_module:GAME cannot be"),
        (
            "tests.tiny:TINY rounds=3",
            "tests.tiny:TINY rounds=3: there is no setting 'rounds'",
        ),
        ("tests.tiny:TINY max_rounds", "give KEY=VALUE"),
    ],
)
def test_a_line_that_names_no_game(line: str, said: str) -> None:
    with pytest.raises(pytest.UsageError, match=f"^arena_games: .*{said}"):
        read_line(line)


def test_a_line_that_does() -> None:
    assert read_line("tests.tiny:TINY") == (TINY, TinySettings())
    assert read_line("tests.tiny:TINY purse=3 max_rounds=2") == (
        TINY,
        TinySettings(purse=3, max_rounds=2),
    )


def test_a_bug_of_a_game_has_its_traceback(project: pytest.Pytester) -> None:
    failing = "\n\ndef world(setup):\n    raise ZeroDivisionError\n\n"
    replace = "GAME = dataclasses.replace(GAME, world=world)\n"
    project.makepyfile(mini=MINI + failing + replace)
    ini(project, "arena_games = mini:GAME")
    ran = project.runpytest_inprocess("tox.ini::mini::determinism")
    assert ran.parseoutcomes() == {"failed": 1}
    ran.stdout.fnmatch_lines(
        ["*the world of mini failed*ZeroDivisionError*", "*mini.py*in world*", "ZeroDivisionError"]
    )
    ran.stdout.no_fnmatch_line("*_pytest*")
