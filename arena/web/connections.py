"""The connections to the server of a live match: so many and no more, and each for itself.

Any program of this machine can connect, also one that knows no page's address. Without a bound it
takes all descriptors of the arena, and then the match cannot go on. (250 connections ended one.)
With a bound alone it takes all places: so a new connection takes that of the oldest stranger, which
has not asked for a page by its address.

The library has no bound of its own (nor has Hypercorn, of which it is a fork), and `anycorn.serve`
accepts by itself. So this serves each connection with inner parts of it, which were the same from
0.18 to 0.20: `pyproject.toml` allows no others.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from contextvars import ContextVar
from typing import Any

import trio
from anycorn.app_wrappers import ASGIWrapper
from anycorn.config import Config
from anycorn.tcp_server import TCPServer
from anycorn.worker_context import WorkerContext
from anyio import BrokenResourceError, EndOfStream
from anyio.abc import SocketListener, SocketStream

MOST = 64
"""Connections at a time. A page needs one or two."""
TRY_AGAIN = 0.1
"""Seconds until the next try to accept, when no descriptor is left."""
CLOSE_FRAME = b"\x88"
"""How a frame begins by which a WebSocket is closed."""
GRACE = 3.0
"""Seconds for answers that are under way when the serving ends."""


async def serve(app: Any, config: Config, listening: socket.socket, stop: trio.Event) -> None:
    """Serve an ASGI application on a socket that listens, until told to stop. What becomes of one
    connection is nothing to the others, nor to the caller."""
    context = WorkerContext(None)

    async def handle(stream: Any) -> None:
        await _Server(ASGIWrapper(app), config, context, {}, stream).run()

    connections = _Connections(handle)
    async with (
        await SocketListener.from_socket(listening) as listener,
        trio.open_nursery() as nursery,
    ):
        accepting = await nursery.start(connections.accept_all, listener, nursery)
        await stop.wait()
        accepting.cancel()
        await context.terminated.set()
        await connections.end()
        nursery.cancel_scope.cancel()


def keep() -> None:
    """The request that this task answers knows the address of a page: no other connection takes the
    place of this one."""
    _served.get().known = True


class _Server(TCPServer):
    """Speaks HTTP/1.1 and WebSocket. (The library lets any program go on in HTTP/2, which has
    other bounds.)"""

    async def _read_data(self) -> None:
        http: Any = self.protocol.protocol
        http._check_protocol = _stay_in_http_1
        await super()._read_data()


async def _stay_in_http_1(request: Any) -> None:
    """Answer a request that asks for a newer protocol as any other one; where it is in it already,
    end the connection."""
    if not request.http_version.startswith(b"1."):
        raise ConnectionError


class _Connection:
    def __init__(self, stream: SocketStream) -> None:
        self.stream = stream
        self.known = False
        """Whether a page has asked on it."""


_served: ContextVar[_Connection] = ContextVar("served")
"""The connection that a task, or the one that has started it, serves."""


class _Stream:
    """A stream that is at its end once the server has closed its WebSocket. (The library goes on to
    keep what comes after a message that is too long: 30 MiB in a second.)"""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._ended = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def send(self, data: bytes) -> None:
        """As it does, and see what it is."""
        self._ended = self._ended or data[:1] == CLOSE_FRAME
        await self._stream.send(data)

    async def receive(self, most: int) -> bytes:
        """As it does, until its end."""
        if self._ended:
            raise EndOfStream
        return await self._stream.receive(most)


class _Connections:
    def __init__(self, handler: Callable[[Any], Awaitable[None]]) -> None:
        self._handler = handler
        self._open: dict[_Connection, None] = {}
        """The oldest first."""
        self._one_less = trio.Event()

    async def accept_all(
        self,
        listener: SocketListener,
        nursery: trio.Nursery,
        task_status: trio.TaskStatus[trio.CancelScope],
    ) -> None:
        """Serve each in a task of its own."""
        with trio.CancelScope() as scope:
            task_status.started(scope)
            while True:
                try:
                    stream = await listener.accept()
                except BrokenResourceError:
                    await trio.sleep(TRY_AGAIN)
                    continue
                if await self._has_room():
                    connection = _Connection(stream)
                    self._open[connection] = None
                    nursery.start_soon(self._serve, connection)
                else:
                    await stream.aclose()

    async def _has_room(self) -> bool:
        """Whether there is room for one more, if need be in the place of the oldest stranger."""
        if len(self._open) < MOST:
            return True
        stranger = next((one for one in self._open if not one.known), None)
        if stranger is None:
            return False
        del self._open[stranger]
        await stranger.stream.aclose()
        return True

    async def _serve(self, connection: _Connection) -> None:
        _served.set(connection)
        try:
            with suppress(Exception):  # whatever it is, the match goes on
                await self._handler(_Stream(connection.stream))
        finally:
            self._open.pop(connection, None)
            self._one_less.set()
            self._one_less = trio.Event()

    async def end(self) -> None:
        """Wait until all are done, and then no longer: who does not read is cut off. (The library
        shields what it sends from being cancelled.)"""
        with trio.move_on_after(GRACE):
            while self._open:
                await self._one_less.wait()
        for connection in list(self._open):
            await connection.stream.aclose()
