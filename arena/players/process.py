"""The process of a program that plays: what it may use, what it says on stderr, and how it ends.

Beside the match, stderr is drained, so that it never blocks the program, and the limits are kept.
Each neighbour knows one thing: `watch` the limits, `cpu_share` what the program does with its time,
`freezer` how it is kept from pondering. `arena.players.program` adds the conversation.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from time import thread_time

import trio

from arena.core.limits import Limits
from arena.core.replies import Violation, Why
from arena.errors import MachineError
from arena.players.player import Ending, Player, Stopped
from arena.players.request import Moment, Timing, ns
from arena.players.watch import Watch
from arena.sandbox.child import Child
from arena.sandbox.usage.meter import Meter, Pressure

# How fast an endless stream is read: reading it takes time on a core that bots share.

SHARE = 0.05
"""The part of a core that one stream may take: 15 MiB a second come so, and more."""
BURST = 0.1
"""Seconds of a core before that."""


class Pace:
    """When the next part of one stream may be read."""

    def __init__(self) -> None:
        self._due = 0.0
        """When all that was used would have come at `SHARE`."""

    def wait(self, used: float, now: float) -> float:
        """Reading took so many seconds of a core until now: the seconds until the next may be."""
        self._due = max(self._due, now) + used / SHARE
        return max(self._due - now - BURST / SHARE, 0.0)


# How long a program has to leave by itself after the end of its input.

LEAVE_WITHIN = 0.100
"""Seconds for a program to leave by itself after the end of its input. One that waits for a core is
ended when it has used as much CPU time, or after `RUNS_WITHIN`."""
RUNS_WITHIN = 1.0
"""Seconds for one that is ready to run."""


async def wait_for_exit(child: Child, meter: Meter) -> None:
    """Wait until it has left, or had its time."""
    start, cpu = trio.current_time(), meter.cpu_ns()
    while child.exit is None:
        with trio.move_on_after(LEAVE_WITHIN):
            await child.exited.wait()
            return
        waits = child.is_leaving() or meter.ready()
        is_due = meter.cpu_ns() - cpu >= LEAVE_WITHIN * 1e9 or not waits
        if is_due or trio.current_time() - start >= RUNS_WITHIN:
            return


# Keeping a program from thinking while it is not asked (``--no-pondering``).
#
# It is stopped 2 ms after its answer: its last words (a flush, a stray blank line) have that long
# to arrive, so that they cannot be taken for the next answer. It runs again before the next request
# is written: its clock never runs while it is stopped. In a match of programs that answer faster
# than that, none is ever stopped.

FREEZE_AFTER = 0.002
"""Seconds after its answer in which a program still runs."""
FREEZE_TICKS = (0.001, 0.020)
"""Seconds between looks whether all stands still: at first, and at most."""
RESISTS = 0.100
"""Seconds of CPU time that a program may use after it was told to stand still. A thread stops where
it leaves the kernel, so that one which maps large memory again and again runs on for long. (Real
time says nothing: on a busy machine a thread may wait as long for a core to stop on.)"""


class Freezer:
    """Freezes the tree of a meter between requests."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._idle = trio.Event()
        self._frozen = False

    async def run(self) -> str:
        """Freeze the tree whenever it is idle, until cancelled, or until it does not stand still:
        what it did instead."""
        while True:
            idle = self._idle
            await idle.wait()
            await trio.sleep(FREEZE_AFTER)
            if idle is self._idle:
                used = await self._freeze(idle)
                if used > RESISTS:
                    return f"used {used * 1000:.0f} ms of CPU time while it was to stand still"

    async def _freeze(self, idle: trio.Event) -> float:
        """Freeze until all stands still, or until it is asked again. Returns how many seconds of
        CPU time it used meanwhile; at once, when they are too many."""
        before, used, tick = self._meter.cpu_ns(), 0.0, FREEZE_TICKS[0]
        self._frozen = True
        while not self._meter.freeze():
            await trio.sleep(tick)
            used, tick = (self._meter.cpu_ns() - before) / 1e9, min(2 * tick, FREEZE_TICKS[1])
            if idle is not self._idle or used > RESISTS:
                return used
        self._idle = trio.Event()
        return 0.0

    def answered(self) -> None:
        """It has nothing to do from now on."""
        self._idle.set()

    def thaw(self) -> None:
        """Let it run, because it is asked or because it shall end."""
        if self._idle.is_set():
            self._idle = trio.Event()
        if self._frozen:
            self._frozen = False
            self._meter.thaw()


# What a program does with its time: while it is asked, and while it is not.

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


# Letting the others first: a program that computes while it is not asked gets only what cores have
# to spare.
#
# Groups of a control group compete by their weight. Thirty-two threads on all cores take more than
# half of the core on which the rival thinks with one. So from the first request on at which a
# program is seen to have computed since its last answer, its weight is the least there is whenever
# it is not asked, and as before when it is. A program that waits quietly is never touched.

PONDERS = 10_000_000
"""Nanoseconds of CPU time between requests from which a program counts as computing, when they are
more than a `PART` of the time that it was not asked."""
PART = 0.25


class CpuWeight:
    """Sets the weight of a meter's program between requests."""

    def __init__(self, meter: Meter, share: CpuShare) -> None:
        self._now = trio.lowlevel.current_clock().current_time
        self._meter = meter
        self._share = share
        self.ponders = False
        """It was seen to compute while it was not asked."""
        self._low = False
        self._since: float | None = None
        """Since when it is not asked."""
        self._unasked = 0.0
        """Seconds in which it was not asked."""

    def asked(self) -> None:
        """It competes like all others from now on, also to end."""
        if self._since is not None:
            self._unasked += self._now() - self._since
            self._since = None
            self.ponders |= self._share.pondered > max(PONDERS, self._unasked * 1e9 * PART)
        self._set(low=False)

    def answered(self) -> None:
        """It has nothing to do from now on."""
        self._since = self._now()
        self._set(low=self.ponders)

    def _set(self, *, low: bool) -> None:
        if low != self._low:
            self._low = low
            self._meter.give_way(low)


READ_SIZE = 1 << 16
AT_ONCE = 8
"""Chunks of stderr that are read without a wait between them."""
EXIT_FOLLOWS = 0.100
"""Seconds from the end of stdout to the exit, beyond which it `closed` stdout, unless it is ending
or waits for a core."""
LEAVES_WITHIN = 10.0
"""Seconds for the end of one that is ending: the kernel has its memory to free, on a busy host."""


class ProcessPlayer(Player):
    """A player on the three pipes of `child`. Time is read only from ``trio.current_time()`` and
    from the meter."""

    def __init__(
        self,
        name: str,
        child: Child,
        limits: Limits,
        *,
        meter: Meter,
        timing: Timing = Timing(),  # noqa: B008  # frozen
    ) -> None:
        super().__init__(name)
        self.child, self.pid = child, child.pid
        self.timing, self.meter = timing, meter
        self._ended_by_arena = False
        self._watch = Watch(meter, limits)
        self._share = CpuShare(self.meter)
        self._freezer = Freezer(self.meter)
        self._courtesy = CpuWeight(self.meter, self._share)
        self._turn = 0
        self._cpu_ns = 0

    @property
    def cpu_ms(self) -> float | None:
        """CPU time, known once it has ended: the more of what the system told at its end, and what
        was seen before. (The system leaves out processes that their parents did not wait for.)"""
        if self.child.exit is None:
            return None
        return max(self.child.exit.cpu_ms, self._cpu_ns / 1e6)

    @property
    def peak_memory(self) -> int | None:
        """Bytes of the whole tree; None before the first look."""
        return self._watch.peak_memory

    @property
    def pondered_ms(self) -> float | None:
        """CPU time that it used while it was not asked, from its first request to its last."""
        return self._share.pondered / 1e6

    @property
    def ending(self) -> Ending | None:
        """How it ended; None while it runs."""
        end = self.child.exit
        return None if end is None else Ending(end.code, end.signal, self._ended_by_arena)

    @property
    def left_behind(self) -> bool:
        """Whether something of its tree could not be ended."""
        return not self.child.clean

    # -- beside the match ------------------------------------------------------------------

    async def watch(self) -> None:
        """Drain stderr, keep the limits, and wake the referee when the program ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain_stderr)
            nursery.start_soon(self._keep_limits)
            if not self.timing.pondering:
                nursery.start_soon(self._keep_frozen)
            await self.child.exited.wait()
            self._wake()

    async def _drain_stderr(self) -> None:
        pace = Pace()
        while True:
            await trio.lowlevel.wait_readable(self.child.stderr)
            before = thread_time()
            for _ in range(AT_ONCE):
                size = self.stderr.total
                if not self.read_stderr():
                    return
                if self.stderr.total == size:
                    break
            if pause := pace.wait(thread_time() - before, trio.current_time()):
                await trio.sleep(pause)

    def read_stderr(self) -> bool:
        """Take what is there on stderr; false when its end was seen."""
        try:
            data = os.read(self.child.stderr, READ_SIZE)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self.stderr.add(self._turn, data)
        return bool(data)

    async def _keep_limits(self) -> None:
        verdict = None
        with self._measuring():
            verdict = await self._watch.until_broken()
        if verdict is not None and self.child.exit is None:
            await self.shut_down(*verdict)

    async def _keep_frozen(self) -> None:
        resists = ""
        with self._measuring():
            resists = await self._freezer.run()
        if resists and self.child.exit is None:
            await self.shut_down(Stopped.CPU, resists)

    @contextmanager
    def _measuring(self) -> Iterator[None]:
        """Raise MachineError for an OSError, unless its figures are gone because it is."""
        try:
            yield
        except OSError as error:
            if self.child.killed is None:
                raise MachineError(
                    f"cannot measure {self.name}: {error}: the match is void"
                ) from error

    def _wake(self) -> None:
        """Let a wait for its reply look again."""

    # -- ending ----------------------------------------------------------------------------

    async def learn_how_it_ended(self) -> None:
        """Its stdout has ended. Wait for its exit, also when that is long in coming: it `closed`
        stdout only if it then neither leaves nor waits for a core to do so."""
        start = trio.current_time()
        while self.stopped is None and self.child.exit is None:
            with trio.move_on_after(EXIT_FOLLOWS):
                await self.child.exited.wait()
                return
            waited = trio.current_time() - start
            leaving = waited < LEAVES_WITHIN and self.child.is_leaving()
            if not leaving and not (waited < RUNS_WITHIN and self.meter.ready()):
                closed = Stopped.CLOSED, "closed its stdin or stdout and kept running"
                await self.shut_down(*(self._watch.killed_for_memory() or closed))

    def _see_exit(self) -> Why:
        """It has ended: why it answers no more. Raises MachineError when it never began. (But where
        the kernel has ended any process of its control group for memory, that is its loss.)"""
        end = self.child.exit
        assert end is not None
        if not end.entered and self._watch.killed_for_memory() is None:
            self.read_stderr()
            raise MachineError(
                f"the sandbox of {self.name} failed before the program ran: "
                f"{self.stderr.text().strip()}: the match is void (arena doctor says more)"
            )
        why, detail = self._watch.verdict_on(end.code, end.signal)
        self.mark_stopped(why, detail)
        return Why.STOPPED if why is Stopped.MEMORY else Why.DEAD

    async def shut_down(self, why: Stopped, detail: str) -> None:
        """End the whole tree now."""
        self.mark_stopped(why, detail)
        self._wake()
        await self._end()

    async def finish(self, text: str) -> None:
        """Say the last lines and close its input; end it when it stays."""
        self._freezer.thaw()
        self._courtesy.asked()
        if self.stopped is None and self.child.exit is None:
            self._take_last(*await self._watch.last())
            self.tell(text)
            self.child.close_pipe("stdin")
            await wait_for_exit(self.child, self.meter)
        await self._end()
        self.read_stderr()

    def _take_last(self, broken: tuple[Stopped, str] | None, was_due: bool) -> None:
        """Tell what the last look found: as a mere fault, unless the look was overdue."""
        if broken is not None and was_due:
            self.mark_stopped(*broken)
        elif broken is not None:
            text = f"{broken[1]} when the match had ended"
            self.violations.append(Violation(broken[0].value, text))

    async def _end(self) -> None:
        self._ended_by_arena |= self.child.exit is None
        if self.child.killed is None:
            self._check_limits()
            self._cpu_ns = self.meter.cpu_ns()
            self._tell_refused()
        self._freezer.thaw()  # some freezers hold a dying process as well
        self._courtesy.asked()
        await self.child.kill()

    def _tell_refused(self) -> None:
        refused, limit = self.meter.refused_forks(), self._watch.limits.processes
        if refused:
            used = f"used {limit} of {limit} processes and threads, and was refused more"
            self.violations.append(Violation("refused", used, refused))

    def _check_limits(self) -> None:
        """Raise MachineError when another program changed the limits, so that no bot loses by
        limits that are not the arena's. Called once for each program, when it ends or is ended."""
        if not self.meter.intact():
            raise MachineError(
                f"another program changed the limits of the control group of {self.name} during "
                "the match (a manager of groups, such as systemd or Docker?): the match is void; "
                "give the arena a group of its own: systemd-run --scope -p Delegate=yes arena …"
            )

    def close(self) -> None:
        """Close the meter, and let the program run if it is frozen. The match is over."""
        self._freezer.thaw()
        self.meter.close()
