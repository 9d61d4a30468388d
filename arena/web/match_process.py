"""The process of a match, as the process of a server has it: see `arena.web.passing`."""

from __future__ import annotations

import array
import socket
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress

import anyio
from anyio.abc import SocketStream
from starlette.websockets import WebSocket, WebSocketDisconnect

from arena.web.passing import GONE, WHOLE, Lines

PAGES = 4
"""Pages of one seat of a person that may be open at a time."""


class MatchProcess:
    """A match that another process plays, as the server has it."""

    def __init__(self, control: socket.socket) -> None:
        """`control`: the server's end of the socket that the two share (`control_pair`)."""
        self._control = control
        control.setblocking(False)
        self._pages: Counter[int] = Counter()

    def close(self) -> None:
        """Connect no more pages."""
        self._control.close()

    @asynccontextmanager
    async def page(self, seat: int) -> AsyncIterator[SocketStream | None]:
        """Connect one more page of a seat for the block. Gives None when it has too many, or the
        process has ended."""
        self._pages[seat] += 1
        try:
            if seat >= 0 and self._pages[seat] > PAGES:
                yield None
            else:
                stream = await self._connect(seat)
                if stream is None:
                    yield None
                else:
                    async with stream:
                        yield stream
        finally:
            self._pages[seat] -= 1

    async def whole(self) -> str:
        """Receive the page of the whole match; empty while the match goes on."""
        async with self.page(WHOLE) as stream:
            if stream is None:
                return ""
            parts = []
            with suppress(*GONE):
                while True:
                    parts.append(await stream.receive())
            return b"".join(parts).decode()

    async def _connect(self, seat: int) -> SocketStream | None:
        ours, theirs = socket.socketpair()
        with theirs:
            try:
                handles = array.array("i", [theirs.fileno()])
                rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, handles)
                self._control.sendmsg([f"{seat}".encode()], [rights])
            except OSError:
                ours.close()
                return None
        return await SocketStream.from_socket(ours)


async def pass_messages(page: WebSocket, stream: SocketStream) -> None:
    """Pass the messages of a page on to its match and back, until either side ends."""
    lines = Lines(stream)
    async with anyio.create_task_group() as tasks:
        for work in (_pass_on, _pass_back):
            tasks.start_soon(_until_closed, work, page, lines, tasks.cancel_scope)


async def close(page: WebSocket) -> None:
    """Close a page, which may be closed already."""
    with suppress(WebSocketDisconnect, RuntimeError):
        await page.close()


async def _until_closed(
    work: Callable[[WebSocket, Lines], Awaitable[None]],
    page: WebSocket,
    lines: Lines,
    scope: anyio.CancelScope,
) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        await work(page, lines)
    scope.cancel()


async def _pass_on(page: WebSocket, lines: Lines) -> None:
    """What the page says, to the match. A page that says more than the match reads waits."""
    while True:
        message = await page.receive()
        if message["type"] != "websocket.receive":
            return
        if not await lines.send(message.get("text") or ""):
            return


async def _pass_back(page: WebSocket, lines: Lines) -> None:
    while (text := await lines.receive()) is not None:
        await page.send_text(text)
