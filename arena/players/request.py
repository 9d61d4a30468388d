"""The clock of one request: how long an answer took, what it is charged, and whether it is late.

The clock starts when the request was written (T0) and stops when the newline of the answer is in
the pipe (T1); the arena reads it later (T2). The time from T1 to T2 is the arena's own part
(`attention`), and is never charged to the program. There are three clocks:

*wall*: real time from T0 to T1.

*fair*: wall, less the time in which the program was ready but the machine did not run it.

*cpu*: the CPU time of the whole tree.

Lateness is decided by *looks*: once a look has found no line although the whole bank is used, every
later line is late. A line found by the first look after the deadline is in time, since it may have
come before, but costs the whole bank. So an arena that was held up never makes a program late, and
a program that hangs loses at the first look.

What the pipe does not take at once waits until the program reads, and the clock runs meanwhile:
otherwise a program that left a byte unread could think about most of a request without charge.

The CPU and fair clocks also have a real-time guard of 10 x bank + 1 s, which ends the wait for a
program that neither answers nor runs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Protocol

from msgspec import Struct

from arena.core.clock import Clock
from arena.core.replies import Cost

if TYPE_CHECKING:
    from arena.sandbox.loop_delay import LoopDelay


DISPLACED = 0.0002
"""Duration of a write, in seconds, above which the arena was displaced from its core."""
STANDSTILL = 0.1
"""Lateness of a look, in seconds, from which on it is worth asking whether the machine stood still.
"""
GUARD = 10
GUARD_MORE = 1.0
"""The real-time guard: `GUARD` banks plus `GUARD_MORE` seconds."""


class Moment(Struct, frozen=True, gc=False):
    """The clocks when a line was read: real time in seconds, CPU time in nanoseconds."""

    time: float
    cpu: int = 0
    held_up: float = 0.0
    """Upper bound on how long the line waited while the arena was held up, in seconds."""

    @property
    def came(self) -> float:
        """When the line came, as far as is known."""
        return self.time - self.held_up


class Usage(Protocol):
    """What a clock may ask about the program, in nanoseconds."""

    def cpu(self) -> int:
        """CPU time so far."""

    def delay(self, wall: int, cpu: int) -> int | None:
        """The part of a request so far in which the program was ready but not running."""

    def stalled(self, wall: int) -> int | None:
        """The part of a request spent waiting for a disk or for memory; None if not known."""

    def ready(self) -> bool:
        """Whether the program would run now, if it had a core."""


class Request:
    """One request with a bank in nanoseconds, on the wall clock."""

    __slots__ = ("bank", "begun", "late", "over", "patience", "sent", "start", "usage", "wake_at")

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        self.bank = bank
        self.patience = patience
        self.start = start
        """The moment just before the write. CPU time counts from here."""
        self.sent = start.time
        """The end of its write, as far as the pipe took it. Real time counts from here."""
        self.begun = start.time
        """When its write began."""
        self.usage = usage
        self.late = False
        """Whether a look found no line when the bank was used up."""
        self.over = False
        """Whether the patience is also used up, which ends the wait."""
        self.wake_at = self.deadline
        """When the arena intends to look next."""

    @property
    def deadline(self) -> float:
        """The earliest time at which the bank can be used up."""
        return self.sent + self.bank * 1e-9

    def written(self, begun: float, sent: float) -> None:
        """Note that the request is written, as far as the pipe takes it. A write takes
        microseconds; a longer one was displaced, most often by the program that it woke. Then the
        request counts from the beginning of the write, if the program has run since or is ready to.
        (Half of the requests that were undercharged by 5 to 10 ms had begun that way.)"""
        self.begun, self.sent = begun, sent
        if sent - begun > DISPLACED and (self.usage.cpu() > self.start.cpu or self.usage.ready()):
            self.sent = begun

    def goes_on(self, now: float, attention: LoopDelay) -> bool:
        """Whether to grant the time again when there is no line: the arena looks late without a
        reason, so the whole machine, and the program with it, may have stood still."""
        if now - self.wake_at < STANDSTILL:
            return False
        still = attention.stood_still(now, self.sent, self.wake_at)
        self.shift(still)
        return still > 0

    def shift(self, seconds: float) -> None:
        """Grant the time again, because the machine stood still."""
        self.sent += seconds

    # -- looking ---------------------------------------------------------------------------

    def look(self, now: float) -> None:
        """Note a look that found no line."""
        used = self._used_at_least(now)
        self.late = used >= self.bank
        self.over = used >= self.bank * self.patience

    def _used_at_least(self, now: float) -> int:
        return ns(now - self.sent)

    def next_look(self, now: float) -> float:
        """When to look again if nothing arrives."""
        self.wake_at = self.sent + self.bank * (self.patience if self.late else 1) * 1e-9
        return self.wake_at

    # -- what an answer costs --------------------------------------------------------------

    def is_late(self, line: Moment) -> bool:
        """Whether a line came too late: an earlier look decided so, or the line came exactly at the
        deadline, since the arena was not held up."""
        return self.late or (
            line.time == self.deadline and self._charge(*self._times(line)) >= self.bank
        )

    def cost(self, line: Moment, *, missed: bool = False) -> Cost:
        """The cost of an answer read at that moment. An answer in time is charged less than the
        bank, a missed one the whole bank."""
        wall, cpu, delay = self._times(line)
        charged = min(self._charge(wall, cpu, delay), max(self.bank - 1, 0))
        held_up = None if missed else ns(line.held_up)
        charged = self.bank if missed else charged
        stalled = self.usage.stalled(wall)
        return Cost(charged, wall, cpu, delay, held_up=held_up or None, stalled=stalled)

    def _times(self, line: Moment) -> tuple[int, int, int | None]:
        """Real time, CPU time and delay, from its write to the line.

        A program that displaces the arena from its core runs before the arena can read the clock
        after the write, so its real time is at least its CPU time.
        """
        cpu = line.cpu - self.start.cpu
        wall = max(0, ns(line.came - self.sent), min(cpu, ns(line.came - self.begun)))
        return wall, cpu, self.usage.delay(wall, cpu)

    def _charge(self, wall: int, cpu: int, delay: int | None) -> int:
        return wall


class GuardedRequest(Request):
    """A request on the CPU or fair clock, where the end of the bank is not known in advance."""

    __slots__ = ("guard",)

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        super().__init__(bank, patience, start, usage)
        self.guard = start.time + GUARD * bank * patience * 1e-9 + GUARD_MORE
        """The real time that ends the wait."""

    def shift(self, seconds: float) -> None:
        """See `Request`."""
        super().shift(seconds)
        self.guard += seconds

    def look(self, now: float) -> None:
        """See `Request`."""
        if now >= self.guard:
            self.late = self.over = True
        else:
            super().look(now)


def ns(seconds: float) -> int:
    """Seconds as nanoseconds."""
    return round(seconds * 1e9)


# The CPU and fair clocks.

LOOK_AGAIN = 0.005
"""Minimum seconds between two looks at the CPU or fair clock."""
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class CpuRequest(GuardedRequest):
    """A request on the CPU clock. An answer counts if less than the bank was used when it was read,
    however long that took."""

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
    """A request on the fair clock.

    The kernel reports the delay of a thread that waits for a core only once the thread runs. So if
    the bank seems to be used up and the program is ready to run, the arena looks again every 5 ms:
    once the program has run, its wait is known up to the previous look. A program that sleeps has
    no such delay and loses at once, as does one that has used the bank as CPU time.
    """

    __slots__ = ("_left", "_looked", "_seen", "_waits_since")

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        super().__init__(bank, patience, start, usage)
        self._left = bank
        self._looked = self._waits_since = start.time
        self._seen: tuple[int, int] | None = None

    def _used_at_least(self, now: float) -> int:
        wall = ns(now - self.sent)
        if wall < self.bank:  # then less is used, whatever the delay
            self._left = self.bank - wall
            return wall
        cpu = self.usage.cpu() - self.start.cpu
        used = wall - (self.usage.delay(wall, cpu) or 0)
        least = max(used - self._waiting(now, cpu, wall - used), min(used, cpu))
        self._left = self.bank * (self.patience if least >= self.bank else 1) - used
        return least

    def _waiting(self, now: float, cpu: int, delay: int) -> int:
        """How long the program may have been waiting for a core without a break until now."""
        if (cpu, delay) != self._seen:  # ran since the previous look
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
