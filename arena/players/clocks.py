"""The clocks of a request that are not real time: `request` says what they have in common."""

from __future__ import annotations

import os

from arena.core.clock import Clock
from arena.players.request import GuardedRequest, Moment, Request, Usage, ns

LOOK_AGAIN = 0.005
"""Seconds, at least, between two looks at a clock that is not real time."""
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class CpuRequest(GuardedRequest):
    """On the CPU clock. An answer counts if less than the bank was used when it was read, however
    long that took."""

    __slots__ = ()

    def _used_at_least(self, now: float) -> int:
        return self.usage.cpu() - self.start.cpu

    def next_look(self, now: float) -> float:
        """The earliest moment at which the bank can be used up, on all cores at once."""
        left = self.bank * self.patience - self._used_at_least(now)
        self.wake_at = min(self.guard, now + max(LOOK_AGAIN, left * 1e-9 / CORES))
        return self.wake_at

    def is_late(self, line: Moment) -> bool:
        """See `Request`."""
        return line.cpu - self.start.cpu >= self.bank or line.time >= self.guard

    def _charge(self, wall: int, cpu: int, delay: int | None) -> int:
        return cpu


class FairRequest(GuardedRequest):
    """On the fair clock.

    A thread that waits for a core right now has a delay that the kernel tells only when it runs.
    So where the bank seems to be used up and the program is ready to run, the arena looks again
    every 5 ms: once the program has run, its waiting is known up to the look before. A program that
    sleeps has no such delay, and loses at once; and so does one that has used the bank as CPU time.
    """

    __slots__ = ("_left", "_looked", "_seen", "_waits_since")

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        super().__init__(bank, patience, start, usage)
        self._left = bank
        self._looked = self._waits_since = start.time
        self._seen: tuple[int, int] | None = None

    def _used_at_least(self, now: float) -> int:
        wall = ns(now - self.sent)
        if wall < self.bank:  # and whatever the delay, less is used
            self._left = self.bank - wall
            return wall
        cpu = self.usage.cpu() - self.start.cpu
        used = wall - (self.usage.delay(wall, cpu) or 0)
        least = max(used - self._waiting(now, cpu, wall - used), min(used, cpu))
        self._left = self.bank * (self.patience if least >= self.bank else 1) - used
        return least

    def _waiting(self, now: float, cpu: int, delay: int) -> int:
        """For how long it may have been waiting for a core, without a break, until now."""
        if (cpu, delay) != self._seen:  # it has run since the look before
            self._seen, self._waits_since = (cpu, delay), self._looked
        self._looked = now
        return ns(now - self._waits_since) if self.usage.ready() else 0

    def next_look(self, now: float) -> float:
        """When the bank can be used up, or 5 ms later."""
        left = self._left * 1e-9 if self._left > 0 else LOOK_AGAIN
        self.wake_at = min(self.guard, now + left)
        return self.wake_at

    def _charge(self, wall: int, cpu: int, delay: int | None) -> int:
        return wall - (delay or 0)


REQUESTS: dict[Clock, type[Request]] = {
    Clock.WALL: Request,
    Clock.FAIR: FairRequest,
    Clock.CPU: CpuRequest,
}
