"""The pipes between the arena and a program: what is written, what is there, what is unread."""

from __future__ import annotations

import fcntl
import os
import select
import sys
import termios
from collections.abc import Callable
from functools import partial
from typing import Any

import trio

from arena.sandbox.child import Child

READ_SIZE = 1 << 16
EMPTY_PIPE = bytes(4)
"""The FIONREAD value of an empty pipe."""


class PipePoller:
    """Tells whether any of several pipes has something to read."""

    def __init__(self, *pipes: int) -> None:
        if sys.platform == "linux":
            self._poll = epoll = select.epoll()
            self.poll: Callable[[], list[Any]] = partial(epoll.poll, 0, 1)
            """The pipes that have something to read."""
        else:
            self._poll = poll = select.poll()
            self.poll = partial(poll.poll, 0)
        for pipe in pipes:
            self._poll.register(pipe, select.POLLIN)

    def close(self) -> None:
        """Close the descriptor of the poller."""
        if isinstance(self._poll, select.epoll):
            self._poll.close()


class BotPipes:
    """The stdin and stdout of a program, as the arena uses them; it watches its stderr, too."""

    def __init__(self, child: Child) -> None:
        self.child = child
        self.ended = False
        """Whether the program closed its stdin or stdout, or is not read any further."""
        self.outbox = b""
        """What the pipe did not take yet; it goes with the next write."""
        self.request = ""
        """The lines of the open request; empty once the program began to read the last one."""
        self._poller = PipePoller(child.stdout, child.stderr)
        self.has_input = self._poller.poll
        """Whether stdout or stderr has something to read."""
        self._count = bytearray(4)
        """A buffer for `all_was_read`: passing one halves the time of the call."""

    # -- to the program

    def send(self, text: str) -> None:
        """Write lines, and what is left of earlier ones, as far as the pipe takes them."""
        data = self.outbox + text.encode()
        try:
            self.outbox = data[os.write(self.child.stdin, data) :]
        except BlockingIOError:
            self.outbox = data
        except OSError:  # the program closed its end; reading stdout will tell why
            self.outbox = b""
            self.ended = True

    async def write_rest(self) -> None:
        """Write the rest as the program reads."""
        while self.outbox:
            await trio.lowlevel.wait_writable(self.child.stdin)
            self.send("")

    def request_was_read(self) -> bool:
        """Whether a line can be an answer: only after the request is written, and the program has
        begun to read its last line."""
        if self.request and not self.outbox:
            length = len(self.request) - self.request.rfind("\n", 0, -1) - 1
            if unread_bytes(self.child.stdin) < length:
                self.request = ""
        return not (self.outbox or self.request)

    def all_was_read(self) -> bool:
        """Whether the program has read everything; true where the system cannot tell."""
        try:
            fcntl.ioctl(self.child.stdin, termios.FIONREAD, self._count)
        except OSError:
            return True
        return self._count == EMPTY_PIPE

    def are_idle(self) -> bool:
        """Whether nothing is on its way: nothing in them is unread at either end."""
        return not self.outbox and unread_bytes(self.child.stdin) == 0 and not self.has_input()

    # -- from the program

    def read(self) -> bytes:
        """A chunk of stdout; empty when there is none, or at its end."""
        if self.ended:
            return b""
        try:
            data = os.read(self.child.stdout, READ_SIZE)
        except BlockingIOError:
            self.ended = self.child.exit is not None  # a daemon may hold the pipe open
            return b""
        except OSError:
            data = b""
        if not data:
            self.ended = True
        return data

    def close(self) -> None:
        """Close the descriptor of the poller. (The pipes are the child's.)"""
        self._poller.close()


def unread_bytes(pipe: int) -> int:
    """Bytes written into a pipe and not read yet; 0 where the system cannot tell."""
    try:
        return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
    except OSError:
        return 0
