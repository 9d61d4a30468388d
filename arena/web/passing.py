"""Pass the pages of a match from the server's process on to the process of the match.

Why two processes: the rules, the help of a person (which tries answers by the rules) and the story
of a match take up to seconds of CPU time, and a match keeps clocks. Neither may hold up the other.

The two share a socket. For each page that is opened, the server sends the page's seat as a message,
and with it a socket of that page alone, on which messages are lines. So a page that reads slowly
holds up nobody else, there is no address that a bot could find, and what the match knows stays in
its process: the server passes on what the seat may see.
"""

from __future__ import annotations

import array
import socket
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import trio
from anyio.abc import SocketStream
from anyio.streams.buffered import BufferedByteReceiveStream

from arena.errors import root_cause
from arena.web.feed import PageClosed, feed_person, feed_spectator

if TYPE_CHECKING:
    from arena.web.live import LiveMatch

LARGEST_LINE = 1 << 20
"""Bytes of a message from a page. (The server has a lower bound.)"""
LARGEST_STORY = 1 << 28
"""Bytes of a message to a page."""
SPECTATORS, WHOLE = -1, -2
"""In place of a seat: a page that sees everything, and the request for the page of a whole
match."""
GONE = (anyio.BrokenResourceError, anyio.ClosedResourceError, anyio.EndOfStream)


class Lines:
    """Lines of text on a stream, both ways."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._reader = BufferedByteReceiveStream(stream)

    async def receive(self, largest: int = LARGEST_STORY) -> str | None:
        """Receive the next line. Returns None at the end, and for a line of more than `largest`
        bytes."""
        try:
            line = await self._reader.receive_until(b"\n", largest)
        except (*GONE, anyio.IncompleteRead, anyio.DelimiterNotFound):
            return None
        return line.decode("utf-8", "replace")

    async def send(self, text: str) -> bool:
        """Send a line. (A line break in JSON is space.) Returns whether anybody is there."""
        line = text.replace("\n", " ").encode("utf-8", "replace")
        try:
            await self._stream.send(line + b"\n")
        except GONE:
            return False
        return True


def control_pair() -> tuple[socket.socket, socket.socket]:
    """Make the socket that a server and the process of a match share: both ends."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


# -- the match's side ------------------------------------------------------------------------------


async def take_pages(control: socket.socket, live: LiveMatch, nursery: trio.Nursery) -> None:
    """Serve each page whose socket the server sends, in Trio, until the server ends."""
    control.setblocking(False)
    space = socket.CMSG_LEN(array.array("i").itemsize)
    with trio.socket.from_stdlib_socket(control) as listening:
        while True:
            data, rights, _, _ = await listening.recvmsg(16, space, socket.MSG_CMSG_CLOEXEC)
            if not data:
                return
            for page in _sockets(rights):
                nursery.start_soon(_serve, live, int(data), page)


def _sockets(rights: Sequence[tuple[int, int, bytes]]) -> Iterator[socket.socket]:
    for _, _, data in rights:
        handles = array.array("i")
        handles.frombytes(data[: len(data) - len(data) % handles.itemsize])
        yield from (socket.socket(fileno=handle) for handle in handles)


async def _serve(live: LiveMatch, seat: int, page: socket.socket) -> None:
    """Serve one page. What fails there ends only the page: a person can reload it."""
    async with await SocketStream.from_socket(page) as stream:
        try:
            if seat == WHOLE:
                await live.give_whole(stream.send)
            elif seat == SPECTATORS:
                await feed_spectator(live, LinePage(stream))
            else:
                await feed_person(live, seat, LinePage(stream))
        except GONE:
            pass
        except Exception as error:
            cause = root_cause(error) if isinstance(error, BaseExceptionGroup) else error
            print(f"a page failed: {type(cause).__name__}: {cause}", file=sys.stderr, flush=True)


class LinePage:
    """A page (`arena.web.feed.Page`) whose messages come as lines."""

    def __init__(self, stream: SocketStream) -> None:
        self._stream, self._lines = stream, Lines(stream)

    async def hear(self) -> str:
        """See `Page`."""
        text = await self._lines.receive(LARGEST_LINE)
        if text is None:
            raise PageClosed
        return text

    async def say(self, text: str) -> None:
        """See `Page`."""
        if not await self._lines.send(text):
            raise PageClosed

    async def close(self) -> None:
        """See `Page`."""
        with suppress(*GONE):
            await self._stream.send_eof()
