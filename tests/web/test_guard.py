from __future__ import annotations

from typing import Any

import pytest

from arena.web.server import OriginGuard

HOST = "127.0.0.1:8000"
OURS = f"http://{HOST}"


async def answered(kind: str, **headers: str) -> list[Any]:
    """What a request with these headers is answered with; "served" if it is let through."""
    said: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        said.append("served")

    async def receive() -> Any:
        return {"type": f"{kind}.connect"}

    async def send(message: Any) -> None:
        said.append(message.get("status") or message["type"])

    pairs = [(name.encode(), value.encode()) for name, value in headers.items()]
    await OriginGuard(app, HOST)({"type": kind, "headers": pairs}, receive, send)
    return said


@pytest.mark.parametrize(
    ("kind", "headers"),
    [
        ("http", {"host": HOST}),
        ("http", {"host": HOST, "origin": OURS}),
        ("websocket", {"host": HOST, "origin": OURS}),
    ],
)
async def test_pages_of_this_server_are_served(kind: str, headers: dict[str, str]) -> None:
    assert await answered(kind, **headers) == ["served"]


@pytest.mark.parametrize("kind", ["http", "websocket"])
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"host": "evil.example:8000", "origin": OURS},  # a name that leads here
        {"host": "localhost:8000", "origin": OURS},
        {"host": "127.0.0.1", "origin": OURS},
        {"host": HOST, "origin": "http://evil.example"},  # a page of another site
        {"host": HOST, "origin": "http://127.0.0.1:9000"},
        {"host": HOST, "origin": "https://127.0.0.1:8000"},
        {"host": HOST, "origin": "null"},
    ],
)
async def test_what_comes_from_elsewhere_is_refused(kind: str, headers: dict[str, str]) -> None:
    said = await answered(kind, **headers)
    assert said[0] == (403 if kind == "http" else "websocket.close")
    assert "served" not in said


async def test_a_websocket_must_say_where_it_comes_from() -> None:
    """Every browser says it."""
    assert await answered("websocket", host=HOST) == ["websocket.close"]
