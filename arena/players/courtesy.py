"""Letting the others first: a program that computes while it is not asked gets only what cores have
to spare.

Groups of a control group compete by their weight. Thirty-two threads on all cores take more than
half of the core on which the rival thinks with one. So from the first request on at which a program
is seen to have computed since its last answer, its weight is the least there is whenever it is not
asked, and as before when it is. A program that waits quietly is never touched.
"""

from __future__ import annotations

import trio

from arena.players.cpu_share import CpuShare
from arena.sandbox.usage.meter import Meter

PONDERS = 10_000_000
"""Nanoseconds of CPU time between requests from which a program counts as computing, when they are
more than a `PART` of the time that it was not asked."""
PART = 0.25


class Courtesy:
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
