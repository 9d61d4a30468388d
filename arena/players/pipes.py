"""What lies in a pipe."""

from __future__ import annotations

import fcntl
import sys
import termios


def unread_bytes(pipe: int) -> int:
    """What was written into a pipe and not read yet; 0 where the system does not say."""
    try:
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
    except OSError:
        return 0
