"""How fast an endless stream is read: reading it takes time on a core that bots share."""

from __future__ import annotations

RATE = 8 << 20
"""Bytes a second."""
BURST = 4 << 20
"""Bytes that are read at once before that."""


class Pace:
    """When the next part of one stream may be read."""

    def __init__(self) -> None:
        self._due = 0.0
        """When all that was read would have come at `RATE`."""

    def wait(self, size: int, now: float) -> float:
        """So many bytes were read now: the seconds until the next may be."""
        self._due = max(self._due, now) + size / RATE
        return max(self._due - now - BURST / RATE, 0.0)
