"""The time bank of one seat, in whole nanoseconds. It is told what time passed (on which clock is
not its business); it reads no clock.

The bank starts full. A request shows the bank B; an answer after e < B is in time. Then
``B = min(max(B - e, 0) + time_per_move, timebank)``; a missed answer counts as e = B.
"""

from __future__ import annotations

from enum import StrEnum

NS_PER_MS = 1_000_000


class Clock(StrEnum):
    """By which clock time banks are charged."""

    WALL = "wall"
    """Real time."""
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
        """What a request shows: whole milliseconds, rounded down."""
        return self.left // NS_PER_MS

    def in_time(self, elapsed: int) -> bool:
        """Whether an answer after `elapsed` nanoseconds counts."""
        return elapsed < self.left

    def spend(self, elapsed: int) -> None:
        """Charge one request, answered after `elapsed` nanoseconds or (e ≥ B) not at all."""
        self.left = min(max(self.left - elapsed, 0) + self._increment, self._full)


class StandingBank(TimeBank):
    """A bank that nothing is taken from. Where instructions are counted, a bank that ran would
    tell programs the time, and their counts would depend on it."""

    __slots__ = ()

    def spend(self, elapsed: int) -> None:
        """Charge nothing."""


def open_bank(timebank_ms: int, time_per_move_ms: int, *, runs: bool) -> TimeBank:
    """The bank of a seat at the start; one that stands unless time is what counts."""
    return (TimeBank if runs else StandingBank)(timebank_ms, time_per_move_ms)
