"""The clock of one request.

It begins when the request was written (T0) and ends when the newline of the answer lies in the
pipe (T1); the arena reads it later (T2). What lies between T1 and T2 is the arena's own part
(`attention`), and never the program's. Three dials:

*wall*: real time from T0 to T1.

*fair*: the same, less the time in which the program was ready and the machine did not run it.

*cpu*: the CPU time of the whole tree.

Whether an answer is late is decided by *looks*: once the arena has looked, has found no line, and
all of the bank is used, every later line is late. A line that is there at the first look after the
deadline is in time, since it may have come before, at the price of the whole bank. So an arena that
was held up never makes a program late; a program that hangs loses at the first look.

What the pipe does not take at once waits until the program reads, and the clock runs meanwhile: a
program that left a byte unread would otherwise think about most of a request at no charge.

On the clocks that are not real time, a guard of ten banks and a second of real time ends the wait
for a program that neither answers nor runs.
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
"""Seconds of a write from which on the arena was displaced from its core."""
STANDSTILL = 0.1
"""Seconds of a late look from which on it is worth to ask whether the machine stood still."""
GUARD = 10
GUARD_MORE = 1.0
"""The wall guard: so many banks, and so many seconds more."""


class Timing(Struct, frozen=True):
    """How the time of a program is kept. Times in nanoseconds."""

    clock: Clock = Clock.WALL
    pondering: bool = True
    """Whether it may run while it is not asked."""
    timebank: int | None = None
    """What its clock grants at the start, for the limit of its CPU time; None for no such limit."""
    time_per_move: int = 0
    start_up: int = 0
    """What it may take from its start to its first answer before its time bank is charged."""

    def granted(self, turn: int) -> int | None:
        """All that it gets until the end of a turn (1 is the first request); None for no limit."""
        if self.timebank is None:
            return None
        return self.timebank + self.start_up + (turn - 1) * self.time_per_move


class Moment(Struct, frozen=True, gc=False):
    """What the clocks showed when a line was read: seconds of real time, nanoseconds of CPU."""

    time: float
    cpu: int = 0
    held_up: float = 0.0
    """Seconds for which the line may have lain there, because the arena was held up."""

    @property
    def came(self) -> float:
        """When the line came, as well as it is known."""
        return self.time - self.held_up


class Usage(Protocol):
    """What a clock may ask about the program, in nanoseconds."""

    def cpu(self) -> int:
        """CPU time so far."""

    def delay(self, wall: int, cpu: int) -> int | None:
        """The part of a request so far in which it was ready and not run."""

    def stalled(self, wall: int) -> int | None:
        """The part of a request in which it waited for a disk or for memory; None for none."""

    def ready(self) -> bool:
        """Whether it would run now, if it had a core."""


class Request:
    """One request with a bank in nanoseconds, on the wall clock."""

    __slots__ = ("bank", "begun", "late", "over", "patience", "sent", "start", "usage", "wake_at")

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        self.bank = bank
        self.patience = patience
        self.start = start
        """Just before its write: CPU time counts from here."""
        self.sent = start.time
        """The end of its write, as far as the pipe took it. Real time counts from here."""
        self.begun = start.time
        """When its write began."""
        self.usage = usage
        self.late = False
        """The bank was used up at a look at which no line was there."""
        self.over = False
        """And so was the patience: the waiting ends."""
        self.wake_at = self.deadline
        """When the arena means to look next."""

    @property
    def deadline(self) -> float:
        """When the bank is used up at the earliest."""
        return self.sent + self.bank * 1e-9

    def written(self, begun: float, sent: float) -> None:
        """It is written, as far as the pipe takes it. A write takes microseconds: one that took
        longer was displaced, most often by the very program that it wakes up. Then that has the
        request since the write began, if it has run since, or would. (Half of the requests for
        which 5 to 10 ms too little were charged had begun so.)"""
        self.begun, self.sent = begun, sent
        if sent - begun > DISPLACED and (self.usage.cpu() > self.start.cpu or self.usage.ready()):
            self.sent = begun

    def goes_on(self, now: float, attention: LoopDelay) -> bool:
        """Whether it gets its time once more, when no line is there: the arena looks late for no
        reason, so the whole machine may have stood still, and the program with it."""
        if now - self.wake_at < STANDSTILL:
            return False
        still = attention.stood_still(now, self.sent, self.wake_at)
        self.shift(still)
        return still > 0

    def shift(self, seconds: float) -> None:
        """The machine stood still: grant the time once more."""
        self.sent += seconds

    # -- looking ---------------------------------------------------------------------------

    def look(self, now: float) -> None:
        """No line is there."""
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
        """Whether a line is no answer any more: an earlier look said so, or the arena was not held
        up and read it at the deadline itself."""
        return self.late or (
            line.time == self.deadline and self._charge(*self._times(line)) >= self.bank
        )

    def cost(self, line: Moment, *, missed: bool = False) -> Cost:
        """What an answer cost that was read then. One in time is charged less than the bank, a
        missed one all of it."""
        wall, cpu, delay = self._times(line)
        charged = min(self._charge(wall, cpu, delay), max(self.bank - 1, 0))
        held_up = None if missed else ns(line.held_up)
        charged = self.bank if missed else charged
        stalled = self.usage.stalled(wall)
        return Cost(charged, wall, cpu, delay, held_up=held_up or None, stalled=stalled)

    def _times(self, line: Moment) -> tuple[int, int, int | None]:
        """Real time, CPU time and delay, from its write to the line.

        A program that displaces the arena from its core runs before the arena can read the clock
        after the write: it has taken as long as it has run, at least.
        """
        cpu = line.cpu - self.start.cpu
        wall = max(0, ns(line.came - self.sent), min(cpu, ns(line.came - self.begun)))
        return wall, cpu, self.usage.delay(wall, cpu)

    def _charge(self, wall: int, cpu: int, delay: int | None) -> int:
        return wall


class GuardedRequest(Request):
    """On a clock that is not real time: it is not known when the bank is used up."""

    __slots__ = ("guard",)

    def __init__(self, bank: int, patience: int, start: Moment, usage: Usage) -> None:
        super().__init__(bank, patience, start, usage)
        self.guard = start.time + GUARD * bank * patience * 1e-9 + GUARD_MORE
        """When real time ends the wait."""

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
    """Nanoseconds."""
    return round(seconds * 1e9)


# The clocks of a request that are not real time: `request` says what they have in common.

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
