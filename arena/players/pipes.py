"""What lies in a pipe."""

from __future__ import annotations

import fcntl
import select
import sys
import termios
from collections.abc import Callable
from functools import partial
from typing import Any

NOTHING = bytes(4)
"""FIONREAD of an empty pipe."""


class PipePoller:
    """Tells whether one of several pipes has something to read."""

    def __init__(self, *pipes: int) -> None:
        if sys.platform == "linux":
            self._poll = epoll = select.epoll()
            self.hear: Callable[[], list[Any]] = partial(epoll.poll, 0, 1)
            """What has something; empty when nothing has."""
        else:
            self._poll = poll = select.poll()
            self.hear = partial(poll.poll, 0)
        for pipe in pipes:
            self._poll.register(pipe, select.POLLIN)

    def close(self) -> None:
        """Close what the system has for it."""
        if isinstance(self._poll, select.epoll):
            self._poll.close()


def is_read(pipe: int, count: bytearray) -> bool:
    """Whether nothing that was written into a pipe is left in it; true where the system does not
    say. `count` is room for four bytes (that the system writes there takes half the time)."""
    try:
        fcntl.ioctl(pipe, termios.FIONREAD, count)
    except OSError:
        return True
    return count == NOTHING


def unread_bytes(pipe: int) -> int:
    """What was written into a pipe and not read yet; 0 where the system does not say."""
    try:
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
    except OSError:
        return 0
