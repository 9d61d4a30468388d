"""Serves one live match on this machine alone, at addresses that nobody can guess."""

from __future__ import annotations

import secrets
import socket
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from typing import Any

import msgspec
import trio
from anycorn.config import Config
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from trio import TASK_STATUS_IGNORED, TaskStatus

from arena.core.game import AnyGame
from arena.view.make import live_page, seat_page
from arena.web.connections import keep, serve
from arena.web.guard import Guard
from arena.web.live import LiveMatch
from arena.web.messages import NOT_READ, read_wish

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
        app: Any = Guard(Starlette(routes=routes), self.host)
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
