"""Keeping a program from thinking while it is not asked (``--no-pondering``).

It is stopped 2 ms after its answer: its last words (a flush, a stray blank line) have that long to
arrive, so that they cannot be taken for the next answer. It runs again before the next request is
written: its clock never runs while it is stopped. In a match of programs that answer faster than
that nobody is ever stopped.
"""

from __future__ import annotations

import trio

from arena.players.meter import Meter

FREEZE_AFTER = 0.002
"""Seconds after its answer in which a program still runs."""


class Freezer:
    """Freezes the tree of a meter between requests."""

    def __init__(self, meter: Meter) -> None:
        self._meter = meter
        self._idle = trio.Event()
        self._frozen = False

    async def run(self) -> None:
        """Freeze whoever is idle, until cancelled."""
        while True:
            idle = self._idle
            await idle.wait()
            await trio.sleep(FREEZE_AFTER)
            if idle is self._idle:
                self._meter.freeze()
                self._frozen = True
                self._idle = trio.Event()

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
