"""The time bank of one seat, in whole nanoseconds.

Never reads a clock; the caller passes the elapsed time. The bank starts full. A request shows the
bank B; an answer after e < B is in time. Then
``B = min(max(B - e, 0) + time_per_move, timebank)``; a missed answer counts as e = B.
"""

from __future__ import annotations

from enum import StrEnum
from typing import overload

NS_PER_MS = 1_000_000


@overload
def to_ms(ns: int) -> float: ...
@overload
def to_ms(ns: int | None) -> float | None: ...
def to_ms(ns: int | None) -> float | None:
    """Convert nanoseconds to milliseconds, as in records and reports; None stays None."""
    return None if ns is None else ns / NS_PER_MS


@overload
def from_ms(ms: float) -> int: ...
@overload
def from_ms(ms: float | None) -> int | None: ...
def from_ms(ms: float | None) -> int | None:
    """Convert milliseconds back to the nanoseconds given to `to_ms`."""
    return None if ms is None else round(ms * NS_PER_MS)


class Clock(StrEnum):
    """The clock by which time banks are charged."""

    WALL = "wall"
    """Real time."""
    FAIR = "fair"
    """Real time, less the time in which the program was ready but the machine did not run it."""
    CPU = "cpu"
    """CPU time of the program's whole tree."""


class TimeBank:
    """One seat's remaining thinking time."""

    __slots__ = ("_full", "_increment", "left")

    def __init__(self, timebank_ms: int, time_per_move_ms: int) -> None:
        self._full = timebank_ms * NS_PER_MS
        self._increment = time_per_move_ms * NS_PER_MS
        self.left = self._full
        """Nanoseconds left for the next answer."""

    @property
    def left_ms(self) -> int:
        """The bank as requests show it: whole milliseconds, rounded down."""
        return self.left // NS_PER_MS

    def in_time(self, elapsed: int) -> bool:
        """Whether an answer after `elapsed` nanoseconds counts."""
        return elapsed < self.left

    def spend(self, elapsed: int) -> None:
        """Charge one request, answered after `elapsed` nanoseconds or (e ≥ B) not at all."""
        left = self.left - elapsed
        left = self._increment + (left if left > 0 else 0)
        self.left = left if left < self._full else self._full

    def refill(self) -> None:
        """Fill the bank."""
        self.left = self._full


class StandingBank(TimeBank):
    """A bank that is always full, for matches that count instructions: a running bank would reveal
    the time to programs, and their counts would depend on it."""

    __slots__ = ()

    def spend(self, elapsed: int) -> None:
        """Charge nothing."""


def open_bank(timebank_ms: int, time_per_move_ms: int, *, runs: bool) -> TimeBank:
    """The full bank of a seat at the start. It is never charged unless it `runs`."""
    return (TimeBank if runs else StandingBank)(timebank_ms, time_per_move_ms)
