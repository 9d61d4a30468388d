"""What a program does with its time: while it is asked, and while it is not."""

from __future__ import annotations

from arena.players.meter import Meter
from arena.players.request import Moment

WORTH_A_LOOK = 1_000_000
"""Nanoseconds below which an answer was quick, and nobody asks whether the machine held it up."""
FRESH = 0.005
"""Seconds for which a reading of the delay serves as the beginning of a request: those that follow
each other faster share one."""


class Effort:
    """Reads the meter at the two ends of each request.

    CPU and delay count from before the write: on a core that it shares with us a program may run
    before we come to read a clock after it.
    """

    def __init__(self, meter: Meter) -> None:
        self.pondered = 0
        """Nanoseconds of CPU time between its answers and the requests that followed."""
        self._meter = meter
        self._answered: Moment | None = None
        self._delay: int | None = None
        self._delay_read = -FRESH

    def asked(self, start: Moment) -> None:
        """A request is about to be written."""
        if self._answered is not None:
            self.pondered += start.cpu - self._answered.cpu
            self._answered = None
        if start.time - self._delay_read >= FRESH:
            self._delay = self._meter.delay_ns()
            self._delay_read = start.time

    def answered(self, came: Moment) -> None:
        """It was answered, or its time is over."""
        self._answered = came

    def delay(self, wall: int, cpu: int) -> int | None:
        """Nanoseconds in which the program was ready and not run, in a request that took `wall` and
        used `cpu`.

        Threads that wait for each other's core are the program's own doing: it is not held up
        for longer than it had less than one whole core.
        """
        if self._delay is None:
            return None
        if wall < WORTH_A_LOOK:
            return 0
        before, self._delay = self._delay, self._meter.delay_ns() or 0
        return max(0, min(self._delay - before, wall - cpu))
