"""The process that serves the pages of a match of ``arena play --live``: ``python -m
arena.web.server``.

It serves on this machine only, at unguessable addresses, and passes each page on to the process of
the match (`arena.web.passing`). Its standard input has one line that says what to serve; when that
is closed, also because the arena was killed, the process ends.
"""

from __future__ import annotations

import asyncio
import socket
import sys

import msgspec
from msgspec import Struct
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.websockets import WebSocket

from arena.web.http import Bounds, mark_known, serve
from arena.web.match_process import MatchProcess, close, pass_messages
from arena.web.passing import SPECTATORS

REFUSED = 403


class LivePage(Struct, frozen=True):
    """A page of a match that is played."""

    seat: int
    """Whose page it is; `SPECTATORS` for the page of the whole match."""
    html: str


class Serving(Struct, frozen=True):
    """What the process serves."""

    listening: int
    """Descriptor of the socket that listens."""
    control: int
    """Descriptor of the socket that the process of the match shares."""
    host: str
    """The address of the listening socket, such as ``127.0.0.1:8000``."""
    pages: dict[str, LivePage]
    """By the secret part of their addresses."""


class OriginGuard:
    """Middleware that passes on only requests to `host` (``127.0.0.1:8000``) that come from no
    other site.

    Pages of other sites can make a browser call any address. Their host name may even resolve to
    127.0.0.1 (DNS rebinding); then the browser sends that name as Host. For each WebSocket and each
    form it also sends the site of the page, as Origin.
    """

    def __init__(self, app: ASGIApp, host: str) -> None:
        self._app, self._host = app, host

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if self._is_ours(scope):
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


LOCAL_BOUNDS = Bounds(idle=2)
"""What any program on this machine may take of the server. A page needs one or two connections."""
KNOWN = 16
"""Connections of each address of a page that no stranger replaces."""
HEADERS = {
    "Cache-Control": "no-store",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}


def make_app(serving: Serving) -> ASGIApp:
    """Make the application that shows the pages of one match.

    Where people play on pages, each of their seats has its own address, and spectators, who would
    see everything, have none. Otherwise spectators have one address, which shows the page of the
    whole match after its end.
    """
    match = MatchProcess(socket.socket(fileno=serving.control))

    async def page(request: Request) -> Response:
        secret = request.path_params["secret"]
        shown = serving.pages.get(secret)
        if shown is None:
            return PlainTextResponse("This page does not exist.\n", 404)
        mark_known(request.scope, secret, KNOWN)
        whole = await match.whole() if shown.seat == SPECTATORS else ""
        return HTMLResponse(whole or shown.html, headers=HEADERS)

    async def feed(page: WebSocket) -> None:
        secret = page.path_params["secret"]
        shown = serving.pages.get(secret)
        if shown is not None:
            mark_known(page.scope, secret, KNOWN)
            async with match.page(shown.seat) as stream:
                if stream is not None:
                    await page.accept()
                    await pass_messages(page, stream)
        await close(page)

    routes = [Route("/{secret}/", page), WebSocketRoute("/{secret}/feed", feed)]
    return OriginGuard(Starlette(routes=routes), serving.host)


async def _serve(serving: Serving) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def end() -> None:
        loop.remove_reader(sys.stdin)
        stop.set()

    loop.add_reader(sys.stdin, end)
    with socket.socket(fileno=serving.listening) as listening:
        await serve(make_app(serving), listening, stop, LOCAL_BOUNDS)


def main() -> None:
    """Serve what the first line of the standard input says until it is closed."""
    with open(sys.stdin.fileno(), "rb", closefd=False) as told:
        line = told.readline()
    asyncio.run(_serve(msgspec.json.decode(line, type=Serving)))


if __name__ == "__main__":
    main()
