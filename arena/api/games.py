"""A game as a document: what it is for, and what can be set."""

from __future__ import annotations

from msgspec import Struct

from arena.core.game import AnyGame
from arena.core.registry import BrokenGame
from arena.core.settings import Key, keys


class GameDescription(Struct, frozen=True, omit_defaults=True):
    """What `arena games --json` tells of a game."""

    name: str
    """For the command line."""
    title: str = ""
    """For people."""
    seats: tuple[int, ...] = ()
    """Numbers of players that can play it."""
    rules_version: int = 0
    """Raised when the rules change."""
    settings: tuple[Key, ...] = ()
    """In the order of the rules."""
    rules: str | None = None
    """The text of the rules, with ``--rules``."""
    problem: str | None = None
    """Why it cannot be used: of a game of another distribution, which has no other field then."""


def describe(game: AnyGame | BrokenGame, *, rules: bool = False) -> GameDescription:
    """A game and its settings, and on request its rules."""
    if isinstance(game, BrokenGame):
        return GameDescription(game.name, problem=game.problem)
    return GameDescription(
        game.name,
        game.title,
        game.seats,
        game.rules_version,
        tuple(keys(game.settings)),
        game.rules if rules else None,
    )
