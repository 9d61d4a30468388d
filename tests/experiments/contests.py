"""Measurements of the cost of leagues::

    python -m tests.experiments.contests rate [--matches 400]
    python -m tests.experiments.contests memory [--matches 5000]
    python -m tests.experiments.contests table [--results 100000]
    python -m tests.experiments.contests prove [--matches 1000]
    python -m tests.experiments.contests site [--results 100000]
    python -m tests.experiments.contests placement [--bots 30]

The exit status is 1 when a promise is broken. (`python -m tests.experiments.kills` is about kill
-9.)
"""

from __future__ import annotations

import argparse
import http.client
import json
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from arena.league.bots import hand_in
from arena.league.league import League
from arena.league.plan import PLACEMENT
from arena.league.store import Change
from arena.league.table import league_table
from arena.league.types import PlannedMatch, block_of
from tests.league.making import ANSWERS, begin, passes

QUICK = {"max_rounds": "2"}
ROOT = Path(__file__).parents[2]


def new_league(path: Path, bots: int, sandbox: str) -> None:
    """A league of bots that all answer the same, of warlight of two rounds."""
    codes = [ANSWERS.format(answer="No moves") + f"# {number}\n" for number in range(bots)]
    begin(path, *codes, game="warlight", sandbox=sandbox, settings=QUICK).store.close()


def judge(path: Path, rounds: int, jobs: int = 2) -> subprocess.Popen[bytes]:
    """A judge that plays it, in a process of its own."""
    words = ["league", "run", path, "--rounds", rounds, "--jobs", jobs, "--json"]
    return subprocess.Popen(
        [sys.executable, "-m", "arena", *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(path: Path, rounds: int, jobs: int = 2) -> None:
    """Let it be played to its end."""
    process = judge(path, rounds, jobs)
    _, err = process.communicate(timeout=600)
    assert process.returncode == 0, err.decode()


def rate(matches: int, sandboxes: Sequence[str] = ("off", "strict")) -> list[str]:
    """Matches a second at two jobs, at each level, in turns."""
    rounds = max(1, matches // 12)
    with tempfile.TemporaryDirectory(prefix="leagues-") as place:
        for turn in range(3):
            for sandbox in sandboxes:
                path = Path(place, f"{sandbox}{turn}", "l.league")
                path.parent.mkdir()
                new_league(path, 4, sandbox)
                finish(path, 1)  # builds, caches, proofs of walls
                began = time.monotonic()
                finish(path, 1 + rounds)
                took = time.monotonic() - began
                print(f"{sandbox}: {rounds * 12 / took:.1f} matches a second", flush=True)
    return []


def memory(matches: int) -> list[str]:
    """The judge's own memory while it plays so many, by quarter."""
    rounds = max(1, matches // 12)
    samples: list[tuple[int, float]] = []
    with tempfile.TemporaryDirectory(prefix="leagues-") as place:
        path = Path(place, "l.league")
        new_league(path, 4, "off")
        process = judge(path, rounds)
        with League(path) as league:
            while process.poll() is None:
                with suppress(psutil.Error):
                    size = psutil.Process(process.pid).memory_info().rss / (1 << 20)
                    samples.append((league.count("result"), size))
                time.sleep(0.5)
            done = league.count("result")
    quarters = [
        [size for count, size in samples if done * at // 4 <= count < done * (at + 1) // 4]
        for at in range(4)
    ]
    medians = [sorted(sizes)[len(sizes) // 2] for sizes in quarters if sizes]
    print(f"{done} matches, memory by quarter: {', '.join(f'{one:.1f}' for one in medians)} MiB")
    return [] if medians[-1] <= medians[1] * 1.05 else ["the memory of the judge grows"]


def fill(path: Path, results: int, bots: int = 8) -> None:
    """A league with so many made-up results."""
    new_league(path, bots, "off")
    make_up(path, results)


def make_up(path: Path, results: int) -> None:
    """Give a league so many results that were never played."""
    with League(path) as league:
        names = [player.bot for player in league.players()]
        pairs = [(a, b) for a in range(len(names)) for b in range(a)]
        blocks = (
            block_of("1", "league", meeting, [names[a], names[b]], meeting)
            for meeting in range(results // (2 * len(pairs)) + 1)
            for a, b in pairs
        )
        fixtures = [one for block in blocks for one in block][:results]
        for at in range(0, results, 5000):
            league.plan(fixtures[at : at + 5000])
        with league.store.changing() as change:
            for number, fixture in enumerate(fixtures, 1):
                _make_up(change, number, fixture, random.Random(number))


def _make_up(change: Change, number: int, fixture: PlannedMatch, chance: random.Random) -> None:
    ranks = chance.choice([(1, 2), (2, 1), (1, 1)])
    hashes = dict.fromkeys(("sha256", "seal", "digest"), f"{number:064x}")
    result = change.add(
        "result",
        fixture=number,
        attempt=1,
        reason="over",
        sentence="It is over.",
        rounds=5,
        ranks=json.dumps(ranks),
        **hashes,
    )
    for seat, (bot, rank) in enumerate(zip(fixture.seats, ranks, strict=True)):
        change.add_seat(
            result=result,
            seat=seat,
            bot=bot,
            points=float(rank == 1),
            fate="survived",
            stopped="crashed" if chance.random() < 0.05 else None,
            detail="",
            faults='{"timeout": 2}' if chance.random() < 0.1 else "{}",
        )


def table(results: int) -> list[str]:
    """What the table of so many results takes."""
    with tempfile.TemporaryDirectory(prefix="leagues-") as place:
        path = Path(place, "l.league")
        fill(path, results)
        took = []
        with League(path) as league:
            for _ in range(5):
                began = time.process_time()
                found = league_table(league)
                took.append(time.process_time() - began)
            assert found.table.games == results
    seconds = sorted(took)
    print(f"{results} results: {seconds[2]:.2f} s of CPU ({seconds[0]:.2f} to {seconds[-1]:.2f})")
    return [] if seconds[2] < results / 100_000 else ["the table takes too long"]


def placement(bots: int, sandbox: str = "strict") -> list[str]:
    """How long a newcomer waits for its first rank: a league of Warlight between sample bots is
    played on and on by two jobs, and a further one comes in."""
    sources = [ROOT / "sample_bots" / "warlight" / name for name in ("simple.py", "strong.py")]
    with tempfile.TemporaryDirectory(prefix="leagues-") as place:
        path = Path(place, "l.league")
        with begin(path, game="warlight", sandbox=sandbox) as league:
            for number in range(bots - 1):
                hand_in(league, sources[number % 2], f"bot{number}", test=passes)
        make_up(path, (bots - 1) * (bots - 2))  # each two have met
        words = ["league", "run", str(path), "--forever", "--jobs", "2", "--json"]
        process = subprocess.Popen(
            [sys.executable, "-m", "arena", *words], stdout=subprocess.DEVNULL
        )
        try:
            with League(path) as league:
                before = _wait(league, lambda: league.count("result"), bots * bots)
                hand_in(league, sources[1], "newcomer", test=passes)
                new = league.player("newcomer")
                assert new is not None
                query = "SELECT count(*) FROM seat WHERE bot = ?"

                def played() -> int:
                    return int((league.store.one(query, (new.bot,)) or (0,))[0])

                waits = [_wait(league, played, games) for games in (1, PLACEMENT)]
        finally:
            process.terminate()
            process.wait()
    print(
        f"{bots} bots, two jobs, {sandbox}: {before:.0f} s of play before, then the first match of "
        f"the newcomer after {waits[0]:.0f} s, and {PLACEMENT} after {sum(waits):.0f} s"
    )
    return [] if sum(waits) < 300 else ["a first rank takes more than five minutes"]


def _wait(league: League, count: Callable[[], int], least: int) -> float:
    """Wait until a count has come so far: the seconds."""
    began = time.monotonic()
    while count() < least:
        assert time.monotonic() - began < 600, f"{count()} of {least} after ten minutes"
        time.sleep(0.2)
    return time.monotonic() - began


def site(results: int, bots: int = 200) -> list[str]:
    """What the pages of a league of 200 bots cost the server."""
    with tempfile.TemporaryDirectory(prefix="leagues-") as place:
        path = Path(place, "l.league")
        fill(path, results, bots)
        measure_site(path)
    return []


def measure_site(path: Path, seconds: float = 5.0) -> None:
    """Requests a second over one connection and over eight, and the server's CPU time of each. The
    client takes its share of the cores, so on two the server has one."""
    command = [sys.executable, "-m", "arena", "serve", str(path), "--port", "0", "--no-judge"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        assert process.stderr is not None
        line = process.stderr.readline().decode()
        port = int(line.rstrip("/l\n").rpartition(":")[2])
        server = psutil.Process(process.pid)
        for name in ("standings", "bots/1", "bots/1?outcome=won", "matches/9", "now"):
            size, first = _ask(port, name, 1)
            for connections in (1, 8):
                before = sum(server.cpu_times()[:2])
                done, took = _asked(port, name, connections, seconds)
                cost = 1000 * (sum(server.cpu_times()[:2]) - before) / done
                print(
                    f"{name}: {size} bytes, first {first:.2f} s, {connections} at a time: "
                    f"{done / took:.0f} requests a second, {cost:.1f} ms of CPU each",
                    flush=True,
                )
    finally:
        process.terminate()
        process.wait()


def _ask(port: int, name: str, times: int) -> tuple[int, float]:
    """Ask for a page so many times on one connection: its size, and the seconds."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
    began = time.monotonic()
    for _ in range(times):
        connection.request("GET", f"/l/{name}")
        answer = connection.getresponse()
        size = len(answer.read())
        assert answer.status == 200, (name, answer.status)
    connection.close()
    return size, time.monotonic() - began


def _asked(port: int, name: str, connections: int, seconds: float) -> tuple[int, float]:
    """How many requests were answered, and in how many seconds."""
    began, done = time.monotonic(), [0] * connections

    def ask(at: int) -> None:
        while time.monotonic() < began + seconds:
            _ask(port, name, 5)
            done[at] += 5

    threads = [threading.Thread(target=ask, args=(at,)) for at in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(done), time.monotonic() - began


def prove(matches: int) -> list[str]:
    """The rate at which records are verified."""
    rounds = max(1, matches // 12)
    with tempfile.TemporaryDirectory(prefix="leagues-") as place:
        path = Path(place, "l.league")
        new_league(path, 4, "off")
        finish(path, rounds)
        words = [sys.executable, "-m", "arena", "verify", str(path)]
        for jobs in ("1", "2"):
            ran = subprocess.run([*words, "--jobs", jobs], cwd=ROOT, capture_output=True, text=True)
            print(f"jobs {jobs}: {ran.stdout}", end="")
    return [] if ran.returncode == 0 else ["records do not verify"]


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.experiments.contests")
    ways = parser.add_subparsers(dest="way", required=True)
    for name, options in {
        "rate": {"matches": 120},
        "memory": {"matches": 5000},
        "table": {"results": 100_000},
        "prove": {"matches": 1000},
        "site": {"results": 100_000},
        "placement": {"bots": 30},
    }.items():
        way = ways.add_parser(name)
        for option, default in options.items():
            way.add_argument(f"--{option}", type=int, default=default)
    given = vars(parser.parse_args())
    found = WAYS[given.pop("way")](**given)
    print("\n".join(found) or "all promises were kept")
    return 1 if found else 0


WAYS: dict[str, Callable[..., list[str]]] = {
    "rate": rate,
    "memory": memory,
    "table": table,
    "prove": prove,
    "site": site,
    "placement": placement,
}

if __name__ == "__main__":
    sys.exit(main())
