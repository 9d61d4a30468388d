"""The server: what clients send byte by byte, what they take, and what becomes of the others."""

from __future__ import annotations

import asyncio
import os
import socket
import struct
import threading
import time
from contextlib import ExitStack, suppress
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route

from arena.web import http
from arena.web.http import REQUESTS_AT_ONCE, Bounds, client_of, mark_known
from tests.web.serving import PATIENCE, Server, is_ended, read_all, serving, statuses

GET = b"GET / HTTP/1.1\r\nHost: a\r\n"
ASK = GET + b"\r\n"
POST = b"POST / HTTP/1.1\r\nHost: a\r\n"
CHUNKED = b"Transfer-Encoding: chunked\r\n"
UPGRADE = (
    b"GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
)
BOUNDS = Bounds(body=1000, message=1000, idle=60, head=60, stall=60)


class Echo:
    """Reads each body and answers with it; a WebSocket echoes. Keeps what came."""

    def __init__(self) -> None:
        self.scopes: list[Any] = []
        self.bodies: list[bytes] = []
        self.messages: list[Any] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        if scope["path"] == "/fail":
            raise ZeroDivisionError
        if scope["type"] == "websocket":
            await self._talk(receive, send)
            return
        await Starlette(routes=[Route("/{path:path}", self._page, methods=["GET", "POST"])])(
            scope, receive, send
        )

    async def _page(self, request: Request) -> PlainTextResponse:
        body = b"" if request.url.path == "/unread" else await request.body()
        self.bodies.append(body)
        if request.url.path == "/large":
            body = b"x" * (1 << 22)
        return PlainTextResponse(body)

    async def _talk(self, receive: Any, send: Any) -> None:
        await receive()
        await send({"type": "websocket.accept"})
        while True:
            message = await receive()
            self.messages.append(message)
            if message["type"] == "websocket.disconnect":
                return
            await send({"type": "websocket.send", "text": message["text"]})


# What is sent, and the statuses of the answers.
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
    "another coding": (POST + b"Transfer-Encoding: gzip\r\n\r\n", [400]),
    "two codings": (POST + b"Transfer-Encoding: gzip, chunked\r\n\r\n", [400]),
    "a coding twice": (POST + CHUNKED * 2 + b"\r\n0\r\n\r\n", [400]),
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
    "a huge header": (GET + b"X: " + b"a" * 17_000, [400]),
    "10,000 headers": (GET + b"X: a\r\n" * 10_000, [400]),
    "a huge target": (b"GET /" + b"a" * 40_000, [400]),
    "NUL in the target": (b"GET /\0 HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    "no ASCII in the target": (b"GET /\xff HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    "a blank in the target": (b"GET / x HTTP/1.1\r\nHost: a\r\n\r\n", [400]),
    "HTTP/0.9": (b"GET /\r\n\r\n", [400]),
    "TLS": (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + bytes(200), [400]),
    "only line feeds": (b"\n" * 30_000, [400]),
    # bodies
    "a body that is too large": (POST + b"Content-Length: 1001\r\n\r\n" + b"a" * 1001, [413]),
    "a body that grows too large": (POST + CHUNKED + b"\r\n" + b"1\r\na\r\n" * 1001, [413]),
    "a body that is not wanted": (
        b"POST /unread HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + b"a" * 100_000,
        [200],
    ),
    # what is allowed
    "a chunked body": (POST + CHUNKED + b"\r\n3;x=y\r\nabc\r\n0\r\nX: trailer\r\n\r\n", [200]),
    "HEAD": (b"HEAD /large HTTP/1.1\r\nHost: a\r\n\r\n", [200]),
    "pipelining": (ASK * 3, [200, 200, 200]),
    "a folded header": (GET + b"X: a\r\n b\r\n\r\n", [200]),
}


def test_requests() -> None:
    app, wrong = Echo(), {}
    with serving(app, BOUNDS) as server:
        for name, (sent, expected) in REQUESTS.items():
            if (seen := statuses(server.answer(sent))) != expected:
                wrong[name] = seen
            assert statuses(server.answer(ASK)) == [200]  # whatever was sent before
    assert not wrong
    assert all(len(body) <= BOUNDS.body for body in app.bodies)
    assert b"GET /" not in app.bodies  # nothing was smuggled
    assert not server.failures  # no attack is told to be a fault of the application


def test_a_client_that_waits_for_it_is_told_to_go_on() -> None:
    with serving(Echo(), BOUNDS) as server, server.connect() as client:
        client.sendall(POST + b"Expect: 100-continue\r\nContent-Length: 3\r\n\r\n")
        assert statuses(client.recv(4096)) == [100]
        client.sendall(b"abc")
        assert statuses(client.recv(4096)) == [200]


def test_what_fails_for_a_request_is_told_and_nothing_to_others() -> None:
    with serving(Echo(), BOUNDS) as server:
        server.answer(b"GET /fail HTTP/1.1\r\nHost: a\r\n\r\n")
        server.answer(UPGRADE.replace(b"/", b"/fail", 1))
        assert statuses(server.answer(ASK)) == [200]
        assert [type(failure) for failure in server.failures] == [ZeroDivisionError] * 2


# -- WebSockets ------------------------------------------------------------------------------------


def frame(first: int, payload: bytes, *, length: bytes = b"", mask: bool = True) -> bytes:
    """A frame of a client, masked with zeros."""
    size = len(payload)
    length = length or (
        bytes([size | 0x80 * mask]) if size < 126 else struct.pack(">BH", 126 | 0x80 * mask, size)
    )
    return bytes([first]) + length + bytes(4 if mask else 0) + payload


FRAMES = {
    # what the application hears first; None: the end, by whatever code
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
    "too long": (frame(0x81, b"x" * 1001), 1009),
    "too long in parts": (frame(0x01, b"x" * 600) + frame(0x80, b"x" * 600), 1009),
    "empty parts": (frame(0x01, b"") + frame(0x00, b"") * 1001 + frame(0x80, b"hi"), "hi"),
    "1,000 pings": (frame(0x89, b"x") * 1000 + frame(0x81, b"hi"), "hi"),
}


@pytest.mark.parametrize("name", FRAMES)
def test_frames(name: str) -> None:
    sent, expected = FRAMES[name]
    app = Echo()
    with serving(app, BOUNDS) as server:
        with server.connect() as client:
            client.sendall(UPGRADE)
            assert statuses(client.recv(4096)) == [101]
            client.sendall(sent)
            client.shutdown(socket.SHUT_WR)
            read_all(client)
        assert statuses(server.answer(ASK)) == [200]
    message = app.messages[0]
    assert expected in (None, message.get("text"), message.get("code"))
    assert expected is not None or message["type"] == "websocket.disconnect"
    assert not server.failures


def test_a_long_message_ends_its_connection_while_it_is_sent() -> None:
    with serving(Echo(), BOUNDS) as server, server.connect() as client:
        client.sendall(UPGRADE + frame(0x01, b"x" * 100))
        with suppress(ConnectionError):
            while True:  # until it is ended
                client.sendall(frame(0x00, b"x" * 100))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n", b""),
        (b"Version: 13", b"Version: 12"),
        (b"Sec-WebSocket-Version: 13\r\n", b""),
    ],
)
def test_handshakes_that_are_wrong_are_refused(before: bytes, after: bytes) -> None:
    app = Echo()
    with serving(app, BOUNDS) as server:
        assert statuses(server.answer(UPGRADE.replace(before, after)))[0] >= 400
        assert not app.scopes


@pytest.mark.parametrize(
    ("before", "after"),
    [(b"Upgrade: websocket", b"Upgrade: h2c"), (b"Connection: Upgrade", b"Connection: close")],
)
def test_other_upgrades_are_requests(before: bytes, after: bytes) -> None:
    app = Echo()
    with serving(app, BOUNDS) as server:
        assert statuses(server.answer(UPGRADE.replace(before, after, 1))) == [200]
        assert app.scopes[0]["type"] == "http"


# -- time ------------------------------------------------------------------------------------------

SHORT = Bounds(idle=60, head=0.2, stall=0.2, body=1 << 20)


@pytest.mark.parametrize("sent", [b"", GET, ASK + GET])
def test_a_head_that_does_not_come_ends_its_connection(sent: bytes) -> None:
    """Also that of a second request, and one that trickles."""
    with serving(Echo(), SHORT) as server, server.connect() as client:
        client.sendall(sent)
        answers = statuses(read_all(client))
        assert answers == ([200] if sent.startswith(ASK) else [])


def test_a_body_that_does_not_come_is_refused() -> None:
    with serving(Echo(), SHORT) as server, server.connect() as client:
        client.sendall(POST + b"Content-Length: 100000\r\n\r\na")
        assert statuses(read_all(client)) == [408]


def test_a_body_that_comes_slowly_is_taken() -> None:
    """At the rate that is promised, though it takes longer than a stall."""
    part = b"a" * http.RATE
    with serving(Echo(), SHORT) as server, server.connect() as client:
        client.sendall(POST + b"Content-Length: %d\r\n\r\n" % (3 * len(part)))
        for _ in range(3):
            time.sleep(0.15)
            client.sendall(part)
        assert statuses(client.recv(100)) == [200]


def test_who_takes_nothing_of_an_answer_is_cut_off() -> None:
    """A reader who takes a little each time, too; not one who takes it at the rate promised."""
    bounds = Bounds(head=60, stall=1)
    with serving(Echo(), bounds) as server, server.connect() as deaf, server.connect() as slow:
        for client in (deaf, slow):
            client.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        size = 0
        for _ in range(6):
            time.sleep(0.1)
            size += len(slow.recv(1 << 19))
        size += len(read_all(slow))
        assert size > 1 << 22
        assert len(read_all(deaf)) < 1 << 22


def test_an_idle_connection_is_closed() -> None:
    bounds = Bounds(idle=1, head=60)
    with serving(Echo(), bounds) as server, server.connect() as client:
        client.sendall(ASK)
        assert statuses(read_all(client)) == [200]


def test_who_does_not_read_is_cut_off_at_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "GRACE", 1)
    with serving(Echo(), Bounds(stall=10**6)) as server:
        deaf = server.connect()
        deaf.sendall(b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
        deaf.recv(1)
    deaf.close()


# -- many ------------------------------------------------------------------------------------------


class Known:
    """Answers at once. Who asks for ``/known/NAME`` is known by it, on `limit` connections."""

    def __init__(self, limit: int = 2) -> None:
        self.taken: list[bool] = []
        self._limit = limit

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["path"].startswith("/known/"):
            self.taken.append(mark_known(scope, scope["path"], self._limit))
        await PlainTextResponse("")(scope, receive, send)


def asking(path: str) -> bytes:
    return ASK.replace(b"/", path.encode(), 1)


def ask(client: socket.socket, path: str) -> None:
    client.sendall(asking(path))
    assert statuses(client.recv(4096)) == [200]


def knock(stack: ExitStack, server: Server, times: int, address: str) -> list[socket.socket]:
    return [stack.enter_context(server.connect(address)) for _ in range(times)]


FEW = Bounds(connections=20, by_address=5, idle=60, head=60)


def test_connections_of_one_address_are_bounded_and_the_oldest_idle_is_replaced() -> None:
    with serving(Known(), FEW) as server, ExitStack() as stack:
        descriptors = len(os.listdir("/dev/fd"))
        flood = knock(stack, server, 50, "127.0.0.2")
        for client in flood[:-5]:
            assert read_all(client) == b""
        for client in flood[-5:]:
            ask(client, "/")
        assert len(os.listdir("/dev/fd")) <= descriptors + 50 + 5 + 1
        page = stack.enter_context(server.connect("127.0.0.3"))
        ask(page, "/")
        assert not is_ended(flood[-1])


def test_connections_of_many_addresses_are_bounded() -> None:
    with serving(Known(), FEW) as server, ExitStack() as stack:
        flood = [client for n in range(2, 12) for client in knock(stack, server, 4, f"127.0.0.{n}")]
        assert statuses(server.answer(ASK)) == [200]
        assert sum(map(is_ended, flood)) == 40 + 1 - FEW.connections


def test_who_is_known_is_replaced_by_nobody() -> None:
    app = Known()
    with serving(app, FEW) as server, ExitStack() as stack:
        pages = knock(stack, server, 3, "127.0.0.2")
        for page in pages:
            ask(page, "/known/ann")
        assert app.taken == [True, True, False]
        ask(pages[0], "/known/ann")  # the same connection again
        assert app.taken[-1]
        knock(stack, server, 10, "127.0.0.2")
        assert [is_ended(page) for page in pages] == [False, False, True]


def test_accounts_that_hold_all_connections_make_room() -> None:
    app = Known(limit=64)
    bounds = Bounds(connections=20, by_address=20, idle=60)
    with serving(app, bounds) as server, ExitStack() as stack:
        for name, count in (("ann", 5), ("bob", 15)):
            for page in (pages := knock(stack, server, count, "127.0.0.3")):
                ask(page, f"/known/{name}")
        assert statuses(server.answer(ASK, "127.0.0.2")) == [200]
        assert [is_ended(page) for page in pages] == [True] + [False] * 14


def test_a_class_behind_one_address_is_not_bounded_as_one_client() -> None:
    bounds = Bounds(connections=64, by_address=5, idle=60)
    with serving(Known(), bounds) as server, ExitStack() as stack:
        pages = []
        for number in range(30):
            pages += knock(stack, server, 1, "127.0.0.2")
            ask(pages[-1], f"/known/{number}")
        for number, page in enumerate(pages):
            ask(page, f"/known/{number}")


def test_behind_a_proxy_connections_are_not_bounded_by_address() -> None:
    app = Echo()
    with serving(app, FEW, proxied=True) as server, ExitStack() as stack:
        assert not any(map(is_ended, knock(stack, server, 15, "127.0.0.1")))
        named = GET + b"X-Forwarded-For: 192.0.2.7\r\n\r\n"
        assert statuses(server.answer(named)) == [200]
    assert app.scopes[-1]["client"][0] == "192.0.2.7"


def test_without_a_proxy_nobody_names_another_address() -> None:
    app = Echo()
    with serving(app, FEW) as server:
        server.answer(GET + b"X-Forwarded-For: 192.0.2.7\r\n\r\n")
    assert app.scopes[-1]["client"][0] == "127.0.0.1"


class Held:
    """Notes what is asked for, and answers when it may."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.may_answer = threading.Event()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        while scope["path"] != "/quick" and not self.may_answer.is_set():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        if scope["method"] == "POST":
            await receive()
        await PlainTextResponse("")(scope, receive, send)

    def wait_for(self, number: int) -> None:
        """Wait until so many requests are worked on."""
        end = time.monotonic() + PATIENCE
        while len(self.asked) < number:
            assert time.monotonic() < end
            time.sleep(0.01)


MANY = Bounds(connections=600, by_address=600, idle=60, head=60, stall=60)


def test_requests_of_one_client_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    """100 connections with 100 requests each are no more than eight at a time."""
    monkeypatch.setattr(http, "TURN", 10**6)
    app = Held()
    with serving(app, MANY) as server, ExitStack() as stack:
        for client in knock(stack, server, 100, "127.0.0.2"):
            client.sendall(asking("/slow") * 100)
        app.wait_for(REQUESTS_AT_ONCE)
        page = stack.enter_context(server.connect("127.0.0.3"))
        for _ in range(20):
            ask(page, "/quick")
        assert app.asked.count("/slow") == REQUESTS_AT_ONCE
        app.may_answer.set()
        app.wait_for(1000)


def test_a_request_that_waits_for_something_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TURN", 0.05)
    app = Held()
    with serving(app, MANY) as server, ExitStack() as stack:
        for client in knock(stack, server, 3 * REQUESTS_AT_ONCE, "127.0.0.2"):
            client.sendall(asking("/slow"))
        app.wait_for(3 * REQUESTS_AT_ONCE)
        app.may_answer.set()


def test_a_body_that_is_awaited_holds_no_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "TURN", 10**6)
    with serving(Echo(), MANY) as server, ExitStack() as stack:
        slow = knock(stack, server, 4 * REQUESTS_AT_ONCE, "127.0.0.2")
        for client in slow:
            client.sendall(POST + b"Content-Length: 1\r\n\r\n")
        assert statuses(server.answer(ASK, "127.0.0.2")) == [200]
        for client in slow:
            client.sendall(b"x")
            assert statuses(client.recv(4096)) == [200]


TINY = 20_000
COSTLY = {
    "chunks": POST + CHUNKED + b"\r\n" + b"1\r\nx\r\n" * TINY + b"0\r\n\r\n",
    "pings": UPGRADE + b"\x89\x80aaaa" * TINY,
}


@pytest.mark.parametrize("name", COSTLY)
def test_who_costs_much_to_read_holds_up_nobody_else(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(http, "WAIT", 1e6)
    bounds = Bounds(body=TINY, idle=60, head=60, stall=60)
    with serving(Echo(), bounds) as server, server.connect("127.0.0.3") as client:
        if name == "pings":
            client.sendall(UPGRADE)
            assert b" 101 " in client.recv(4096)
        client.sendall(COSTLY[name].removeprefix(UPGRADE))
        assert statuses(server.answer(ASK, "127.0.0.2")) == [200]
        with server.connect("127.0.0.3") as same:
            same.settimeout(0.5)
            same.sendall(ASK)
            with pytest.raises(TimeoutError):
                same.recv(1)


def test_a_body_in_tiny_parts_is_taken() -> None:
    bounds = Bounds(body=TINY, idle=60, head=60, stall=60)
    with serving(Echo(), bounds) as server:
        assert server.answer(COSTLY["chunks"]).endswith(b"x" * TINY)


def test_a_client_that_leaves_is_no_failure() -> None:
    with serving(Echo(), BOUNDS) as server:
        for sent in (
            b"GET /large HTTP/1.1\r\nHost: a\r\n\r\n",
            POST + b"Content-Length: 10\r\n\r\nabc",
            UPGRADE + b"\x81",
        ):
            with server.connect() as client, suppress(OSError):
                client.sendall(sent)
        assert statuses(server.answer(ASK)) == [200]
    assert not server.failures


def test_a_client_is_its_address() -> None:
    assert client_of(("192.0.2.1", 1)) == client_of(("192.0.2.1", 2)) == "192.0.2.1"
    assert client_of(("::ffff:192.0.2.1", 1)) == "192.0.2.1"
    assert client_of(("2001:db8::1", 1)) == client_of(("2001:db8::2:3:4:5", 1))  # one host
    assert client_of(("2001:db8::1", 1)) != client_of(("2001:db9::1", 1))
    assert client_of(("fe80::1%eth0", 1)) == client_of(("fe80::1", 1))
    assert client_of(None) == client_of(("unix", 1)) == ""
