"""A scheduler and workers on this machine, for tests; and a judge in a process of its own, since
dask warns of things that are none of ours."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from tests.cluster.imported import ClusterProcess

ROOT = Path(__file__).parents[2]
WORKER = """
import sys
from arena.cluster.work import promise
from arena.cluster.worker import work_for
from arena.sandbox.interrupts import interrupt_on_termination
from arena.sandbox.levels import Level

interrupt_on_termination()
try:
    work_for(sys.argv[1], promise(Level(sys.argv[2])), tell=lambda text: print("ready", flush=True))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""
"""A worker without the doctor, which takes seconds."""
JUDGE = """
import json, sys
from pathlib import Path

import msgspec

from arena.api.conditions import make_spec
from arena.players.stored import StoredEntrant
from arena.cluster.pool import ClusterPool
from arena.errors import ArenaError

address, asked = sys.argv[1], json.loads(sys.argv[2])
bots = tuple(StoredEntrant(Path(one).stem, Path(one)) for one in asked["bots"])
conditions = {"sandbox": asked["sandbox"], "settings": {"max_rounds": 12}}
first = msgspec.structs.replace(make_spec("warlight", asked["bots"], conditions), entrants=bots)
folder = Path(asked["records"])


def specs():
    for number in range(asked["games"]):
        record = folder / f"{number}.jsonl.gz"
        yield number, msgspec.structs.replace(first, seed=str(number), replay=record)


try:
    with ClusterPool(address, tell=lambda text: print("TOLD", text, flush=True)) as pool:
        for number, played in pool.play(specs()):
            print("PLAYED", number, getattr(played, "digest", played), flush=True)
except ArenaError as error:
    print("ERROR", error, flush=True)
"""


class Cluster:
    """A scheduler, and what joins it."""

    def __init__(self, address: str, scheduler: subprocess.Popen[str]) -> None:
        self.address = address
        self.scheduler = scheduler
        self.workers: list[subprocess.Popen[str]] = []
        self.others: list[subprocess.Popen[str]] = []

    def add_worker(self, level: str = "off", **environment: str) -> subprocess.Popen[str]:
        """A worker that has joined."""
        worker = start("-c", WORKER, self.address, level, environment=environment)
        self.workers.append(worker)
        assert read_line(worker) == "ready"
        return worker

    def ensure(self, count: int) -> None:
        """See that so many workers are there: another test may have killed some."""
        while sum(worker.poll() is None for worker in self.workers) < count:
            self.add_worker()

    def judge(
        self, records: Path, games: int, *bots: Path, sandbox: str = "off", by: str = ""
    ) -> Any:
        """A judge at work, which reaches the scheduler by another address if it is given."""
        records.mkdir(exist_ok=True)
        asked = {"games": games, "records": str(records), "sandbox": sandbox}
        words = json.dumps({**asked, "bots": [str(bot) for bot in bots]})
        # Not forked: it takes a second to import dask, and by then it hears of workers that have
        # just joined.
        judge = start("-c", JUDGE, by or self.address, words, kind=subprocess.Popen)
        self.others.append(judge)
        return judge


def start(
    *words: str,
    kind: type[subprocess.Popen[Any]] = ClusterProcess,
    environment: Mapping[str, str] = {},
) -> subprocess.Popen[str]:
    """A Python program in a session of its own, whose output can be read."""
    return kind(
        [sys.executable, *words],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        start_new_session=True,
        env={**os.environ, **environment},
    )


def read_line(process: subprocess.Popen[str]) -> str:
    """The next line of its output."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


@contextmanager
def cluster_running() -> Iterator[Cluster]:
    """A scheduler on a free port of this machine. At the end, all are killed."""
    words = ("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0")
    scheduler = ClusterProcess(
        [sys.executable, *words, "--no-dashboard"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert scheduler.stderr is not None
    address = ""
    while not address:
        line = scheduler.stderr.readline()
        assert line, "the scheduler did not start"
        found = re.search(r"tcp://127\.0\.0\.1:\d+", line)
        address = found[0] if found else ""
    cluster = Cluster(address, scheduler)
    try:
        yield cluster
    finally:
        for process in (*cluster.others, *cluster.workers, scheduler):
            process.kill()
            process.communicate()


def kill(process: subprocess.Popen[str], number: int = signal.SIGKILL) -> None:
    """End a process that may have ended."""
    if process.poll() is None:
        os.kill(process.pid, number)


class Wire:
    """A port of this machine that leads to another one, and can be cut."""

    def __init__(self, to: str) -> None:
        host, _, port = to.removeprefix("tcp://").rpartition(":")
        self._to = host, int(port)
        self._ends: list[socket.socket] = []
        self._door = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._door.getsockname()[1]}"
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._door.accept()
                far = socket.create_connection(self._to)
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


@contextmanager
def wire(to: str) -> Iterator[Wire]:
    """For the time of a ``with``."""
    found = Wire(to)
    try:
        yield found
    finally:
        found.close()
