"""Serve one live match, on this machine only, at unguessable addresses."""

from __future__ import annotations

import secrets
import socket
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from contextvars import ContextVar
from typing import Any

import msgspec
import trio
from anycorn.app_wrappers import ASGIWrapper
from anycorn.config import Config
from anycorn.tcp_server import TCPServer
from anycorn.worker_context import WorkerContext
from anyio import BrokenResourceError, EndOfStream
from anyio.abc import SocketListener, SocketStream
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from trio import TASK_STATUS_IGNORED, TaskStatus

from arena.core.game import AnyGame
from arena.view.page import live_page, seat_page
from arena.web.desk import NOT_READ, read_wish
from arena.web.live import LiveMatch

# Connections to the server of a live match: limited in number, and isolated from each other.
#
# Any program on this machine can connect, even without the address of a page. Without a limit it
# could take all descriptors of the arena and break the match. (250 connections ended one.) With
# only a limit it could take all places: so a new connection replaces the oldest stranger, one that
# has not requested a page by its address.
#
# The library has no limit (nor has Hypercorn, of which it is a fork), and `anycorn.serve` accepts
# connections itself. So this serves each connection with the library's internals, which were the
# same from 0.18 to 0.20: `pyproject.toml` allows no others.

MOST = 64
"""Maximum connections at a time. A page needs one or two."""
TRY_AGAIN = 0.1
"""Seconds until the next try to accept, when no descriptor is left."""
CLOSE_FRAME = b"\x88"
"""First byte of the frame that closes a WebSocket."""
GRACE = 3.0
"""Seconds that responses in progress have to finish when the server stops."""


async def serve(app: Any, config: Config, listening: socket.socket, stop: trio.Event) -> None:
    """Serve an ASGI application on a listening socket until `stop` is set. A failing connection
    affects neither the others nor the caller."""
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
    """Mark this task's connection as one that knows the address of a page, so that no other
    connection replaces it."""
    _served.get().known = True


class _Server(TCPServer):
    """Server for HTTP/1.1 and WebSocket only. (The library lets any program switch to HTTP/2, which
    has other limits.)"""

    async def _read_data(self) -> None:
        http: Any = self.protocol.protocol
        http._check_protocol = _stay_in_http_1
        await super()._read_data()


async def _stay_in_http_1(request: Any) -> None:
    """Ignore a request to upgrade to a newer protocol; close a connection that already uses it."""
    if not request.http_version.startswith(b"1."):
        raise ConnectionError


class _Connection:
    def __init__(self, stream: SocketStream) -> None:
        self.stream = stream
        self.known = False
        """Whether it has requested a page by its address."""


_served: ContextVar[_Connection] = ContextVar("served")
"""The connection that a task or its parent task serves."""


class _Stream:
    """A stream that ends once the server has closed its WebSocket. (The library would keep
    buffering data after a message that is too long: 30 MiB in a second.)"""

    def __init__(self, stream: SocketStream) -> None:
        self._stream = stream
        self._ended = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def send(self, data: bytes) -> None:
        """Send data, and notice a close frame."""
        self._ended = self._ended or data[:1] == CLOSE_FRAME
        await self._stream.send(data)

    async def receive(self, most: int) -> bytes:
        """Receive data until the WebSocket is closed."""
        if self._ended:
            raise EndOfStream
        return await self._stream.receive(most)


class _Connections:
    def __init__(self, handler: Callable[[Any], Awaitable[None]]) -> None:
        self._handler = handler
        self._open: dict[_Connection, None] = {}
        """Open connections, the oldest first."""
        self._one_less = trio.Event()

    async def accept_all(
        self,
        listener: SocketListener,
        nursery: trio.Nursery,
        task_status: trio.TaskStatus[trio.CancelScope],
    ) -> None:
        """Accept connections and serve each in its own task."""
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
        """Whether one more connection fits, if necessary by replacing the oldest stranger."""
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
            with suppress(Exception):  # no error may stop the match
                await self._handler(_Stream(connection.stream))
        finally:
            self._open.pop(connection, None)
            self._one_less.set()
            self._one_less = trio.Event()

    async def end(self) -> None:
        """Wait at most `GRACE` seconds for all connections, then cut off those that do not read.
        (The library shields sending from cancellation.)"""
        with trio.move_on_after(GRACE):
            while self._open:
                await self._one_less.wait()
        for connection in list(self._open):
            await connection.stream.aclose()


# Refusing requests that do not come from a page of this server.
#
# Pages of other sites can make a browser call any address. Their host name may even resolve to
# 127.0.0.1 (DNS rebinding); then the browser sends that name as Host. For each WebSocket and each
# form it also sends the site of the page, as Origin.

REFUSED = 403


class OriginGuard:
    """Middleware that passes on only requests to `host` (``127.0.0.1:8000``) that come from no
    other site."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app, self._host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await _live(receive, send)
        elif self._is_ours(scope):
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            answer = PlainTextResponse("This page is for its own address alone.\n", REFUSED)
            await answer(scope, receive, send)
        else:
            await receive()
            await send({"type": "websocket.close", "code": 1008, "reason": ""})

    def _is_ours(self, scope: Scope) -> bool:
        headers = HTTPConnection(scope).headers
        origin = headers.get("origin")
        same = origin == f"http://{self._host}" or (origin is None and scope["type"] == "http")
        return headers.get("host") == self._host and same


async def _live(receive: Receive, send: Send) -> None:
    """Answer lifespan events. (Starlette raises an error when these are cancelled.)"""
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


LEAVING = 20.0
"""Maximum seconds in which pages can load the whole match after its end."""
REST = 0.02
"""Minimum seconds between answers to messages of a page: a flood of them took most of a core."""
LONGEST = 1 << 19
"""Maximum bytes of a message from a page: a `Line` takes at most six per character."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class LiveServer:
    """Server for the pages of a live match.

    Where people play on pages, each of their seats has its own address, and spectators, who would
    see everything, have none. Otherwise spectators have one address, which shows the page of the
    whole match after its end."""

    def __init__(self, live: LiveMatch, game: AnyGame) -> None:
        self._live, self._game = live, game
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._socket.getsockname()[1]}"
        """Listening address, such as ``127.0.0.1:8000``."""
        seats: list[int | None] = [*live.desks] or [None]
        self._seats = {secrets.token_urlsafe(16): seat for seat in seats}
        self._pages = {secret: self._made(secret) for secret in self._seats}
        """Pages of the match in progress, made in advance. Making one takes 12 ms, and a malicious
        program could request hundreds at once."""
        self._stop = trio.Event()
        self._open = 0
        self._served = trio.Event()

    @property
    def addresses(self) -> dict[int | None, str]:
        """The addresses to open in a browser, by seat of a person; None: for spectators."""
        return {seat: f"http://{self.host}/{secret}/" for secret, seat in self._seats.items()}

    async def run(self, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
        """Serve until `close`."""
        config = Config()
        config.errorlog = config.accesslog = None
        config.keep_alive_timeout = 2  # limits idle connections
        config.keep_alive_max_requests = 1  # many in a row delayed the end by more than 20 s
        config.websocket_max_message_size = LONGEST
        config.websocket_permessage_deflate = False  # 200 KiB can be unpacked to 200 MiB
        routes = [Route("/{secret}/", self._page), WebSocketRoute("/{secret}/feed", self._feed)]
        # the two libraries type the same protocol in two ways
        app: Any = OriginGuard(Starlette(routes=routes), self.host)
        task_status.started()
        await serve(app, config, self._socket, self._stop)

    async def close(self) -> None:
        """Stop once each open page has loaded the whole match or has had the time to."""
        with trio.move_on_after(LEAVING):
            while self._open > 0:
                await self._served.wait()
        self._stop.set()

    def _made(self, secret: str) -> str:
        make = live_page if self._seats[secret] is None else seat_page
        return make(self._game, f"ws://{self.host}/{secret}/feed")

    async def _page(self, request: Request) -> Response:
        secret = request.path_params["secret"]
        if secret not in self._seats:
            return PlainTextResponse("There is no such page.\n", 404)
        keep()
        if self._seats[secret] is not None or not self._live.over:
            return HTMLResponse(self._pages[secret], headers=HEADERS)
        page = await trio.to_thread.run_sync(self._live.page)
        self._leave()
        return HTMLResponse(page, headers=HEADERS)

    def _leave(self) -> None:
        self._open -= 1
        served, self._served = self._served, trio.Event()
        served.set()

    async def _feed(self, page: WebSocket) -> None:
        secret = page.path_params["secret"]
        if secret not in self._seats:
            await page.close()
            return
        keep()
        await page.accept()
        self._open += 1
        seat = self._seats[secret]
        messages = self._live.messages() if seat is None else self._live.seat_messages(seat)
        async with trio.open_nursery() as nursery:
            if seat is None:
                nursery.start_soon(self._listen, page, nursery.cancel_scope)
            else:
                nursery.start_soon(self._serve, page, seat, nursery.cancel_scope)
            await _send_all(page, messages)
            nursery.cancel_scope.cancel()

    async def _listen(self, page: WebSocket, scope: trio.CancelScope) -> None:
        """Handle the messages of a spectator page until it closes."""
        word = ""
        try:
            while True:
                word = await page.receive_text()
                if word == "pause":
                    self._live.pause()
                elif word == "go on":
                    self._live.go_on()
        except WebSocketDisconnect:
            pass
        finally:
            if not self._live.over:
                self._leave()
            if word == "pause":
                self._live.go_on()
            scope.cancel()

    async def _serve(self, page: WebSocket, seat: int, scope: trio.CancelScope) -> None:
        """Answer the messages of a person's page until it closes."""
        desk = self._live.desks[seat]
        try:
            while True:
                wish = read_wish(await page.receive_text())
                reply = NOT_READ if wish is None else await desk.hear(wish)
                await page.send_text(msgspec.json.encode(reply).decode())
                await trio.sleep(REST)
        except WebSocketDisconnect:
            pass
        finally:
            self._leave()
            scope.cancel()


async def _send_all(page: WebSocket, messages: AsyncGenerator[bytes]) -> None:
    with suppress(WebSocketDisconnect, RuntimeError):
        async with aclosing(messages):
            async for message in messages:
                await page.send_text(message.decode())
        await page.close()
