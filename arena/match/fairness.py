"""Whether the machine slept during the match.

An arena that was held up costs no bot its answer (`arena.players.request`), so load is no reason to
void a match. A suspension is: while the machine sleeps, neither clock nor bot can be trusted, and
the bots of a match need not wake up together. There is no polling for it. Time is always monotonic,
so that setting the clock of the machine changes nothing.
"""

from __future__ import annotations

import time

from arena.errors import MachineError

SLEEP_LIMIT = 1.0
"""Seconds of suspension in a match that are none: the two clocks are not read at once."""


class Fairness:
    """Whether the machine keeps one match fair. Make it at the start of the match."""

    def __init__(self) -> None:
        self._suspended = suspended()

    def check_sleep(self) -> None:
        """Raise MachineError when the machine was suspended since the start."""
        slept = suspended() - self._suspended
        if slept > SLEEP_LIMIT:
            raise MachineError(
                f"the machine was suspended for {slept:.0f} s: the match is void; run it again"
            )


def suspended() -> float:
    """Seconds that the machine has been suspended since it was started; 0 where the system does
    not count them."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
