"""What lies in a pipe."""

from __future__ import annotations

import fcntl
import select
import sys
import termios

Pollster = select.epoll if sys.platform == "linux" else select.poll
"""What tells which of several pipes have something to read, with ``poll(0)``."""
NOTHING = bytes(4)
"""FIONREAD of an empty pipe."""


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
