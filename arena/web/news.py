"""Wakes those who wait for news."""

from __future__ import annotations

import trio


class News:
    """Something happens now and then, and many wait for it."""

    def __init__(self) -> None:
        self._next = trio.Event()

    @property
    def next(self) -> trio.Event:
        """Set at the next news. Take it before you look at what there is."""
        return self._next

    def tell(self) -> None:
        """There is something new."""
        told, self._next = self._next, trio.Event()
        told.set()
