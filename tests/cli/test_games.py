"""``arena games``: the list, the settings, the rules."""

from __future__ import annotations

import json

import pytest

from arena.cli import games
from arena.core.registry import (
    BrokenGame,
    find_game,
    game_names,
    library_games,
    list_games,
)
from tests.cli.conftest import Arena


def test_the_list(arena: Arena) -> None:
    ran = arena("games")
    names = [*game_names(), *library_games()]
    assert ran.status == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:]] == names
    listed = json.loads(arena("games", "--json").out)["games"]
    assert [game["name"] for game in listed] == names
    assert all(game["seats"] for game in listed)


def test_the_settings_of_a_game(arena: Arena) -> None:
    ran = arena("games", "warlight")
    assert ran.status == 0
    luck = next(line for line in ran.out.splitlines() if line.startswith("luck "))
    assert luck.split()[1] == "160"
    assert "a whole number from 0 to 1000" in luck
    document = json.loads(arena("games", "warlight", "--json").out)
    assert [key["name"] for key in document["settings"]][:2] == ["timebank", "time_per_move"]
    assert all(key["meaning"] and key["allowed"] for key in document["settings"])


def test_a_narrow_terminal_gets_no_line_that_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(games, "width", lambda: 40)
    text = games.settings_text(find_game("warlight"))
    assert all(len(line) <= 40 for line in text.splitlines()[2:-3])
    assert "luck\n  default 160," in text
    assert all(len(line) <= 40 for line in games.list_text(list_games()).splitlines())


def test_broken_games_stand_below_the_list() -> None:
    text = games.list_text([find_game("tncc"), BrokenGame("odd", "since it is odd" + "!" * 200)])
    assert text.startswith("game  title                         players\ntncc ")
    assert text.endswith("\n\nodd cannot be used, since it is odd" + "!" * 200)


def test_the_rules(arena: Arena) -> None:
    ran = arena("games", "warlight", "--rules")
    assert ran.out.startswith("# Warlight")
    assert json.loads(arena("games", "warlight", "--rules", "--json").out)["rules"] in ran.out


def test_an_unknown_game(arena: Arena) -> None:
    ran = arena("games", "warlite")
    assert ran.status == 2
    assert ran.err == "arena: there is no game 'warlite': did you mean 'warlight'?\n"


def test_rules_without_a_game(arena: Arena) -> None:
    ran = arena("games", "--rules")
    assert ran.status == 2
    assert ran.err == "arena: name a game: arena games warlight --rules\n"
