"""What a program does with its time: while it is asked, and while it is not."""

from __future__ import annotations

from arena.players.request import Moment
from arena.sandbox.usage.meter import Meter

WORTH_A_LOOK = 1_000_000
"""Nanoseconds below which an answer was quick: the machine cannot have held it up."""
HARDLY = 100_000
"""Nanoseconds of CPU time in which a program does no more than write its answer."""
FRESH = 0.005
"""Seconds for which a reading of the delay serves as the beginning of a request: quick ones that
follow each other share one."""
MOST = 0.95
"""The part of a request that can be delay, where the CPU time of the whole tree is not known
exactly: there a program can make delay of its own with threads that wait for hidden children."""


class CpuShare:
    """Reads the meter at the two ends of each request.

    CPU and delay count from before the write: on a core that it shares with the arena, a program
    may run before the arena comes to read a clock after it.
    """

    def __init__(self, meter: Meter) -> None:
        self.pondered = 0
        """Nanoseconds of CPU time between its answers and the requests that followed."""
        self._meter = meter
        self._answered: Moment | None = None
        self._begun: int | None = None
        self._waited_before = 0
        self._delay: int | None = None
        self._read_at = -FRESH

    def asked(self, start: Moment) -> None:
        """A request is about to be written."""
        if start.time - self._read_at >= FRESH:
            self._delay = self._meter.delay_ns()
            self._read_at = start.time
        self._begun = self._delay
        self._waited_before = 0
        if self._answered is not None:
            self.pondered += start.cpu - self._answered.cpu
            self._waited_before = self._waited_since(self._answered, start)
            self._answered = None

    def _waited_since(self, answered: Moment, start: Moment) -> int:
        """For how long it has been waiting for a core, without a break, when it is asked: one that
        was displaced while it wrote its answer. The kernel tells of it only afterwards."""
        idle = round((start.time - answered.came) * 1e9)
        has_run = start.cpu - answered.cpu > HARDLY
        return 0 if idle < WORTH_A_LOOK or has_run or not self._meter.ready() else idle

    def answered(self, came: Moment) -> None:
        """It was answered, or its time is over."""
        self._answered = came

    def cpu(self) -> int:
        """Nanoseconds of CPU time so far."""
        return self._meter.cpu_ns()

    def ready(self) -> bool:
        """Whether it would run now, if it had a core."""
        return self._meter.ready()

    def delay(self, wall: int, cpu: int) -> int | None:
        """Nanoseconds in which the program was ready and not run, in a request that took `wall` and
        used `cpu`, so far.

        Threads that wait for each other's core are the program's own doing: it is not held up
        for longer than it had less than one whole core. So what it pays on the fair clock is never
        less than the CPU time that it used.
        """
        if self._begun is None:
            return None
        if wall < WORTH_A_LOOK:
            return 0
        self._delay = self._meter.delay_ns() or 0
        self._read_at = -FRESH  # the next request gets a beginning of its own
        most = wall - cpu
        if not self._meter.counts_all:
            most = min(most, int(wall * MOST))
        return max(0, min(self._delay - self._begun - self._waited_before, most))
