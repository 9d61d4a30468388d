"""Enforces a bot's limits of memory, processes and CPU time.

It looks every `TICK`, during and between requests, and more often at the start, for short matches.
The limit on output bytes belongs to the conversation and is not checked here.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import trio

from arena.core.limits import Limits
from arena.players.player import Stopped
from arena.sandbox.usage.meter import Meter, out_of_memory
from arena.sandbox.usage.procfs import MachineKills
from arena.text import size_text, used_text

TICK = 0.050
"""Seconds between two looks. A program that allocates as fast as it can exceeds its limit by about
200 MiB before it is ended, where the kernel does not enforce the limit."""

FIRST_TICK = 0.001
"""Seconds until the first look; the interval then doubles up to `TICK`. A bot that exceeds a
limit for half of a match is caught, however short the match is."""


FASTEST_GROWTH = 250 << 20
"""Bytes that a program takes between two looks at most, as a rule."""
_machine = MachineKills()


class Watch:
    """Compares the readings of a meter with the limits."""

    def __init__(
        self, meter: Meter, limits: Limits, granted: Callable[[], int | None] = lambda: None
    ) -> None:
        """`granted` returns the CPU time granted by the clock so far, in nanoseconds; None for no
        limit."""
        self.meter = meter
        self.limits = limits
        self._granted = granted
        self.peak_memory: int | None = None
        """Peak memory as of the last look, in bytes."""
        self._due = math.inf
        """When the next look is due."""
        if not meter.counts_all:
            _machine.begin()

    async def until_broken(self) -> tuple[Stopped, str]:
        """Look until a limit is broken; returns which limit, and "used X of Y"."""
        pause = FIRST_TICK
        while True:
            self._due = trio.current_time() + pause
            await trio.sleep(pause)
            if (verdict := await self.examine()) is not None:
                return verdict
            pause = min(2 * pause, TICK)

    async def last(self) -> tuple[tuple[Stopped, str] | None, bool]:
        """The limit that is broken at the end of the match, and whether it would have been seen
        earlier if the arena had not been held up."""
        was_due = trio.current_time() > self._due
        return await self.examine(), was_due

    async def examine(self) -> tuple[Stopped, str] | None:
        """Look, and look again at shared memory if the processes seem to use too much."""
        verdict = self.look()
        if verdict is None or verdict[0] is not Stopped.MEMORY:
            return verdict
        used = await self.meter.shared_once()
        return verdict if used is None else self._verdict(used)

    def look(self) -> tuple[Stopped, str] | None:
        """Look once at everything and return the first broken limit. Shared memory counts once for
        each process."""
        return self._verdict(self.meter.memory())

    def _verdict(self, used: int) -> tuple[Stopped, str] | None:
        self.peak_memory = self.meter.peak_memory()
        return self.killed_for_memory() or self._memory(used) or self._tasks() or self._cpu()

    def killed_for_memory(self) -> tuple[Stopped, str] | None:
        """The verdict if the kernel killed one of its processes for memory."""
        if not self.meter.oom_kills():
            return None
        peak, limit = self.meter.peak_memory(), self.limits.memory
        used = f"{size_text(peak)} of all" if limit is None else used_text(peak, limit)
        return Stopped.MEMORY, f"used {used}: the kernel ended one of its processes"

    def verdict_on(self, code: int | None, signal: str | None) -> tuple[Stopped, str]:
        """Why a program ended, by its exit code or signal. Raises MachineError when the kernel
        seems to have killed it though it was within its memory limit."""
        killed = self.killed_for_memory()
        if killed is not None:
            return killed
        if signal == "SIGKILL" and not self.meter.counts_all and _machine.killed():
            peak, limit = self.meter.peak_memory(), self.limits.memory
            if limit is None or peak + FASTEST_GROWTH < limit:
                raise out_of_memory(peak, limit)
        if code is None:
            return Stopped.CRASHED, f"ended by {signal}"
        return Stopped.CRASHED if code else Stopped.EXITED, f"left with exit code {code}"

    def _memory(self, used: int) -> tuple[Stopped, str] | None:
        limit = self.limits.memory
        if limit is None or used <= limit:
            return None
        return Stopped.MEMORY, f"used {used_text(used, limit)}"

    def _tasks(self) -> tuple[Stopped, str] | None:
        tasks, limit = self.meter.tasks(), self.limits.processes
        if tasks <= limit:
            return None
        return Stopped.PROCESSES, f"used {tasks} of {limit} processes and threads"

    def _cpu(self) -> tuple[Stopped, str] | None:
        granted = self._granted()
        if granted is None:
            return None
        used, limit = self.meter.cpu_ns() / 1e9, granted / 1e9 + self.limits.cpu_grace
        if used <= limit:
            return None
        return Stopped.CPU, f"used {used:.1f} s of {limit:.1f} s of CPU time"
