"""Detects game rules in an endless loop and names their line, instead of letting the match hang."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from arena.core.table import Table

MOST_SECONDS = 5
"""CPU seconds that the rules may take between two requests. The rules of our games take a few
milliseconds."""
_RULES = {Table._advance.__code__, Table._set_up.__code__}
"""The functions of a table that run the code of a game."""


class EndlessRules(Exception):
    """Raised inside rules that compute for too long."""

    def __init__(self) -> None:
        super().__init__(f"no end after {MOST_SECONDS} s of CPU time")


@contextmanager
def naming_endless_rules() -> Iterator[None]:
    """Raise EndlessRules in rules that compute for `MOST_SECONDS` without a request or an end.

    The table turns it into an ArenaFault with the line of the rules. A signal triggers one look per
    second of CPU time, so an exchange costs nothing. Does nothing outside the main thread, on
    systems without the signal (Windows), and where a program uses the signal itself.
    """
    usable = hasattr(signal, "SIGVTALRM") and threading.current_thread() is threading.main_thread()
    if not usable or signal.getsignal(signal.SIGVTALRM) is not signal.SIG_DFL:
        yield  # also if already open: matches may be played side by side
        return
    signal.signal(signal.SIGVTALRM, _Look().look)
    signal.setitimer(signal.ITIMER_VIRTUAL, 1, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, signal.SIG_DFL)


class _Look:
    """Looks once per second of CPU time which call of the rules is running."""

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
