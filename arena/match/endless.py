"""Rules that come to no end: named with their line, instead of a match that stands still."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from arena.core.table import Table

MOST_SECONDS = 5
"""Seconds of CPU time that the rules may take between two requests. Those of our games take some
milliseconds."""
_RULES = {Table._advance.__code__, Table._set_up.__code__}
"""The functions of a table that run the code of a game."""


class EndlessRules(Exception):
    """Raised in the middle of rules that compute for too long."""

    def __init__(self) -> None:
        super().__init__(f"no end after {MOST_SECONDS} s of CPU time")


@contextmanager
def naming_endless_rules() -> Iterator[None]:
    """While this is open, rules that compute for `MOST_SECONDS` without a request or an end meet
    EndlessRules, which the table turns into an ArenaFault with their line.

    A signal looks once in a second of CPU time, so that an exchange costs nothing. There is no
    such look outside of the main thread, where the system has no such signal (Windows), and where
    a program uses the signal itself.
    """
    usable = hasattr(signal, "SIGVTALRM") and threading.current_thread() is threading.main_thread()
    if not usable or signal.getsignal(signal.SIGVTALRM) is not signal.SIG_DFL:
        yield  # also where it is open already: matches may be played side by side
        return
    signal.signal(signal.SIGVTALRM, _Look().look)
    signal.setitimer(signal.ITIMER_VIRTUAL, 1, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


class _Look:
    """Sees once in a second of CPU time which call of the rules runs."""

    def __init__(self) -> None:
        self._seen: FrameType | None = None
        self._seconds = 0

    def look(self, number: int, frame: FrameType | None) -> None:
        """Raise EndlessRules when the same call was seen for `MOST_SECONDS`."""
        while frame is not None and frame.f_code not in _RULES:
            frame = frame.f_back
        self._seconds = self._seconds + 1 if frame is not None and frame is self._seen else 0
        self._seen = frame
        if self._seconds >= MOST_SECONDS:
            raise EndlessRules
