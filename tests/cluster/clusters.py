"""A cluster for tests: its keys, and workers in processes of their own, which reach the judge by a
wire that can be cut."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from arena.cluster.keys import Role, make_keys
from tests.support.forks import ArenaProcess

ROOT = Path(__file__).parents[2]
WORKER = """
import sys
from pathlib import Path
from arena.cluster import worker
from arena.cluster.work import hello
from arena.errors import ArenaError
from arena.sandbox.interrupts import interrupt_on_termination
from arena.sandbox.levels import Level

interrupt_on_termination()
worker.RETRY = 0.1
try:
    worker.work_for(
        "127.0.0.1", int(sys.argv[1]), Path(sys.argv[2]), hello(Level(sys.argv[3]), Level.OFF),
        tell=lambda text: print(text, flush=True),
    )
except KeyboardInterrupt:
    print("interrupted", flush=True)
except ArenaError as error:
    print("ERROR", error, flush=True)
"""
"""A worker without the doctor, which takes seconds."""


@cache
def keys() -> Path:
    """A folder with the keys of a cluster."""
    folder = Path(tempfile.mkdtemp(prefix="keys-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    make_keys(folder)
    return folder


def key(role: Role) -> Path:
    """One of them."""
    return keys() / role.file


class Cluster:
    """Workers, and the wire by which they reach a judge."""

    def __init__(self) -> None:
        self.wire = Wire()
        self.workers: list[subprocess.Popen[str]] = []

    def add_worker(self, level: str = "off", **environment: str) -> subprocess.Popen[str]:
        """A worker that looks for a judge."""
        worker: subprocess.Popen[str] = ArenaProcess(
            [sys.executable, "-c", WORKER, str(self.wire.port), str(key(Role.WORKER)), level],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
            env={**os.environ, **environment},
        )
        self.workers.append(worker)
        return worker

    def ensure(self, count: int) -> None:
        """See that so many workers are there: another test may have killed some."""
        while len(self.alive) < count:
            self.add_worker()

    @property
    def alive(self) -> list[subprocess.Popen[str]]:
        """The workers that run."""
        return [worker for worker in self.workers if worker.poll() is None]

    def close(self) -> None:
        """Kill them all."""
        self.wire.close()
        for worker in self.workers:
            worker.kill()
            worker.communicate()


@contextmanager
def cluster_running() -> Iterator[Cluster]:
    """A cluster for the time of a ``with``."""
    cluster = Cluster()
    try:
        yield cluster
    finally:
        cluster.close()


def read_line(process: subprocess.Popen[str]) -> str:
    """The next line of its output."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def kill(process: subprocess.Popen[str], number: int = signal.SIGKILL) -> None:
    """End a process that may have ended."""
    if process.poll() is None:
        os.kill(process.pid, number)


class Wire:
    """A port of this machine that leads to another one, if it is set, and can be cut."""

    def __init__(self) -> None:
        self._to = 0
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._door.getsockname()[1])
        threading.Thread(target=self._listen, daemon=True).start()

    def lead_to(self, address: str) -> None:
        """Where connections go from now on."""
        self._to = int(address.rpartition(":")[2])

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                try:
                    far = socket.create_connection(("127.0.0.1", self._to))
                except OSError:
                    near.close()
                    continue
                self._ends += near, far
                for pair in ((near, far), (far, near)):
                    threading.Thread(target=self._carry, args=pair, daemon=True).start()

    def _carry(self, one: socket.socket, other: socket.socket) -> None:
        with suppress(OSError):
            while data := one.recv(1 << 16):
                other.sendall(data)
        self._shut(one, other)

    def _shut(self, *ends: socket.socket) -> None:
        for one in ends:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
            one.close()

    def cut(self) -> None:
        """End all connections."""
        self._shut(*self._ends)
        self._ends.clear()

    def close(self) -> None:
        """And let none in."""
        self._shut(self._door)
        self.cut()
