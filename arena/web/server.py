"""Serves one live match on this machine alone, at addresses that nobody can guess."""

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

# The connections to the server of a live match: so many and no more, and each for itself.
#
# Any program of this machine can connect, also one that knows no page's address. Without a bound it
# takes all descriptors of the arena, and then the match cannot go on. (250 connections ended one.)
# With a bound alone it takes all places: so a new connection takes that of the oldest stranger,
# which has not asked for a page by its address.
#
# The library has no bound of its own (nor has Hypercorn, of which it is a fork), and
# `anycorn.serve` accepts by itself. So this serves each connection with inner parts of it, which
# were the same from 0.18 to 0.20: `pyproject.toml` allows no others.

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


# Refuses what does not come from a page of this very server.
#
# Pages of other sites can make a browser call any address. A name of theirs may even lead to
# 127.0.0.1 (DNS rebinding); then the browser sends that name as Host. And it says with each
# WebSocket and each form which site it comes from, as Origin.

REFUSED = 403


class OriginGuard:
    """An application behind it answers requests to `host` (``127.0.0.1:8000``) alone, and from no
    other site."""

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app, self._host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass it on, or refuse it."""
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
    """Begin and end. (Starlette makes an error of an end by cancellation.)"""
    await receive()
    await send({"type": "lifespan.startup.complete"})
    await receive()
    await send({"type": "lifespan.shutdown.complete"})


LEAVING = 20.0
"""Seconds in which pages must have taken the whole match once it is over."""
REST = 0.02
"""Seconds between two messages of a page that are answered: a flood of them took most of a core."""
LONGEST = 1 << 19
"""Bytes of a message from a page: a `Line` takes six for each of its characters at most."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


class LiveServer:
    """Pages of a live match. Where people play on pages, each seat of theirs has an address of its
    own, and there is none for spectators: they would see everything. Else spectators have one,
    which has the page of the whole match once it is over."""

    def __init__(self, live: LiveMatch, game: AnyGame) -> None:
        self._live, self._game = live, game
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.host = f"127.0.0.1:{self._socket.getsockname()[1]}"
        """Where it listens: ``127.0.0.1:8000``."""
        seats: list[int | None] = [*live.desks] or [None]
        self._seats = {secrets.token_urlsafe(16): seat for seat in seats}
        self._pages = {secret: self._made(secret) for secret in self._seats}
        """Of the match while it is played. To make one takes 12 ms: hundreds are asked for at once
        by a program that means no good."""
        self._stop = trio.Event()
        self._open = 0
        self._served = trio.Event()

    @property
    def addresses(self) -> dict[int | None, str]:
        """What a browser opens, for each seat of a person; None: for spectators."""
        return {seat: f"http://{self.host}/{secret}/" for secret, seat in self._seats.items()}

    async def run(self, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
        """Serve until it is stopped."""
        config = Config()
        config.errorlog = config.accesslog = None
        config.keep_alive_timeout = 2  # so long a connection that asks for nothing takes a place
        config.keep_alive_max_requests = 1  # many in a row held up the end for more than 20 s
        config.websocket_max_message_size = LONGEST
        config.websocket_permessage_deflate = False  # 200 KiB can be unpacked to 200 MiB
        routes = [Route("/{secret}/", self._page), WebSocketRoute("/{secret}/feed", self._feed)]
        # the two libraries type the same protocol in two ways
        app: Any = OriginGuard(Starlette(routes=routes), self.host)
        task_status.started()
        await serve(app, config, self._socket, self._stop)

    async def close(self) -> None:
        """Stop, when each page that looks on has taken the whole match, or has had the time to."""
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
        """Do what the page of spectators asks for, until it goes."""
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
        """Answer what the page of a person asks for, until it goes."""
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
