"""Keeping a program from thinking while it is not asked (``--no-pondering``).

It is stopped 2 ms after its answer: its last words (a flush, a stray blank line) have that long to
arrive, so that they cannot be taken for the next answer. It runs again before the next request is
written: its clock never runs while it is stopped. In a match of programs that answer faster than
that, none is ever stopped.
"""

from __future__ import annotations

import trio

from arena.sandbox.usage.meter import Meter

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
