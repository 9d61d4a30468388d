"""Ranks of the seats of a match, their worth in any game, and forfeits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec.structs import replace

from arena.core.replies import Reply, Silence, Why
from arena.core.steps import Asks, Fate, Outcome, Script, Stop
from arena.text import joined


def ranks(standings: Sequence[Any]) -> tuple[int, ...]:
    """Ranks for comparable standings, the highest first; ties share the better rank: 1 1 3."""
    return tuple(1 + sum(other > mine for other in standings) for mine in standings)


def shares(ranks: Sequence[int]) -> tuple[float, ...]:
    """The share of its opponents that each seat has beaten; a tie counts half."""
    others = len(ranks) - 1
    return tuple(
        (sum((rank > own) + (rank == own) / 2 for rank in ranks) - 0.5) / others for own in ranks
    )


# Forfeits: a seat whose program was stopped ranks below all others.
#
# By the rules of a game alone, a program that crashes at once may still draw or even win, because
# what it owns lives on without orders. With forfeits, a seat is *out* once its program is gone (it
# answers with silence for that reason) or the rules end it. The match goes on while two programs
# are left; when at most one is left, it ends instead of making the next request. Seats that are out
# rank below all others; a seat that lasted longer ranks higher, and seats that went out at the same
# exchange tie. The points of a seat are then the share of its opponents that it has beaten, ties
# half, since the points of a game do not account for forfeits.
#
# A match in which no seat is out ends as it does without forfeits.

REASON = "forfeit"
"""The reason of an outcome by forfeit, ahead of the outcome by the rules."""
LASTED = 1 << 62
"""In place of the exchange at which a seat went out, for a seat that did not."""


def with_forfeits(script: Script, seats: int) -> Script:
    """The script of a match with forfeits."""
    outs = _EliminatedSeats(seats)
    replies: Any = None
    while True:
        try:
            step = script.send(replies)
        except StopIteration as end:
            ended = end.value
            return outs.rerank(ended) if outs.at and type(ended) is Outcome else ended
        if type(step) is tuple:
            if outs.at_most_one_left:
                script.close()
                return outs.outcome()
            replies = yield step
            outs.see_replies(step, replies)
        else:
            replies = yield step
            if type(step) is Stop:
                outs.at.setdefault(step.seat, outs.exchanges)


class _EliminatedSeats:
    """Which seats are out, and since when."""

    def __init__(self, seats: int) -> None:
        self.seats = range(seats)
        self.exchanges = 0
        """Exchanges of requests and replies so far."""
        self.at: dict[int, int] = {}
        """For each seat that is out, the exchange at which it went out."""

    @property
    def at_most_one_left(self) -> bool:
        return len(self.at) >= len(self.seats) - 1

    def see_replies(self, asks: Asks, replies: Sequence[Reply]) -> None:
        self.exchanges += 1
        for ask, reply in zip(asks, replies, strict=True):
            if type(reply) is Silence and reply.why in (Why.DEAD, Why.STOPPED):
                self.at.setdefault(ask.seat, self.exchanges)

    def outcome(self) -> Outcome:
        """The outcome of a match in which at most one program is left."""
        places = ranks([self.at.get(seat, LASTED) for seat in self.seats])
        best = [f"player{seat + 1}" for seat in self.seats if places[seat] == 1]
        verdict = f"{best[0]} won" if len(best) == 1 else f"{joined(best)} tie"
        fates = tuple(Fate.REMOVED if seat in self.at else Fate.SURVIVED for seat in self.seats)
        sentence = f"{verdict} by forfeit: {self._told()}."
        return Outcome(
            ranks=places, points=shares(places), fates=fates, reason=REASON, sentence=sentence
        )

    def rerank(self, outcome: Outcome) -> Outcome:
        """The outcome by the rules, with the seats that are out below all others."""
        places = ranks(
            [
                (self.at[seat], 0) if seat in self.at else (LASTED, -outcome.ranks[seat])
                for seat in self.seats
            ]
        )
        sentence = f"{outcome.sentence} Ranked last by forfeit: {self._told()}."
        return replace(outcome, ranks=places, points=shares(places), sentence=sentence)

    def _told(self) -> str:
        names = joined(f"player{seat + 1}" for seat in sorted(self.at))
        many = len(self.at) > 1
        return f"the program{'s' * many} of {names} {'were' if many else 'was'} stopped"
