"""What hears of a match while it is played: recorders, spectators, live pages, statistics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from arena.core.replies import TimedReply, Violation
from arena.core.steps import Ask, Frame, Outcome, Step
from arena.core.tally import SeatTotals


class Listener:
    """The base of everything that listens. Override what you want to hear.

    The referee calls a method only where it is overridden, so that the others cost nothing. An
    exception out of a listener ends the match.
    """

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        """The script did these, in order, and never none. A `Show`, a `Stop`, requests and the
        outcome are the last of such a group: what comes of them is told before the next."""

    def replied(self, seat: int, timed: TimedReply, bank_ms: int) -> None:
        """A reply came back for a request that had shown `bank_ms`."""

    def violated(self, seat: int, violation: Violation) -> None:
        """A player broke the protocol."""

    def wrote(self, seat: int, round: int, data: bytes) -> None:
        """A program wrote to stderr, after its last request, which was in that round (0: before the
        first). The bytes are as they came, in pieces that end anywhere."""

    def flush(self) -> None:
        """The match waits for a player now: nothing may stay back."""

    async def shown(self, frame: Frame) -> None:
        """A round ended. No clock runs until this returns."""

    def totals(self, totals: SeatTotals) -> None:
        """The match is over: what a seat used and did wrong. Called for each seat in turn."""


class Spectator(Listener):
    """Gives every frame to an async function."""

    def __init__(self, show: Callable[[Frame], Awaitable[None]]) -> None:
        self._show = show

    async def shown(self, frame: Frame) -> None:
        """Pass it on."""
        await self._show(frame)
