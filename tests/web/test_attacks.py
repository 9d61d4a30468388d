"""Attacks on the server: what a client sends byte by byte, and what becomes of it."""

from __future__ import annotations

import struct
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager, suppress
from types import SimpleNamespace
from typing import Any

import pytest
import trio
import trio.testing

from arena.web import http
from arena.web.http import Bounds
from tests.web.test_connections import CLOSE, UPGRADE, serving

GET = b"GET / HTTP/1.1\r\nHost: a\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
BOUNDS = Bounds(body=1000, message=1000, idle=60, head=60, stall=60)


class App:
    """Reads each body and answers with it; a WebSocket echoes. Keeps what it was given."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []
        self.bodies: list[bytes] = []
        self.messages: list[Any] = []
        self.failures: list[Exception] = []
        self._begin, self.begun = trio.open_memory_channel[None](100)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        self._begin.send_nowait(None)
        if scope["type"] == "websocket":
            await self._talk(receive, send)
            return
        body, more = b"", scope["path"] != "/unread"
        while more:
            message = await receive()
            body, more = body + message["body"], message["more_body"]
        self.bodies.append(body)
        if scope["path"] == "/large":
            body = b"x" * (1 << 22)
        elif scope["path"] == "/leave":
            await receive()
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": body})

    async def _talk(self, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while True:
            message = await receive()
            self.messages.append(message)
            if message["type"] == "websocket.disconnect":
                return
            await send({"type": "websocket.send", "text": message["text"]})


@asynccontextmanager
async def attacked(bounds: Bounds = BOUNDS) -> AsyncIterator[tuple[App, str]]:
    app = App()
    async with serving(app, bounds, app.failures.append) as path:
        yield app, path
    assert not app.failures  # no attack is told to be a fault of the application


async def heard(path: str, sent: bytes) -> bytes:
    """All that is answered until the server closes the connection or has nothing to say, after the
    client has said all."""
    data = b""
    async with await trio.open_unix_socket(path) as stream:
        with suppress(trio.BrokenResourceError):
            await stream.send_all(sent)
            await stream.send_eof()
        with suppress(trio.BrokenResourceError):
            async for part in stream:
                data += part
    return data


def statuses(answer: bytes) -> list[int]:
    return [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]]


CHUNKED = b"Transfer-Encoding: chunked\r\n"
REQUESTS = {
    # request smuggling: two ways to read where a request ends
    "both lengths": (POST + b"Content-Length: 4\r\n" + CHUNKED + b"\r\n0\r\n\r\n", [400]),
    "both lengths, the other order": (
        POST + CHUNKED + b"Content-Length: 4\r\n\r\n5\r\nGET /\r\n0\r\n\r\n",
        [400],
    ),
    "two lengths": (POST + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde", [400]),
    "two lengths in one": (POST + b"Content-Length: 4, 5\r\n\r\nabcde", [400]),
    "a signed length": (POST + b"Content-Length: +4\r\n\r\nabcd", [400]),
    "a negative length": (POST + b"Content-Length: -4\r\n\r\nabcd", [400]),
    "a length of 2,000 digits": (POST + b"Content-Length: " + b"9" * 2000 + b"\r\n\r\n", [400]),
    "a blank before the colon": (POST + b"Content-Length : 4\r\n\r\nabcd", [400]),
    "a tab in the name": (POST + b"Transfer-\tEncoding: chunked\r\n\r\n", [400]),
    "another coding": (POST + b"Transfer-Encoding: gzip\r\n\r\n", [501]),
    "two codings": (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n", [501]),
    "a coding twice": (POST + CHUNKED * 2 + b"\r\n0\r\n\r\n", [501]),
    "a wrong chunk": (POST + CHUNKED + b"\r\nzz\r\nabc\r\n0\r\n\r\n", [400]),
    "a negative chunk": (POST + CHUNKED + b"\r\n-5\r\nabcde\r\n0\r\n\r\n", [400]),
    "a chunk without its end": (POST + CHUNKED + b"\r\n3\r\nabcXX0\r\n\r\n", [400]),
    "a chunk of 2,000 digits": (POST + CHUNKED + b"\r\n" + b"f" * 2000 + b"\r\n", [400]),
    "an endless chunk extension": (POST + CHUNKED + b"\r\n3;" + b"a" * 50_000, [400]),
    # heads
    "NUL in a header": (GET + b"X: a\0b\r\n\r\n", [400]),
    "a bare CR in a header": (GET + b"X: a\rb\r\n\r\n", [400]),
    "no host": (b"GET / HTTP/1.1\r\n\r\n", [400]),
    "two hosts": (GET + b"Host: b\r\n\r\n", [400]),
    "a huge header": (GET + b"X: " + b"a" * 17_000 + b"\r\n\r\n", [431]),
    "a huge header at once": (GET + b"X: " + b"a" * 40_000 + b"\r\n\r\n", [431]),
    "10,000 headers": (GET + b"X: a\r\n" * 10_000 + b"\r\n", [431]),
    "a huge target": (b"GET /" + b"a" * 40_000 + b" HTTP/1.1\r\nHost: a\r\n\r\n", [431]),
    "NUL in the target": (b"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    "no ASCII in the target": (b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    "a blank in the target": (b"GET / x HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    "HTTP/0.9": (b"GET /\r\n\r\n", [400]),
    "HTTP/3.0": (b"GET / HTTP/3.0\r\nHost: a\r\n\r\n", []),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), [400]),
    "only line feeds": (b"\n" * 30_000, [400]),
    # bodies
    "a body that is too large": (POST + b"Content-Length: 1001\r\n\r\n" + b"a" * 1001, [413]),
    "a body that grows too large": (POST + CHUNKED + b"\r\n" + b"1\r\na\r\n" * 1001, [413]),
    "a body that ends early": (POST + b"Content-Length: 10\r\n\r\nabc", [400]),
    "a body that is not wanted": (
        b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + b"a" * 100_000,
        [200],
    ),
    # what is allowed
    "a chunked body": (POST + CHUNKED + b"\r\n3;x=y\r\nabc\r\n0\r\nX: trailer\r\n\r\n", [200]),
    "HEAD": (b"HEAD /large HTTP/1.1\r\nHost: a\r\n\r\n", [200]),
    "pipelining": (GET * 0 + (GET + b"\r\n") * 3, [200, 200, 200]),
    "a folded header": (GET + b"X: a\r\n b\r\n\r\n", [200]),
    "a body that was waited for": (
        POST + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\nabc",
        [200],
    ),
}


@pytest.mark.parametrize("name", REQUESTS)
async def test_requests(name: str) -> None:
    sent, expected = REQUESTS[name]
    async with attacked() as (app, path):
        assert statuses(await heard(path, sent)) == expected
        assert statuses(await heard(path, GET + b"\r\n")) == [200]
        assert all(len(body) <= BOUNDS.body for body in app.bodies)
        assert b"GET /" not in app.bodies  # nothing was smuggled


async def test_a_client_that_asks_to_go_on_is_told_to() -> None:
    """Not before somebody wants the body."""
    async with attacked() as (_, path):
        ask = b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        async with await trio.open_unix_socket(path) as stream:
            await stream.send_all(POST + ask)
            assert statuses(bytes(await stream.receive_some(4096))) == [100]
        unread = POST.replace(b"/", b"/unread", 1) + ask
        assert statuses(await heard(path, unread)) == [200]


@pytest.mark.parametrize(
    ("target", "path", "query"),
    [
        (b"/-/..%2f..%2fetc/passwd", "/-/../../etc/passwd", b""),
        (b"/a%00b?c=%00", "/a\0b", b"c=%00"),
        (b"/%ff%fe", "/\ufffd\ufffd", b""),
        (b"/%", "/%", b""),
        (b"http://b/x", "http://b/x", b""),
        (b"//b/x", "//b/x", b""),
    ],
)
async def test_paths_are_text(target: bytes, path: str, query: bytes) -> None:
    async with attacked() as (app, socket):
        await heard(socket, GET.replace(b"/", target, 1) + b"\r\n")
        (scope,) = app.scopes
        assert (scope["path"], scope["raw_path"] + b"?" * bool(query) + scope["query_string"]) == (
            path,
            target,
        )
        assert scope["query_string"] == query


# -- WebSockets ------------------------------------------------------------------------------------


def frame(first: int, payload: bytes, *, length: bytes = b"", mask: bool = True) -> bytes:
    """A frame of a client, masked with zeros."""
    size = len(payload)
    length = length or (
        bytes([size | 0x80 * mask]) if size < 126 else struct.pack(">BH", 126 | 0x80 * mask, size)
    )
    return bytes([first]) + length + bytes(4 if mask else 0) + payload


FRAMES = {
    # what the application hears last; None: the code of the end does not matter
    "a message": (frame(0x81, b"hi"), "hi"),
    "in two parts": (frame(0x01, b"h") + frame(0x80, b"i"), "hi"),
    "a ping between its parts": (frame(0x01, b"h") + frame(0x89, b"") + frame(0x80, b"i"), "hi"),
    "not masked": (frame(0x81, b"hi", mask=False), None),
    "compressed": (frame(0xC1, b"hi"), None),
    "an unknown kind": (frame(0x83, b"hi"), None),
    "a part of nothing": (frame(0x80, b"hi"), None),
    "a message in a message": (frame(0x01, b"h") + frame(0x81, b"i"), None),
    "a ping in parts": (frame(0x09, b"hi"), None),
    "a large ping": (frame(0x89, b"x" * 126), None),
    "no UTF-8": (frame(0x81, b"\xff"), None),
    "a close of one byte": (frame(0x88, b"x"), None),
    "a close with a code that is none": (frame(0x88, b"\x00\x01"), None),
    "too long": (frame(0x81, b"x" * 1001), 1009),
    "too long in parts": (frame(0x01, b"x" * 600) + frame(0x80, b"x" * 600), 1009),
    "empty parts without end": (frame(0x01, b"") + frame(0x00, b"") * 1001, 1009),
    "a length of 63 bits": (frame(0x81, b"x" * 2000, length=b"\xff" + b"\x7f" + b"\xff" * 7), 1009),
    "a length of 64 bits": (frame(0x81, b"x" * 2000, length=b"\xff" * 9), None),
    "1,000 pings": (frame(0x89, b"x") * 1000 + frame(0x81, b"hi"), "hi"),
}


@pytest.mark.parametrize("name", FRAMES)
async def test_frames(name: str) -> None:
    sent, expected = FRAMES[name]
    async with attacked() as (app, path):
        answer = await heard(path, UPGRADE + sent)  # in one piece with the handshake
        assert answer.startswith(b"HTTP/1.1 101")
        if isinstance(expected, str):
            assert app.messages[0]["text"] == expected
        else:
            (message,) = app.messages
            assert message["type"] == "websocket.disconnect"
            assert expected in (None, message["code"])


UPGRADES = {
    "no key": UPGRADE.replace(b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", b""),
    "a version that is none": UPGRADE.replace(b"Version: 13", b"Version: 12"),
    "no version": UPGRADE.replace(b"Sec-WebSocket-Version: 13\r\n", b""),
}


@pytest.mark.parametrize("name", UPGRADES)
async def test_upgrades_that_are_none(name: str) -> None:
    async with attacked() as (app, path):
        assert statuses(await heard(path, UPGRADES[name])) == [400]
        assert not app.scopes


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"GET", b"POST"),
        (b"HTTP/1.1", b"HTTP/1.0"),
        (b"Upgrade: websocket", b"Upgrade: h2c"),
        (b"Connection: Upgrade", b"Connection: close"),
    ],
)
async def test_other_upgrades_are_requests(old: bytes, new: bytes) -> None:
    async with attacked() as (app, path):
        assert statuses(await heard(path, UPGRADE.replace(old, new, 1))) == [200]
        assert app.scopes[0]["type"] == "http"


# -- time ------------------------------------------------------------------------------------------


SLOW = Bounds(idle=5, head=10, stall=20, body=1 << 20)


@asynccontextmanager
async def in_memory(
    pair: tuple[Any, Any], app: Any = None
) -> AsyncIterator[tuple[Any, trio.Nursery]]:
    """A client over a pair of streams, and the nursery of what serves it until it is cut off."""
    client, stream = pair
    stream.socket = SimpleNamespace(getpeername=lambda: "")

    async def serve() -> None:
        await http._Connections(app or App(), SLOW, lambda error: None).serve(stream)
        await trio.aclose_forcefully(stream)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(serve)
        yield client, nursery


@pytest.mark.parametrize(
    ("sent", "trickled", "least", "most"),
    [
        (b"", b"", 5, 5),
        (GET, b"X: " + b"a" * 100, 10, 11),
        (POST + b"Content-Length: 100000\r\n\r\n", b"a" * 100, 20, 21 + http.LINGER),
    ],
)
async def test_slow_clients(
    autojump_clock: trio.testing.MockClock, sent: bytes, trickled: bytes, least: int, most: int
) -> None:
    async with in_memory(trio.testing.memory_stream_pair()) as (client, _):
        before = trio.current_time()
        await client.send_all(sent)
        with suppress(trio.BrokenResourceError):
            for byte in trickled:
                await client.send_all(bytes([byte]))
                await trio.sleep(1)
        if not trickled:
            assert await client.receive_some() == b""
    assert least <= trio.current_time() - before <= most


async def test_who_reads_nothing_of_a_response(autojump_clock: trio.testing.MockClock) -> None:
    """Each 64 KiB of it must be taken in time: one deadline for 4 MB would be 20 minutes."""
    async with in_memory(trio.testing.lockstep_stream_pair()) as (client, nursery):
        await client.send_all(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        before = trio.current_time()
        await client.receive_some(100)
        await trio.sleep(SLOW.stall - 1)
        assert nursery.child_tasks
    assert trio.current_time() - before <= 2 * SLOW.stall


async def test_a_slow_application_is_not_the_fault_of_its_client(
    autojump_clock: trio.testing.MockClock,
) -> None:
    async def slow(scope: Any, receive: Any, send: Any) -> None:
        for _ in range(3):
            assert (await receive())["more_body"]
            await trio.sleep(SLOW.stall + 1)
        assert not (await receive())["more_body"]
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    async with in_memory(trio.testing.memory_stream_pair(), slow) as (client, _):
        await client.send_all(POST + CHUNKED + b"\r\n1\r\na\r\n")
        await trio.testing.wait_all_tasks_blocked()
        await client.send_all(b"1\r\na\r\n")
        await trio.sleep(1.5 * SLOW.stall)
        await client.send_all(b"1\r\na\r\n0\r\n\r\n")
        assert statuses(bytes(await client.receive_some(1000))) == [200]
        await client.aclose()


async def test_a_refusal_can_be_read() -> None:
    """Though the client has not sent all of what is refused: its answer is not taken back."""
    async with attacked() as (_, path), await trio.open_unix_socket(path) as stream:
        await stream.send_all(POST.replace(b"/", b"/unread", 1) + b"Content-Length: 400000\r\n\r\n")
        for _ in range(4):
            await stream.send_all(b"a" * 100_000)
        async with aclosing(stream) as parts:
            answer = b"".join([bytes(part) async for part in parts])
        assert statuses(answer) == [200]


async def test_a_client_that_leaves_is_no_failure() -> None:
    async with attacked() as (app, path):
        for sent in (
            b"GET /leave HTTP/1.1\r\nHost: a\r\n\r\n",
            b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
            POST + b"Content-Length: 10\r\n\r\nabc",
            UPGRADE + b"\x81",
        ):
            async with await trio.open_unix_socket(path) as stream:
                await stream.send_all(sent)
        for _ in range(4):
            await app.begun.receive()


# -- many ------------------------------------------------------------------------------------------


async def test_a_person_is_served_beside_500_idle_connections() -> None:
    bounds = Bounds(connections=64, idle=60, head=60)
    async with attacked(bounds) as (_, path):
        held = [await trio.open_unix_socket(path) for _ in range(500)]
        for _ in range(3):
            assert statuses(await heard(path, GET + b"\r\n")) == [200]
        for stream in held:
            await stream.aclose()


async def test_idle_connections_are_replaced_before_those_that_are_served() -> None:
    """An upload goes on though many connect later."""
    bounds = Bounds(connections=4, idle=60, head=60)
    async with attacked(bounds) as (app, path), await trio.open_unix_socket(path) as own:
        await own.send_all(POST + b"Content-Length: 3\r\n\r\na")
        await app.begun.receive()
        held = [await trio.open_unix_socket(path) for _ in range(20)]
        assert statuses(await heard(path, GET + b"\r\n")) == [200]
        await own.send_all(b"bc")
        assert statuses(bytes(await own.receive_some(4096))) == [200]
        for stream in held:
            await stream.aclose()


async def test_nobody_is_known_on_more_than_so_many_connections() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        http.keep("Eve", 2)
        await send({"type": "websocket.accept"})
        while (await receive())["type"] != "websocket.disconnect":
            pass

    bounds = Bounds(connections=4, idle=60, head=60)
    async with serving(app, bounds) as path:
        held = []
        for _ in range(6):
            held.append(await trio.open_unix_socket(path))
            await held[-1].send_all(UPGRADE)
            assert (await held[-1].receive_some(12)).endswith(b"101")
        for stream in held[2:4]:
            assert b"101" not in await stream.receive_some(4096)  # the rest of the handshake
            with suppress(trio.BrokenResourceError):
                assert await stream.receive_some(1) == b""  # strangers
        for stream in held[:2]:
            await stream.send_all(CLOSE)
            assert CLOSE[:1] in b"".join([data async for data in stream])
        for stream in held:
            await stream.aclose()
