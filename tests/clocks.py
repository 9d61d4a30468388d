"""Which clock keeps its measure on a full machine? ``python -m tests.clocks [COPIES]``

A bot does the same work in every move. It plays once beside a quiet partner, and then as so many
copies at a time (8 unless said), all on two cores: what is it charged for a move by the CPU clock,
and what by the wall?
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from statistics import median

from msgspec import Struct

from arena.bots.program import BotProgram
from arena.core.clock import Clock
from arena.core.registry import GAMES
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.runtime.retry import play_all
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
QUIET = "import sys\nfor line in sys.stdin:\n    if line.startswith('go'): print(1, flush=True)\n"
ROUNDS = 12


class Charged(Struct, frozen=True):
    """Milliseconds for a move: the median over bots of their own medians, without the first."""

    cpu: float
    wall: float


def bot(code: str) -> BotProgram:
    """A Python program."""
    return BotProgram("bot", (sys.executable, "-I", "-S", "-c", code), None, None, "bot")


def measure(bots: Sequence[BotProgram], matches: int) -> Charged:
    """So many matches between two bots at a time, on the CPU clock; what the first was charged."""
    settings = TinySettings(max_rounds=ROUNDS, timebank=60_000, max_timeouts=100)
    spec = MatchSpec("tiny", programs(bots), "1", settings, clock=Clock.CPU)
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
        return measure((bot(WORK), bot(QUIET)), 1), measure((bot(WORK), bot(WORK)), copies // 2)
    finally:
        os.sched_setaffinity(0, cores)


def main() -> None:
    """Print both clocks for both."""
    copies = int(sys.argv[1]) if len(sys.argv) > 1 else 8
    alone, crowded = compare(copies)
    print("two cores, milliseconds charged for the same move:")
    print(f"            alone   {copies} copies   ratio")
    for clock in ("cpu", "wall"):
        one, many = getattr(alone, clock), getattr(crowded, clock)
        print(f"{clock:<6} {one:10.1f} {many:10.1f} {many / one:7.2f}")


if __name__ == "__main__":
    main()
