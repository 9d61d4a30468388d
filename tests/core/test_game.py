"""What a game says of itself, and what it refuses."""

from __future__ import annotations

import dataclasses
import sys
from types import ModuleType

import pytest

from arena.core.game import AnyGame, Setup
from arena.core.registry import find_game, game_names
from arena.core.settings import Settings
from arena.core.table import Table
from arena.errors import MapError, UsageError
from tests.tiny import TINY, TinySettings


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (1, "tiny is for 2 or 3 bots, and 1 is given: name 2 or 3 bots"),
        (4, "tiny is for 2 or 3 bots, and 4 are given: name 2 or 3 bots"),
    ],
)
def test_it_is_for_so_many_players(count: int, text: str) -> None:
    TINY.check_seats(2)
    TINY.check_seats(3)
    with pytest.raises(UsageError) as error:
        TINY.check_seats(count)
    assert str(error.value) == text


def test_further_numbers_need_a_map() -> None:
    game = find_game("hextrategic")
    game.check_seats(5, on_map=True)
    with pytest.raises(UsageError, match="is for 2, 3, 4 or 6 bots"):
        game.check_seats(5)
    with pytest.raises(UsageError, match="is for 2, 3, 4, 5 or 6 bots"):
        game.check_seats(7, on_map=True)


@pytest.mark.parametrize("name", game_names())
def test_settings_of_another_game_are_refused(name: str) -> None:
    game = find_game(name)
    with pytest.raises(UsageError, match=f"{name} has .*Settings, not Settings"):
        Table(game, Setup("1", 2, Settings()))


@pytest.mark.parametrize("data", [{}, [], 0, False], ids=repr)
def test_a_map_is_refused_where_there_are_none(data: object) -> None:
    with pytest.raises(MapError, match=r"^tiny takes no map file: leave out --map$"):
        Table(TINY, Setup("1", 2, TinySettings(), data))


def test_some_games_take_maps() -> None:
    takers = [name for name in game_names() if find_game(name).maps]
    assert takers == ["warlight", "hextrategic"]


def in_module(name: str, package: str, doc: str | None) -> AnyGame:
    """A game whose script stands in a module of its own."""

    def script(world: object) -> None:
        raise NotImplementedError

    module = ModuleType(name, doc)
    module.__package__ = package
    sys.modules[name] = module
    script.__module__ = name
    return dataclasses.replace(TINY, script=script)  # type: ignore[arg-type]


def test_the_rules_of_a_game_in_one_module_are_its_docstring() -> None:
    assert in_module("tiny_alone", "", "# Tiny\n").rules == "# Tiny\n"
    assert in_module("arena.core.tiny", "arena.core", "No rules.md here.").rules.endswith("here.")


def test_a_game_without_rules_says_so() -> None:
    with pytest.raises(UsageError, match=r"the game tiny has no rules: add a rules\.md"):
        _ = in_module("tiny_alone", "", None).rules


def test_rules_beside_the_script_come_first() -> None:
    assert in_module("arena.games.tncc.other", "arena.games.tncc", "No.").rules.startswith("# TNCC")


def test_the_package_of_a_game() -> None:
    assert TINY.package == "tests"
    assert find_game("tncc").package == "arena.games.tncc"
    assert in_module("tiny_alone", "", None).package == "tiny_alone"


@pytest.mark.parametrize(
    ("setup", "text"),
    [
        (Setup("1", 1, TinySettings()), "tiny is for 2 or 3 bots, and 1 is given"),
        (Setup("1", 9, TinySettings()), "tiny is for 2 or 3 bots, and 9 are given"),
        (Setup("1", 2, TinySettings(purse=-1)), "purse=-1 is not allowed: give a whole number"),
        (Setup("1", 2, TinySettings(purse="a")), "purse=a is not allowed"),  # type: ignore[arg-type]
    ],
)
def test_a_table_refuses_what_the_game_is_not_for(setup: Setup[TinySettings], text: str) -> None:
    with pytest.raises(UsageError) as error:
        Table(TINY, setup)
    assert str(error.value).startswith(text)


def test_settings_that_were_refused_are_refused_again() -> None:
    """Valid ones are checked once, and do not vouch for others that are equal to them."""
    valid, equal = TinySettings(purse=1), TinySettings(purse=1.0)  # type: ignore[arg-type]
    for _ in range(2):
        Table(TINY, Setup("1", 2, valid))
        for refused in (equal, TinySettings(purse=-1)):
            with pytest.raises(UsageError, match=r"purse=.* is not allowed"):
                Table(TINY, Setup("1", 2, refused))
