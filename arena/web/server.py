"""Serve one live match, on this machine only, at unguessable addresses."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress

import trio
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket, WebSocketDisconnect
from trio import TASK_STATUS_IGNORED, TaskStatus

from arena.core.game import AnyGame
from arena.view.page import live_page, seat_page
from arena.web.feed import PageClosed, feed_person, feed_spectator
from arena.web.http import Bounds, keep, serve
from arena.web.live import LiveMatch

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
            answer = PlainTextResponse(
                "This page can be opened only at its own address.\n", REFUSED
            )
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
MAX_MESSAGE = 1 << 19
"""Maximum bytes of a message from a page: a `Line` takes at most six per character."""
BOUNDS = Bounds(
    idle=2.0,
    requests=1,  # many in a row delayed the end by more than 20 s
    message=MAX_MESSAGE,
)
"""What any program on this machine may take of the server. A page needs one or two connections."""
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
        routes = [Route("/{secret}/", self._page), WebSocketRoute("/{secret}/feed", self._feed)]
        app = OriginGuard(Starlette(routes=routes), self.host)
        task_status.started()
        await serve(app, self._socket, self._stop, BOUNDS)

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
            return PlainTextResponse("This page does not exist.\n", 404)
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

    async def _feed(self, socket: WebSocket) -> None:
        secret = socket.path_params["secret"]
        if secret not in self._seats:
            await socket.close()
            return
        keep()
        await socket.accept()
        self._open += 1
        seat, live = self._seats[secret], self._live
        try:
            if seat is None:
                await feed_spectator(live, SocketPage(socket))
            else:
                await feed_person(live, seat, SocketPage(socket))
        finally:
            if seat is not None or not live.over:  # else the page loads the whole match yet
                self._leave()


class SocketPage:
    """A page (`arena.web.feed.Page`) at the WebSocket of this server."""

    def __init__(self, socket: WebSocket) -> None:
        self._socket = socket

    async def hear(self) -> str:
        """See `Page`. A message that is not text is an empty one."""
        message = await self._socket.receive()
        if message["type"] != "websocket.receive":
            raise PageClosed
        return message.get("text") or ""

    async def say(self, text: str) -> None:
        """See `Page`."""
        try:
            await self._socket.send_text(text)
        except (WebSocketDisconnect, RuntimeError):
            raise PageClosed from None

    async def close(self) -> None:
        """See `Page`."""
        with suppress(WebSocketDisconnect, RuntimeError):
            await self._socket.close()
