"""Measure how long the event loop leaves a line unread in its pipe.

(The arena's part, from T1 to T2 in `arena.players.timing`.) It is estimated from three sources, all
about the thread that runs the loop:

* the loop reports when it begins to wait for its pipes and when that wait ends;
* the kernel reports how long the thread has run, and how long it was ready but not running
  (``/proc/thread-self/schedstat``, a microsecond);
* the rest of a wait is sleep. A thread that slept was woken by the line (T1 is the wake-up); one
  that did not sleep found the line there, so the line came at any time since the previous wait;
  one that slept longer than intended was stopped, and the line may have come at any time in that.

Where the kernel reports nothing (not Linux), T1 is taken to be T2.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

import trio

EXAMINED_FROM = 0.001
"""Seconds below which the delay is not examined: it cannot be longer than that."""
ASLEEP = 50e-6
"""Seconds of sleep below which a wait is only its own overhead."""
OVERSLEPT = 0.002
"""Seconds by which a timer may normally be late."""
STANDSTILL = 1.0
"""Lateness of a look, in seconds, that no load explains, where the kernel reports nothing."""
OWN_SCHEDSTAT = "/proc/thread-self/schedstat"


class LoopDelay:
    """The arena's own delay where it cannot be measured. Times are seconds of
    `trio.current_time`."""

    def unread(self, now: float, since: float) -> float:
        """Upper bound on how long a line that is read now waited unread since then, in seconds."""
        return 0.0

    def standstill(self, now: float, since: float, meant: float) -> float:
        """Seconds since then for which the arena was evidently stopped: it looks now instead of at
        `meant`, though it neither ran nor waited for a core."""
        return now - since if now - meant > STANDSTILL else 0.0


UNMEASURED = LoopDelay()


class MeasuredLoopDelay(LoopDelay, trio.abc.Instrument):
    """Measures the delays of the Trio loop that it instruments."""

    def __init__(self) -> None:
        self._file = os.open(OWN_SCHEDSTAT, os.O_RDONLY | os.O_CLOEXEC)
        self._now = trio.lowlevel.current_clock().current_time  # a third of `trio.current_time`
        self._left = self._left_before = self._entered = self._read_at = self._now()
        self._meant = 0.0
        self._busy = self._read()

    def before_io_wait(self, timeout: float) -> None:
        """The loop begins to wait for its pipes, for at most `timeout` seconds."""
        now = self._entered = self._now()
        self._left_before = self._left
        self._meant = timeout
        if timeout > 0 or now - self._read_at > EXAMINED_FROM:
            self._busy, self._read_at = self._read(), now

    def after_io_wait(self, timeout: float) -> None:
        """The wait has ended. If the thread was stopped, lines may have come unseen."""
        now = self._now()
        late = now - self._entered > timeout + OVERSLEPT and self._overslept(now)
        self._left = self._entered if late else now

    def unread(self, now: float, since: float) -> float:
        """See `LoopDelay`."""
        if now - since < EXAMINED_FROM:
            return 0.0
        if self._entered < since:  # no wait since then: all the time was the arena's own
            return now - since
        return min(self._lay_there(now), now - since)

    def _lay_there(self, now: float) -> float:
        if self._overslept(now):
            return now - self._entered
        slept = self._slept(now)
        return now - self._left_before if slept < ASLEEP else now - self._read_at - slept

    def standstill(self, now: float, since: float, meant: float) -> float:
        """See `LoopDelay`."""
        if self._entered < since:
            return 0.0
        return self._slept(now) if self._overslept(now) else 0.0

    def _overslept(self, now: float) -> bool:
        """Whether the wait took longer than intended, and not for lack of a core."""
        return self._slept(now) > self._meant + OVERSLEPT

    def _slept(self, now: float) -> float:
        """Seconds since the last reading in which this thread neither ran nor was ready to run."""
        return now - self._read_at - (self._read() - self._busy)

    def _read(self) -> float:
        """Seconds that this thread has run or was ready to run. (The run time in ``schedstat`` is
        only as of the last tick, hence `time.thread_time_ns`.)"""
        ready = int(os.pread(self._file, 64, 0).split()[1])
        return (time.thread_time_ns() + ready) * 1e-9

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._file)


@contextmanager
def measure_loop_delay() -> Iterator[LoopDelay]:
    """Measure the delays of the running loop within the ``with`` block."""
    try:
        loop_delay = MeasuredLoopDelay()
    except OSError:  # not available on this system
        yield UNMEASURED
        return
    trio.lowlevel.add_instrument(loop_delay)
    try:
        yield loop_delay
    finally:
        trio.lowlevel.remove_instrument(loop_delay)
        loop_delay.close()
