"""How the arena takes signals: asked once it ends in good order, asked again at once.

Good order means: the matches are given up, their bots are gone, what was played so far is told.
That is what Ctrl-C does, as a `KeyboardInterrupt`, which Trio raises only where that is safe;
SIGTERM and SIGHUP (a closed terminal) are made to mean the same. A second Ctrl-C ends this process
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
_SHOW_CURSOR = b"\x1b[?25h"


def end_as_by_ctrl_c() -> None:
    """SIGTERM and SIGHUP are a Ctrl-C from now on; one that is ignored (``nohup``) stays so."""
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, lambda *_: signal.raise_signal(signal.SIGINT))


def leave_them_to_the_arena() -> None:
    """For a worker process: a Ctrl-C or a closed terminal is for the arena, which ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def second_one_leaves_at_once() -> Iterator[None]:
    """While this lasts, a Ctrl-C goes where it always went, and the next one ends this process."""
    first = signal.getsignal(signal.SIGINT)
    if not callable(first) or threading.current_thread() is not threading.main_thread():
        yield
        return
    signal.signal(signal.SIGINT, _then_leave(first))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, first)


def _then_leave(first: Callable[[int, FrameType | None], object]) -> Callable[..., object]:
    def heard(number: int, frame: FrameType | None) -> object:
        signal.signal(signal.SIGINT, leave_at_once)
        return first(number, frame)

    return heard


def leave_at_once(*_: object) -> NoReturn:
    """End this process and nothing else: whoever reads the ends of our sockets does the rest."""
    if os.isatty(2):
        os.write(2, _SHOW_CURSOR)  # a progress bar may have hidden it
    os._exit(INTERRUPTED)
