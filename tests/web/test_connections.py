"""The connections to the server of a live match, from programs that mean it no good."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import partial
from typing import Any

import pytest
import trio

from arena.web import http
from arena.web.http import AsgiApp, Bounds
from tests.support.tools import short_folder

UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
PART = b"\x00\xfe\x40\x00" + bytes(4) + b"x" * 0x4000
"""A part of a message that has begun and goes on; the first begins with a 1."""
CLOSE = b"\x88\x80" + bytes(4)
ASK = b"GET / HTTP/1.1\r\nHost: a\r\n\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    """Answers with 64 KiB, or fails; a WebSocket it hears to its end. Who knows the address is
    kept."""
    if scope["path"] == "/known":
        http.keep()
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass
        return
    if scope["path"] == "/fail":
        raise RuntimeError
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"x" * 65536})


@asynccontextmanager
async def serving(
    app: AsgiApp,
    bounds: Bounds,
    failed: Callable[[Exception], None] = lambda error: None,
) -> AsyncIterator[str]:
    """The path of a socket at which an application is served for the time of a ``with``."""
    stop = trio.Event()
    with short_folder() as folder, socket.socket(socket.AF_UNIX) as listening, trio.fail_after(60):
        path = str(folder / "s")
        listening.bind(path)
        listening.listen(600)
        async with trio.open_nursery() as nursery:
            nursery.start_soon(partial(http.serve, failed=failed), app, listening, stop, bounds)
            yield path
            stop.set()


@asynccontextmanager
async def served(patience: float = 0.1, most: int = 64) -> AsyncIterator[str]:
    """The path of a socket at which `app` is served. A connection that asks for nothing is closed
    after `patience` seconds."""
    bounds = Bounds(connections=most, message=50_000, idle=patience, head=patience, requests=1)
    async with serving(app, bounds) as path:
        yield path


async def answer(path: str, request: bytes = ASK) -> bytes:
    """The first bytes of what is answered."""
    async with await trio.open_unix_socket(path) as stream:
        with suppress(trio.BrokenResourceError):
            await stream.send_all(request)
            return bytes(await stream.receive_some(12))
    return b""


async def test_connections_are_bounded() -> None:
    async with served(patience=60, most=5) as path:
        before = len(os.listdir("/dev/fd"))
        held = [await trio.open_unix_socket(path) for _ in range(50)]
        for stream in held[:-5]:
            assert await stream.receive_some(1) == b""  # a newer one has its place
        assert len(os.listdir("/dev/fd")) <= before + 50 + 5
        for stream in held:
            await stream.aclose()


async def test_strangers_take_no_place_of_a_page() -> None:
    async with served(patience=60, most=3) as path, AsyncExitStack() as stack:

        async def connect(request: bytes) -> trio.SocketStream:
            stream = await stack.enter_async_context(await trio.open_unix_socket(path))
            await stream.send_all(request)
            return stream

        async def knock(times: int) -> None:
            for _ in range(times):
                await connect(UPGRADE)

        known = UPGRADE.replace(b"/", b"/known", 1)
        pages = []
        for _ in range(3):  # each finds a place among strangers
            await knock(10)
            pages.append(await connect(known))
            assert (await pages[-1].receive_some(12)).endswith(b"101")
        assert await answer(path, UPGRADE) == b""  # none is left to take
        for page in pages:
            await page.send_all(CLOSE)
            assert CLOSE[:1] in b"".join([data async for data in page])  # they are served still


async def test_a_server_without_descriptors_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    failures: list[int] = []

    async def fails_at_first(listener: Any) -> Any:
        if len(failures) < 3:
            failures.append(1)
            raise OSError(errno.EMFILE, "too many open files")
        return await original(listener)

    original = trio.SocketListener.accept
    monkeypatch.setattr(trio.SocketListener, "accept", fails_at_first)
    async with served() as path:
        assert (await answer(path)).endswith(b"200")
    assert len(failures) == 3


@pytest.mark.parametrize(
    "request_", [b"\0garbage\r\n\r\n", b"GET /fail HTTP/1.1\r\nHost: a\r\n\r\n"]
)
async def test_what_becomes_of_one_is_nothing_to_others(request_: bytes) -> None:
    async with served() as path:
        assert b"200" not in await answer(path, request_)
        assert (await answer(path)).endswith(b"200")


H2C = b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(3) + b"\x04" + bytes(5)


@pytest.mark.parametrize(
    ("request_", "said"),
    [(H2C + b"HTTP2-Settings: AAMAAABk\r\n\r\n", b"HTTP/1.1 200"), (PREFACE, b"")],
)
async def test_it_speaks_nothing_newer_than_http_1_1(request_: bytes, said: bytes) -> None:
    async with served() as path:
        assert await answer(path, request_) == said
        assert await answer(path) == b"HTTP/1.1 200"


async def test_a_message_that_is_too_long_ends_its_connection() -> None:
    """Also of one that does not stop there."""
    async with served() as path, await trio.open_unix_socket(path) as stream:
        await stream.send_all(UPGRADE)
        assert (await stream.receive_some(12)).endswith(b"101")
        await stream.send_all(b"\x01" + PART[1:])
        with suppress(trio.BrokenResourceError):
            while True:
                await stream.send_all(PART)


async def test_who_does_not_read_is_cut_off_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "GRACE", 0.05)
    async with served() as path:
        deaf = await trio.open_unix_socket(path)
        with trio.move_on_after(0.3):
            await deaf.send_all(ASK * 1000)
    await deaf.aclose()
