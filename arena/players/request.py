"""The clock of one request.

It runs from the request's write (real time: from the end of it) to the arrival of the answer's
newline, on one of two dials:

*wall*: real time. One absolute deadline, start of the write plus the bank, covers writing and
waiting, so that a program that does not read cannot hold us. It is known when to wake up.

*cpu*: the CPU time of the whole tree. The answer counts if less than the bank was used when it
arrived, however long that took; a guard of ten banks and a second of real time ends the wait for a
program that neither answers nor runs. When the bank will be used up nobody knows, but it cannot be
before ``what is left / number of cores``: that is when the CPU clock is looked at next, and never
more often than every 5 ms.
"""

from __future__ import annotations

import os
from collections.abc import Callable

from msgspec import Struct

from arena.clock import Clock

LOOK_AGAIN = 0.005
"""Seconds, at least, between two looks at a CPU clock."""
GUARD = 10
GUARD_MORE = 1.0
"""The wall guard: so many banks, and so many seconds more."""
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Timing(Struct, frozen=True):
    """How the time of a program is kept. Times in nanoseconds."""

    clock: Clock = Clock.WALL
    pondering: bool = True
    """Whether it may run while it is not asked."""
    timebank: int | None = None
    """What its clock grants at the start, for the limit of its CPU time; None for no such limit."""
    time_per_move: int = 0


class Moment(Struct, frozen=True, gc=False):
    """What the clocks showed: seconds of real time, nanoseconds of CPU time."""

    time: float
    cpu: int = 0


class Request:
    """The wall clock of one request with a bank in nanoseconds."""

    __slots__ = ("bank", "deadline", "give_up", "patience", "sent", "start", "wake_at")

    def __init__(self, bank: int, patience: int, start: Moment) -> None:
        self.bank = bank
        self.patience = patience
        self.start = start
        """Just before its write: CPU time counts from here."""
        self.sent = start.time
        """The end of its write; until then, the start of it. Real time counts from here."""
        self.deadline = start.time + bank * 1e-9
        self.give_up = start.time + bank * patience * 1e-9
        self.wake_at = self.deadline
        """When we meant to look at it next: whoever looks later has lagged."""

    def is_late(self, came: Moment) -> bool:
        """Whether a line that arrived then is no answer any more."""
        return came.time >= self.deadline

    def is_over(self, now: float) -> bool:
        """Whether the waiting ends."""
        return now >= self.give_up

    def next_look(self, now: float) -> float:
        """When to look again if nothing arrives."""
        self.wake_at = self.deadline if now < self.deadline else self.give_up
        return self.wake_at

    def wall(self, came: Moment) -> int:
        """Nanoseconds of real time from its write to then."""
        return round((came.time - self.sent) * 1e9)

    def cpu(self, came: Moment) -> int:
        """CPU time from its write to then."""
        return came.cpu - self.start.cpu

    def charge(self, came: Moment) -> int:
        """What an answer that arrived in time costs."""
        return min(self.wall(came), max(self.bank - 1, 0))


class CpuRequest(Request):
    """The same, on the CPU clock, read by `cpu_ns`."""

    __slots__ = ("_cpu_ns",)

    def __init__(self, bank: int, patience: int, start: Moment, cpu_ns: Callable[[], int]) -> None:
        super().__init__(bank, patience, start)
        self._cpu_ns = cpu_ns
        guard = GUARD * bank * patience * 1e-9 + GUARD_MORE
        self.deadline = self.give_up = self.wake_at = start.time + guard

    def _left(self) -> int:
        return self.bank * self.patience - (self._cpu_ns() - self.start.cpu)

    def is_late(self, came: Moment) -> bool:
        """Whether the bank was used up when the line arrived."""
        return self.cpu(came) >= self.bank or came.time >= self.give_up

    def is_over(self, now: float) -> bool:
        """Whether the waiting ends: all is used, or the guard ran out."""
        return now >= self.give_up or self._left() <= 0

    def next_look(self, now: float) -> float:
        """The earliest moment at which the bank can be used up."""
        self.wake_at = min(self.give_up, now + max(LOOK_AGAIN, self._left() * 1e-9 / CORES))
        return self.wake_at

    def charge(self, came: Moment) -> int:
        """CPU time."""
        return min(self.cpu(came), max(self.bank - 1, 0))
