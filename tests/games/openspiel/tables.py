"""Tables of games of OpenSpiel."""

from __future__ import annotations

from typing import Any

from arena.core import Setup, Table, find_game
from arena.core.settings import parse


def table_of(name: str, seed: str = "1", seats: int = 2, **changes: Any) -> Table[Any]:
    """A match before its first move."""
    game = find_game(f"openspiel:{name}")
    return Table(game, Setup(seed, seats, parse(game.settings, changes)))
