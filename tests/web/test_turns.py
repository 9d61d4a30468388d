"""The order of requests when there are more than the server works on at once."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

import pytest
import trio
import trio.testing

from arena.web import http
from arena.web.http import PIPELINED, REQUESTS_AT_ONCE, TURN, Bounds
from tests.web.test_connections import ASK, serving

BOUNDS = Bounds(connections=600, requests=1000, idle=60, head=60, stall=60)


class Worked:
    """An application that notes what it was asked for, and answers when it is let."""

    def __init__(self, seconds: float = 0.0) -> None:
        self.asked: list[str] = []
        self.asked_at: list[float] = []
        self.go_on = trio.Event()
        self._seconds = seconds

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        self.asked.append(scope["path"])
        self.asked_at.append(trio.current_time())
        await self.go_on.wait()
        await trio.sleep(self._seconds)
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": b"x" * 1000})


async def all_ask(stack: AsyncExitStack, path: str, clients: int, request: bytes) -> None:
    """So many connections that send this and read nothing."""
    for _ in range(clients):
        stream = await stack.enter_async_context(await trio.open_unix_socket(path))
        await stream.send_all(request)


def asking(path: str) -> bytes:
    return ASK.replace(b"/", path.encode(), 1)


async def until_asked(app: Worked, number: int) -> None:
    with trio.fail_after(30):
        while len(app.asked) < number:  # noqa: ASYNC110  # the server's own tasks
            await trio.sleep(0.01)


@pytest.fixture
def endless_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    """No turn ends by its time, however slow the machine is."""
    monkeypatch.setattr(http, "TURN", 10**6)


@pytest.mark.dear
async def test_pipelined_requests_come_after_all_others(endless_turns: None) -> None:
    """100 clients that read nothing, with 100 requests each, in front of one honest page."""
    app = Worked(0.001)
    app.go_on.set()
    async with serving(app, BOUNDS) as path, AsyncExitStack() as stack:
        await all_ask(stack, path, 100, asking("/flood") * 100)
        await until_asked(app, 300)  # the first of each are done: the rest is pipelined
        for _ in range(20):
            page = await stack.enter_async_context(await trio.open_unix_socket(path))
            before = len(app.asked)
            await page.send_all(asking("/page"))
            assert (await page.receive_some(12)).endswith(b"200")
            # Those that are sent while the server reads the honest one cannot be told from it.
            assert app.asked.index("/page", before) - before <= 4 * PIPELINED


async def test_who_pipelines_is_answered_too() -> None:
    app = Worked()
    app.go_on.set()
    async with serving(app, BOUNDS) as path, await trio.open_unix_socket(path) as stream:
        await stream.send_all(asking("/a") + asking("/b") + asking("/c"))
        said = b""
        while said.count(b"HTTP/1.1 200") < 3:
            said += await stream.receive_some(4096)
    assert app.asked == ["/a", "/b", "/c"]


async def test_what_waits_for_something_makes_room() -> None:
    """Requests that have no answer yet hold others up for a turn at most."""
    app, began = Worked(), trio.current_time()
    async with serving(app, BOUNDS) as path, AsyncExitStack() as stack:
        await all_ask(stack, path, 2 * REQUESTS_AT_ONCE, asking("/slow"))
        await until_asked(app, 2 * REQUESTS_AT_ONCE)
        assert app.asked_at[REQUESTS_AT_ONCE] - began >= TURN
        app.go_on.set()


async def test_a_body_that_is_awaited_holds_no_turn(endless_turns: None) -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        if scope["method"] == "POST":
            assert (await receive())["body"] == b"x"
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body"})

    post = b"POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\n"
    async with serving(app, BOUNDS) as path, AsyncExitStack() as stack:
        slow = [
            await stack.enter_async_context(await trio.open_unix_socket(path))
            for _ in range(4 * REQUESTS_AT_ONCE)
        ]
        for one in slow:
            await one.send_all(post)
        page = await stack.enter_async_context(await trio.open_unix_socket(path))
        await page.send_all(ASK)
        assert (await page.receive_some(12)).endswith(b"200")
        for one in slow:
            await one.send_all(b"x")
            assert (await one.receive_some(12)).endswith(b"200")


async def test_clients_take_turns(autojump_clock: trio.testing.MockClock) -> None:
    turns, order = http._Turns(), list[str]()
    held = [await turns.take("first", pipelined=False) for _ in range(REQUESTS_AT_ONCE)]

    async def ask(client: str, *, pipelined: bool = False) -> None:
        turn = await turns.take(client, pipelined=pipelined)
        order.append(f"{client}{' pipelined' if pipelined else ''}")
        turns.end(turn)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(lambda: ask("greedy", pipelined=True))
        await trio.testing.wait_all_tasks_blocked()
        for client in ("greedy", "greedy", "greedy", "greedy", "calm", "other"):
            nursery.start_soon(ask, client)
            await trio.testing.wait_all_tasks_blocked()
        with trio.move_on_after(0):
            await turns.take("gone", pipelined=False)
        turns.end(held[0])
        turns.end(held[0])
    assert order == [
        *("greedy", "calm", "other", "greedy", "greedy", "greedy"),
        "greedy pipelined",
    ]
    with trio.fail_after(1):  # nothing was lost, and nothing given back twice
        await turns.take("last", pipelined=False)
    with trio.move_on_after(0.05) as patience:
        await turns.take("too many", pipelined=False)
    assert patience.cancelled_caught


def test_a_client_is_its_address() -> None:
    def client_of(name: object) -> str:
        class Socket:
            def getpeername(self) -> object:
                if isinstance(name, OSError):
                    raise name
                return name

        class Stream:
            socket = Socket()

        return http._client_of(Stream())  # type: ignore[arg-type]  # a socket that says this

    assert client_of(("192.0.2.1", 1)) == client_of(("192.0.2.1", 2)) == "192.0.2.1"
    assert client_of(("::ffff:192.0.2.1", 1, 0, 0)) == "192.0.2.1"
    one, other = ("2001:db8::1", 1, 0, 0), ("2001:db8::2:3:4:5", 1, 0, 0)
    assert client_of(one) == client_of(other)  # one host has as many as it likes
    assert client_of(one) != client_of(("2001:db9::1", 1, 0, 0))
    assert client_of(("fe80::1%eth0", 1, 0, 2)) == client_of(("fe80::1", 1, 0, 0))
    assert client_of("") == client_of(OSError()) == ""
