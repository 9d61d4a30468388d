"""What a program does with its time: while it is asked, and while it is not."""

from __future__ import annotations

from arena.players.request import Moment, ns
from arena.sandbox.usage.meter import Meter, Pressure

WORTH_A_LOOK = 1_000_000
"""Nanoseconds below which an answer was quick: the machine cannot have held it up."""
HARDLY = 100_000
"""Nanoseconds in which a program does no more than write its answer."""
FRESH = 0.005
"""Seconds for which a reading of the delay serves as the beginning of a request: quick ones that
follow each other share one."""
LONG = 100_000_000
"""Nanoseconds of a request from which on it is worth to ask what the program waited for."""
MOST = 0.95
"""The part of a request that can be delay, where the CPU time of the whole tree is not known
exactly: there a program can make delay of its own with threads that wait for hidden children."""
NO_PRESSURE = Pressure(0, 0)


class CpuShare:
    """Reads the meter at the two ends of each request.

    CPU and delay count from before the write: on a core that it shares with the arena, a program
    may run before the arena comes to read a clock after it.
    """

    def __init__(self, meter: Meter) -> None:
        self.pondered = 0
        """Nanoseconds of CPU time between its answers and the requests that followed."""
        self.prompt = 0
        """Nanoseconds of CPU time of its prompt answers, as of the last request that was none."""
        self.rests = False
        """It used next to no CPU time while it was not asked, as of the same request."""
        self.read_at = -FRESH
        """When the delay was read."""
        self._meter = meter
        self._answered: Moment | None = None
        self._begun: int | None = None
        self._pressure = self._begun_pressure = NO_PRESSURE
        """As of the last reading, and as the open request began."""
        self._begun_stalled = 0
        self._waited_before = 0
        self._delay: int | None = None
        self._waited_at_answer = 0
        self._prompt_wall = 0
        self._prompt_came = -FRESH

    def answered_promptly(self, wall: int, came: float) -> None:
        """There were answers since the last reading which came too soon to read anything: they took
        so many nanoseconds in all, and the last came then. What they used is read now."""
        self._prompt_wall, self._prompt_came = wall, came

    def read_delay(self) -> None:
        """A request is about to be written which may get a prompt answer: what was waited for a
        core until now is of earlier."""
        self._delay = self._meter.delay_ns()

    def asked(self, start: Moment, since: int = 0) -> None:
        """A request is about to be written, or was, so many nanoseconds ago."""
        answered, self._answered = self._answered, None
        was_prompt = self._prompt_wall > 0
        if answered is not None:
            self.rests = self._unasked(start.cpu - answered.cpu) <= HARDLY
        has_waited = self._read_pressure()
        self._begun_stalled = self._meter.stalled_before
        was_at_rest = self.rests or since > 0  # a prompt request finds it so
        now = self._meter.begin(waits=not was_at_rest)
        before, self._delay = self._delay, now
        self.read_at = start.time
        self._begun = now
        if before is not None and now is not None:  # what is more than that is of earlier
            self._begun = max(before, now - since)
        self._waited_before = 0
        if answered is not None and has_waited:
            told = 0 if was_prompt else (self._begun or 0) - (before or 0)
            self._waited_before = max(0, self._waited_since(answered, start) - told)

    def _read_pressure(self) -> bool:
        """Read it as a request begins. Whether one of its threads may be waiting for a core, for
        long enough to matter: what all of them have waited since the reading before tells it, and
        spares a look at each."""
        before = self._pressure
        pressure = self._meter.pressure()
        if pressure is None:
            return True
        self._pressure = self._begun_pressure = pressure
        return pressure.some - before.some > HARDLY

    def _unasked(self, cpu: int) -> int:
        """The part of what it used since the last reading that it used while it was not asked:
        what is more than it can have used, in one thread, for its prompt answers."""
        prompt = min(cpu, self._prompt_wall)
        self._prompt_wall = 0
        self.prompt += prompt
        self.pondered += cpu - prompt
        return cpu - prompt

    def _waited_since(self, answered: Moment, start: Moment) -> int:
        """For how long it has been waiting for a core, without a break, when it is asked: one that
        was displaced while it wrote its answer. The kernel tells of it only afterwards; a wait of
        which it has told since the answer is another one, and over."""
        came = answered.came if ns(answered.held_up) < WORTH_A_LOOK else answered.time
        idle = ns(start.time - max(came, self._prompt_came))
        if idle < HARDLY or not self.rests or not self._meter.ready():
            return 0
        return 0 if self._meter.cpu_ns() > start.cpu else idle

    def answered(self, came: Moment) -> None:
        """It was answered, or its time is over."""
        self._answered = came
        self._waited_at_answer = self._delay or 0

    def waited_since_answer(self) -> float:
        """Seconds for which it waited for a core since its last answer that was measured by itself,
        at most."""
        return ((self._meter.delay_ns() or 0) - self._waited_at_answer) * 1e-9

    def finished(self) -> None:
        """It is asked no more: read what its last prompt answers used."""
        if self._answered is not None and self._prompt_wall:
            self._unasked(self._meter.cpu_ns() - self._answered.cpu)
            self._answered = None

    def start_of(self, begun: float, now: float) -> Moment:
        """The start of a request whose CPU time was not read at its beginning, though it is needed
        now: as if the program had run ever since, if it has run as much since the last reading."""
        cpu = self._meter.cpu_ns()
        before = cpu if self._answered is None else self._answered.cpu
        return Moment(begun, cpu - min(cpu - before, ns(now - begun)))

    def cpu(self) -> int:
        """Nanoseconds of CPU time so far."""
        return self._meter.cpu_ns()

    def ready(self) -> bool:
        """Whether it would run now, if it had a core."""
        return self._meter.ready()

    def delay(self, wall: int, cpu: int) -> int | None:
        """Nanoseconds in which the program was ready and not run, in a request that took `wall` and
        used `cpu`, so far.

        It is told by threads, or by the group where the kernel counts that: each tells too little
        in some cases, and none tells too much. Threads that wait for each other's core are the
        program's own doing: it is not held up for longer than it had less than one whole core. So
        what it pays on the fair clock is never less than the CPU time that it used.
        """
        if self._begun is None:
            return None
        if wall < WORTH_A_LOOK:
            return 0
        self._delay = self._meter.delay_ns() or 0
        self.read_at = -FRESH  # the next request gets a beginning of its own
        most = max(0, wall - cpu)
        if not self._meter.counts_all:
            most = min(most, int(wall * MOST))
        told = self._delay - self._begun - self._waited_before - self._meter.own_part(cpu)
        return most if told >= most else max(0, min(self._crowded_out(), most), told)

    def stalled(self, wall: int) -> int | None:
        """Nanoseconds in which the program waited for a disk or for memory, in a request that took
        `wall`, as the kernel tells. A wait of up to 50 ms before counts as well, since it is not
        read as a request begins. None for a short request, and where none is known."""
        now = None if wall < LONG else self._meter.stalled_ns()
        return None if now is None else min(now - self._begun_stalled, wall) or None

    def _crowded_out(self) -> int:
        """The delay as the kernel counts it for the group; 0 where it does not."""
        pressure = self._meter.pressure()
        if pressure is None:
            return 0
        self._pressure = pressure
        return pressure.full - self._begun_pressure.full
