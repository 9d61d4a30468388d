"""Signal handling: the first interrupt shuts down cleanly, the second exits at once.

A clean shutdown abandons the matches, ends their bots and reports what was played so far. Ctrl-C
triggers it as a `KeyboardInterrupt`, which Trio raises only where that is safe. SIGTERM and SIGHUP
(a closed terminal) do the same, even where Ctrl-C is ignored, as a shell script does for
``arena play … &``. A second Ctrl-C exits in the middle of the shutdown; the keepers then end the
bots, as they do for an arena that was killed.
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
"""Exit status of an interrupted arena."""
_SHOW_CURSOR = b"\x1b[?25h"
RESTORERS: list[Callable[[], None]] = []
"""Callbacks that restore the terminal, called by `force_exit`."""


_interrupted = threading.Event()


def was_interrupted() -> bool:
    """Whether this process was told to shut down, however it then ended."""
    return _interrupted.is_set()


def interrupt_on_termination() -> None:
    """Treat SIGTERM and SIGHUP like Ctrl-C from now on, unless they are ignored (``nohup``)."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Blocking keeps Ctrl-C without effect, while Trio finds the default handler to replace.
        signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
        signal.signal(signal.SIGINT, signal.default_int_handler)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _interrupt)


def _interrupt(_: int, frame: FrameType | None) -> None:
    """Call the current Ctrl-C handler."""
    if _is_put_off(frame):
        return
    handler = signal.getsignal(signal.SIGINT)
    if callable(handler):
        handler(signal.SIGINT, frame)


def ignore_in_worker() -> None:
    """Ignore Ctrl-C and a closed terminal in a worker: the arena handles them and ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _is_put_off(frame: FrameType | None) -> bool:
    """Whether a timer brings the interrupt again a little later, since Python prints and drops what
    is raised now: in the callback that frees the lock of an imported module (SIGTERM was lost in 1
    of 45 tries), and in those of `logging` before and after a fork."""
    code = frame.f_code if frame is not None else None
    if code is None or signal.getsignal(signal.SIGALRM) is not _interrupt:
        return False
    is_import = (code.co_name, code.co_filename) == ("cb", "<frozen importlib._bootstrap>")
    is_fork = code.co_name in ("_acquireLock", "_releaseLock") and "logging" in code.co_filename
    if is_import or is_fork:
        signal.setitimer(signal.ITIMER_REAL, 0.01)
    return is_import or is_fork


@contextmanager
def force_exit_on_second_interrupt() -> Iterator[None]:
    """Within the ``with`` block, a second Ctrl-C ends this process at once. The first one keeps its
    handler. Works only in the main thread; does nothing where Ctrl-C is ignored."""
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
        if _is_put_off(frame):
            return None
        signal.signal(signal.SIGINT, force_exit)
        _interrupted.set()
        return first(number, frame)

    return handle


def force_exit(*_: object) -> NoReturn:
    """Exit without cleanup. The keepers see their sockets close and end the bots."""
    for restore in RESTORERS:
        restore()
    if os.isatty(2):
        os.write(2, _SHOW_CURSOR)  # a progress bar may have hidden it
    os._exit(INTERRUPTED)
