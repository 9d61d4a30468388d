"""What lies in a pipe."""

from __future__ import annotations

import fcntl
import sys
import termios

NOTHING = bytes(4)
"""FIONREAD of an empty pipe."""


def is_read(pipe: int) -> bool:
    """Whether nothing that was written into a pipe is left in it; true where the system does not
    say."""
    try:
        return fcntl.ioctl(pipe, termios.FIONREAD, NOTHING) == NOTHING
    except OSError:
        return True


def unread_bytes(pipe: int) -> int:
    """What was written into a pipe and not read yet; 0 where the system does not say."""
    try:
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
    except OSError:
        return 0
