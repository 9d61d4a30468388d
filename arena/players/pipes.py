"""Asks the system how much unread data a pipe holds."""

from __future__ import annotations

import fcntl
import select
import sys
import termios
from collections.abc import Callable
from functools import partial
from typing import Any

NOTHING = bytes(4)
"""The FIONREAD value of an empty pipe."""


class PipePoller:
    """Tells whether any of several pipes has something to read."""

    def __init__(self, *pipes: int) -> None:
        if sys.platform == "linux":
            self._poll = epoll = select.epoll()
            self.hear: Callable[[], list[Any]] = partial(epoll.poll, 0, 1)
            """The pipes that have something to read."""
        else:
            self._poll = poll = select.poll()
            self.hear = partial(poll.poll, 0)
        for pipe in pipes:
            self._poll.register(pipe, select.POLLIN)

    def close(self) -> None:
        """Close the descriptor of the poller."""
        if isinstance(self._poll, select.epoll):
            self._poll.close()


def is_read(pipe: int, count: bytearray) -> bool:
    """Whether everything written into a pipe has been read; true where the system cannot tell.
    `count` is a four-byte buffer (passing one halves the time of the call)."""
    try:
        fcntl.ioctl(pipe, termios.FIONREAD, count)
    except OSError:
        return True
    return count == NOTHING


def unread_bytes(pipe: int) -> int:
    """Bytes written into a pipe and not read yet; 0 where the system cannot tell."""
    try:
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
    except OSError:
        return 0
