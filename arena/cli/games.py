"""The command ``arena games [NAME]``."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from arena.api.games import describe
from arena.cli import completion
from arena.cli.status import print_json
from arena.cli.text.layout import say, table, width
from arena.core.game import AnyGame, Game
from arena.core.registry import BrokenGame, find_game, game_names, list_games
from arena.core.settings import keys
from arena.errors import UsageError


@click.command(name="games")
@click.argument("name", required=False, shell_complete=completion.games)
@click.option("--rules", is_flag=True, help="Print the rules of the game.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str | None, rules: bool, as_json: bool) -> None:
    """List the games. With NAME, show the settings of that game, with ranges and meaning."""
    if name is None and rules:
        raise UsageError(f"name a game: arena games {game_names()[0]} --rules")
    if name is None:
        _list(as_json)
        return
    game = find_game(name)
    if as_json:
        print_json(describe(game, rules=rules))
    elif rules:
        say(game.rules)
    else:
        say(settings_text(game))


def _list(as_json: bool) -> None:
    found = list_games()
    if as_json:
        print_json({"games": [describe(game) for game in found]})
    else:
        say(list_text(found))


def list_text(games: Sequence[AnyGame | BrokenGame]) -> str:
    """The playable games, and the problems of the others."""
    rows = [[game.name, game.title, _seats(game)] for game in games if isinstance(game, Game)]
    broken = [game for game in games if isinstance(game, BrokenGame)]
    problems = [f"{game.name} cannot be used, {game.problem}" for game in broken]
    listed = table(("game", "title", "players"), rows, left=2, columns=width())
    return "\n".join([listed, *([""] if problems else []), *problems])


def settings_text(game: AnyGame) -> str:
    """A game and its settings as text for people."""
    rows = [
        [key.name, _value(key.default), key.allowed, key.meaning] for key in keys(game.settings)
    ]
    return "\n".join(
        [
            f"{game.name}: {game.title}, for {_seats(game)} players",
            "",
            table(
                ("setting", "default", "allowed", "meaning"), rows, left=4, columns=width(), title=1
            ),
            "",
            f"Change one with: arena play {game.name} BOT… --set {rows[0][0]}=VALUE",
            f"Read the rules with: arena games {game.name} --rules",
        ]
    )


def _seats(game: AnyGame) -> str:
    return ", ".join(str(count) for count in game.seats)


def _value(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
