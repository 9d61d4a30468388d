"""Serve one ASGI application over HTTP/1.1 and WebSocket, on Trio, within bounds.

The protocols are what their libraries read: h11 for HTTP/1.1, wsproto for WebSocket. This module
adds connections, time and sizes:

* at most `Bounds.connections` are open. A new one replaces the oldest *stranger*, an idle one
  first: a connection whose application has not called `keep`. If there is none, the new one is
  closed;
* a request line with its headers comes within `Bounds.head` seconds and 16 KiB;
* a body moves at least `RATE` bytes a second after `Bounds.stall` seconds, and each 64 KiB of a
  response are taken within `Bounds.stall` seconds;
* a body of more than `Bounds.body` bytes and a message of more than `Bounds.message` end the
  connection, and no more of it is kept;
* an idle connection is closed after `Bounds.idle` seconds;
* the application works on at most `REQUESTS_AT_ONCE` requests at a time. Others wait, and clients
  (by their addresses) take turns. What a client sent before its last request was answered
  (pipelining, which no browser does) comes after all others. Without turns 100 connections with 100
  pipelined requests each delayed a page for somebody else by 8.9 s.

Any program on this machine can connect to a socket on 127.0.0.1, so all of this holds there too.
TLS is the business of a proxy.

Why not a server that exists: anycorn 0.20 and Hypercorn 0.18 run on Trio. Driven by their public
interface (`Config` and `serve`, with a middleware for deadlines and HTTP/2), they were measured:

* a client that takes nothing of an 8 MiB response keeps its connection, and `serve` does not
  return: after 8 s still, with 0.2 s for `graceful_timeout`, 1 s for `read_timeout` and 0.5 s for
  the response in the middleware. Sending is shielded from cancelation;
* fragments of a WebSocket message go on being read and kept after `websocket_max_message_size` was
  reached: with a bound of 50,000 bytes the process grew by 76 MiB in 5 s;
* nothing bounds the number of connections. More idle ones than there are descriptors end anycorn
  with BrokenResourceError, and with both no pipe for a bot can be made until they are closed;
* any client can switch to HTTP/2, by preface and by upgrade: a middleware sees only its requests.

Slow headers and idle connections they do bound.
"""

from __future__ import annotations

import socket
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from contextvars import ContextVar
from email.utils import formatdate
from functools import partial
from ipaddress import IPv6Address
from typing import Any
from urllib.parse import unquote

import h11
import trio
import wsproto
from msgspec import Struct
from wsproto import events
from wsproto.utilities import LocalProtocolError, RemoteProtocolError

GRACE = 3.0
"""Seconds that responses in progress have to finish when the server stops."""
LINGER = 10.0
"""Seconds in which the rest of a request that was answered early is read and thrown away."""
RATE = 4096
"""Bytes a second that a body must move, after a stall that is allowed."""
HEAD = 16 << 10
"""Maximum bytes of a request line with its headers."""
CHUNK = 64 << 10
"""Bytes read from a connection, or written to it, at a time."""
REQUESTS_AT_ONCE = 16
"""Requests that the application works on at a time. Threads that read files are fewer."""
PIPELINED = 2
"""Of those, requests that were sent before the one before them was answered."""
TURN = 1.0
"""Seconds after which a request that has no answer yet makes room for others: it may wait for
something that these do not need."""
BAD_REQUEST, TOO_LARGE, HEAD_TOO_LARGE, FAILED = 400, 413, 431, 500
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
    """Seconds without progress, for a body or 64 KiB of a response."""
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
    listener = trio.SocketListener(trio.socket.from_stdlib_socket(listening))
    all_ = _Connections(app, bounds, failed)
    async with listener, trio.open_nursery() as connections:
        async with trio.open_nursery() as accepting:
            listen = partial(trio.serve_listeners, all_.serve, [listener])
            accepting.start_soon(all_.turns.end_late_ones)
            accepting.start_soon(partial(listen, handler_nursery=connections))
            await stop.wait()
            accepting.cancel_scope.cancel()
        await all_.end()
        connections.cancel_scope.cancel()


def keep(who: str = "", most: int | None = None) -> None:
    """Mark this task's connection as one that is known, so that no other replaces it. With `most`
    only so many connections of `who` are known at a time: others stay strangers."""
    connection = _served.get(None)
    if connection is not None:
        connection.all.keep(connection, who, most)


class _Connections:
    """The open connections, the oldest first."""

    def __init__(self, app: AsgiApp, bounds: Bounds, failed: Callable[[Exception], None]) -> None:
        self.app, self.bounds, self._failed = app, bounds, failed
        self._open: dict[_Connection, None] = {}
        self._one_less = trio.Event()
        self.stopping = trio.Event()
        self.turns = _Turns()

    async def serve(self, stream: trio.SocketStream) -> None:
        """Serve one connection to its end, if there is room for it."""
        if not self._has_room():
            return
        connection = _Connection(self, stream)
        self._open[connection] = None
        _served.set(connection)
        try:
            with connection.scope:
                await connection.run()
        except Exception as error:  # no error of the application may stop the others
            if not _is_of_client(error):
                self._failed(error)
        finally:
            self._open.pop(connection, None)
            self._one_less.set()
            self._one_less = trio.Event()

    def _has_room(self) -> bool:
        """Whether one more connection fits, if necessary by replacing the oldest stranger."""
        if len(self._open) < self.bounds.connections:
            return True
        strangers = [one for one in self._open if one.known_as is None]
        if not strangers:
            return False
        replaced = next((one for one in strangers if one.is_idle), strangers[0])
        del self._open[replaced]
        replaced.cut()
        return True

    def keep(self, connection: _Connection, who: str, most: int | None) -> None:
        """Let no other replace a connection, unless `most` of the same client are known."""
        theirs = [one for one in self._open if one.known_as == who and one is not connection]
        connection.known_as = who if most is None or len(theirs) < most else None

    async def end(self) -> None:
        """Wait at most `GRACE` seconds for all connections, then cut them off."""
        self.stopping.set()
        for connection in list(self._open):
            if connection.is_idle:
                connection.cut()
        with trio.move_on_after(GRACE):
            while self._open:
                await self._one_less.wait()


class _Turn:
    """A request that is worked on, or waits for that."""

    def __init__(self, client: str, *, pipelined: bool) -> None:
        self.client, self.pipelined = client, pipelined
        self.begun = trio.Event()
        self.since = 0.0


class _Turns:
    """The requests that are worked on, and those that wait, in a fair order."""

    def __init__(self) -> None:
        self._held: dict[_Turn, None] = {}
        """The oldest first."""
        self._waiting: dict[bool, dict[str, dict[_Turn, None]]] = {False: {}, True: {}}
        """Pipelined or not, by client: whose turn is next comes first."""
        self._somebody_waits = trio.Event()

    async def take(self, client: str, *, pipelined: bool) -> _Turn:
        """Wait for a turn. It must be given back by `end`, also when it was not waited for."""
        turn = _Turn(client, pipelined=pipelined)
        self._waiting[pipelined].setdefault(client, {})[turn] = None
        self._admit()
        if not turn.begun.is_set():
            self._somebody_waits.set()
        try:
            await turn.begun.wait()
        except BaseException:
            self.end(turn)
            raise
        return turn

    def end(self, turn: _Turn) -> None:
        """Give a turn back, or wait for it no longer. Does nothing the second time."""
        waiting = self._waiting[turn.pipelined]
        if turn in waiting.get(turn.client, {}):
            self._remove(waiting, turn)
        if turn in self._held:
            del self._held[turn]
            self._admit()

    async def end_late_ones(self) -> None:
        """Let none hold others up for more than `TURN` seconds, until cancelled."""
        while True:
            await self._somebody_waits.wait()
            await trio.sleep(TURN / 4)
            late = trio.current_time() - TURN
            for turn in [one for one in self._held if one.since <= late]:
                self.end(turn)
            if not any(self._waiting.values()):
                self._somebody_waits = trio.Event()

    def _admit(self) -> None:
        while len(self._held) < REQUESTS_AT_ONCE and (turn := self._next()) is not None:
            turn.since = trio.current_time()
            self._held[turn] = None
            turn.begun.set()

    def _next(self) -> _Turn | None:
        few = sum(one.pipelined for one in self._held) < PIPELINED
        waiting = self._waiting[False] or (self._waiting[True] if few else {})
        if not waiting:
            return None
        turn = next(iter(next(iter(waiting.values()))))
        self._remove(waiting, turn)
        return turn

    def _remove(self, waiting: dict[str, dict[_Turn, None]], turn: _Turn) -> None:
        """Take a turn out; the next one of its client comes after those of all others."""
        own = waiting.pop(turn.client)
        del own[turn]
        if own:
            waiting[turn.client] = own


def _client_of(stream: trio.SocketStream) -> str:
    """Whom a connection is of: its address, or the network of one host in IPv6."""
    try:
        name = stream.socket.getpeername()
    except OSError:  # it has gone
        return ""
    if not isinstance(name, tuple):
        return ""
    host = str(name[0])
    if ":" not in host:
        return host
    address = IPv6Address(host.partition("%")[0])
    return str(address.ipv4_mapped or IPv6Address(int(address) >> 64 << 64))


def _is_of_client(error: Exception) -> bool:
    """Whether the client alone is to blame."""
    if isinstance(error, ExceptionGroup):
        return error.split(ClientGone)[1] is None
    return isinstance(error, ClientGone)


class _Connection:
    """One connection: its requests one after the other, or its WebSocket."""

    def __init__(self, all_: _Connections, stream: trio.SocketStream) -> None:
        self.all, self.stream = all_, stream
        self.app, self.bounds = all_.app, all_.bounds
        self.scope = trio.CancelScope()
        self.client = _client_of(stream)
        self.is_pipelined = False
        """Whether its request came before the answer to the one before."""
        self.known_as: str | None = None
        """Who the application says it is; None for a stranger."""
        self.is_idle = True
        self.http = h11.Connection(h11.SERVER, max_incomplete_event_size=HEAD)
        self._writing = trio.Lock()

    def cut(self) -> None:
        """End the connection now."""
        self.scope.cancel()

    async def run(self) -> None:
        """Answer requests until either side ends the connection."""
        for number in range(1, self.bounds.requests + 1):
            request = await self._head()
            if request is None:
                break
            self.is_idle = False
            if _is_upgrade(request):
                await _Socket(self, request).run()
                return
            last = number == self.bounds.requests or self.all.stopping.is_set()
            await _Exchange(self, request, last=last).run()
            if self.http.our_state is not h11.DONE or self.http.their_state is not h11.DONE:
                break
            self.http.start_next_cycle()
            self.is_idle = True
            if self.all.stopping.is_set():
                return
        if self.http.their_state in (h11.SEND_BODY, h11.ERROR):
            await self._linger()

    async def _head(self) -> h11.Request | None:
        """The next request; None when there is none that can be answered."""
        begun = self.is_pipelined = bool(self.http.trailing_data[0])
        with trio.move_on_after(self.bounds.head if begun else self.bounds.idle) as scope:
            try:
                while (event := self.http.next_event()) is h11.NEED_DATA:
                    data = await self.read(HEAD)
                    if data and not begun:
                        begun, scope.deadline = True, trio.current_time() + self.bounds.head
                    self.http.receive_data(data)
            except h11.RemoteProtocolError as error:
                await self.answer(error.error_status_hint)
                return None
            if not isinstance(event, h11.Request) or event.http_version not in (b"1.0", b"1.1"):
                return None
            status = _refusal_of(event)
            if status is None:
                return event
            await self.answer(status)
        return None

    async def answer(self, status: int) -> None:
        """Answer without the application, if that is possible still, and end the connection."""
        if self.http.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            return
        headers = [("Content-Length", "0"), ("Connection", "close")]
        await self.write(self.http.send(h11.Response(status_code=status, headers=headers)))
        await self.write(self.http.send(h11.EndOfMessage()))

    async def _linger(self) -> None:
        """Give the client the time to read an answer that came before the end of its request. A
        socket that is closed with unread bytes in it takes back what was sent."""
        self.is_idle = True
        if self.all.stopping.is_set():
            return
        with trio.move_on_after(LINGER), suppress(trio.BrokenResourceError):
            await self.stream.send_eof()
            while await self.read():
                pass

    async def read(self, most: int = CHUNK) -> bytes:
        """Some bytes from the client; empty at the end."""
        try:
            return bytes(await self.stream.receive_some(most))
        except trio.BrokenResourceError:
            return b""

    async def write(self, data: bytes | None) -> None:
        """Write bytes to the client. Raises ClientGone when it has gone or does not read."""
        view = memoryview(data or b"")
        try:
            async with self._writing:
                for start in range(0, len(view), CHUNK):
                    with trio.fail_after(self.bounds.stall):
                        await self.stream.send_all(view[start : start + CHUNK])
        except (trio.BrokenResourceError, trio.ClosedResourceError, trio.TooSlowError):
            self.cut()
            raise ClientGone from None

    def asgi_scope(self, kind: str, request: h11.Request) -> dict[str, Any]:
        """The ASGI scope of a request."""
        path, _, query = request.target.partition(b"?")
        client = None
        with suppress(OSError):  # it may have gone
            client = self.stream.socket.getpeername()
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
            "client": client[:2] if isinstance(client, tuple) else None,
            "server": None,
            "state": {},
        }


_served: ContextVar[_Connection] = ContextVar("served")
"""The connection that a task or its parent task serves."""


def _refusal_of(request: h11.Request) -> int | None:
    """The status with which a request is refused by its head alone; None if it is not.

    h11 bounds only heads that are not complete yet. It reads a request with two lengths by one of
    them; a proxy may take the other, and the rest for a request of somebody else.
    """
    if len(request.target) + sum(len(name) + len(value) for name, value in request.headers) > HEAD:
        return HEAD_TOO_LARGE
    names = {name for name, _ in request.headers}
    return BAD_REQUEST if {b"content-length", b"transfer-encoding"} <= names else None


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
        self._patience = connection.bounds.stall
        """Seconds to wait for more of the body. What the application takes does not count."""
        self._awaiting_end = trio.CancelScope()
        self._started = self._ended = self._gone = False
        self._turn: _Turn | None = None

    async def run(self) -> None:
        """Let the application answer. Raises what it raises, unless the client is to blame."""
        scope = self._connection.asgi_scope("http", self._request)
        try:
            await self._take_turn()
            await self._connection.app(scope, self._receive, self._send)
        except Exception:
            if self._gone:
                return
            await self._connection.answer(FAILED)
            raise
        finally:
            self._end_turn()
        if not self._started:
            await self._connection.answer(FAILED)
        elif not self._ended:
            raise ClientGone  # the response was cut short

    async def _take_turn(self) -> None:
        connection = self._connection
        self._turn = await connection.all.turns.take(
            connection.client, pipelined=connection.is_pipelined
        )

    def _end_turn(self) -> None:
        if self._turn is not None:
            self._connection.all.turns.end(self._turn)
            self._turn = None

    async def _receive(self) -> dict[str, Any]:
        if self._body_is_over or self._gone:
            return await self._end()
        began = trio.current_time()
        try:
            with trio.fail_after(max(0, self._patience)):
                while (event := self._http.next_event()) is h11.NEED_DATA:
                    self._end_turn()  # others need not wait for this client
                    if self._http.they_are_waiting_for_100_continue:
                        go_on = h11.InformationalResponse(status_code=100, headers=[])
                        await self._connection.write(self._http.send(go_on))
                    self._http.receive_data(await self._connection.read())
        except trio.TooSlowError:
            raise self._give_up() from None
        except h11.RemoteProtocolError:  # also when the client leaves
            await self._connection.answer(BAD_REQUEST)
            raise self._give_up() from None
        took = trio.current_time() - began
        if self._turn is None and not self._started:
            await self._take_turn()
        if not isinstance(event, h11.Data):
            self._body_is_over = True
            return {"type": "http.request", "body": b"", "more_body": False}
        self._received += len(event.data)
        self._patience += len(event.data) / RATE - took
        if self._received > self._connection.bounds.body:
            await self._connection.answer(TOO_LARGE)
            raise self._give_up()
        return {"type": "http.request", "body": bytes(event.data), "more_body": True}

    def _give_up(self) -> ClientGone:
        """Whatever the application does from now on is the fault of the client."""
        self._gone = True
        return ClientGone()

    async def _end(self) -> dict[str, Any]:
        """Wait until the client leaves or the response ends."""
        if not self._ended and not self._gone:
            with trio.CancelScope() as self._awaiting_end:
                data = await self._connection.read()
                if data:  # of the next request; more is not read until this one is answered
                    self._http.receive_data(data)
                    await trio.sleep_forever()
                self._gone = True
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if self._gone:
            raise ClientGone
        if message["type"] == "http.response.start":
            self._started = True
            self._end_turn()
            await self._begin(message["status"], message.get("headers", ()))
        elif message["type"] == "http.response.body":
            body = message.get("body", b"")
            if body and self._request.method != b"HEAD":
                await self._connection.write(self._http.send(h11.Data(data=body)))
            if not message.get("more_body", False):
                await self._connection.write(self._http.send(h11.EndOfMessage()))
                self._ended = True
                self._awaiting_end.cancel()

    async def _begin(self, status: int, headers: Iterable[tuple[bytes, bytes]]) -> None:
        """Send the head of the response. The connection ends after it unless the whole body of the
        request was read: the rest of a body that is not wanted is not read either."""
        sent = [*headers, (b"date", formatdate(usegmt=True).encode())]
        if self._last or not self._is_read():
            sent.append((b"connection", b"close"))
        response = h11.Response(status_code=status, headers=sent)
        await self._connection.write(self._http.send(response))

    def _is_read(self) -> bool:
        """Whether the request was read to its end; h11 reads the end of one without a body."""
        if self._http.their_state is h11.SEND_BODY:
            names = {name for name, _ in self._request.headers}
            if names & {b"content-length", b"transfer-encoding"}:
                return False
            self._body_is_over = isinstance(self._http.next_event(), h11.EndOfMessage)
        return self._http.their_state is h11.DONE


class _Socket:
    """One WebSocket. Messages are read when the application asks for one, so a client that sends
    more than is read fills only its own pipe."""

    def __init__(self, connection: _Connection, request: h11.Request) -> None:
        self._connection, self._request = connection, request
        self._socket = wsproto.WSConnection(wsproto.ConnectionType.SERVER)
        self._parts: list[str | bytes] = []
        self._length = 0
        self._unread = connection.http.trailing_data[0]
        """What came with the handshake."""
        self._events = deque[events.Event]()
        self._state = "new"
        """``new``, ``open`` or ``closed``."""
        self._told_of_connecting = False

    async def run(self) -> None:
        """Let the application talk, after a handshake."""
        headers = [(bytes(name), bytes(value)) for name, value in self._request.headers]
        try:
            self._socket.initiate_upgrade_connection(headers, self._request.target.decode("ascii"))
        except RemoteProtocolError:
            await self._connection.answer(BAD_REQUEST)
            return
        asked = next(iter(self._socket.events()))
        scope = self._connection.asgi_scope("websocket", self._request)
        scope["subprotocols"] = list(getattr(asked, "subprotocols", ()))
        try:
            await self._connection.app(scope, self._receive, self._send)
        finally:
            if self._state != "closed":
                with trio.move_on_after(1, shield=True), suppress(OSError, LocalProtocolError):
                    await self._end(1011 if self._state == "open" else 403)

    async def _receive(self) -> dict[str, Any]:
        if not self._told_of_connecting:
            self._told_of_connecting = True
            return {"type": "websocket.connect"}
        while self._state != "closed":
            while self._events:
                message = await self._hear(self._events.popleft())
                if message is not None:
                    return message
            data, self._unread = self._unread or await self._connection.read(), b""
            try:
                self._socket.receive_data(data or None)
                self._events.extend(self._socket.events())
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
        self._length += max(1, len(event.data))  # empty parts are kept too
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
