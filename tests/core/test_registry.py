"""Games by name: ours, those of others, and broken ones."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from arena.core import registry
from arena.core.game import Game
from arena.core.registry import (
    BrokenGame,
    find_game,
    game_names,
    library_games,
    list_games,
    load_game,
    own_games,
)
from arena.errors import UsageError
from arena.games.tncc import GAME


@pytest.fixture
def plugins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> dict[str, str]:
    """Entry points, for one test."""
    found: dict[str, str] = {}
    monkeypatch.setattr(registry, "_plugins", lambda: found)
    monkeypatch.syspath_prepend(tmp_path)
    return found


def problem(target: str, name: str | None = None) -> str:
    game = load_game(target, name)
    assert isinstance(game, BrokenGame)
    assert game.name == (name or target)
    return game.problem


def test_our_games_are_found() -> None:
    assert find_game("tncc") is GAME
    assert [game.name for game in own_games() if isinstance(game, Game)] == game_names()
    assert [game.name for game in list_games()] == [*game_names(), *library_games()]


def test_the_nearest_name_is_told() -> None:
    with pytest.raises(UsageError, match="there is no game 'torid': did you mean 'toroid'"):
        find_game("torid")


def test_games_of_others_come_after_ours(plugins: dict[str, str]) -> None:
    plugins |= {"tiny": "tests.tiny:TINY", "tncc": "tests.tiny:TINY"}
    assert game_names()[-1] == "tiny"
    assert find_game("tiny").title == "Tiny"
    assert find_game("tncc") is GAME, "our names are ours"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("no_such_module:GAME", "ModuleNotFoundError"),
        ("tests.tiny:GAME", "AttributeError"),
        ("tests.tiny", "AttributeError"),
        (
            "tests.tiny:TinySettings",
            "since tests.tiny:TinySettings is not a Game but StructMeta",
        ),
    ],
)
def test_what_is_no_game(target: str, said: str) -> None:
    assert said in problem(target)


def test_a_game_has_the_name_of_its_entry_point() -> None:
    assert problem("tests.tiny:TINY", "teeny") == "since tests.tiny:TINY calls itself 'tiny'"


@pytest.mark.parametrize("code", ["1 / 0", "raise SystemExit(3)"])
def test_a_module_that_fails_is_told_with_its_line(
    code: str, plugins: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "broken_game.py").write_text(f"x = 1\n{code}\n")
    sys.modules.pop("broken_game", None)
    assert f"at {tmp_path}/broken_game.py:2)" in problem("broken_game:GAME")


def test_one_broken_game_leaves_the_others(plugins: dict[str, str]) -> None:
    plugins |= {"bad": "no_such_module:GAME", "tiny": "tests.tiny:TINY"}
    listed = own_games()
    assert [game.name for game in listed] == game_names()
    assert [game.name for game in listed if isinstance(game, BrokenGame)] == ["bad"]
    with pytest.raises(UsageError, match="the game 'bad' cannot be used, since no_such_module"):
        find_game("bad")


def test_a_syntax_error_is_told_as_an_interpreter_tells_it(
    plugins: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "unfinished_game.py").write_text("def world(setup)\n")
    assert problem("unfinished_game:GAME") == (
        "since unfinished_game:GAME cannot be loaded (SyntaxError: expected ':' "
        "(unfinished_game.py, line 1))"
    )
