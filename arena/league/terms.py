"""Under which conditions the matches of a league are played: settled once, when it begins."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct

from arena.api.conditions import Conditions, empty_spec, game_of, sandbox_mode
from arena.core.clock import Clock
from arena.core.game import AnyGame
from arena.core.registry import find_game
from arena.errors import UsageError
from arena.match.spec import MatchSpec
from arena.sandbox.levels import Level, SandboxMode


class Terms(Struct, frozen=True, forbid_unknown_fields=True):
    """What all matches of a league have in common. The settings are all of the game's."""

    game: str
    rules_version: int
    seats: int
    seed: str
    settings: dict[str, Any]
    map: Any
    memory: int | None
    sandbox: str
    clock: Clock
    pondering: bool
    sequential: bool
    start_up: int
    """Milliseconds from the start of a bot to its first answer that no bank pays."""
    forfeit: bool
    meter: str

    @property
    def mode(self) -> Level | SandboxMode:
        """The walls around bots and builds."""
        return sandbox_mode(self.sandbox)


DEFAULTS = Conditions(sandbox="strict", clock="fair", start_up=10_000, forfeit=True)
"""What a league has unless told otherwise, where it is not as in ``arena play``."""


def settle(game: str, seats: int | None, asked: Conditions) -> Terms:
    """The terms of a new league. Raises UsageError for what cannot be."""
    found = game_of(game)
    seats = _seats(found, seats, asked)
    conditions: Conditions = {**DEFAULTS, **asked}
    spec = empty_spec(found, seats, conditions)
    return Terms(
        found.name,
        found.rules_version,
        seats,
        spec.seed,
        msgspec.to_builtins(spec.settings),
        msgspec.to_builtins(spec.map),
        spec.limits.memory,
        str(conditions["sandbox"]),
        spec.clock,
        spec.pondering,
        spec.sequential,
        spec.start_up,
        spec.forfeit,
        conditions.get("meter", "time"),
    )


def _seats(game: AnyGame, asked: int | None, conditions: Conditions) -> int:
    seats = game.seats[0] if asked is None else asked
    game.check_seats(seats, on_map=conditions.get("map") is not None)
    return seats


def spec_of(terms: Terms) -> MatchSpec:
    """A match on these terms, without entrants.

    Raises UsageError when it cannot be played by this release or on this machine.
    """
    game = find_game(terms.game)
    if game.rules_version != terms.rules_version:
        raise UsageError(
            f"the league plays {game.name} by version {terms.rules_version} of its rules, and "
            f"version {game.rules_version} is installed: use the release that it began with, or "
            "begin a new league"
        )
    return empty_spec(game, terms.seats, conditions_of(terms))


def conditions_of(terms: Terms) -> Conditions:
    """The same as `play` takes them."""
    conditions = Conditions(
        seed=terms.seed,
        settings=terms.settings,
        map=terms.map,
        sandbox=terms.sandbox,
        clock=terms.clock.value,
        pondering=terms.pondering,
        sequential=terms.sequential,
        start_up=terms.start_up,
        forfeit=terms.forfeit,
        meter="instructions" if terms.meter == "instructions" else "time",
    )
    if terms.memory is not None:
        conditions["memory"] = terms.memory
    return conditions
