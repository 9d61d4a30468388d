"""The limits of one bot between its answers: memory, processes, CPU time.

One look every `TICK`, whether the bot is asked or not, and more at the start, for short matches.
What is counted in the conversation itself (bytes of output) is not looked at here.
"""

from __future__ import annotations

import math

import trio

from arena.core.limits import Limits
from arena.players.player import Stopped
from arena.sandbox.usage.meter import Meter
from arena.text import size_text, used_text

TICK = 0.050
"""Seconds between two looks: a program that allocates as fast as it can gets about 200 MiB over its
limit before it is ended, where the kernel does not keep the limit."""

FIRST_TICK = 0.001
"""Seconds between the first two looks; then twice as long each time, up to `TICK`. What is above a
limit for half of a match is seen, however short that is."""


class Watch:
    """Compares what a meter says with the limits."""

    def __init__(self, meter: Meter, limits: Limits) -> None:
        self.meter = meter
        self.limits = limits
        self.granted: int | None = None
        """Nanoseconds that its clock has granted so far; None: its CPU time has no limit."""
        self.peak_memory: int | None = None
        """Bytes, as of the last look."""
        self._due = math.inf
        """When the next look is due."""

    async def until_broken(self) -> tuple[Stopped, str]:
        """Look until a limit is broken; which, and "used X of Y"."""
        pause = FIRST_TICK
        while (verdict := await self.examine()) is None:
            self._due = trio.current_time() + pause
            await trio.sleep(pause)
            pause = min(2 * pause, TICK)
        return verdict

    async def last(self) -> tuple[tuple[Stopped, str] | None, bool]:
        """The limit that is broken at the end of the match, and whether it would have been seen
        before, had the arena not been held up."""
        was_due = trio.current_time() > self._due
        return await self.examine(), was_due

    async def examine(self) -> tuple[Stopped, str] | None:
        """A look, and a second one at what processes share if they seem to have too much."""
        verdict = self.look()
        if verdict is None or verdict[0] is not Stopped.MEMORY:
            return verdict
        used = await self.meter.shared_once()
        return verdict if used is None else self._verdict(used)

    def look(self) -> tuple[Stopped, str] | None:
        """One look at everything: the first limit that is broken. What processes share counts for
        each of them."""
        return self._verdict(self.meter.memory())

    def _verdict(self, used: int) -> tuple[Stopped, str] | None:
        self.peak_memory = self.meter.peak_memory()
        return self.killed_for_memory() or self._memory(used) or self._tasks() or self._cpu()

    def killed_for_memory(self) -> tuple[Stopped, str] | None:
        """Whether the kernel has ended one of its processes for want of memory."""
        if not self.meter.oom_kills():
            return None
        peak, limit = self.meter.peak_memory(), self.limits.memory
        used = f"{size_text(peak)} of all" if limit is None else used_text(peak, limit)
        return Stopped.MEMORY, f"used {used}: the kernel ended one of its processes"

    def verdict_on(self, code: int | None, signal: str | None) -> tuple[Stopped, str]:
        """Why a program ended: by its exit code, or by the signal that ended it."""
        killed = self.killed_for_memory()
        if killed is not None:
            return killed
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
        if self.granted is None:
            return None
        used, limit = self.meter.cpu_ns() / 1e9, self.granted / 1e9 + self.limits.cpu_grace
        if used <= limit:
            return None
        return Stopped.CPU, f"used {used:.1f} s of {limit:.1f} s of CPU time"
