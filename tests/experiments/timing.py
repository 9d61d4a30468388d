"""Measurements of charged time, on a quiet and on a busy machine.

``python -m tests.experiments.timing timeouts --load 20 --matches 400 --jobs 2`` plays Warlight
between instant bots with a bank of 100 ms, and counts timeouts (all of them false) and void
matches.

``python -m tests.experiments.timing charges --load 20`` lets a bot do known work in each request
(CPU time, sleep, or both), and compares it with the charges of the clocks. ``--stop`` stops the
arena for 5 to 500 ms at random.

``python -m tests.experiments.timing gains --load 8`` lets bots try to get more work than they pay
for: CPU time per charged millisecond, compared with an honest bot of one thread under that load.

A load of N is N busy loops, each in its own session, since some kernels schedule a session as one.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from msgspec import Struct

from arena.bots.program import BotProgram
from arena.core.clock import Clock
from arena.core.registry import GAMES, find_game
from arena.core.settings import parse
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.terms import Terms, Timing
from arena.record.format import Answered
from arena.record.source import read_records
from arena.runtime.retry import Voids, play_all
from arena.sandbox.levels import Level
from tests.experiments.bench.matches import instant_bot
from tests.tiny import TinySettings

BUSY = "while True: pass"
STOPPER = """
import os, random, signal, sys, time
pid, chance = int(sys.argv[1]), random.Random(1)
while os.getppid() == pid:
    time.sleep(chance.uniform(.02, .4))
    os.kill(pid, signal.SIGSTOP)
    time.sleep(chance.uniform(.005, .5))
    os.kill(pid, signal.SIGCONT)
"""
KNOWN = """
import os, random, sys, time
chance = random.Random(7)
schedstat = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
def waited(): return int(os.pread(schedstat, 64, 0).split()[1])
def own_time():
    while True:
        before, now = waited(), time.monotonic_ns()
        if waited() == before: return now - before
for line in sys.stdin:
    if line.startswith("go"):
        start = own_time()
        cpu, sleep = chance.choice(KINDS)
        until = time.thread_time() + cpu / 1000
        while time.thread_time() < until: pass
        if sleep: time.sleep(sleep / 1000)
        print((own_time() - start) // 1000, flush=True)
"""
"""Does known work, drawn anew for each request: milliseconds of CPU time, and of sleep. It answers
with the microseconds that it took by its own account."""
KINDS = ((0, 0), (2, 0), (10, 0), (40, 0), (0, 10), (0, 40), (10, 20), (20, 5))
QUIET = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'): print(1, flush=True)\n"


@contextmanager
def load(loops: int) -> Iterator[None]:
    """So many busy loops, each in a session of its own, for the time of a ``with``."""
    busy = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", BUSY], start_new_session=True)
        for _ in range(loops)
    ]
    try:
        yield
    finally:
        for loop in busy:
            loop.kill()
            loop.wait()


@contextmanager
def stopping(active: bool) -> Iterator[None]:
    """This process is stopped again and again, when that is wished."""
    if not active:
        yield
        return
    stopper = subprocess.Popen([sys.executable, "-c", STOPPER, str(os.getpid())])
    try:
        yield
    finally:
        stopper.kill()
        stopper.wait()
        os.kill(os.getpid(), signal.SIGCONT)


def bot(code: str) -> BotProgram:
    """A Python program that starts as fast as it can."""
    return BotProgram("bot", (sys.executable, "-I", "-S", "-c", code), None, None, "bot")


# -- false timeouts --------------------------------------------------------------------------------


class Timeouts(Struct, frozen=True):
    """What became of matches of instant bots."""

    matches: int
    void: int
    requests: int
    timeouts: int
    stopped: int
    slowest: float
    """Milliseconds that one answer was charged at most."""


def count_timeouts(
    matches: int,
    jobs: int,
    *,
    clock: Clock = Clock.FAIR,
    bank: int = 100,
    level: Level = Level.OFF,
    requests: int | None = None,
    seconds: float = float("inf"),
) -> Timeouts:
    """Matches of Warlight between bots that answer at once, each with a bank of so many ms. It ends
    sooner when there were so many `requests`, and after so many `seconds`."""
    end = time.monotonic() + seconds
    changes = {"timebank": bank, "time_per_move": bank}
    settings = parse(find_game("warlight").settings, changes)
    spec = MatchSpec(
        "warlight", programs((instant_bot(), instant_bot())), "147", settings,
        Terms(timing=Timing(clock), sandbox=level),
    )  # fmt: skip
    reports, voids = [], Voids()
    for _, report in play_all([spec] * matches, jobs=jobs, voids=voids):
        reports.append(report)
        if len(reports) % 10 == 0 and requests is None:
            print(_counted(reports, voids), flush=True)
        if requests is not None and _counted(reports, voids).requests >= requests:
            break
        if time.monotonic() > end:
            break
    return _counted(reports, voids)


def _counted(reports: Sequence[MatchReport], voids: Voids) -> Timeouts:
    players = [player for report in reports for player in report.players]
    return Timeouts(
        len(reports),
        voids.total,
        sum(player.requests for player in players),
        sum(player.faults.get("timeout", 0) for player in players),
        sum(player.stopped is not None for player in players),
        max(player.time_ms.max for player in players),
    )


# -- known work ------------------------------------------------------------------------------------


class Error(Struct, frozen=True):
    """By how much charges missed the truth, in milliseconds, over all requests."""

    requests: int
    timeouts: int
    median: float
    p99: float
    least: float
    most: float
    ratio: float
    """All that was charged, of all work."""
    part: float
    """The part of the work by which it was missed, at the 99th percentile of those requests that
    had 10 ms to do and more."""
    own_p99: float
    """As `p99`, against the program's own account."""
    own_part: float


def measure_error(
    rounds: int, kinds: Sequence[tuple[int, int]] = KINDS, *, clock: Clock = Clock.FAIR,
    level: Level = Level.OFF, stop: bool = False,
) -> Error:  # fmt: skip
    """A match in which the first bot does known work. The first request, with its start, is left
    out.

    There are two truths. The *work* is what the program was told to do: CPU time by the clock of
    its thread, and sleep. A charge is more where the program did more: its timer was late, or the
    host of a virtual machine took the core away (*steal*: no clock of a guest tells whose time that
    is). So the program also keeps an account of its *own*: the real time from reading the request
    to writing the answer, less what its thread waited for a core, as the thread itself reads it at
    these two moments. What the charge has to find out from outside, it knows: when it got the
    request, when it wrote the answer, and which waiting lay in between.
    """
    GAMES["tiny"] = "tests.tiny:TINY"
    code = KNOWN.replace("KINDS", repr(tuple(kinds)))
    settings = TinySettings(max_rounds=rounds, timebank=60_000, max_timeouts=100)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        spec = MatchSpec(
            "tiny", programs((bot(code), bot(QUIET))), "1", settings,
            Terms(timing=Timing(clock), sandbox=level), replay=path,
        )  # fmt: skip
        with stopping(stop):
            [(_, report)] = play_all([spec], jobs=1)
        answers = [r for r in read_records(path) if isinstance(r, Answered) and r.seat == 0]
    chance = random.Random(7)
    charged = [r.ms for r in answers[1:]]
    works = [float(sum(chance.choice(kinds))) for _ in range(rounds)][1:]
    errors = sorted(ms - work for ms, work in zip(charged, works, strict=True))
    own = [float(r.text) / 1000 for r in answers[1:]]
    return Error(
        len(errors),
        report.players[0].faults.get("timeout", 0),
        median(errors),
        _p99(abs(error) for error in errors),
        errors[0],
        errors[-1],
        sum(charged) / sum(works),
        _missed_part(charged, works),
        _p99(abs(ms - truth) for ms, truth in zip(charged, own, strict=True)),
        _missed_part(charged, own),
    )


def _missed_part(charged: Sequence[float], truths: Sequence[float]) -> float:
    pairs = zip(charged, truths, strict=True)
    return _p99(abs(ms - truth) / truth for ms, truth in pairs if truth >= 10)


def _p99(values: Iterable[float]) -> float:
    found = sorted(values)
    return found[int(len(found) * 0.99)] if found else 0.0


# -- gains -----------------------------------------------------------------------------------------

WORK = """
def work(seconds):
    until = time.thread_time() + seconds
    while time.thread_time() < until: pass
"""
ANSWER = """
for line in sys.stdin:
    if line.startswith("go"):
        think()
        print(1, flush=True)
"""
HEAD = "import os, signal, sys, threading, time\n" + WORK
HIDDEN = """
def hidden(seconds, brief):
    # children that live for a moment, one after the other
    while seconds > 0:
        if os.fork() == 0:
            work(brief); os._exit(0)
        os.wait()
        seconds -= brief
"""
BALLAST = """
def ballast():
    NICE
    while True:
        until = time.thread_time() + .002
        while time.thread_time() < until: pass
        time.sleep(.0005)
for _ in range(4):
    if os.fork() == 0:
        ballast()
"""
UNASKED = """
import mmap
with open(f"/dev/shm/{os.getpid()}", "wb+") as file:
    file.write(bytes(4096)); file.flush()
    computes = mmap.mmap(file.fileno(), 4096)
computes[0] = 1
if os.fork() == 0:
    while True:
        if computes[0]: work(.002)
        time.sleep(0 if computes[0] else .0005)
"""
TRY = "try: {}\nexcept OSError: pass\n"
"""Behind walls some of it is refused."""
TRICKS = {
    "honest": HEAD + "def think(): work(.04)\n" + ANSWER,
    "sleeps and works": HEAD + "def think(): work(.02); time.sleep(.02); work(.02)\n" + ANSWER,
    "yields all the time": HEAD
    + "def think():\n until = time.thread_time() + .04\n"
    + " while time.thread_time() < until: os.sched_yield()\n"
    + ANSWER,
    "idle ballast, hidden children": HEAD
    + BALLAST.replace("NICE", "os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))")
    + HIDDEN
    + "def think(): hidden(.04, .005)\n"
    + ANSWER,
    "ordinary ballast, hidden children": HEAD
    + BALLAST.replace("NICE", "pass")
    + HIDDEN
    + "def think(): hidden(.04, .005)\n"
    + ANSWER,
    "nice 19": HEAD + TRY.format("os.nice(19)") + "def think(): work(.04)\n" + ANSWER,
    "delay of earlier": HEAD
    + BALLAST.replace("NICE", "pass")
    + "def think(): work(.01); time.sleep(.02); work(.03)\n"
    + ANSWER,
    "a daemon works": HEAD
    + "r, w = os.pipe(); r2, w2 = os.pipe()\n"
    + "if os.fork() == 0:\n os.setsid()\n if os.fork(): os._exit(0)\n"
    + " while os.read(r, 1): work(.04); os.write(w2, b'x')\n os._exit(0)\n"
    + "def think(): os.write(w, b'x'); os.read(r2, 1)\n"
    + ANSWER,
    "a child computes while others move": HEAD
    + UNASKED
    + "def think(): computes[0] = 0; work(.02); time.sleep(.04); work(.02); computes[0] = 1\n"
    + ANSWER,
    "sleeps as long": HEAD + "def think(): work(.02); time.sleep(.04); work(.02)\n" + ANSWER,
    "stops itself": HEAD
    + "if os.fork() == 0:\n parent = os.getppid()\n while True:\n"
    + "  time.sleep(.005); os.kill(parent, signal.SIGCONT)\n"
    + "def think():\n for _ in range(8): work(.005); os.kill(os.getpid(), signal.SIGSTOP)\n"
    + ANSWER,
}
"""Ways to work for 40 ms of CPU time in a request."""
WORKED = 40.0


def charge_of(code: str, level: Level, rounds: int, clock: Clock) -> float:
    """Milliseconds charged for each request, without the first."""
    GAMES["tiny"] = "tests.tiny:TINY"
    settings = TinySettings(max_rounds=rounds, timebank=60_000, max_timeouts=100)
    terms = Terms(timing=Timing(clock), sandbox=level)
    spec = MatchSpec("tiny", programs((bot(code), bot(QUIET))), "1", settings, terms)
    [(_, report)] = play_all([spec], jobs=1)
    player = report.players[0]
    if player.faults:
        return float("nan")
    return (player.time_ms.total - player.time_ms.max) / (player.requests - 1)


# -- the command -----------------------------------------------------------------------------------


def main() -> None:
    """Measure what is asked for, and print it."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["timeouts", "charges", "gains"])
    parser.add_argument("--load", type=int, default=0)
    parser.add_argument("--matches", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--stop", action="store_true")
    parser.add_argument("--clock", type=Clock, default=Clock.FAIR)
    parser.add_argument("--level", type=Level, default=Level.OFF)
    given = parser.parse_args()
    start = time.monotonic()
    with load(given.load):
        if given.what == "timeouts":
            print(count_timeouts(given.matches, given.jobs, clock=given.clock, level=given.level))
        elif given.what == "charges":
            print(
                measure_error(given.rounds, clock=given.clock, level=given.level, stop=given.stop)
            )
        else:
            _print_gains(given.level, given.rounds, given.clock)
    print(f"load {given.load}, {time.monotonic() - start:.0f} s")


def _print_gains(level: Level, rounds: int, clock: Clock) -> None:
    honest = charge_of(TRICKS["honest"], level, rounds, clock)
    for name, code in TRICKS.items():
        charged = charge_of(code, level, rounds, clock)
        print(f"{name:<36} charged {charged:6.1f} ms for {WORKED:.0f}, gain {honest / charged:.2f}")


if __name__ == "__main__":
    main()
