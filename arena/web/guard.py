"""Refuses what does not come from a page of this very server.

Pages of other sites can make a browser call any address. A name of theirs may even lead to
127.0.0.1 (DNS rebinding); then the browser sends that name as Host. And it says with each WebSocket
and each form which site it comes from, as Origin.
"""

from __future__ import annotations

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

REFUSED = 403


class Guard:
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
