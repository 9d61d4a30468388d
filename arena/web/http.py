"""Serve one ASGI application over HTTP/1.1 and WebSocket, on Trio, within bounds.

The servers that exist for Trio (Hypercorn, and anycorn, its fork) accept connections themselves and
let any program switch to HTTP/2. So by their public interface nobody can bound how many
connections are open, close one that keeps sending after a message that was too long, or refuse
HTTP/2. The protocols are what their libraries read: h11 for HTTP/1.1, wsproto for WebSocket. This
module adds connections, time and sizes:

* at most `Bounds.connections` are open. A new one replaces the oldest *stranger*: a connection
  whose application has not called `keep`. If there is none, the new one is closed;
* a request line with its headers comes within `Bounds.head` seconds and 16 KiB, and bodies and
  responses move at least `RATE` bytes a second after `Bounds.stall` seconds;
* a body of more than `Bounds.body` bytes and a message of more than `Bounds.message` end the
  connection, and no more of it is read;
* an idle connection is closed after `Bounds.idle` seconds.

Any program on this machine can connect to a socket on 127.0.0.1, so all of this holds there too.
TLS is the business of a proxy.
"""

from __future__ import annotations

import socket
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from email.utils import formatdate
from typing import Any
from urllib.parse import unquote

import h11
import trio
import wsproto
from msgspec import Struct
from wsproto import events
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

TRY_AGAIN = 0.1
"""Seconds until the next try to accept, when no descriptor is left."""
GRACE = 3.0
"""Seconds that responses in progress have to finish when the server stops."""
RATE = 4096
"""Bytes a second that a body or a response must move, after a stall that is allowed."""
HEAD = 16 << 10
"""Maximum bytes of a request line with its headers."""
CHUNK = 64 << 10
"""Bytes read from a connection at a time."""
TOO_LARGE = 413
LONG_MESSAGE = 1009
"""WebSocket code for a message that is too long."""

AsgiApp = Callable[[Any, Callable[[], Awaitable[Any]], Callable[[Any], Awaitable[None]]], Any]


class Bounds(Struct, frozen=True, kw_only=True):
    """What the clients of a server may take."""

    connections: int = 64
    """Open at a time."""
    requests: int = 100
    """On one connection."""
    head: float = 10.0
    """Seconds from the first byte of a request to the end of its headers."""
    idle: float = 5.0
    """Seconds without a request after which a connection is closed."""
    stall: float = 20.0
    """Seconds without progress, for a body or a response."""
    body: int = 1 << 20
    """Bytes of a request's body."""
    message: int = 1 << 19
    """Bytes of a WebSocket message."""


class ClientGone(ConnectionError):
    """The client has gone, or did what ends its connection."""


async def serve(
    app: AsgiApp,
    listening: socket.socket,
    stop: trio.Event,
    bounds: Bounds = Bounds(),  # noqa: B008  # frozen
    *,
    failed: Callable[[Exception], None] = lambda error: None,
) -> None:
    """Serve an ASGI application on a listening socket until `stop` is set; responses in progress
    then have `GRACE` seconds. A failing connection affects neither the others nor the caller;
    `failed` receives what the application raises."""
    listening.setblocking(False)
    open_ones = _Connections(app, bounds, failed)
    with trio.socket.from_stdlib_socket(listening) as listener:
        async with trio.open_nursery() as nursery:
            accepting = await nursery.start(open_ones.accept_all, listener, nursery)
            await stop.wait()
            accepting.cancel()
            await open_ones.end()
            nursery.cancel_scope.cancel()


def keep() -> None:
    """Mark this task's connection as one that is known, so that no other replaces it."""
    connection = _served.get(None)
    if connection is not None:
        connection.known = True


class _Connections:
    """The open connections, the oldest first."""

    def __init__(self, app: AsgiApp, bounds: Bounds, failed: Callable[[Exception], None]) -> None:
        self._app, self._bounds, self._failed = app, bounds, failed
        self._open: dict[_Connection, None] = {}
        self._one_less = trio.Event()
        self._stopping = trio.Event()

    async def accept_all(
        self,
        listener: trio.socket.SocketType,
        nursery: trio.Nursery,
        task_status: trio.TaskStatus[trio.CancelScope],
    ) -> None:
        """Accept connections and serve each in its own task."""
        with trio.CancelScope() as scope:
            task_status.started(scope)
            while True:
                try:
                    accepted, client = await accept(listener)
                except OSError:  # no descriptor is left, or the client has gone
                    await trio.sleep(TRY_AGAIN)
                    continue
                if not self._has_room():
                    accepted.close()
                    continue
                stream = trio.SocketStream(accepted)
                connection = _Connection(
                    self._app, self._bounds, stream, _address(client), self._stopping
                )
                self._open[connection] = None
                nursery.start_soon(self._serve, connection)

    def _has_room(self) -> bool:
        """Whether one more connection fits, if necessary by replacing the oldest stranger."""
        if len(self._open) < self._bounds.connections:
            return True
        stranger = next((one for one in self._open if not one.known), None)
        if stranger is None:
            return False
        del self._open[stranger]
        stranger.cut()
        return True

    async def _serve(self, connection: _Connection) -> None:
        _served.set(connection)
        try:
            with connection.scope:
                await connection.run()
        except OSError:
            pass
        except Exception as error:  # no error of the application may stop the others
            self._failed(error)
        finally:
            connection.stream.socket.close()
            self._open.pop(connection, None)
            self._one_less.set()
            self._one_less = trio.Event()

    async def end(self) -> None:
        """Wait at most `GRACE` seconds for all connections, then cut them off."""
        self._stopping.set()
        for connection in list(self._open):
            if connection.is_idle:
                connection.cut()
        with trio.move_on_after(GRACE):
            while self._open:
                await self._one_less.wait()


async def accept(listener: trio.socket.SocketType) -> tuple[trio.socket.SocketType, Any]:
    """Accept one connection; apart, so that a test can let it fail."""
    return await listener.accept()


def _address(client: Any) -> tuple[str, int] | None:
    return (client[0], client[1]) if isinstance(client, tuple) else None


class _Connection:
    """One connection: its requests one after the other, or its WebSocket."""

    def __init__(
        self,
        app: AsgiApp,
        bounds: Bounds,
        stream: trio.SocketStream,
        client: tuple[str, int] | None,
        stopping: trio.Event,
    ) -> None:
        self.stream = stream
        self.scope = trio.CancelScope()
        self.known = False
        """Whether the application knows who it is."""
        self.is_idle = True
        self.app, self.bounds, self.client = app, bounds, client
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD)
        self.stopping = stopping
        self._writing = trio.Lock()

    def cut(self) -> None:
        """End the connection now."""
        self.scope.cancel()

    async def run(self) -> None:
        """Answer requests until either side ends the connection."""
        for number in range(1, self.bounds.requests + 1):
            request = await self._head()
            if request is None:
                return
            self.is_idle = False
            if _is_upgrade(request):
                await _Socket(self, request).run()
                return
            last = number == self.bounds.requests or self.stopping.is_set()
            await _Exchange(self, request, last=last).run()
            if self.http.our_state is not h11.DONE or self.http.their_state is not h11.DONE:
                return
            self.http.start_next_cycle()
            self.is_idle = True
            if self.stopping.is_set():
                return

    async def _head(self) -> h11.Request | None:
        """The next request; None when there is none."""
        seconds = self.bounds.idle
        begun = bool(self.http.trailing_data[0])
        with trio.move_on_after(self.bounds.head if begun else seconds) as scope:
            while True:
                try:
                    event = self.http.next_event()
                except h11.RemoteProtocolError as error:
                    await self._refuse(error.error_status_hint)
                    return None
                if isinstance(event, h11.Request):
                    if event.http_version not in (b"1.0", b"1.1"):
                        return None
                    return event
                if event is not h11.NEED_DATA:
                    return None
                data = await self.read()
                if data and not begun:
                    begun, scope.deadline = True, trio.current_time() + self.bounds.head
                self.http.receive_data(data)
        return None

    async def _refuse(self, status: int) -> None:
        """Answer a request that cannot be read, if that is possible still."""
        if self.http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        headers = [("Content-Length", "0"), ("Connection", "close")]
        with suppress(h11.LocalProtocolError):
            await self.write(self.http.send(h11.Response(status_code=status, headers=headers)))
            await self.write(self.http.send(h11.EndOfMessage()))

    async def read(self) -> bytes:
        """Some bytes from the client; empty at the end. Raises ClientGone."""
        try:
            return bytes(await self.stream.receive_some(CHUNK))
        except trio.BrokenResourceError:
            return b""

    async def write(self, data: bytes | None) -> None:
        """Write bytes to the client. Raises ClientGone when it has gone or does not read."""
        if not data:
            return
        try:
            with trio.fail_after(self.bounds.stall + len(data) / RATE):
                async with self._writing:
                    await self.stream.send_all(data)
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
            self.cut()
            raise ClientGone from None

    def asgi_scope(self, kind: str, request: h11.Request) -> dict[str, Any]:
        """The ASGI scope of a request."""
        path, _, query = request.target.partition(b"?")
        more = {"method": request.method.decode("ascii")} if kind == "http" else {}
        return {
            **more,
            "type": kind,
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": request.http_version.decode("ascii"),
            "scheme": "ws" if kind == "websocket" else "http",
            "path": unquote(path.decode("ascii", "replace")),
            "raw_path": path,
            "query_string": query,
            "root_path": "",
            "headers": list(request.headers),
            "client": self.client,
            "server": None,
            "state": {},
        }


_served: ContextVar[_Connection] = ContextVar("served")
"""The connection that a task or its parent task serves."""


def _is_upgrade(request: h11.Request) -> bool:
    """Whether a request asks for a WebSocket. Other upgrades are ignored, as HTTP allows."""
    headers = {name: value.lower() for name, value in request.headers}
    tokens = [one.strip() for one in headers.get(b"connection", b"").split(b",")]
    asks = headers.get(b"upgrade") == b"websocket" and b"upgrade" in tokens
    return asks and request.method == b"GET" and request.http_version == b"1.1"


class _Exchange:
    """One HTTP request and its response."""

    def __init__(self, connection: _Connection, request: h11.Request, *, last: bool) -> None:
        self._connection, self._request, self._last = connection, request, last
        self._http = connection.http
        self._received = 0
        self._body_is_over = False
        self._deadline = 0.0
        """When the next part of the body must have come."""
        self._ended = trio.Event()
        self._started = False

    async def run(self) -> None:
        """Let the application answer."""
        scope = self._connection.asgi_scope("http", self._request)
        self._deadline = trio.current_time() + self._connection.bounds.stall
        try:
            await self._connection.app(scope, self._receive, self._send)
        except BaseException:
            if not self._started:
                with suppress(Exception):
                    await self._answer(500)
            raise
        if not self._started:
            await self._answer(500)
        elif not self._ended.is_set():
            raise ClientGone  # the response was cut short

    async def _receive(self) -> dict[str, Any]:
        while not self._body_is_over:
            event = self._http.next_event()
            if isinstance(event, h11.Data):
                return await self._part(bytes(event.data))
            if isinstance(event, h11.EndOfMessage):
                self._body_is_over = True
                return {"type": "http.request", "body": b"", "more_body": False}
            if event is not h11.NEED_DATA:
                return {"type": "http.disconnect"}
            if self._http.they_are_waiting_for_100_continue:
                go_on = h11.InformationalResponse(status_code=100, headers=[])
                await self._connection.write(self._http.send(go_on))
            await self._read()
        return await self._leaving()

    async def _part(self, data: bytes) -> dict[str, Any]:
        self._received += len(data)
        self._deadline += len(data) / RATE
        if self._received > self._connection.bounds.body:
            await self._answer(TOO_LARGE)
            raise ClientGone
        return {"type": "http.request", "body": data, "more_body": True}

    async def _read(self) -> None:
        try:
            with trio.fail_at(self._deadline):
                self._http.receive_data(await self._connection.read())
        except trio.TooSlowError:
            raise ClientGone from None

    async def _leaving(self) -> dict[str, Any]:
        """Wait until the client leaves or the response ends."""
        if not self._ended.is_set():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._notice_end, nursery.cancel_scope)
                data = await self._connection.read()
                if data:  # of the next request; more is not read until this one is answered
                    self._http.receive_data(data)
                    await self._ended.wait()
                nursery.cancel_scope.cancel()
        return {"type": "http.disconnect"}

    async def _notice_end(self, scope: trio.CancelScope) -> None:
        await self._ended.wait()
        scope.cancel()

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self._started = True
            await self._begin(message["status"], message.get("headers", ()))
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            if body:
                await self._connection.write(self._http.send(h11.Data(data=body)))
            if not message.get("more_body", False):
                await self._connection.write(self._http.send(h11.EndOfMessage()))
                self._ended.set()

    async def _begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Send the head of the response. The connection ends after it unless the whole body of the
        request was read: the rest of a body that is not wanted is not read either."""
        sent = [*headers, (b"date", formatdate(usegmt=True).encode())]
        whole = self._http.their_state is h11.DONE or self._has_no_body()
        if self._last or not whole:
            sent.append((b"connection", b"close"))
        response = h11.Response(status_code=status, headers=sent)
        await self._connection.write(self._http.send(response))

    def _has_no_body(self) -> bool:
        """Whether the request ends with its headers; h11 then reads its end."""
        if self._http.their_state is not h11.SEND_BODY:
            return self._http.their_state is h11.DONE
        names = {name for name, _ in self._request.headers}
        if names & {b"content-length", b"transfer-encoding"}:
            return False
        self._body_is_over = isinstance(self._http.next_event(), h11.EndOfMessage)
        return self._body_is_over

    async def _answer(self, status: int) -> None:
        """Answer without the application, and end the connection."""
        if self._started:
            return
        self._started = True
        headers = [(b"content-length", b"0"), (b"connection", b"close")]
        response = h11.Response(status_code=status, headers=headers)
        await self._connection.write(self._http.send(response))
        await self._connection.write(self._http.send(h11.EndOfMessage()))
        self._ended.set()


class _Socket:
    """One WebSocket. Messages are read when the application asks for one, so a client that sends
    more than is read fills only its own pipe."""

    def __init__(self, connection: _Connection, request: h11.Request) -> None:
        self._connection, self._request = connection, request
        self._socket = wsproto.WSConnection(wsproto.ConnectionType.SERVER)
        self._parts: list[str | bytes] = []
        self._length = 0
        self._events: list[events.Event] = []
        self._state = "new"
        """``new``, ``open`` or ``closed``."""
        self._told_of_connecting = False

    async def run(self) -> None:
        """Let the application talk, after a handshake."""
        headers = [(bytes(name), bytes(value)) for name, value in self._request.headers]
        try:
            self._socket.initiate_upgrade_connection(headers, self._request.target.decode("ascii"))
        except RemoteProtocolError:
            answer = h11.Response(status_code=400, headers=[("Content-Length", "0")])
            await self._connection.write(self._connection.http.send(answer))
            return
        asked = next(iter(self._socket.events()))
        scope = self._connection.asgi_scope("websocket", self._request)
        scope["subprotocols"] = list(getattr(asked, "subprotocols", ()))
        trailing = self._connection.http.trailing_data[0]
        try:
            await self._connection.app(scope, self._receive_after(trailing), self._send)
        finally:
            if self._state != "closed":
                with trio.move_on_after(1, shield=True), suppress(OSError, LocalProtocolError):
                    await self._end(1011 if self._state == "open" else 403)

    def _receive_after(self, trailing: bytes) -> Callable[[], Awaitable[dict[str, Any]]]:
        unread = [trailing] if trailing else []

        async def receive() -> dict[str, Any]:
            return await self._receive(unread)

        return receive

    async def _receive(self, unread: list[bytes]) -> dict[str, Any]:
        if not self._told_of_connecting:
            self._told_of_connecting = True
            return {"type": "websocket.connect"}
        while self._state != "closed":
            while self._events:
                message = await self._hear(self._events.pop(0))
                if message is not None:
                    return message
            data = unread.pop() if unread else await self._connection.read()
            try:
                self._socket.receive_data(data or None)
                self._events += list(self._socket.events())
            except (RemoteProtocolError, LocalProtocolError):
                break
            if not data:
                break
        self._state = "closed"
        return {"type": "websocket.disconnect", "code": 1006}

    async def _hear(self, event: events.Event) -> dict[str, Any] | None:
        if isinstance(event, events.Message):
            return await self._add(event)
        if isinstance(event, events.Ping):
            await self._connection.write(self._socket.send(event.response()))
        elif isinstance(event, events.CloseConnection):
            self._state = "closed"
            with suppress(LocalProtocolError):
                await self._connection.write(self._socket.send(event.response()))
            return {"type": "websocket.disconnect", "code": event.code}
        return None

    async def _add(self, event: events.Message[Any]) -> dict[str, Any] | None:
        """A message, once its last part has come."""
        self._parts.append(event.data)
        self._length += len(event.data)
        if self._length > self._connection.bounds.message:
            await self._end(LONG_MESSAGE)
            return {"type": "websocket.disconnect", "code": LONG_MESSAGE}
        if not event.message_finished:
            return None
        parts, self._parts, self._length = self._parts, [], 0
        if isinstance(event, events.TextMessage):
            return {"type": "websocket.receive", "text": "".join(map(str, parts)), "bytes": None}
        joined = b"".join(bytes(part) for part in parts if not isinstance(part, str))
        return {"type": "websocket.receive", "text": None, "bytes": joined}

    async def _send(self, message: dict[str, Any]) -> None:
        if self._state == "closed":
            raise ClientGone
        match message["type"]:
            case "websocket.accept":
                self._state = "open"
                answer = events.AcceptConnection(extra_headers=list(message.get("headers", ())))
                await self._connection.write(self._socket.send(answer))
            case "websocket.send":
                text = message.get("text")
                event: events.Event = (
                    events.TextMessage(data=text)
                    if text is not None
                    else events.BytesMessage(data=message["bytes"])
                )
                await self._connection.write(self._socket.send(event))
            case "websocket.close":
                await self._end(message.get("code", 1000) if self._state == "open" else 403)

    async def _end(self, code: int) -> None:
        """Refuse or close the WebSocket."""
        before, self._state = self._state, "closed"
        event: events.Event = (
            events.CloseConnection(code=code)
            if before == "open"
            else events.RejectConnection(status_code=code, headers=[(b"content-length", b"0")])
        )
        await self._connection.write(self._socket.send(event))
