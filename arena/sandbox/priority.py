"""The arena runs before other programs where it waits for answers, if it may.

An arena that waits for a core does not see when an answer comes, and then the bot is charged as if
it had come as early as it can have. Beside 8 busy programs on two cores, one of 20 requests was
charged 5 to 20 ms too little for it. So the thread is of real-time class from a wait on.

For prompt answers it is of ordinary class: else it displaces each bot that writes its answer before
that can read on, and a request costs 1.4 times as much.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import trio


class Priority(trio.abc.Instrument):
    """The class of this thread, which runs the loop that this is added to."""

    def __init__(self) -> None:
        """Raises OSError where this thread may not be of real-time class. (Root may, and who has
        ``CAP_SYS_NICE``.) What it starts is of ordinary class."""
        self._first = os.sched_param(os.sched_get_priority_min(os.SCHED_RR))
        self._ordinary = os.sched_param(0)
        self._is_first = True
        self._set(os.SCHED_RR, self._first)

    def before_io_wait(self, timeout: float) -> None:
        """The loop waits for its pipes."""
        if timeout > 0 and not self._is_first:
            self._is_first = True
            self._set(os.SCHED_RR, self._first)

    def rest(self) -> None:
        """Be of ordinary class until the next wait."""
        if self._is_first:
            self._is_first = False
            self._set(os.SCHED_OTHER, self._ordinary)

    def _set(self, kind: int, param: os.sched_param) -> None:
        os.sched_setscheduler(0, kind | os.SCHED_RESET_ON_FORK, param)


_now: Priority | None = None


def expect_prompt_answers() -> None:
    """The next answers are looked for without a wait of the loop."""
    if _now is not None:
        _now.rest()


@contextmanager
def before_others() -> Iterator[None]:
    """The loop that runs now gets a core as soon as what it waits for comes, for the time of a
    ``with``, if that is allowed."""
    global _now
    if _now is not None or os.sched_getscheduler(0) != os.SCHED_OTHER:
        yield
        return
    try:
        _now = Priority()
    except (AttributeError, OSError):  # not every system has it, or allows it
        yield
        return
    trio.lowlevel.add_instrument(_now)
    try:
        yield
    finally:
        trio.lowlevel.remove_instrument(_now)
        _now = None
        with suppress(OSError):
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
