"""Whether the host kept the match from being fair.

A time bank that ran out while the arena itself was held up (an overloaded machine, a stopped
process, a laptop that slept) is nobody's loss. There is no polling for it: when a bank has run out,
we compare when we found that out with when we meant to. Time is always monotonic, so that setting
the clock of the machine changes nothing.
"""

from __future__ import annotations

import time

from arena.errors import HostFault

LAG_LIMIT = 20_000_000
"""Nanoseconds by which we may be late ourselves."""
SLEEP_LIMIT = 1.0
"""Seconds of suspension in a match that are none: the two clocks are not read at once."""
ADVICE = "the match is void; run it again"


class Host:
    """What the machine does to one match. Make it at the start."""

    def __init__(self) -> None:
        self._suspended = suspended()

    def check_lag(self, lag: int) -> None:
        """Raise HostFault when we were held up for `lag` nanoseconds too many."""
        if lag > LAG_LIMIT:
            raise HostFault(
                f"a time bank ran out while the arena itself was held up for {lag / 1e6:.0f} ms "
                f"(the machine is overloaded, or was stopped): {ADVICE}, with fewer --jobs"
            )

    def check_sleep(self) -> None:
        """Raise HostFault when the machine was suspended since the start."""
        slept = suspended() - self._suspended
        if slept > SLEEP_LIMIT:
            raise HostFault(f"the machine was suspended for {slept:.0f} s: {ADVICE}")


def suspended() -> float:
    """Seconds that the machine has been suspended since it was started; 0 where nobody counts."""
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return 0.0
    return time.clock_gettime(time.CLOCK_BOOTTIME) - time.clock_gettime(time.CLOCK_MONOTONIC)
