"""An application served by `arena.web.http` in a thread, and clients made of plain sockets."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from arena.web.http import Bounds, serve

PATIENCE = 30
"""Seconds for what never comes on a busy machine."""


class Server:
    """A server that runs, as its clients reach it."""

    def __init__(self, port: int) -> None:
        self._port = port
        self.failures: list[Exception] = []

    def connect(self, address: str = "127.0.0.1") -> socket.socket:
        """Connect from an address of this machine."""
        return socket.create_connection(
            ("127.0.0.1", self._port), timeout=PATIENCE, source_address=(address, 0)
        )

    def answer(self, sent: bytes, address: str = "127.0.0.1") -> bytes:
        """All that is answered until the server ends the connection, after the client has sent and
        closed its side."""
        with self.connect(address) as client:
            with suppress(OSError):
                client.sendall(sent)
                client.shutdown(socket.SHUT_WR)
            return read_all(client)


def read_all(client: socket.socket) -> bytes:
    """All that a server sends until it ends the connection."""
    data = b""
    with suppress(ConnectionError):
        while part := client.recv(1 << 16):
            data += part
    return data


def is_ended(client: socket.socket) -> bool:
    """Whether the server has ended a connection on which it has said nothing."""
    client.settimeout(0.01)
    try:
        return client.recv(1) == b""
    except ConnectionError:
        return True
    except TimeoutError:
        return False
    finally:
        client.settimeout(PATIENCE)


def statuses(answer: bytes) -> list[int]:
    """The statuses of the answers in what a server has sent."""
    return [int(part[:3]) for part in answer.split(b"HTTP/1.1 ")[1:]]


@contextmanager
def serving(app: Any, bounds: Bounds, *, proxied: bool = False) -> Iterator[Server]:
    """Serve an application for the block."""
    with socket.create_server(("127.0.0.1", 0), backlog=600) as listening:
        server = Server(listening.getsockname()[1])
        with running(
            partial(
                serve, app, listening, bounds=bounds, proxied=proxied, failed=server.failures.append
            )
        ):
            yield server


@contextmanager
def running(serve: Callable[..., Any]) -> Iterator[None]:
    """Run what serves until it is stopped by the event ``stop`` in a thread, for the block."""
    began, stops = threading.Event(), list[Callable[[], object]]()

    async def main() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        stops.append(lambda: loop.call_soon_threadsafe(stop.set))
        began.set()
        await serve(stop=stop)

    thread = threading.Thread(target=asyncio.run, args=(main(),))
    thread.start()
    began.wait()
    try:
        yield
    finally:
        stops[0]()
        thread.join()
