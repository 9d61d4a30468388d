"""What is hidden from a seat, drawn anew: for tests, and for searches that must not see it.

For two games the library draws another state that a seat cannot tell from the real one. For the
others, one thing in the past that the seat need not know is changed, an outcome of chance or
another seat's action, and the match is played again beside the real one. The change holds if the
seat is told the same at each of its requests. Where the new outcome is drawn later, as a card that
was to be dealt then, the old one takes its place: the two cards are exchanged.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import pyspiel

from arena.core import Stream
from arena.games.kit import Streams
from arena.games.openspiel.world import (
    SpielWorld,
    advance,
    draw_chance,
    moments,
    move,
    observation,
    read,
    word_of,
)

RESAMPLED = {"bargaining", "bridge"}
"""The games for which the library draws another state that a seat cannot tell from the real one.
(It tries to for others, and gives the real one, one with another past, or one in which cards are
yet to be dealt. In universal_poker for ten players it crashes.)"""
PROBES = 8
"""Tries to find another state for a test."""
CHANGES = 64
"""Changes of the past that are tried for a search."""
SAMPLED = pyspiel.GameType.ChanceMode.SAMPLED_STOCHASTIC
KNOWN = pyspiel.GameType.ChanceMode.DETERMINISTIC
HIDES = pyspiel.GameType.Information.IMPERFECT_INFORMATION


def perturb_hidden(world: SpielWorld, seat: int, stream: Stream) -> bool:
    """Put another state in the place of this one, if one is found."""
    if not can_probe(world.state.get_game().get_type()):
        return False
    for _ in range(PROBES):
        state = redrawn(world, seat, stream)
        if state is not None and str(state) != str(world.state):
            world.state = state
            world.reading = read(world)
            return True
    return False


def can_redraw(kind: pyspiel.GameType) -> bool:
    """Whether the game hides something that can be drawn anew. What the library draws itself,
    without telling, cannot."""
    return bool(kind.information == HIDES and kind.chance_mode != SAMPLED)


def can_probe(kind: pyspiel.GameType) -> bool:
    """Whether tests draw anew what the game hides. In bridge each deal takes a second of finding
    the best play of all cards, and a test wants thousands."""
    return can_redraw(kind) and kind.short_name != "bridge"


def redrawn(world: SpielWorld, seat: int, stream: Stream) -> pyspiel.State | None:
    """Another state that the seat cannot tell from this one; None if the one that was tried can be
    told from it, or the library fails."""
    try:
        if world.name in RESAMPLED:
            return world.state.resample_from_infostate(seat, stream.unit)
        return changed(world, seat, stream)
    except Exception:  # the library's games in Python raise anything
        return None


# -- a past that is changed ------------------------------------------------------------------


@dataclass(slots=True)
class PastChange:
    """A change of one thing in the past."""

    at: int
    """The number of what is changed in the history of the library."""
    seat: int
    """The seat that must not notice."""
    stream: Stream
    displaced: dict[int, int] = field(default_factory=dict)
    """The old outcome of chance, by the new one."""

    def action(self, state: pyspiel.State, number: int, player: int, old: int) -> int | None:
        """What is done in the changed past instead of `old`; None where the change fails."""
        possible: list[int] = state.legal_actions(player)
        if number == self.at:
            new = self.stream.choice(possible)
            if player < 0:
                self.displaced[new] = old
            return new
        if old in possible or not possible:
            return old
        if player == self.seat:
            return None
        if player >= 0:
            return self.stream.choice(possible)
        back = self.displaced.get(old)
        return back if back in possible else None


def changed(world: SpielWorld, seat: int, stream: Stream) -> pyspiel.State | None:
    """The state after one change of the past; None if it does not hold. Late moments are more
    likely to be changed: they hide more of the present."""
    past = world.state.full_history()
    chance = [at for at, step in enumerate(past) if step.player < 0]
    others = [at for at, step in enumerate(past) if step.player not in (-1, seat)]
    group = chance if chance and (not others or stream.below(2)) else others
    if not group:
        return None
    at = group[len(group) - 1 - int(len(group) * stream.unit() ** 2)]
    real, twin = world.state.get_game().new_initial_state(), None
    change = PastChange(at, seat, stream)
    for first, steps in moments(real, past):
        if twin is None and at < first + len(steps):
            twin = real.clone()
        elif twin is not None and not looks_same(world, real, twin, seat):
            return None
        if twin is not None:
            done = [
                action
                for at_once, step in enumerate(steps)
                if (action := change.action(twin, first + at_once, step.player, step.action))
                is not None
            ]
            if len(done) < len(steps):
                return None
            advance(twin, done)
        advance(real, [step.action for step in steps])
    return twin if looks_same(world, real, twin, seat) else None


def looks_same(world: SpielWorld, real: pyspiel.State, twin: pyspiel.State, seat: int) -> bool:
    """Whether two states are the same to a seat at this moment of the match."""
    if real.current_player() != twin.current_player():
        return False
    if real.is_chance_node() or real.is_terminal():
        return True
    asked = real.is_simultaneous_node() or real.current_player() == seat
    if asked and real.legal_actions(seat) != twin.legal_actions(seat):
        return False
    told = asked or not world.whole_past
    return not told or observation(world, seat, real) == observation(world, seat, twin)


# -- a match for a search --------------------------------------------------------------------


def redeals(kind: pyspiel.GameType) -> bool:
    """Whether seats know less than what chance has drawn."""
    return bool(kind.information == HIDES and kind.chance_mode != KNOWN)


def redeal(world: SpielWorld, seat: int, stream: Stream) -> tuple[SpielWorld, list[str]]:
    """The beginning of a match that the seat cannot tell from this one, with other cards, and the
    answers that lead to this point. Raises ValueError where the library cannot say."""
    state = guessed(world, seat, stream)
    past = state.full_history()
    origin = replace(
        world,
        state=state.get_game().new_initial_state(),
        chance=Streams(f"{stream.below(10**9)}"),
        round=0,
        moves=[],
        failed=[],
        done=0,
        seen=[""] * world.seats,
        gained=[0.0] * world.seats,
        dealt=tuple([step.action for step in past if step.player < 0]),
    )
    draw_chance(origin)
    origin.reading = read(origin)
    answers, ahead = list[str](), origin.copy()
    for _, steps in moments(ahead.state, [step for step in past if step.player >= 0]):
        done = {step.player: step.action for step in steps if step.player in ahead.reading.legal}
        answers += [word_of(ahead, player, action) for player, action in done.items()]
        move(ahead, done)
    if str(ahead.state) != str(state):
        raise ValueError(f"OpenSpiel redraws openspiel:{world.name} without its past: report it")
    return origin, answers


def guessed(world: SpielWorld, seat: int, stream: Stream) -> pyspiel.State:
    """A state that the seat cannot tell from the real one. Raises ValueError."""
    name = f"openspiel:{world.name}"
    if not can_redraw(world.state.get_game().get_type()):
        raise ValueError(
            f"{name} cannot be determinized: OpenSpiel draws its chance itself and does not tell "
            "it, so search in a copy and leave out what the seat does not know"
        )
    if world.name in RESAMPLED:
        state = redrawn(world, seat, stream)
        if state is None:
            raise ValueError(f"OpenSpiel cannot redraw {name} here: try a later move")
        return state
    guess = world.copy()
    for _ in range(CHANGES):
        state = redrawn(guess, seat, stream)
        guess.state = guess.state if state is None else state
    return guess.state
