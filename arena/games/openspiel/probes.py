"""What is hidden from a seat, drawn anew: for tests, and for searches that must not see it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyspiel

from arena.core import Stream
from arena.games.kit import Streams
from arena.games.openspiel.words import legal
from arena.games.openspiel.world import SpielWorld, draw_chance, move

RESAMPLED = {
    *("bargaining", "euchre", "hearts", "kuhn_poker", "leduc_poker", "oh_hell", "universal_poker"),
}
"""The games for which the library draws another state that a seat cannot tell from the real one.
(In gin_rummy that state has the past of the real one, and in colored_trails it is the real one.)"""
PROBES = 4


def perturb_hidden(world: SpielWorld, seat: int, stream: Stream) -> bool:
    """Put another state in the place of this one, if the library can."""
    if world.name not in RESAMPLED:
        return False
    for _ in range(PROBES):
        state = resampled(world, seat, stream)
        if state is not None and str(state) != str(world.state):
            world.state = state
            return True
    return False


def resampled(world: SpielWorld, seat: int, stream: Stream) -> Any:
    """Another state that the seat cannot tell from this one; None where the library fails, as in
    hearts at some moments of passing cards."""
    try:
        return world.state.resample_from_infostate(seat, stream.unit)
    except pyspiel.SpielError:
        return None


def redeals(kind: pyspiel.GameType) -> bool:
    """Whether seats know less than what chance has drawn."""
    known = kind.information == pyspiel.GameType.Information.PERFECT_INFORMATION
    return not known and kind.chance_mode != pyspiel.GameType.ChanceMode.DETERMINISTIC


def redeal(world: SpielWorld, seat: int, stream: Stream) -> tuple[SpielWorld, list[str]]:
    """The beginning of a match that the seat cannot tell from this one, with other cards, and the
    answers that lead to this point. Raises ValueError where the library cannot say."""
    if world.name not in RESAMPLED:
        raise ValueError(
            f"openspiel:{world.name} cannot be determinized: OpenSpiel does not redraw what is "
            "hidden in it, so search in a copy and leave out what the seat does not know"
        )
    state = resampled(world, seat, stream)
    if state is None:
        raise ValueError(f"OpenSpiel cannot redraw openspiel:{world.name} here: try a later move")
    past = [(step.player, step.action) for step in state.full_history()]
    origin = replace(
        world,
        state=state.get_game().new_initial_state(),
        chance=Streams(f"{stream.below(10**9)}"),
        round=0,
        moves=[],
        seen=[""] * world.seats,
        gained=[0.0] * world.seats,
        dealt=tuple([action for player, action in past if player < 0]),
    )
    draw_chance(origin)
    answers, ahead = list[str](), origin.copy()
    for player, action in past:
        if player >= 0:
            words = legal(ahead, player)
            answers.append(next(word for word, number in words.items() if number == action))
            move(ahead, {player: action})
    if str(ahead.state) != str(state):
        raise ValueError(f"OpenSpiel redraws openspiel:{world.name} without its past: report it")
    return origin, answers
