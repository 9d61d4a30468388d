"""Real-time priority for the event loop while it waits, if permitted.

An arena that waits for a core does not see when a reply arrives, so it charges the bot as if the
reply had come at the earliest possible time. With 8 busy programs on two cores, one of 20 requests
was charged 5 to 20 ms too little. So the thread is in the real-time class from each wait on.

It is in the ordinary class for prompt replies: otherwise it displaces a bot that has just written
its reply before the bot can read on, and a request costs 1.4 times as much. The same goes for a
long run without a wait: a game or a player in Python that never returns would hold a core that
others need. (A loop in C is bounded only by the kernel, which leaves a twentieth of a core to
others.)
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import trio

MAX_RUN_US = 50_000
"""Microseconds of running without a wait after which the thread returns to the ordinary class."""


class Priority(trio.abc.Instrument):
    """Scheduling class of the thread that runs the instrumented Trio loop."""

    def __init__(self) -> None:
        self._first = os.sched_param(os.sched_get_priority_min(os.SCHED_RR))
        self._ordinary = os.sched_param(0)
        self._is_first = False

    def go_first(self) -> None:
        """Enter the real-time class. Raises OSError where that is not permitted (it takes root or
        ``CAP_SYS_NICE``). Child processes start in the ordinary class."""
        self._set(os.SCHED_RR, self._first)
        self._is_first = True

    def before_io_wait(self, timeout: float) -> None:
        """The loop begins to wait for its pipes."""
        if timeout > 0 and not self._is_first:
            self.go_first()

    def rest(self) -> None:
        """Return to the ordinary class until the next wait."""
        if self._is_first:
            self._is_first = False
            self._set(os.SCHED_OTHER, self._ordinary)

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """Let the kernel signal a long run, within the block. Raises ValueError outside the main
        thread.

        On exit the thread returns to the ordinary class before the handler is removed: a signal
        in between killed the process, in one of some thousand matches of Python functions.
        """
        before = resource.getrlimit(resource.RLIMIT_RTTIME)
        heard = signal.signal(signal.SIGXCPU, lambda *_: self._ran_long(before[1]))
        try:
            resource.setrlimit(resource.RLIMIT_RTTIME, (MAX_RUN_US, before[1]))
            yield
        finally:
            self.rest()
            signal.signal(signal.SIGXCPU, heard)  # pending signals are handled before
            resource.setrlimit(resource.RLIMIT_RTTIME, before)
            with suppress(OSError):
                os.sched_setscheduler(0, os.SCHED_OTHER, self._ordinary)

    def _ran_long(self, hard: int) -> None:
        self.rest()
        resource.setrlimit(resource.RLIMIT_RTTIME, (MAX_RUN_US, hard))  # the kernel has raised it

    def _set(self, kind: int, param: os.sched_param) -> None:
        os.sched_setscheduler(0, kind | os.SCHED_RESET_ON_FORK, param)


_now: Priority | None = None


def expect_prompt_answers() -> None:
    """Use the ordinary class, because the next replies are read without a wait of the loop."""
    if _now is not None:
        _now.rest()


@contextmanager
def before_others() -> Iterator[None]:
    """Within the block, the running loop gets a core as soon as an awaited event comes, if
    permitted."""
    global _now
    if _now is not None or os.sched_getscheduler(0) != os.SCHED_OTHER:
        yield
        return
    priority = Priority()
    with ExitStack() as stack:
        try:
            stack.enter_context(priority.bounded())
            priority.go_first()
        except (AttributeError, OSError, ValueError):  # unsupported or not permitted
            stack.close()
            yield
            return
        _now = priority
        stack.callback(_forget)
        trio.lowlevel.add_instrument(priority)
        stack.callback(trio.lowlevel.remove_instrument, priority)
        yield


def _forget() -> None:
    global _now
    _now = None
