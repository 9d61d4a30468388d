"""The arena runs before other programs where it waits for answers, if it may.

An arena that waits for a core does not see when an answer comes, and then the bot is charged as if
it had come as early as it can have. Beside 8 busy programs on two cores, one of 20 requests was
charged 5 to 20 ms too little for it. So the thread is of real-time class from a wait on.

For prompt answers it is of ordinary class: else it displaces each bot that writes its answer before
that can read on, and a request costs 1.4 times as much. And when it has run for long without a
wait: a game or a player in Python that never comes back would hold a core that others need. (What
loops in C, the kernel bounds alone: it leaves a twentieth of a core to others.)
"""

from __future__ import annotations

import os
import resource
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

import trio

LONG = 50_000
"""Microseconds of running without a wait after which it is of ordinary class until the next."""


class Priority(trio.abc.Instrument):
    """The class of this thread, which runs the loop that this is added to."""

    def __init__(self) -> None:
        self._first = os.sched_param(os.sched_get_priority_min(os.SCHED_RR))
        self._ordinary = os.sched_param(0)
        self._is_first = False

    def go_first(self) -> None:
        """Be of real-time class. Raises OSError where this thread may not. (Root may, and who has
        ``CAP_SYS_NICE``.) What it starts is of ordinary class."""
        self._set(os.SCHED_RR, self._first)
        self._is_first = True

    def before_io_wait(self, timeout: float) -> None:
        """The loop waits for its pipes."""
        if timeout > 0 and not self._is_first:
            self.go_first()

    def rest(self) -> None:
        """Be of ordinary class until the next wait."""
        if self._is_first:
            self._is_first = False
            self._set(os.SCHED_OTHER, self._ordinary)

    @contextmanager
    def bounded(self) -> Iterator[None]:
        """The kernel tells when it has run for long. Raises ValueError in a thread that hears no
        signals.

        The thread is of ordinary class before nobody hears the signal any more: one that was told
        of a long run in between died of it, in one of some thousand matches of Python functions.
        """
        before = resource.getrlimit(resource.RLIMIT_RTTIME)
        heard = signal.signal(signal.SIGXCPU, lambda *_: self._ran_long(before[1]))
        try:
            resource.setrlimit(resource.RLIMIT_RTTIME, (LONG, before[1]))
            yield
        finally:
            self.rest()
            signal.signal(signal.SIGXCPU, heard)  # what came until now is heard before
            resource.setrlimit(resource.RLIMIT_RTTIME, before)
            with suppress(OSError):
                os.sched_setscheduler(0, os.SCHED_OTHER, self._ordinary)

    def _ran_long(self, hard: int) -> None:
        self.rest()
        resource.setrlimit(resource.RLIMIT_RTTIME, (LONG, hard))  # the kernel has raised it

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
    priority = Priority()
    with ExitStack() as stack:
        try:
            stack.enter_context(priority.bounded())
            priority.go_first()
        except (AttributeError, OSError, ValueError):  # not every system has it, or allows it
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
