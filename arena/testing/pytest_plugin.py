"""A pytest plug-in that runs all checks on the games of a package, without any test code.

It does nothing until the package names its games in the ini file of pytest, one a line, each with
the settings of its playthroughs, if any::

    [tool.pytest.ini_options]
    arena_games = ["tictactoe:GAME", "my_games.long:GAME max_rounds=40"]

A game may be named again, with other settings.

Then each game gets one test for every check of `arena.testing.conformance` and one for every
golden playthrough, which are kept in the folder `arena_playthroughs` (``playthroughs``, beside the
ini file). ``pytest --update-playthroughs`` writes them anew.

The tests are collected from the ini file itself, as in ``pytest pyproject.toml -k tictactoe``.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

import pytest

from arena.core.game import AnyGame
from arena.core.registry import BrokenGame, load_game
from arena.core.settings import Settings, parse, parse_changes
from arena.errors import ArenaError, UsageError
from arena.testing.conformance import CHECKS, run_check
from arena.testing.playthroughs import Playthrough, leftovers, playthroughs


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the ini file and the command line."""
    parser.addini("arena_games", "games to test: MODULE:ATTRIBUTE [KEY=VALUE …]", type="linelist")
    parser.addini("arena_playthroughs", "their golden playthroughs", default="playthroughs")
    parser.getgroup("arena").addoption(
        "--update-playthroughs",
        action="store_true",
        help="write the golden playthroughs of arena_games anew",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Where ``testpaths`` says what to collect, the ini file belongs to it."""
    testpaths = config.args_source is pytest.Config.ArgsSource.TESTPATHS
    if testpaths and config.inipath and config.getini("arena_games"):
        config.args.append(str(config.inipath))


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect the games that the ini file names."""
    if file_path == parent.config.inipath and parent.config.getini("arena_games"):
        return GamesFile.from_parent(parent, path=file_path)
    return None


class GamesFile(pytest.File):
    """All games of an ini file."""

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """A collector for each game, and a test that no playthrough is left over."""
        folder = self.path.parent / str(self.config.getini("arena_playthroughs"))
        wanted: list[Playthrough] = []
        names: set[str] = set()
        for line in self.config.getini("arena_games"):
            game, settings = read_line(line)
            variant = " ".join(line.split()[1:]) if game.name in names else ""
            golden = playthroughs(game, folder, settings, variant=variant)
            wanted += golden
            name = f"{game.name} {variant}".rstrip()
            if name in names:
                raise pytest.UsageError(f"arena_games: {name} is named twice")
            names.add(name)
            yield GameTests.from_parent(self, name=name, game=game, golden=golden)
        yield GameTest.from_parent(
            self, name="leftovers", run=lambda: check_leftovers(folder, wanted)
        )


class GameTests(pytest.Collector):
    """All tests of one game."""

    def __init__(self, *, game: AnyGame, golden: list[Playthrough], **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # what pytest gives to every node
        self._game = game
        self._golden = golden

    def collect(self) -> Iterator[pytest.Item]:
        """One test for each check and each playthrough."""
        for check in CHECKS:
            name = check.__name__.removeprefix("check_")
            yield GameTest.from_parent(self, name=name, run=partial(run_check, check, self._game))
        for one in self._golden:
            name = f"playthrough[{one.setup.seats}]"
            yield GameTest.from_parent(self, name=name, run=lambda one=one: self._compare(one))

    def _compare(self, one: Playthrough) -> None:
        if self.config.getoption("--update-playthroughs"):
            one.write()
        elif not one.path.exists():
            raise AssertionError(f"there is no {one.path}: run pytest --update-playthroughs")
        elif difference := one.difference():
            raise AssertionError(
                f"{one.game.name} no longer plays as in {one.path.name}:\n{difference}\n"
                "If this is intended, raise rules_version and run pytest --update-playthroughs"
            )


class GameTest(pytest.Item):
    """One check of one game."""

    def __init__(self, *, run: Callable[[], None], **rest: object) -> None:
        super().__init__(**rest)  # type: ignore[arg-type]  # what pytest gives to every node
        self._run = run

    def runtest(self) -> None:
        """Raise AssertionError when the game fails the check."""
        self._run()

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None
    ) -> str:
        """What is wrong with the game, without the plug-in's own lines; for bugs a traceback."""
        error = excinfo.value
        if isinstance(error, AssertionError):
            return str(error)
        if isinstance(error, ArenaError):
            cause = error.__cause__
            return "".join([f"{error}\n", *(traceback.format_exception(cause) if cause else ())])
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        """Where the test comes from."""
        return self.path, None, self.nodeid.partition("::")[2]


def read_line(line: str) -> tuple[AnyGame, Settings]:
    """The game that a line of `arena_games` names, and the settings of its playthroughs."""
    target, *changes = line.split()
    game = load_game(target)
    if isinstance(game, BrokenGame):
        raise pytest.UsageError(f"arena_games: the game cannot be used, {game.problem}")
    try:
        return game, parse(game.settings, parse_changes(changes))
    except UsageError as error:
        raise pytest.UsageError(f"arena_games: {line}: {error}") from None


def check_leftovers(folder: Path, wanted: Iterable[Playthrough]) -> None:
    """Check that every stored playthrough belongs to a game."""
    names = sorted(path.name for path in leftovers(folder, wanted))
    assert not names, f"playthroughs of no game: remove {', '.join(names)} from {folder}"
