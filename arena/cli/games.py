"""``arena games [NAME]``"""

from __future__ import annotations

from typing import Any

import click
import msgspec

from arena.cli import print_json
from arena.cli.text import table
from arena.errors import UsageError
from arena.game import Game, find_game, game_names
from arena.settings import keys


@click.command(name="games")
@click.argument("name", required=False)
@click.option("--rules", is_flag=True, help="Print the rules of the game.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(name: str | None, rules: bool, as_json: bool) -> None:
    """List the games; with NAME, its settings, ranges and meaning."""
    if name is None and rules:
        raise UsageError(f"name a game: arena games {game_names()[0]} --rules")
    if name is None:
        _list(as_json)
        return
    game = find_game(name)
    if as_json:
        print_json(describe(game) | ({"rules": game.rules} if rules else {}))
    elif rules:
        click.echo(game.rules)
    else:
        click.echo(settings_text(game))


def _list(as_json: bool) -> None:
    found = [find_game(name) for name in game_names()]
    if as_json:
        print_json([describe(game) for game in found])
    else:
        rows = [[game.name, game.title, _seats(game)] for game in found]
        click.echo(table(("game", "title", "players"), rows, left=2))


def describe(game: Game) -> dict[str, Any]:
    """A game and its settings as a document."""
    return {
        "name": game.name,
        "title": game.title,
        "seats": list(game.seats),
        "rules_version": game.rules_version,
        "settings": [msgspec.to_builtins(key) for key in keys(game.settings)],
    }


def settings_text(game: Game) -> str:
    """A game and its settings for people."""
    rows = [
        [key.name, _value(key.default), key.allowed, key.meaning] for key in keys(game.settings)
    ]
    return "\n".join(
        [
            f"{game.name}: {game.title}, for {_seats(game)} players",
            "",
            table(("setting", "default", "allowed", "meaning"), rows, left=4),
            "",
            f"Change one with: arena play {game.name} BOT… --set {rows[0][0]}=VALUE",
            f"Read the rules with: arena games {game.name} --rules",
        ]
    )


def _seats(game: Game) -> str:
    return ", ".join(str(count) for count in game.seats)


def _value(value: Any) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple | list) else str(value)
