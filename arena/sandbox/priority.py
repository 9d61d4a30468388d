"""The arena runs before other programs, where it may.

An arena that waits for a core does not see when an answer comes, and then the bot is charged as if
it had come as early as it can have. Beside 8 busy programs on two cores, one of 20 requests was
charged 5 to 20 ms too little for it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def before_others() -> Iterator[None]:
    """This thread gets a core as soon as it has something to do, for the time of a ``with``: it is
    of real-time class. (Root may, and who has ``CAP_SYS_NICE``; else nothing happens.) What it
    starts is of ordinary class."""
    changed = False
    with suppress(AttributeError, OSError):  # not every system has it, or allows it
        if os.sched_getscheduler(0) == os.SCHED_OTHER:
            kind = os.SCHED_RR | os.SCHED_RESET_ON_FORK
            os.sched_setscheduler(0, kind, os.sched_param(os.sched_get_priority_min(os.SCHED_RR)))
            changed = True
    try:
        yield
    finally:
        if changed:
            with suppress(OSError):
                os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
