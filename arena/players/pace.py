"""How fast an endless stream is read: reading it takes time on a core that bots share."""

from __future__ import annotations

SHARE = 0.05
"""The part of a core that one stream may take: 15 MiB a second come so, and more."""
BURST = 0.1
"""Seconds of a core before that."""


class Pace:
    """When the next part of one stream may be read."""

    def __init__(self) -> None:
        self._due = 0.0
        """When all that was used would have come at `SHARE`."""

    def wait(self, used: float, now: float) -> float:
        """Reading took so many seconds of a core until now: the seconds until the next may be."""
        self._due = max(self._due, now) + used / SHARE
        return max(self._due - now - BURST / SHARE, 0.0)
