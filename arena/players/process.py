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
from arena.players.courtesy import Courtesy
from arena.players.cpu_share import CpuShare
from arena.players.freezer import Freezer
from arena.players.leaving import RUNS_WITHIN, let_leave
from arena.players.pace import Pace
from arena.players.player import Ending, Player, Stopped
from arena.players.request import Timing
from arena.players.watch import Watch
from arena.sandbox.child import Child
from arena.sandbox.usage.meter import Meter

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
        self._courtesy = Courtesy(self.meter, self._share)
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
            await let_leave(self.child, self.meter)
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
