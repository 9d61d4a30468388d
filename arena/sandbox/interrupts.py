"""How the arena ends on signals: in good order on the first, at once on the second.

In good order means: the matches are given up, their bots are gone, and what was played so far is
reported. Ctrl-C does that, as a `KeyboardInterrupt`, which Trio raises only where that is safe;
SIGTERM and SIGHUP (a closed terminal) are made to mean the same, also where Ctrl-C is ignored: a
shell starts ``arena play … &`` in a script like that. A second Ctrl-C ends this process
in the middle of that: the keepers then end the bots, as for an arena that was killed.
"""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import NoReturn

INTERRUPTED = 130
"""The exit status of an arena that was interrupted."""
_SHOW_CURSOR = b"\x1b[?25h"
RESTORERS: list[Callable[[], None]] = []
"""What puts a terminal back as it was, called when the process is ended at once."""


def interrupt_on_termination() -> None:
    """Make SIGTERM and SIGHUP mean Ctrl-C from now on. One that is ignored (``nohup``) stays so."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Blocked, a Ctrl-C still does nothing, and Trio finds the handler that it replaces.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Do what a Ctrl-C does now."""
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)


def ignore_in_worker() -> None:
    """For a worker process: leave Ctrl-C and a closed terminal to the arena, which ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def force_exit_on_second_interrupt() -> Iterator[None]:
    """For the time of a ``with``, the second Ctrl-C ends this process at once. (The first one does
    what it did before.) Only in the main thread; without effect where Ctrl-C is ignored."""
    first = signal.getsignal(signal.SIGINT)
    if not callable(first) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _then_force_exit(first))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, first)


def _then_force_exit(first: Callable[[int, FrameType | None], object]) -> Callable[..., object]:
    def handle(number: int, frame: FrameType | None) -> object:
        signal.signal(signal.SIGINT, force_exit)
        return first(number, frame)

    return handle


def force_exit(*_: object) -> NoReturn:
    """End this process without any cleaning up. The keepers see the end of their sockets and end
    the bots."""
    for restore in RESTORERS:
        restore()
    if os.isatty(2):
        os.write(2, _SHOW_CURSOR)  # a progress bar may have hidden it
    os._exit(INTERRUPTED)
