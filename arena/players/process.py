"""The process of a playing program: its limits, its stderr, and its end.

While the match runs, stderr is drained so that it never blocks the program, and the limits are
enforced (`Watch`). Between requests, `Freezer` can keep the program from pondering, and `CpuWeight`
lowers its priority. Nothing here decides a charge (`arena.players.timing`).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import thread_time

import trio

from arena.core.limits import Limits
from arena.core.replies import Violation, Why
from arena.errors import MachineError
from arena.players.pipes import READ_SIZE
from arena.players.player import Ending, Player, Stopped
from arena.players.terms import Grant, Timing
from arena.players.timing import Usage
from arena.players.watch import Watch
from arena.sandbox.child import Child
from arena.sandbox.usage.meter import Meter

# Pacing of endless streams: reading takes time on a core that bots share.

READ_SHARE = 0.05
"""Fraction of a core that reading one stream may take: enough for at least 15 MiB/s."""
READ_BURST = 0.01
"""Seconds of a core that a stream may take before pacing begins: some 7 MiB. The loop may run
before all bots; while it read for 100 ms without a rest, rivals waited 19 to 53 ms for a core (at
most 8 ms with 10 ms)."""


class Pace:
    """Decides when the next part of a stream may be read."""

    def __init__(self) -> None:
        self._due = 0.0
        """When the time used so far would be reached at a rate of `READ_SHARE`."""

    def wait(self, used: float, now: float) -> float:
        """Seconds to wait before the next read, after a read that took `used` seconds of a core."""
        self._due = max(self._due, now) + used / READ_SHARE
        return max(self._due - now - READ_BURST / READ_SHARE, 0.0)


# Voluntary exit of a program after the end of its input.

EXIT_WITHIN = 0.100
"""Seconds for a program to leave by itself after the end of its input. A program that waits for a
core is ended when it has used that much CPU time, or after `READY_WITHIN`."""
READY_WITHIN = 1.0
"""Seconds for a program that is ready to run."""


async def wait_for_exit(child: Child, meter: Meter) -> None:
    """Wait until the program has left, or its time to leave is over."""
    start, cpu = trio.current_time(), meter.cpu_ns()
    while child.exit is None:
        with trio.move_on_after(EXIT_WITHIN):
            await child.exited.wait()
            return
        waits = child.is_leaving() or meter.ready()
        is_due = meter.cpu_ns() - cpu >= EXIT_WITHIN * 1e9 or not waits
        if is_due or trio.current_time() - start >= READY_WITHIN:
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
FREEZE_CPU = 0.100
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
                if used > FREEZE_CPU:
                    return f"used {used * 1000:.0f} ms of CPU time while it was to stand still"

    async def _freeze(self, idle: trio.Event) -> float:
        """Freeze until everything has stopped, or until the next request. Returns the CPU seconds
        used meanwhile; returns at once when there are too many."""
        before, used, tick = self._meter.cpu_ns(), 0.0, FREEZE_TICKS[0]
        self._frozen = True
        while not self._meter.freeze():
            await trio.sleep(tick)
            used, tick = (self._meter.cpu_ns() - before) / 1e9, min(2 * tick, FREEZE_TICKS[1])
            if idle is not self._idle or used > FREEZE_CPU:
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


# Lower priority for pondering: a program that computes between requests gets only spare CPU time.
#
# Control groups compete by weight. Beside 32 processes that ponder on two cores, a rival with 100
# ms of work took 119 ms of real time instead of 109 in two processes, and in one thread 110 instead
# of 108 (in one move of ten, 123 instead of 114); the fair clock charges about the same. So once a
# request finds that a program has computed since its last answer, its weight is set to the minimum
# between requests, and restored during them. A program that waits quietly is never touched.

PONDERING_NS = 10_000_000
"""CPU time between requests, in nanoseconds, from which a program counts as pondering, if it is
also more than a `PONDERING_PART` of the time between requests."""
PONDERING_PART = 0.25


class CpuWeight:
    """Sets the weight of a meter's program between requests."""

    def __init__(self, meter: Meter, usage: Usage) -> None:
        self._meter = meter
        self._usage = usage
        self.ponders = False
        """Whether the program was seen to compute between requests."""
        self._is_low = False

    def restore(self) -> None:
        """Restore the weight, for a request or for the end of the program."""
        self._set(low=False)

    def lower(self) -> None:
        """Lower the weight of a pondering program until the next request."""
        usage = self._usage
        limit = max(PONDERING_NS, usage.unasked * 1e9 * PONDERING_PART)
        self.ponders = self.ponders or usage.pondered > limit
        self._set(low=self.ponders)

    def _set(self, *, low: bool) -> None:
        if low != self._is_low:
            self._is_low = low
            self._meter.give_way(low)


CHUNKS_AT_ONCE = 8
"""Chunks of stderr read without a wait between them."""
EXIT_FOLLOWS = 0.100
"""Seconds from the end of stdout to the exit, beyond which the program counts as `closed`, unless
it is ending or waits for a core."""
EXITING_WITHIN = 10.0
"""Seconds for an ending program to exit: on a busy host the kernel must free its memory first."""


class BotProcess:
    """The process behind a player, on the pipes of `child`."""

    def __init__(
        self,
        player: Player,
        child: Child,
        limits: Limits,
        meter: Meter,
        *,
        timing: Timing,
        grant: Grant | None,
        usage: Usage,
    ) -> None:
        """What becomes of the process is noted at the `player`."""
        self.child = child
        self.meter = meter
        self.turn = 0
        """The number of requests so far."""
        self.weight = CpuWeight(meter, usage)
        self._player = player
        self._timing = timing
        self._watch = Watch(meter, limits, lambda: None if grant is None else grant.by(self.turn))
        self._freezer = Freezer(meter)
        self._ended_by_arena = False
        self._cpu_ns = 0

    @property
    def cpu_ms(self) -> float | None:
        """CPU time, known once the program has ended: the larger of the system's figure at its end
        and what its meter or its control group has counted, which includes the work of the kernel
        to end it. (The system omits processes whose parents did not wait for them.)
        """
        if self.child.exit is None:
            return None
        return max(self.child.exit.cpu_ms, self._cpu_ns / 1e6)

    @property
    def peak_memory(self) -> int | None:
        """Bytes of the whole tree; None before the first look."""
        return self._watch.peak_memory

    @property
    def ending(self) -> Ending | None:
        """How the program ended; None while it runs."""
        end = self.child.exit
        return None if end is None else Ending(end.code, end.signal, self._ended_by_arena)

    @property
    def left_behind(self) -> bool:
        """Whether some process of its tree was not gone two seconds after it was killed."""
        return not self.child.clean

    # -- during the match ------------------------------------------------------------------

    def asked(self) -> None:
        """Let the program run at its usual weight, for a request or for its end."""
        self._freezer.thaw()
        self.weight.restore()

    def answered(self) -> None:
        """Note that the program has answered, and is not to hinder others."""
        if not self._timing.pondering:
            self._freezer.answered()
        self.weight.lower()

    async def run(self) -> None:
        """Drain stderr, enforce the limits, and wake the referee when the program ends."""
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._drain_stderr)
            nursery.start_soon(self._keep_limits)
            if not self._timing.pondering:
                nursery.start_soon(self._keep_frozen)
            await self.child.exited.wait()
            self._player.wake()

    async def _drain_stderr(self) -> None:
        pace, stderr = Pace(), self._player.stderr
        while True:
            await trio.lowlevel.wait_readable(self.child.stderr)
            before = thread_time()
            for _ in range(CHUNKS_AT_ONCE):
                size = stderr.total
                if not self.read_stderr():
                    return
                if stderr.total == size:
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
        self._player.stderr.add(self.turn, data)
        return bool(data)

    async def _keep_limits(self) -> None:
        verdict = None
        with self._measuring():
            verdict = await self._watch.until_broken()
        if verdict is not None and self.child.exit is None:
            await self._player.shut_down(*verdict)

    async def _keep_frozen(self) -> None:
        resists = ""
        with self._measuring():
            resists = await self._freezer.run()
        if resists and self.child.exit is None:
            await self._player.shut_down(Stopped.CPU, resists)

    @contextmanager
    def _measuring(self) -> Iterator[None]:
        """Turn an OSError into a MachineError, unless the figures are gone with the program."""
        try:
            yield
        except OSError as error:
            if self.child.killed is None:
                raise MachineError(
                    f"cannot measure {self._player.name}: {error}: the match is void"
                ) from error

    # -- ending ----------------------------------------------------------------------------

    async def learn_how_it_ended(self) -> None:
        """Wait for the exit after the end of stdout, however long it takes: the program counts as
        `closed` only if it neither leaves nor waits for a core to do so."""
        start = trio.current_time()
        while self._player.stopped is None and self.child.exit is None:
            with trio.move_on_after(EXIT_FOLLOWS):
                await self.child.exited.wait()
                return
            waited = trio.current_time() - start
            leaving = waited < EXITING_WITHIN and self.child.is_leaving()
            if not leaving and not (waited < READY_WITHIN and self.meter.ready()):
                closed = Stopped.CLOSED, "closed its stdin or stdout and kept running"
                await self._player.shut_down(*(self._watch.killed_for_memory() or closed))

    def see_exit(self) -> Why:
        """Why the ended program no longer answers. Raises MachineError when it never began, unless
        the kernel killed a process of its control group for memory: that is the bot's loss."""
        end = self.child.exit
        assert end is not None
        if not end.entered and self._watch.killed_for_memory() is None:
            self.read_stderr()
            raise MachineError(
                f"the sandbox of {self._player.name} failed before the program ran: "
                f"{self._player.stderr.text().strip()}: the match is void (arena doctor says more)"
            )
        why, detail = self._watch.verdict_on(end.code, end.signal)
        self._player.mark_stopped(why, detail)
        return Why.STOPPED if why is Stopped.MEMORY else Why.DEAD

    async def finish(self, tell_last: Callable[[], None]) -> None:
        """Look at the limits once more, send the last lines with `tell_last` and close its input;
        end the program if it does not leave."""
        self.asked()
        if self._player.stopped is None and self.child.exit is None:
            self._take_last(*await self._watch.last())
            tell_last()
            self.child.close_pipe("stdin")
            await wait_for_exit(self.child, self.meter)
        await self.end()
        self.read_stderr()

    def _take_last(self, broken: tuple[Stopped, str] | None, was_due: bool) -> None:
        """Report what the last look found: as a mere fault, unless the look was overdue."""
        if broken is not None and was_due:
            self._player.mark_stopped(*broken)
        elif broken is not None:
            text = f"{broken[1]} when the match had ended"
            self._player.violations.append(Violation(broken[0].value, text))

    async def end(self) -> None:
        """End the whole tree now."""
        self._ended_by_arena |= self.child.exit is None
        if self.child.killed is None:
            self._check_limits()
            self._cpu_ns = self.meter.cpu_ns()
            self._tell_refused()
        self.asked()  # some freezers also hold a dying process
        await self.child.kill()
        self._cpu_ns = max(self._cpu_ns, self.child.cpu_ns)

    def _tell_refused(self) -> None:
        refused, limit = self.meter.refused_forks(), self._watch.limits.processes
        if refused:
            used = f"used {limit} of {limit} processes and threads, and was refused more"
            self._player.violations.append(Violation("refused", used, refused))

    def _check_limits(self) -> None:
        """Raise MachineError when another program changed the limits, so that no bot loses because
        of limits that the arena did not set. Called once per program, at its end."""
        if not self.meter.intact():
            raise MachineError(
                "another program changed the limits of the control group of "
                f"{self._player.name} during "
                "the match (a manager of groups, such as systemd or Docker?): the match is void; "
                "run the arena in a unit with Delegate=yes"
            )

    def close(self) -> None:
        """Close the meter after the match, and thaw the program if it is frozen."""
        self._freezer.thaw()
        self.meter.close()
        del self._player  # each refers to the other: both would stay until a collection
