"""The process of a playing program: its limits, its stderr, its use of time, and its end.

While the match runs, stderr is drained so that it never blocks the program, and the limits are
enforced (`Watch`). `CpuShare` measures what the program does with its time, `Freezer` keeps it from
pondering, and `CpuWeight` lowers its priority between requests. `arena.players.program` adds the
conversation.
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
from arena.players.request import Moment, ns
from arena.players.terms import Grant, Timing
from arena.players.watch import Watch
from arena.sandbox.child import Child
from arena.sandbox.usage.meter import Meter, Pressure

# Pacing of endless streams: reading takes time on a core that bots share.

SHARE = 0.05
"""Fraction of a core that reading one stream may take: enough for at least 15 MiB/s."""
BURST = 0.1
"""Seconds of a core that a stream may take before pacing begins."""


class Pace:
    """Decides when the next part of a stream may be read."""

    def __init__(self) -> None:
        self._due = 0.0
        """When the time used so far would be reached at a rate of `SHARE`."""

    def wait(self, used: float, now: float) -> float:
        """Seconds to wait before the next read, after a read that took `used` seconds of a core."""
        self._due = max(self._due, now) + used / SHARE
        return max(self._due - now - BURST / SHARE, 0.0)


# Voluntary exit of a program after the end of its input.

LEAVE_WITHIN = 0.100
"""Seconds for a program to leave by itself after the end of its input. A program that waits for a
core is ended when it has used that much CPU time, or after `RUNS_WITHIN`."""
RUNS_WITHIN = 1.0
"""Seconds for a program that is ready to run."""


async def wait_for_exit(child: Child, meter: Meter) -> None:
    """Wait until the program has left, or its time to leave is over."""
    start, cpu = trio.current_time(), meter.cpu_ns()
    while child.exit is None:
        with trio.move_on_after(LEAVE_WITHIN):
            await child.exited.wait()
            return
        waits = child.is_leaving() or meter.ready()
        is_due = meter.cpu_ns() - cpu >= LEAVE_WITHIN * 1e9 or not waits
        if is_due or trio.current_time() - start >= RUNS_WITHIN:
            return


# Keeping a program from thinking between requests (``--no-pondering``).
#
# The program is frozen 2 ms after its answer, so that its last output (a flush, a stray blank line)
# can still arrive and is not taken for the next answer. It is thawed before the next request is
# written, so its clock never runs while it is frozen. In a match where every request follows
# sooner than that, no program is ever frozen.

FREEZE_AFTER = 0.002
"""Seconds for which a program still runs after its answer."""
FREEZE_TICKS = (0.001, 0.020)
"""Seconds between checks that everything is frozen: the first interval, and the longest."""
RESISTS = 0.100
"""CPU seconds that a program may use after it was told to freeze. A thread stops when it leaves the
kernel, so a thread that maps large memory again and again runs on for long. (Real time is no
measure: on a busy machine a thread may wait that long for a core to stop on.)"""


class Freezer:
    """Freezes the tree of a meter between requests."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._idle = trio.Event()
        self._frozen = False

    async def run(self) -> str:
        """Freeze the tree whenever it is idle, until cancelled. If the tree does not freeze,
        return what it did instead."""
        while True:
            idle = self._idle
            await idle.wait()
            await trio.sleep(FREEZE_AFTER)
            if idle is self._idle:
                used = await self._freeze(idle)
                if used > RESISTS:
                    return f"used {used * 1000:.0f} ms of CPU time while it was to stand still"

    async def _freeze(self, idle: trio.Event) -> float:
        """Freeze until everything has stopped, or until the next request. Returns the CPU seconds
        used meanwhile; returns at once when there are too many."""
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
        """Note that the program has answered, and may be frozen."""
        self._idle.set()

    def thaw(self) -> None:
        """Let the program run, for a request or for its end."""
        if self._idle.is_set():
            self._idle = trio.Event()
        if self._frozen:
            self._frozen = False
            self._meter.thaw()


# What a program does with its time, during and between requests.

WORTH_A_LOOK = 1_000_000
"""Nanoseconds below which an answer was too quick to have been held up by the machine."""
HARDLY = 100_000
"""Nanoseconds in which a program can do no more than write its answer."""
FRESH = 0.005
"""Seconds for which a reading of the delay can serve as the beginning of a request, so that quick
consecutive requests share one reading."""
LONG = 100_000_000
"""Length of a request, in nanoseconds, from which on it is worth asking what the program waited
for."""
MOST = 0.95
"""Largest fraction of a request that can be delay where the CPU time of the whole tree is not known
exactly: there, a program can fake delay with threads that wait for hidden children."""
NO_PRESSURE = Pressure(0, 0)


class CpuShare:
    """Reads the meter at both ends of each request.

    CPU time and delay count from before the write: on a core shared with the arena, a program may
    run before the arena gets to read a clock after the write.
    """

    def __init__(self, meter: Meter) -> None:
        self.pondered = 0
        """Nanoseconds of CPU time between its answers and the requests that followed."""
        self.prompt = 0
        """Nanoseconds of CPU time of prompt answers, as of the last request without one."""
        self.rests = False
        """Whether it used next to no CPU time between requests, as of the same request."""
        self.read_at = -FRESH
        """When the delay was read."""
        self._meter = meter
        self._answered: Moment | None = None
        self._begun: int | None = None
        self._pressure = self._begun_pressure = NO_PRESSURE
        """The pressure at the last reading, and at the beginning of the open request."""
        self._begun_stalled = 0
        self._waited_before = 0
        self._delay: int | None = None
        self._waited_at_answer = 0
        self._prompt_wall = 0
        self._prompt_came = -FRESH

    def answered_promptly(self, wall: int, came: float) -> None:
        """Read what the prompt answers since the last reading used. They took `wall` nanoseconds in
        all, and the last came at `came`."""
        self._prompt_wall, self._prompt_came = wall, came

    def read_delay(self) -> None:
        """Read the delay before a request that may get a prompt answer: any wait for a core until
        now belongs to the time before."""
        self._delay = self._meter.delay_ns()

    def asked(self, start: Moment, since: int = 0) -> None:
        """Begin a request that is about to be written, or was written `since` nanoseconds ago."""
        answered, self._answered = self._answered, None
        was_prompt = self._prompt_wall > 0
        if answered is not None:
            self.rests = self._unasked(start.cpu - answered.cpu) <= HARDLY
        has_waited = self._read_pressure()
        self._begun_stalled = self._meter.stalled_before
        was_at_rest = self.rests or since > 0  # prompt requests start at rest
        now = self._meter.begin(waits=not was_at_rest)
        before, self._delay = self._delay, now
        self.read_at = start.time
        self._begun = now
        if before is not None and now is not None:  # the rest is older
            self._begun = max(before, now - since)
        self._waited_before = 0
        if answered is not None and has_waited:
            told = 0 if was_prompt else (self._begun or 0) - (before or 0)
            self._waited_before = max(0, self._waited_since(answered, start) - told)

    def _read_pressure(self) -> bool:
        """Read the pressure as a request begins. Returns whether a thread may have been waiting for
        a core long enough to matter, judged by the total wait since the last reading, which saves
        looking at each thread."""
        before = self._pressure
        pressure = self._meter.pressure()
        if pressure is None:
            return True
        self._pressure = self._begun_pressure = pressure
        return pressure.some - before.some > HARDLY

    def _unasked(self, cpu: int) -> int:
        """The CPU time since the last reading that was used between requests: whatever exceeds what
        one thread can have used for the prompt answers."""
        prompt = min(cpu, self._prompt_wall)
        self._prompt_wall = 0
        self.prompt += prompt
        self.pondered += cpu - prompt
        return cpu - prompt

    def _waited_since(self, answered: Moment, start: Moment) -> int:
        """How long the program, when asked, has been waiting for a core without a break, because it
        was displaced while it wrote its answer. The kernel reports such a wait only afterwards; a
        wait reported since the answer is another one, and over."""
        came = answered.came if ns(answered.held_up) < WORTH_A_LOOK else answered.time
        idle = ns(start.time - max(came, self._prompt_came))
        if idle < HARDLY or not self.rests or not self._meter.ready():
            return 0
        return 0 if self._meter.cpu_ns() > start.cpu else idle

    def answered(self, came: Moment) -> None:
        """End the request, with an answer or because its time is over."""
        self._answered = came
        self._waited_at_answer = self._delay or 0

    def waited_since_answer(self) -> float:
        """Upper bound on the wait for a core since the last individually measured answer, in
        seconds."""
        return ((self._meter.delay_ns() or 0) - self._waited_at_answer) * 1e-9

    def finished(self) -> None:
        """Read what the last prompt answers used, after the last request."""
        if self._answered is not None and self._prompt_wall:
            self._unasked(self._meter.cpu_ns() - self._answered.cpu)
            self._answered = None

    def start_of(self, begun: float, now: float) -> Moment:
        """The start of a request whose CPU time was not read at its beginning but is needed now:
        assumes that the program ran ever since, if it ran that much since the last reading."""
        cpu = self._meter.cpu_ns()
        before = cpu if self._answered is None else self._answered.cpu
        return Moment(begun, cpu - min(cpu - before, ns(now - begun)))

    def cpu(self) -> int:
        """CPU time so far, in nanoseconds."""
        return self._meter.cpu_ns()

    def ready(self) -> bool:
        """Whether it would run now, if it had a core."""
        return self._meter.ready()

    def delay(self, wall: int, cpu: int) -> int | None:
        """Nanoseconds in which the program was ready but not running, in a request that so far took
        `wall` and used `cpu`.

        The delay comes from the threads, or from the control group where the kernel counts it: each
        reports too little in some cases, and neither too much. Threads that wait for each other's
        core are the program's own doing: the delay is at most the time in which it had less than
        one whole core. So the fair clock never charges less than the CPU time used.
        """
        if self._begun is None:
            return None
        if wall < WORTH_A_LOOK:
            return 0
        self._delay = self._meter.delay_ns() or 0
        self.read_at = -FRESH  # the next request needs its own reading
        most = max(0, wall - cpu)
        if not self._meter.counts_all:
            most = min(most, int(wall * MOST))
        told = self._delay - self._begun - self._waited_before - self._meter.own_part(cpu)
        return most if told >= most else max(0, min(self._crowded_out(), most), told)

    def stalled(self, wall: int) -> int | None:
        """Nanoseconds in which the program waited for a disk or for memory, in a request that took
        `wall`, according to the kernel. Includes up to 50 ms of waiting before the request, since
        nothing is read as a request begins. None for a short request, or if not known."""
        now = None if wall < LONG else self._meter.stalled_ns()
        return None if now is None else min(now - self._begun_stalled, wall) or None

    def _crowded_out(self) -> int:
        """The delay that the kernel counts for the control group; 0 where it does not."""
        pressure = self._meter.pressure()
        if pressure is None:
            return 0
        self._pressure = pressure
        return pressure.full - self._begun_pressure.full


# Lower priority for pondering: a program that computes between requests gets only spare CPU time.
#
# Control groups compete by weight. Thirty-two threads on all cores take more than half of the core
# on which the rival thinks with one thread. So once a request finds that a program has computed
# since its last answer, its weight is set to the minimum between requests, and restored during
# them. A program that waits quietly is never touched.

PONDERS = 10_000_000
"""CPU time between requests, in nanoseconds, from which a program counts as pondering, if it is
also more than a `PART` of the time between requests."""
PART = 0.25


class CpuWeight:
    """Sets the weight of a meter's program between requests."""

    def __init__(self, meter: Meter, share: CpuShare) -> None:
        self._now = trio.lowlevel.current_clock().current_time
        self._meter = meter
        self._share = share
        self.ponders = False
        """Whether the program was seen to compute between requests."""
        self._low = False
        self._since: float | None = None
        """Since when no request has been open."""
        self._unasked = 0.0
        """Seconds without an open request."""

    def asked(self) -> None:
        """Restore the weight, for a request or for the end of the program."""
        if self._since is not None:
            self._unasked += self._now() - self._since
            self._since = None
            self.ponders |= self._share.pondered > max(PONDERS, self._unasked * 1e9 * PART)
        self._set(low=False)

    def answered(self) -> None:
        """Lower the weight of a pondering program until the next request."""
        self._since = self._now()
        self._set(low=self.ponders)

    def _set(self, *, low: bool) -> None:
        if low != self._low:
            self._low = low
            self._meter.give_way(low)


READ_SIZE = 1 << 16
AT_ONCE = 8
"""Chunks of stderr read without a wait between them."""
EXIT_FOLLOWS = 0.100
"""Seconds from the end of stdout to the exit, beyond which the program counts as `closed`, unless
it is ending or waits for a core."""
LEAVES_WITHIN = 10.0
"""Seconds for an ending program to exit: on a busy host the kernel must free its memory first."""


class ProcessPlayer(Player):
    """A player on the three pipes of `child`.

    Reads time only from ``trio.current_time()`` and from the meter."""

    def __init__(
        self,
        name: str,
        child: Child,
        limits: Limits,
        *,
        meter: Meter,
        timing: Timing = Timing(),  # noqa: B008  # frozen
        grant: Grant | None = None,
    ) -> None:
        super().__init__(name)
        self.child, self.pid = child, child.pid
        self.timing, self.grant, self.meter = timing, grant, meter
        self._ended_by_arena = False
        self._watch = Watch(meter, limits)
        self._share = CpuShare(self.meter)
        self._freezer = Freezer(self.meter)
        self._courtesy = CpuWeight(self.meter, self._share)
        self._turn = 0
        self._cpu_ns = 0

    @property
    def cpu_ms(self) -> float | None:
        """CPU time, known once the program has ended: the larger of the system's figure at its end
        and what was seen before. (The system omits processes whose parents did not wait for them.)
        """
        if self.child.exit is None:
            return None
        return max(self.child.exit.cpu_ms, self._cpu_ns / 1e6)

    @property
    def peak_memory(self) -> int | None:
        """Bytes of the whole tree; None before the first look."""
        return self._watch.peak_memory

    @property
    def pondered_ms(self) -> float | None:
        """CPU time used between requests, from the first request to the last."""
        return self._share.pondered / 1e6

    @property
    def ending(self) -> Ending | None:
        """How the program ended; None while it runs."""
        end = self.child.exit
        return None if end is None else Ending(end.code, end.signal, self._ended_by_arena)

    @property
    def left_behind(self) -> bool:
        """Whether some process of its tree could not be ended."""
        return not self.child.clean

    # -- during the match ------------------------------------------------------------------

    async def watch(self) -> None:
        """Drain stderr, enforce the limits, and wake the referee when the program ends."""
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
        """Read what is available on stderr; false at its end."""
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
        """Turn an OSError into a MachineError, unless the figures are gone with the program."""
        try:
            yield
        except OSError as error:
            if self.child.killed is None:
                raise MachineError(
                    f"cannot measure {self.name}: {error}: the match is void"
                ) from error

    def _wake(self) -> None:
        """Make a wait for its reply look again."""

    # -- ending ----------------------------------------------------------------------------

    async def learn_how_it_ended(self) -> None:
        """Wait for the exit after the end of stdout, however long it takes: the program counts as
        `closed` only if it neither leaves nor waits for a core to do so."""
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
        """Why the ended program no longer answers. Raises MachineError when it never began, unless
        the kernel killed a process of its control group for memory: that is the bot's loss."""
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
        """Send the last lines and close its input; end the program if it does not leave."""
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
        """Report what the last look found: as a mere fault, unless the look was overdue."""
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
        self._freezer.thaw()  # some freezers also hold a dying process
        self._courtesy.asked()
        await self.child.kill()

    def _tell_refused(self) -> None:
        refused, limit = self.meter.refused_forks(), self._watch.limits.processes
        if refused:
            used = f"used {limit} of {limit} processes and threads, and was refused more"
            self.violations.append(Violation("refused", used, refused))

    def _check_limits(self) -> None:
        """Raise MachineError when another program changed the limits, so that no bot loses because
        of limits that the arena did not set. Called once per program, at its end."""
        if not self.meter.intact():
            raise MachineError(
                f"another program changed the limits of the control group of {self.name} during "
                "the match (a manager of groups, such as systemd or Docker?): the match is void; "
                "give the arena a group of its own: systemd-run --scope -p Delegate=yes arena …"
            )

    def close(self) -> None:
        """Close the meter after the match, and thaw the program if it is frozen."""
        self._freezer.thaw()
        self.meter.close()
