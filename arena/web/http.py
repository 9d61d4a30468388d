"""Serve an ASGI application by uvicorn, within bounds that hold without a proxy.

Uvicorn reads HTTP and WebSocket, and bounds the sizes of heads and messages, idle connections and
the end. It leaves open that one client takes all there is. So this module bounds, for each client:

* connections, in the protocol classes. One client is an address, or an account once the application
  has called `mark_known`: thirty people of a class behind one address do not share its bound.
  Beyond a bound a new connection replaces the oldest idle one, or is closed;
* the time of a head, and of a reader who takes nothing of an answer, in the protocol classes;
* the CPU time that it takes to read what comes, in the protocol classes: a megabyte in chunks or
  frames of one byte costs thousands of times what a megabyte in one piece does;
* the size and the time of a body, and the requests that are worked on at a time, in a middleware.

Behind a proxy on this machine all connections come from the proxy. Their number by address is then
for the proxy to bound, and a client is the address that the proxy names.
"""

from __future__ import annotations

import asyncio
import socket
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from ipaddress import IPv6Address, ip_address
from typing import Any, cast

import uvicorn
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.protocols.websockets.wsproto_impl import WSProtocol

GRACE = 3
"""Seconds that responses in progress have to finish when the server stops."""
RATE = 4096
"""Bytes a second that a body or a response must move, after a stall that is allowed."""
READ = 4096
"""Bytes that are read of one connection before the others have their turn."""
LONG = 0.002
"""Seconds of CPU time that these may cost before their client has to wait."""
WAIT = 4.0
"""How many times as long it waits then: the others have the rest."""
HEAD = 16 << 10
"""Maximum bytes of a request line with its headers."""
BROWSER = 8
"""Connections of a known client that no stranger replaces."""
REQUESTS_AT_ONCE = 8
"""Requests of one client that the application works on at a time."""
TURN = 1.0
"""Seconds after which a request that has no answer yet makes room for others of its client: it may
wait for something that these do not need."""
TOO_LARGE = "This is larger than the site takes."
TOO_SLOW = "The upload came too slowly, and was ended. Try again."


class Bounds(Struct, frozen=True, kw_only=True):
    """What the clients of a server may take."""

    connections: int = 64
    """Open at a time."""
    by_address: int = 64
    """Open at a time from one address by clients who are not known."""
    head: float = 10.0
    """Seconds from the start of a connection, or the end of an answer, to the end of the next
    head."""
    idle: int = 5
    """Seconds without a request after which a connection is closed."""
    stall: float = 20.0
    """Seconds without progress, for a body or a response."""
    body: int = 1 << 20
    """Bytes of a request's body."""
    message: int = 1 << 19
    """Bytes of a WebSocket message."""


async def serve(
    app: ASGIApp,
    listening: socket.socket,
    stop: asyncio.Event,
    bounds: Bounds = Bounds(),  # noqa: B008  # frozen
    *,
    proxied: bool = False,
    failed: Callable[[Exception], None] = lambda error: None,
) -> None:
    """Serve an ASGI application on a listening socket until `stop` is set; responses in progress
    then have `GRACE` seconds.

    With `proxied`, a proxy on this machine names each client's address (X-Forwarded-For), and
    connections are not bounded by address. `failed` receives each exception of the application; the
    connection that caused it affects no other.
    """
    server = _Server(_Config(Bounded(app, bounds, failed), bounds, proxied=proxied))

    async def end() -> None:
        await stop.wait()
        server.should_exit = True

    ending = asyncio.create_task(end())
    try:
        await server.serve(sockets=[listening])
    finally:
        ending.cancel()
        for connection in list(server.server_state.connections):
            connection.transport.abort()
        await asyncio.sleep(0)  # what was aborted is closed in the next turn of the loop


def mark_known(scope: Scope, client: str, limit: int) -> bool:
    """Count the connection of a request among those of a known client from now on, and no longer
    among those of its address. Returns False when `limit` of them are open: then it stays one of
    its address."""
    connection: _Connection | None = scope.get("state", {}).get("connection")
    return connection is None or connection.settings.clients.mark_known(connection, client, limit)


class _Server(uvicorn.Server):
    """A server that leaves signals to the program that runs it."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


class _Config(uvicorn.Config):
    """Uvicorn's settings, and the connections that are open."""

    def __init__(self, app: ASGIApp, bounds: Bounds, *, proxied: bool) -> None:
        super().__init__(
            app,
            http=_HttpConnection,
            ws=_SocketConnection,
            lifespan="off",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            proxy_headers=proxied,
            forwarded_allow_ips="127.0.0.1,::1",
            timeout_keep_alive=bounds.idle,
            timeout_graceful_shutdown=GRACE,
            h11_max_incomplete_event_size=HEAD,
            ws_max_size=bounds.message,
        )
        self.bounds = bounds
        self.clients = _Clients(bounds, proxied=proxied)


# -- connections -----------------------------------------------------------------------------------


class _Clients:
    """The open connections, the oldest first."""

    def __init__(self, bounds: Bounds, *, proxied: bool) -> None:
        self._open: dict[_Connection, None] = {}
        self._all = bounds.connections
        self._by_address = bounds.connections if proxied else bounds.by_address
        self._proxied = proxied
        self._waiting: dict[object, asyncio.TimerHandle] = {}
        """The clients of which nothing is read now."""

    def add(self, connection: _Connection) -> bool:
        """Count a new connection. Returns whether there is room for it."""
        strangers = [c for c in self._open if c.known_as is None]
        same = [c for c in strangers if c.address == connection.address]
        is_full = len(self._open) >= self._all
        if is_full or len(same) >= self._by_address:
            candidates = [*strangers, *self._many()] if is_full else same
            replaced = next((c for c in candidates if c.is_idle), None)
            if replaced is None:
                return False
            self.remove(replaced)
            replaced.transport.abort()
        self._open[connection] = None
        if self._client(connection) in self._waiting:
            connection.transport.pause_reading()
        return True

    def _many(self) -> list[_Connection]:
        """The connections of each known client beyond those that a browser needs: some clients must
        not have all that there are."""
        counts: Counter[str] = Counter()
        beyond = []
        for connection in reversed(self._open):
            if connection.known_as is not None:
                counts[connection.known_as] += 1
                if counts[connection.known_as] > BROWSER:
                    beyond.append(connection)
        return beyond[::-1]

    def remove(self, connection: _Connection) -> None:
        """Count a connection no longer."""
        self._open.pop(connection, None)

    def mark_known(self, connection: _Connection, client: str, limit: int) -> bool:
        """See the function of this name."""
        same = [c for c in self._open if c.known_as == client and c is not connection]
        connection.known_as = client if len(same) < limit else None
        return connection.known_as is not None

    def let_wait(self, connection: _Connection, seconds: float) -> None:
        """Read nothing more of the client of a connection for some time."""
        client = self._client(connection)
        if client in self._waiting:
            self._waiting[client].cancel()
        loop = asyncio.get_running_loop()
        self._waiting[client] = loop.call_later(seconds, self._read_on, client)
        for same in self._open:
            if self._client(same) == client:
                same.transport.pause_reading()

    def _read_on(self, client: object) -> None:
        del self._waiting[client]
        for connection in self._open:
            if not connection.is_full and self._client(connection) not in self._waiting:
                connection.transport.resume_reading()

    def _client(self, connection: _Connection) -> object:
        return connection.known_as or (connection if self._proxied else connection.address)


class _Connection(asyncio.Protocol):
    """What both kinds of connections have: a place among those of their client, and bounds on the
    time of what comes and of its reader. It stands before uvicorn's class of that kind."""

    address: str
    known_as: str | None = None
    """The client by the word of the application; None: only the address is known."""
    _progress: asyncio.TimerHandle | None = None
    # What uvicorn's classes set.
    app_state: dict[str, Any]
    client: tuple[str, int] | None
    config: uvicorn.Config
    loop: asyncio.AbstractEventLoop
    transport: asyncio.Transport

    @property
    def settings(self) -> _Config:
        """The settings of the server, with its bounds and clients."""
        return cast(_Config, self.config)

    @property
    def is_idle(self) -> bool:
        """Whether no request is worked on."""
        raise NotImplementedError

    @property
    def is_full(self) -> bool:
        """Whether the application has not yet taken what was read."""
        raise NotImplementedError

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.address = client_of(self.client)
        self.app_state = {**self.app_state, "connection": self}
        self.transport.max_size = READ  # type: ignore[attr-defined]  # as asyncio calls it
        if not self.settings.clients.add(self):
            self.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.end()
        super().connection_lost(exc)

    def end(self) -> None:
        """Give the place back, and watch no more."""
        self.settings.clients.remove(self)
        self._cancel_progress()

    def data_received(self, data: bytes) -> None:
        """Read data. A client whose data takes long to read has to wait."""
        began = time.thread_time()
        super().data_received(data)
        took = time.thread_time() - began
        if took > LONG:
            self.settings.clients.let_wait(self, WAIT * took)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.watch_progress()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._cancel_progress()

    def watch_progress(self) -> None:
        """End the connection if its reader does not take what was written at `RATE`."""
        stall, before = self.settings.bounds.stall, self.transport.get_write_buffer_size()

        def look() -> None:
            if self.transport.get_write_buffer_size() > before - RATE * stall:
                self.transport.abort()
            else:
                self.watch_progress()

        self._cancel_progress()
        self._progress = self.loop.call_later(stall, look)

    def _cancel_progress(self) -> None:
        if self._progress is not None:
            self._progress.cancel()
            self._progress = None


class _HttpConnection(_Connection, H11Protocol):
    """An HTTP connection, with a bound on the time of a head."""

    _head: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """See `_Connection`."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def is_full(self) -> bool:
        """See `_Connection`."""
        return bool(self.flow.read_paused)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._watch_head()

    def end(self) -> None:
        """See `_Connection`."""
        self._cancel_head()
        super().end()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if not self.is_idle:
            self._cancel_head()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.is_idle:
            self._watch_head()

    def handle_websocket_upgrade(self, event: Any) -> None:
        self.end()
        super().handle_websocket_upgrade(event)

    def _watch_head(self) -> None:
        self._cancel_head()
        self._head = self.loop.call_later(self.settings.bounds.head, self._miss_head)

    def _cancel_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _miss_head(self) -> None:
        """End a connection without a further request, once its reader has the last answer."""
        if self.transport.get_write_buffer_size():
            self.watch_progress()
        else:
            self.transport.abort()


class _SocketConnection(_Connection, WSProtocol):
    """A WebSocket. It is never idle."""

    is_idle = False

    @property
    def is_full(self) -> bool:
        """See `_Connection`."""
        return self.read_paused


def client_of(peer: tuple[str, int] | None) -> str:
    """The address of a client, or the network of one host in IPv6."""
    try:
        address = ip_address(peer[0].partition("%")[0] if peer else "")
    except ValueError:  # a socket without an address
        return ""
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64))
    return str(address)


# -- requests --------------------------------------------------------------------------------------


class Bounded:
    """Middleware: bounds on bodies, and on the requests of one client that are worked on."""

    def __init__(self, app: ASGIApp, bounds: Bounds, failed: Callable[[Exception], None]) -> None:
        self._app, self._bounds, self._failed = app, bounds, failed
        self._rooms: dict[str, _Room] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        try:
            if scope["type"] == "http":
                await self._answer(scope, receive, send)
            else:
                await self._app(scope, receive, send)
        except ClientDisconnect:
            pass
        except Exception as error:  # its page was answered by the application
            self._failed(error)

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        names = {name for name, _ in scope["headers"]}
        if {b"content-length", b"transfer-encoding"} <= names:
            # A proxy may read the one and h11 the other: the rest would be somebody else's request.
            answer = PlainTextResponse("", 400, headers={"Connection": "close"})
            await answer(scope, receive, send)
            return
        client = client_of(scope["client"])
        room = self._rooms.setdefault(client, _Room())
        request = _Request(self._bounds, room, receive, send)
        room.requests += 1
        try:
            await request.take_turn()
            await self._app(scope, request.receive, request.send)
        finally:
            request.end_turn()
            room.requests -= 1
            if not room.requests:
                self._rooms.pop(client, None)


class _Room:
    """The requests of one client."""

    def __init__(self) -> None:
        self.requests = 0
        self.turns = asyncio.Semaphore(REQUESTS_AT_ONCE)


class _Request:
    """One request: the turns that it takes, and what has come of its body."""

    def __init__(self, bounds: Bounds, room: _Room, receive: Receive, send: Send) -> None:
        self._bounds, self._room = bounds, room
        self._receive, self._send = receive, send
        self._patience = bounds.stall
        """Seconds to wait for more of the body. The application's own time does not count."""
        self._received = 0
        self._is_whole = self._is_answered = False
        self._late: asyncio.TimerHandle | None = None
        """Set while the request has a turn."""

    async def take_turn(self) -> None:
        """Wait until the application may work on this request."""
        await self._room.turns.acquire()
        self._late = asyncio.get_running_loop().call_later(TURN, self.end_turn)

    def end_turn(self) -> None:
        """Let another request be worked on."""
        if self._late is not None:
            self._late.cancel()
            self._late = None
            self._room.turns.release()

    async def receive(self) -> Message:
        """Receive a part of the body in time and within its bound. Raises HTTPException."""
        if self._is_whole:
            return await self._receive()
        self.end_turn()  # others need not wait for this client
        loop = asyncio.get_running_loop()
        began = loop.time()
        try:
            async with asyncio.timeout(max(0, self._patience)):
                message = await self._receive()
        except TimeoutError:
            self._is_whole = True
            raise HTTPException(408, TOO_SLOW) from None
        body = message.get("body", b"")
        self._is_whole = not message.get("more_body", False)
        self._received += len(body)
        self._patience += len(body) / RATE - (loop.time() - began)
        if self._received > self._bounds.body:
            raise HTTPException(413, TOO_LARGE)
        if not self._is_answered:
            await self.take_turn()
        return message

    async def send(self, message: Message) -> None:
        """Send a part of the answer."""
        if message["type"] == "http.response.start":
            self._is_answered = True
            self.end_turn()
        await self._send(message)
