"""Accuracy of the clocks: ``python -m tests.experiments.clocks``, in 5 minutes at most.

*Copies*: a bot does the same work in every move. It plays once beside a quiet partner, and then as
several copies at a time (default: 8), all on two cores. Measures its charge per move by the CPU
clock and by the wall clock.

*Error*: the fair clock's charge for known work, on the machine as it is and beside 8 and 20 loops,
compared with the work and with the program's own account (`timing.measure_error`). ``--runs N``
measures N times under each load, and prints the medians as well. ``--apart``, for a machine with
other work, runs everything, including the loops, in a control group that gets the cores before the
rest (v1, as root).

*Timeouts*: those of instant bots with a bank of 100 ms, beside 20 loops and with 16 matches at a
time; all of them are false.

*Gains*: more work for its time than an honest bot, by each known way, beside 0 and 8 loops.

``--requests N`` is the number of requests for each count of timeouts, and ``--seconds N`` the time
limit; the actual number is printed. ``--only errors gains`` measures only these.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from msgspec import Struct

from arena.bots.program import BotProgram
from arena.core.clock import Clock
from arena.core.registry import GAMES
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.terms import Terms, Timing
from arena.runtime.retry import play_all
from arena.sandbox.levels import Level
from tests.experiments import timing
from tests.support.groups import above_others
from tests.tiny import TinySettings

WORK = """
import hashlib, sys
block = bytes(1 << 16)
def work():
    for _ in range(600):
        hashlib.sha256(block).digest()
work()
for line in sys.stdin:
    if line.startswith("go"):
        work()
        print(1, flush=True)
"""
ROUNDS = 12
LOADS = (0, 8)
REQUESTS = 400
"""With known work, of which each error is measured: of fewer, the 99th percentile is the worst."""


class Charged(Struct, frozen=True):
    """Milliseconds for a move: the median over bots of their own medians, without the first."""

    cpu: float
    wall: float


def measure(bots: Sequence[BotProgram], matches: int) -> Charged:
    """So many matches between two bots at a time, on the CPU clock; what the first was charged."""
    settings = TinySettings(max_rounds=ROUNDS, timebank=60_000, max_timeouts=100)
    spec = MatchSpec("tiny", programs(bots), "1", settings, Terms(timing=Timing(Clock.CPU)))
    reports = [report for _, report in play_all([spec] * matches, jobs=matches)]
    return Charged(
        median(_a_move(report, cpu=True) for report in reports),
        median(_a_move(report, cpu=False) for report in reports),
    )


def _a_move(report: MatchReport, *, cpu: bool) -> float:
    player = report.players[0]
    times = player.time_ms if cpu else player.wall_ms
    assert times is not None
    assert player.faults == {}
    return (times.total - times.max) / (player.requests - 1)


def compare(copies: int) -> tuple[Charged, Charged]:
    """One bot alone, and one of so many copies, on two cores. The game is that of the tests."""
    GAMES["tiny"] = "tests.tiny:TINY"
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(cores)[:2])
    try:
        return measure((timing.bot(WORK), timing.bot(timing.QUIET)), 1), measure(
            (timing.bot(WORK), timing.bot(WORK)), copies // 2
        )
    finally:
        os.sched_setaffinity(0, cores)


def print_copies(copies: int) -> None:
    """Both clocks for both."""
    alone, crowded = compare(copies)
    print("two cores, milliseconds charged for the same move:")
    print(f"            alone   {copies} copies   ratio")
    for clock in ("cpu", "wall"):
        one, many = getattr(alone, clock), getattr(crowded, clock)
        print(f"{clock:<6} {one:10.1f} {many:10.1f} {many / one:7.2f}")


def print_errors(level: Level, runs: int) -> None:
    """What is charged for known work."""
    print(
        f"\nfair clock at {level}, error for work of 0 to 40 ms; in brackets: for its own account"
    )
    for loops in (0, 8, 20):
        with timing.load(loops):
            found = [_print_error(loops, level) for _ in range(runs)]
        if runs > 1:
            p99, own = median(e.p99 for e in found), median(e.own_p99 for e in found)
            part, own_part = median(e.part for e in found), median(e.own_part for e in found)
            print(
                f"load {loops:<2} median of {runs}: "
                f"p99 {p99:.2f} ms ({own:.2f}), {part:.1%} of the work ({own_part:.1%})"
            )


def _print_error(loops: int, level: Level) -> timing.Error:
    before = stolen()
    error = timing.measure_error(REQUESTS, level=level)
    lost = stolen() - before
    print(
        f"load {loops:<2} {error.requests} requests: median {error.median:+.2f} ms, "
        f"p99 {error.p99:.2f} ms ({error.own_p99:.2f}), "
        f"{error.part:.1%} of the work ({error.own_part:.1%}); "
        f"charged {error.ratio:.3f} of all; the host took {lost:.0f} ms away",
        flush=True,
    )
    return error


def stolen() -> float:
    """Milliseconds that a host took from the cores of this virtual machine, so far: what it takes
    from a program is charged to it, as no clock here tells whose it was."""
    ticks = int(Path("/proc/stat").read_text().split(None, 9)[8])
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def print_timeouts(requests: int, seconds: float) -> None:
    """Those that are false."""
    print("\ninstant bots, bank of 100 ms:")
    for loops, jobs in ((20, 1), (0, 16)):
        with timing.load(loops):
            found = timing.count_timeouts(100_000, jobs, requests=requests, seconds=seconds)
        print(
            f"load {loops:<2} --jobs {jobs:<2} {found.requests} requests, "
            f"{found.matches} matches: "
            f"{found.timeouts} false timeouts, {found.void} void, {found.stopped} stopped; "
            f"{found.slowest:.1f} ms charged at most"
        )


def print_gains(level: Level) -> None:
    """Of those who try."""
    print(f"\nwork for each charged millisecond, in times of an honest bot, at {level}:")
    found = {}
    for loops in LOADS:
        with timing.load(loops):
            found[loops] = {
                name: timing.charge_of(code, level, 6, Clock.FAIR)
                for name, code in timing.TRICKS.items()
            }
    for name in timing.TRICKS:
        gains = (f"load {n}: {found[n]['honest'] / found[n][name]:5.2f}" for n in LOADS)
        print(f"{name:<34} {'   '.join(gains)}")


def main() -> None:
    """Measure and print all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("copies", type=int, nargs="?", default=8)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=35)
    parser.add_argument("--level", type=Level, default=Level.CGROUP, help="for errors and gains")
    parser.add_argument("--apart", action="store_true", help="before all other programs")
    parser.add_argument("--runs", type=int, default=1, help="of the errors under each load")
    parts = ("copies", "errors", "timeouts", "gains")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts)
    given = parser.parse_args()
    start = time.monotonic()
    with above_others() if given.apart else nullcontext():
        if "copies" in given.only:
            print_copies(given.copies)
        if "errors" in given.only:
            print_errors(given.level, given.runs)
        if "timeouts" in given.only:
            print_timeouts(given.requests, given.seconds)
        if "gains" in given.only:
            print_gains(given.level)
    print(f"\n{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
