"""When the arena itself was looking at its pipes, and when it was held up.

A line lies in a pipe from T1 on, and the arena reads it at T2. What lies between is the arena's own
doing. It is found out from three sources, all about the thread that runs the loop:

* the loop tells when it begins to wait for its pipes, and when that wait ends;
* the kernel tells how long the thread has run, and how long it was ready and not run
  (``/proc/thread-self/schedstat``, a microsecond);
* what is left of a wait is sleep. A thread that slept was woken by the line (T1 is when it woke
  up); one that did not sleep found the line there, so it came at any time since the wait before;
  one that slept for longer than it meant to was stopped, and the line may have come all the while.

Where the kernel does not tell (no Linux), a line is held to have come when it was read.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import trio

QUICK = 0.001
"""Seconds below which nothing is asked: whatever held the arena up was as short."""
ASLEEP = 50e-6
"""Seconds of sleep below which a wait was none: its own overhead."""
OVERSLEPT = 0.002
"""Seconds by which a timer may be late without any reason."""
STANDSTILL = 1.0
"""Seconds of a late look that no load explains, where the kernel does not tell."""
OWN_SCHEDSTAT = "/proc/thread-self/schedstat"


class LoopDelay:
    """What is known of the arena's own part where nothing watches: nothing. Times are seconds of
    `trio.current_time`."""

    def held_up(self, now: float, since: float) -> float:
        """For how many of the seconds since then a line that is read now may have lain there."""
        return 0.0

    def stood_still(self, now: float, since: float, meant: float) -> float:
        """How many of the seconds since then the arena stood still, by all it knows: it looks now,
        later than at `meant`, though it neither ran nor waited for a core."""
        return now - since if now - meant > STANDSTILL else 0.0


UNKNOWN = LoopDelay()


class LoopAttention(LoopDelay, trio.abc.Instrument):
    """Watches the loop that it is added to."""

    def __init__(self) -> None:
        self._file = os.open(OWN_SCHEDSTAT, os.O_RDONLY | os.O_CLOEXEC)
        self._now = trio.lowlevel.current_clock().current_time  # a third of `trio.current_time`
        self._left = self._left_before = self._entered = self._read_at = self._now()
        self._meant = 0.0
        self._busy = self._read()

    def before_io_wait(self, timeout: float) -> None:
        """The loop begins to wait for its pipes, at most for so many seconds."""
        now = self._entered = self._now()
        self._left_before = self._left
        self._meant = timeout
        if timeout > 0 or now - self._read_at > QUICK:
            self._busy, self._read_at = self._read(), now

    def after_io_wait(self, timeout: float) -> None:
        """The wait has ended. One that was stopped may have seen nothing though lines came."""
        now = self._now()
        late = now - self._entered > timeout + OVERSLEPT and self._overslept(now)
        self._left = self._entered if late else now

    def held_up(self, now: float, since: float) -> float:
        """See `LoopDelay`."""
        if now - since < QUICK:
            return 0.0
        if self._entered < since:  # it has not waited yet: all the time was its own
            return now - since
        return min(self._lay_there(now), now - since)

    def _lay_there(self, now: float) -> float:
        if self._overslept(now):
            return now - self._entered
        slept = self._slept(now)
        return now - self._left_before if slept < ASLEEP else now - self._read_at - slept

    def stood_still(self, now: float, since: float, meant: float) -> float:
        """See `LoopDelay`."""
        if self._entered < since:
            return 0.0
        return self._slept(now) if self._overslept(now) else 0.0

    def _overslept(self, now: float) -> bool:
        """Whether the wait took longer than it was meant to, and it was not for want of a core."""
        return self._slept(now) > self._meant + OVERSLEPT

    def _slept(self, now: float) -> float:
        """Seconds since the last reading in which this thread neither ran nor was ready to."""
        return now - self._read_at - (self._read() - self._busy)

    def _read(self) -> float:
        """Seconds that this thread has run, or was ready to. (``schedstat`` has the first as of
        the last tick only.)"""
        ready = int(os.pread(self._file, 64, 0).split()[1])
        return (time.thread_time_ns() + ready) * 1e-9

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._file)


@contextmanager
def attention_of_loop() -> Iterator[LoopDelay]:
    """What watches the loop that runs now, for the time of a ``with``."""
    try:
        attention = LoopAttention()
    except OSError:  # this system does not tell
        yield UNKNOWN
        return
    trio.lowlevel.add_instrument(attention)
    try:
        yield attention
    finally:
        trio.lowlevel.remove_instrument(attention)
        attention.close()
