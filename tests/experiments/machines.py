"""A cluster of many machines on one: what a match costs its judge, and what is lost with machines::

    python -m tests.experiments.machines cost [--matches 1000] [--workers 50] [--profile FILE]
    python -m tests.experiments.machines kills [--matches 600] [--workers 50] [--sleep 0.5] [--kills
    4]

The workers are tasks of a few processes, each with a TLS connection of its own. Their bots are
functions that sleep. `cost` first lets them play; the matches are then played by workers that have
every record ready, so what is measured is the judge alone. `kills` kills judges, and half of the
workers, in mid-play, and compares the league with one that was left alone. The exit status is 1 if
they differ.
"""

from __future__ import annotations

import argparse
import cProfile
import hashlib
import json
import os
import resource
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

import msgspec
import psutil
import trio

from arena.cluster.keys import Role, make_keys, tls_context
from arena.cluster.pool import ClusterPool
from arena.cluster.wire import Channel, Lost
from arena.cluster.work import Done, Task, decode_from_judge, hello
from arena.cluster.worker import without_stderr
from arena.league.judge import Judge
from arena.league.league import League
from arena.league.plan import Meetings
from arena.match.play import play_match
from arena.players.entrant import PythonEntrant
from arena.sandbox.levels import Level
from arena.sandbox.session import one_error
from tests.experiments.kills import broken, results
from tests.league.making import ANSWERS, begin

BOTS = 10
SETTINGS = {"max_rounds": "5"}
PROCESSES = 2
"""Processes that hold the workers."""
WARM = 50
"""Matches before the measurement."""
ROOT = Path(__file__).parents[2]


# -- workers ---------------------------------------------------------------------------------------


class FakeWorker:
    """A worker whose bots are functions. It keeps what it plays in a folder, and never plays a
    match again that it finds there."""

    def __init__(self, port: int, tls: ssl.SSLContext, kept: Path, sleep: float) -> None:
        self._port = port
        self._tls = tls
        self._kept = kept
        self._sleep = sleep
        self.played = 0

    async def work(self) -> None:
        """Play for one judge after the other, for ever."""
        while True:
            with suppress(OSError, Lost, trio.BrokenResourceError, trio.ClosedResourceError):
                stream = await trio.open_tcp_stream("127.0.0.1", self._port)
                tls = trio.SSLStream(stream, self._tls, https_compatible=True)
                try:
                    await self._serve(Channel(tls, decode_from_judge))
                finally:
                    await trio.aclose_forcefully(tls)
            await trio.sleep(0.1)

    async def _serve(self, channel: Channel) -> None:
        await channel.send(hello(Level.CGROUP, Level.OFF))
        with one_error():
            await self._obey(channel)

    async def _obey(self, channel: Channel) -> None:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(channel.beat)
            while True:
                task = await channel.receive(Task)
                await trio.sleep(self._sleep)
                report, record = await self._answer(task)
                await channel.send(Done(report, record.stat().st_size))
                await channel.send_file(record)
                self.played += 1

    async def _answer(self, task: Task) -> tuple[bytes, Path]:
        name = hashlib.sha256(msgspec.msgpack.encode(task)).hexdigest()
        record, packed = self._kept / f"{name}.jsonl.gz", self._kept / f"{name}.report"
        if not packed.exists():
            draft = self._kept / f"{name}-{os.getpid()}-{id(self)}.jsonl.gz"
            bots = tuple(PythonEntrant(seat.command, _answer) for seat in task.seats)
            report = await play_match(task.spec(bots, draft))
            draft.rename(record)
            packed.write_bytes(msgspec.msgpack.encode(without_stderr(report)))
        return packed.read_bytes(), record


def _answer(lines: list[str]) -> str:
    return "No moves"


def hold_workers(port: int, key: Path, kept: Path, count: int, sleep: float) -> None:
    """Hold so many workers, until this process is killed."""

    async def main() -> None:
        tls = tls_context(key, Role.WORKER)
        async with trio.open_nursery() as nursery:
            for _ in range(count):
                nursery.start_soon(FakeWorker(port, tls, kept, sleep).work)

    trio.run(main)


# -- the judge -------------------------------------------------------------------------------------


def judge_league(file: Path, port: int, key: Path, rounds: int, profile: Path | None) -> None:
    """Play a league to its end, and print as JSON what it cost after the first `WARM` matches."""
    began: JudgeCosts | None = None
    played = 0
    profiler = cProfile.Profile() if profile else None
    with League(file) as league:
        judge = Judge(
            league, Meetings(rounds), jobs=256,
            cluster=lambda jobs: ClusterPool("127.0.0.1", port, key),
            tell=lambda text: print(text, file=sys.stderr),
        )  # fmt: skip
        for _ in judge.run():
            played += 1
            if played == WARM:
                began = _now()
                if profiler:
                    profiler.enable()
        ended = _now()
    if profiler and profile:
        profiler.disable()
        profiler.dump_stats(profile)
    if began is not None:
        own, others, wall, grown = (
            after - before for before, after in zip(began, ended, strict=True)
        )
        said = {"matches": played - WARM, "own": own, "others": others, "wall": wall}
        print(json.dumps(said | {"memory": ended.memory, "grown": grown}), flush=True)


class JudgeCosts(NamedTuple):
    """CPU seconds of this process and of its children, real seconds, and bytes of memory."""

    own: float
    others: float
    wall: float
    memory: float


def _now() -> JudgeCosts:
    others = resource.getrusage(resource.RUSAGE_CHILDREN)
    memory = psutil.Process().memory_info().rss
    own, others_cpu = time.process_time(), others.ru_utime + others.ru_stime
    return JudgeCosts(own, others_cpu, time.monotonic(), memory)


# -- together --------------------------------------------------------------------------------------


class Machines:
    """A judge's league and its workers, all on this machine."""

    def __init__(self, folder: Path, workers: int, sleep: float, kept: Path) -> None:
        self.folder = folder
        self._keys = make_keys(folder / "keys")
        self._port = _free_port()
        self._workers = workers
        self._sleep = sleep
        self._kept = kept
        kept.mkdir(exist_ok=True)
        self.holders: list[subprocess.Popen[str]] = []

    def add_workers(self, processes: int = PROCESSES) -> None:
        """Start so many processes with their share of the workers."""
        words = ["workers", self._port, self._keys[1], self._kept, self._workers // PROCESSES]
        self.holders += [_module(*words, self._sleep) for _ in range(processes)]

    def judge(self, file: Path, rounds: int, *more: object) -> subprocess.Popen[str]:
        """A judge that begins or continues a league."""
        return _module("judge", file, self._port, self._keys[0], rounds, *more)

    def lose_workers(self) -> None:
        """Kill the process that has held its workers for longest."""
        holder = self.holders.pop(0)
        holder.kill()
        holder.communicate()

    def close(self) -> None:
        """Kill the workers."""
        while self.holders:
            self.lose_workers()


def _module(*words: object) -> subprocess.Popen[str]:
    """This module with such words, in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.experiments.machines", *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as one:
        return int(one.getsockname()[1])


def new_league(path: Path, bots: int) -> Path:
    """A league of so many bots, whose sources nothing ever runs."""
    path.parent.mkdir(exist_ok=True)
    codes = [ANSWERS.format(answer="No moves") + f"# {number}\n" for number in range(bots)]
    begin(path, *codes, game="warlight", settings=SETTINGS).store.close()
    return path


@contextmanager
def machines(workers: int, sleep: float, kept: Path | None = None) -> Iterator[Machines]:
    """A folder, keys, and workers, for the time of a ``with``."""
    with tempfile.TemporaryDirectory(prefix="machines-") as name:
        found = Machines(Path(name), workers, sleep, kept or Path(name, "kept"))
        try:
            yield found
        finally:
            found.close()


def finish(judge: subprocess.Popen[str]) -> dict[str, float]:
    """Wait for the end of a judge, and say what it cost."""
    said, _ = judge.communicate(timeout=6000)
    assert judge.returncode == 0, f"the judge ended with status {judge.returncode}"
    found: dict[str, float] = json.loads(said or "{}")
    return found


def cost(matches: int, workers: int, profile: Path | None) -> int:
    """Measure what a match costs its judge."""
    rounds = -(-(matches + WARM) // (BOTS * (BOTS - 1)))
    with machines(workers, 0.0) as found:
        found.add_workers()
        print("playing", flush=True)
        finish(found.judge(new_league(found.folder / "a" / "l.league", BOTS), rounds))
        print("judging", flush=True)
        league = new_league(found.folder / "b" / "l.league", BOTS)
        said = finish(found.judge(league, rounds, *([profile] if profile else [])))
        sizes = [path.stat().st_size for path in found.folder.rglob("kept/*.jsonl.gz")]
    count = said["matches"]
    print(f"{count} matches, records of {sum(sizes) / len(sizes):.0f} bytes")
    print(f"CPU of the judge's process    {1000 * said['own'] / count:6.2f} ms a match")
    print(f"CPU of its helpers            {1000 * said['others'] / count:6.2f} ms a match")
    print(f"matches a second              {count / said['wall']:6.1f}")
    memory, grown = (said[name] / 2**20 for name in ("memory", "grown"))
    print(f"memory of the judge           {memory:6.1f} MiB, {grown:.1f} more than after {WARM}")
    return 0


def kills(matches: int, workers: int, sleep: float, count: int) -> list[str]:
    """Kill judges and halves of the workers in turns while a league is played. What is broken."""
    rounds = -(-matches // (BOTS * (BOTS - 1)))
    total = rounds * BOTS * (BOTS - 1)
    with machines(workers, sleep) as found:
        whole = new_league(found.folder / "whole" / "l.league", BOTS)
        path = new_league(found.folder / "killed" / "l.league", BOTS)
        found.add_workers()
        finish(found.judge(whole, rounds))
        for number in range(count):
            judge = found.judge(path, rounds)
            wanted = (number + 1) * total // (count + 1)
            while results(path) < wanted and judge.poll() is None:
                time.sleep(0.02)
            if judge.poll() is not None:
                return ["the judge ended before it was killed"]
            who = ("judge", "half of the workers")[number % 2]
            print(f"{who} killed after {results(path)} results", flush=True)
            if who != "judge":
                found.lose_workers()
                time.sleep(1.0)
                found.add_workers(1)
                time.sleep(1.0)
            judge.kill()
            judge.communicate()
        finish(found.judge(path, rounds))
        return broken(path, whole, total)


def main(words: Sequence[str] | None = None) -> int:
    """The command line, and those of the processes that it starts."""
    words = sys.argv[1:] if words is None else words
    match words:
        case ["workers", port, key, kept, count, sleep]:
            hold_workers(int(port), Path(key), Path(kept), int(count), float(sleep))
        case ["judge", file, port, key, rounds, *profile]:
            where = Path(*profile) if profile else None
            judge_league(Path(file), int(port), Path(key), int(rounds), where)
            return 0
    parser = argparse.ArgumentParser(prog="python -m tests.experiments.machines")
    parser.add_argument("what", choices=["cost", "kills"])
    parser.add_argument("--matches", type=int, default=600)
    parser.add_argument("--workers", type=int, default=50)
    parser.add_argument("--sleep", type=float, default=0.5)
    parser.add_argument("--kills", type=int, default=4)
    parser.add_argument("--profile", type=Path)
    asked = parser.parse_args(words)
    if asked.what == "cost":
        return cost(asked.matches, asked.workers, asked.profile)
    found = kills(asked.matches, asked.workers, asked.sleep, asked.kills)
    print("\n".join(found) if found else "the same results as a league that was left alone")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
