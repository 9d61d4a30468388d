"""An honest page beside one other address that takes all that it can: without a proxy, and behind
those of the guide."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from pathlib import Path

import pytest

from arena.site.app import make_app
from arena.site.contest import Contest
from arena.site.pages import SiteAddress
from arena.site.run import BOUNDS, is_proxied, listen
from arena.web.http import serve
from tests.guide.reading import block
from tests.support.tools import needs_tool
from tests.web.serving import PATIENCE, read_all, running, statuses

pytestmark = [pytest.mark.dear, pytest.mark.tool]
NAME = "cup.test"
WITHIN = 1.0
"""Seconds in which an honest page comes on a quiet machine."""


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


@contextmanager
def site(league_file: Path, name: str) -> Iterator[int]:
    """The port of a site that browsers reach by this name."""
    listening = listen("127.0.0.1", 0)
    address = SiteAddress("http", (name,))
    with listening, Contest(league_file) as contest:
        app = make_app({contest.slug: contest}, address)
        proxied = is_proxied(listening, address)
        assert proxied == (name == NAME)
        with running(partial(serve, app, listening, bounds=BOUNDS, proxied=proxied)):
            yield int(listening.getsockname()[1])


def nginx(port: int, behind: int, folder: Path) -> list[str]:
    text = block("site", "limit_conn_zone")
    text = text.replace("listen 443 ssl", f"listen 127.0.0.1:{port}").replace("8080", str(behind))
    text = "\n".join(line for line in text.splitlines() if "ssl_" not in line)
    for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"):
        text = f"{kind}_temp_path {folder / kind};\n{text}"
    config = folder / "nginx.conf"
    config.write_text(
        f"pid {folder / 'pid'};\ndaemon off;\nevents {{}}\nhttp {{\naccess_log off;\n{text}}}\n"
    )
    return [needs_tool("nginx", "nginx"), "-c", str(config), "-e", str(folder / "log")]


def caddy(port: int, behind: int, folder: Path) -> list[str]:
    text = block("site", "{\n    servers").replace("8080", str(behind))
    text = text.replace("{\n", "{\n    admin off\n", 1)
    text = text.replace("cup.example.org {", f"http://{NAME}:{port} {{\n    bind 127.0.0.1")
    config = folder / "Caddyfile"
    config.write_text(text)
    return [needs_tool("caddy", "caddy"), "run", "--config", str(config), "--adapter", "caddyfile"]


@contextmanager
def reached(kind: str, league_file: Path, folder: Path) -> Iterator[tuple[int, str]]:
    """The port at which clients reach the site, and the name that they send."""
    if kind == "alone":
        with ExitStack() as stack:
            port = stack.enter_context(site(league_file, "127.0.0.1"))
            yield port, "127.0.0.1"
        return
    port = free_port()
    with site(league_file, NAME) as behind:
        command = {"nginx": nginx, "caddy": caddy}[kind](port, behind, folder)
        with subprocess.Popen(command, stderr=subprocess.PIPE, cwd=folder) as proxy:
            try:
                wait_for(port, proxy)
                yield port, NAME
            finally:
                proxy.terminate()


def wait_for(port: int, proxy: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and proxy.poll() is None:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
            return
        time.sleep(0.05)
    proxy.kill()
    assert proxy.stderr is not None
    raise AssertionError(proxy.stderr.read().decode())


class Clients:
    """Clients of a site from addresses of this machine."""

    def __init__(self, port: int, name: str) -> None:
        self._port = port
        self.page = f"GET /spring-cup/standings HTTP/1.1\r\nHost: {name}\r\n".encode()
        self.form = f"POST /spring-cup/sign-in HTTP/1.1\r\nHost: {name}\r\n".encode()

    def connect(self, address: str) -> socket.socket:
        return socket.create_connection(
            ("127.0.0.1", self._port), timeout=PATIENCE, source_address=(address, 0)
        )

    def honest(self) -> float:
        """Seconds in which a page comes, in the median of nine."""
        took = []
        for _ in range(9):
            began = time.monotonic()
            with self.connect("127.0.0.2") as client:
                client.sendall(self.page + b"Connection: close\r\n\r\n")
                assert statuses(read_all(client)) == [200]
            took.append(time.monotonic() - began)
        return sorted(took)[4]

    @contextmanager
    def flood(self, sent: bytes) -> Iterator[None]:
        """100 connections of one address that send this, and read nothing."""
        with ExitStack() as stack:
            for _ in range(100):
                with suppress(OSError):  # it is refused
                    client = stack.enter_context(self.connect("127.0.0.3"))
                    client.sendall(sent)
            yield


@pytest.mark.parametrize("kind", ["alone", "nginx", "caddy"])
def test_one_address_holds_up_no_other(kind: str, league_file: Path, tmp_path: Path) -> None:
    with reached(kind, league_file, tmp_path) as (port, name):
        clients = Clients(port, name)
        bound = WITHIN + 20 * clients.honest()  # a busy machine is slow without a flood, too
        for sent in (
            b"",
            clients.form + b"Content-Length: 1000000\r\n\r\nx",
            (clients.page + b"\r\n") * 100,
        ):
            with clients.flood(sent):
                assert clients.honest() < bound, sent[:20]
