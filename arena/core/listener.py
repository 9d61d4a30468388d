"""Listeners follow a match while it is played: recorders, spectators, live pages, statistics."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from arena.core.replies import TimedReply, Violation
from arena.core.steps import Ask, Frame, Outcome, Step
from arena.core.tally import SeatTotals


class Listener:
    """The base class of all listeners. Override the methods for the events you need.

    The referee calls only overridden methods, so the others cost nothing. An exception from a
    listener ends the match.
    """

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        """The script took these steps, in order; never empty. A `Show`, a `Stop`, requests and the
        outcome end such a group: their consequences are reported before the next group."""

    def replied(self, seat: int, timed: TimedReply, bank_ms: int) -> None:
        """A reply came back for a request that had shown `bank_ms`."""

    def violated(self, seat: int, violation: Violation) -> None:
        """A player broke the protocol."""

    def wrote(self, seat: int, round: int, data: bytes) -> None:
        """A program wrote to stderr after its last request, which was in that round (0: before the
        first). The bytes are raw, in pieces that can end anywhere."""

    def flush(self) -> None:
        """The match now waits for a player: write out everything that is buffered."""

    async def shown(self, frame: Frame) -> None:
        """A round ended. No clock runs until this returns."""

    def totals(self, totals: SeatTotals) -> None:
        """The match is over: the totals of one seat. Called for each seat in turn."""


class Spectator(Listener):
    """Passes every frame to an async function."""

    def __init__(self, show: Callable[[Frame], Awaitable[None]]) -> None:
        self._show = show

    async def shown(self, frame: Frame) -> None:
        """Pass the frame on."""
        await self._show(frame)
