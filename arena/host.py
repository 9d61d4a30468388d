"""Whether the host kept the match from being fair.

A time bank that ran out while the arena itself was held up (an overloaded machine, a stopped
process, a laptop that slept) is nobody's loss. There is no polling for it: when a bank has run out,
we compare when we found that out with when we meant to. Time is always monotonic, so that setting
the clock of the machine changes nothing.

Not every lag is unfair: on a machine with more work than cores we are late more often than not, and
a bot that hangs must lose there too. When no line was there even later than the deadline, and the
bot had its whole bank at its own disposal (it was not kept waiting for longer than we were late),
then the loss is its own. When a line was there, nobody knows whether it came in time.
"""

from __future__ import annotations

import time

from arena.errors import HostFault

LAG_LIMIT = 20_000_000
"""Nanoseconds by which we may be late ourselves."""
STOPPED = 1_000_000_000
"""Nanoseconds of lag that no load explains: the machine or the arena was stopped."""
SLEEP_LIMIT = 1.0
"""Seconds of suspension in a match that are none: the two clocks are not read at once."""
ADVICE = "the match is void; run it again"


def unfair(lag: int, *, line: bool, delay: int | None) -> int:
    """The part of our `lag` that may have cost a program its answer: all or nothing of it.

    `line` says whether one was found, `delay` how long the program was ready and not run.
    """
    own_loss = not line and delay is not None and delay <= lag <= STOPPED
    return 0 if own_loss else max(0, lag)


class Host:
    """What the machine does to one match. Make it at the start."""

    def __init__(self) -> None:
        self._suspended = suspended()

    def check_lag(self, lag: int) -> None:
        """Raise HostFault when an unfair `lag` is more than nobody can help."""
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
