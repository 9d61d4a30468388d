"""Serves one live match on this machine alone, at an address that nobody can guess."""

from __future__ import annotations

import secrets
import socket
from contextlib import suppress
from typing import Any

import trio
from anycorn.config import Config
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route, WebSocketRoute
from starlette.websockets import WebSocket, WebSocketDisconnect
from trio import TASK_STATUS_IGNORED, TaskStatus

from arena.core.game import AnyGame
from arena.view.make import live_page
from arena.web.connections import serve
from arena.web.live import LiveMatch

LEAVING = 5.0
"""Seconds in which pages must have taken the whole match once it is over."""


class LiveServer:
    """Pages of a live match. Once it is over, the same address has the page of the whole match."""

    def __init__(self, live: LiveMatch, game: AnyGame) -> None:
        self._live, self._game = live, game
        self._socket = socket.create_server(("127.0.0.1", 0))
        self._secret = secrets.token_urlsafe(16)
        self._stop = trio.Event()
        self._pages = 0
        self._served = trio.Event()

    @property
    def place(self) -> str:
        """The address behind its scheme."""
        return f"127.0.0.1:{self._socket.getsockname()[1]}/{self._secret}/"

    @property
    def url(self) -> str:
        """What a browser opens."""
        return f"http://{self.place}"

    async def run(self, task_status: TaskStatus[None] = TASK_STATUS_IGNORED) -> None:
        """Serve until it is stopped."""
        config = Config()
        config.errorlog = config.accesslog = None
        routes = [
            Route(f"/{self._secret}/", self._page),
            WebSocketRoute(f"/{self._secret}/feed", self._feed),
        ]
        task_status.started()
        app: Any = Starlette(routes=routes)  # the two libraries type the same protocol in two ways
        await serve(app, config, self._socket, self._stop)

    async def close(self) -> None:
        """Stop, when each page that looks on has taken the whole match, or has had the time to."""
        with trio.move_on_after(LEAVING):
            while self._pages > 0:
                await self._served.wait()
        self._stop.set()

    async def _page(self, request: Request) -> HTMLResponse:
        if not self._live.over:
            return HTMLResponse(live_page(self._game, f"ws://{self.place}feed"))
        page = await trio.to_thread.run_sync(self._live.page)
        self._leave()
        return HTMLResponse(page)

    def _leave(self) -> None:
        self._pages -= 1
        served, self._served = self._served, trio.Event()
        served.set()

    async def _feed(self, page: WebSocket) -> None:
        await page.accept()
        self._pages += 1
        async with trio.open_nursery() as nursery:
            nursery.start_soon(self._listen, page, nursery.cancel_scope)
            with suppress(WebSocketDisconnect, RuntimeError):
                async for message in self._live.messages():
                    await page.send_text(message.decode())
            nursery.cancel_scope.cancel()

    async def _listen(self, page: WebSocket, scope: trio.CancelScope) -> None:
        """Do what the page asks for, until it goes."""
        try:
            async for word in page.iter_text():
                if word == "pause":
                    self._live.pause()
                elif word == "go on":
                    self._live.go_on()
        finally:
            if not self._live.over:
                self._leave()
                self._live.go_on()
            scope.cancel()
