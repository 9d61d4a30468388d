"""Charge against truth, by the fair clock: ``python -m tests.experiments.charges``, 5 minutes.

*Honest bots* do the same work of 24 ms of CPU time in each request, in different ways: in one
thread, in two at once, in successive short threads or short children, at nice 19, in the batch
class. Each should pay its *own* time: the CPU time counted by the kernel, since all of it runs on
one core. The table shows the ratio of charge to own time, under each load, for matches pinned to a
core and for others.

*Tricks* sleep for 30 ms in each request, beside threads that keep each other waiting. At load 0
nobody else wants a core, so they should pay the real time: the table shows the ratio of real time
to charge.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median

from msgspec import Struct

from arena.core.clock import Clock
from arena.core.registry import GAMES
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.players.terms import Terms, Timing
from arena.record.format import Answered
from arena.record.source import read_records
from arena.runtime.retry import play_all
from arena.sandbox.levels import Level
from tests.experiments.timing import ANSWER, HEAD, HIDDEN, QUIET, TRY, bot, load
from tests.support.groups import above_others
from tests.tiny import TinySettings

THREADS = """
def in_threads(seconds, brief):
    while seconds > 0:
        one = threading.Thread(target=work, args=(brief,))
        one.start(); one.join()
        seconds -= brief
"""
AT_ONCE = """
def in_children(count, seconds):
    for _ in range(count):
        if os.fork() == 0:
            work(seconds); os._exit(0)
    for _ in range(count):
        os.wait()
"""
HONEST = {
    "one thread": HEAD + "def think(): work(.024)\n" + ANSWER,
    "two at once": HEAD + AT_ONCE + "def think(): in_children(2, .012)\n" + ANSWER,
    "short threads (2 ms)": HEAD + THREADS + "def think(): in_threads(.024, .002)\n" + ANSWER,
    "short children (2 ms)": HEAD + HIDDEN + "def think(): hidden(.024, .002)\n" + ANSWER,
    "short children (8 ms)": HEAD + HIDDEN + "def think(): hidden(.024, .008)\n" + ANSWER,
    "nice 19": HEAD + TRY.format("os.nice(19)") + "def think(): work(.024)\n" + ANSWER,
    "batch class": HEAD
    + TRY.format("os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))")
    + "def think(): work(.024)\n"
    + ANSWER,
}
SLOW = QUIET.replace("print", "__import__('time').sleep(.05); print")
"""It gives the tricks time in which they are not asked."""
ONE_CORE = "os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
TRICKS = {
    "sleeps": HEAD + "def think(): time.sleep(.03)\n" + ANSWER,
    "eight starve while unasked": HEAD
    + ONE_CORE
    + "import mmap\nword = mmap.mmap(-1, 1)\n"
    + "for _ in range(8):\n if os.fork() == 0:\n  while True:\n"
    + "   while word[0]: time.sleep(.0005)\n   for _ in range(1000): pass\n"
    + "def think(): word[0] = 1; time.sleep(.03)\n"
    + ANSWER.replace("print(1, flush=True)", "word[0] = 0; print(1, flush=True)"),
    "eight in step": HEAD
    + ONE_CORE
    + "for i in range(8):\n if os.fork() == 0:\n  while True:\n"
    + "   now = time.monotonic(); time.sleep(.004 - now % .004); work(.0002)\n"
    + "def think(): time.sleep(.03)\n"
    + ANSWER,
    "four nap": HEAD
    + "for i in range(4):\n if os.fork() == 0:\n  while True: work(.002); time.sleep(.0005)\n"
    + "def think(): time.sleep(.03)\n"
    + ANSWER,
}


class Charges(Struct, frozen=True):
    """Of one bot: milliseconds for each request but the first."""

    charged: list[float]
    real: list[float]
    cpu: list[float]

    def times(self, truths: Sequence[float]) -> tuple[float, float]:
        """The charge in times of the truth: the median, and the worst but one in a hundred."""
        ratios = sorted(ms / truth for ms, truth in zip(self.charged, truths, strict=True))
        return median(ratios), ratios[int(len(ratios) * 0.99)]


def measure(code: str, level: Level, rounds: int, *, pin: bool, other: str = QUIET) -> Charges:
    """Let a bot play so many rounds beside another, that answers at once."""
    GAMES["tiny"] = "tests.tiny:TINY"
    settings = TinySettings(max_rounds=rounds + 1, timebank=60_000, max_timeouts=100)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        spec = MatchSpec(
            "tiny", programs((bot(code), bot(other))), "1", settings,
            Terms(timing=Timing(Clock.FAIR), sandbox=level), replay=path,
        )  # fmt: skip
        for _ in play_all([spec], jobs=1, pin=pin):
            pass
        found = [r for r in read_records(path) if isinstance(r, Answered) and r.seat == 0][1:]
    real = [one.ms if one.wall_ms is None else one.wall_ms for one in found]
    return Charges([one.ms for one in found], real, [one.cpu_ms or 0.0 for one in found])


def print_honest(level: Level, loads: Sequence[int], rounds: int) -> None:
    """Charge for own time."""
    for pin in (True, False):
        print(f"\ncharge in times of own time at {level}, {'pinned' if pin else 'on all cores'}:")
        print(" " * 24 + "".join(f"load {n:<2} median    p99    " for n in loads))
        for name, code in HONEST.items():
            cells = []
            for loops in loads:
                with load(loops):
                    found = measure(code, level, rounds, pin=pin)
                middle, worst = found.times([max(cpu, 1.0) for cpu in found.cpu])
                cells.append(f"{middle:14.2f} {worst:6.2f}    ")
            print(f"{name:<24}{''.join(cells)}", flush=True)


def print_tricks(level: Level, rounds: int) -> None:
    """Real time for each charge."""
    print(f"\nreal time in times of the charge at {level}, load 0:")
    for name, code in TRICKS.items():
        found = measure(code, level, rounds, pin=False, other=SLOW)
        ratio = sum(found.real) / sum(found.charged)
        print(f"{name:<28} {ratio:5.2f}   (real {median(found.real):.1f} ms)", flush=True)


def main() -> None:
    """Measure and print all."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--level", type=Level, default=Level.CGROUP)
    parser.add_argument("--loads", type=int, nargs="+", default=[0, 8, 20])
    parser.add_argument("--rounds", type=int, default=30)
    parser.add_argument("--only", choices=["honest", "tricks"])
    parser.add_argument("--apart", action="store_true", help="before all other programs")
    given = parser.parse_args()
    start = time.monotonic()
    with above_others() if given.apart else nullcontext():
        if given.only != "tricks":
            print_honest(given.level, given.loads, given.rounds)
        if given.only != "honest":
            print_tricks(given.level, given.rounds)
    print(f"\n{time.monotonic() - start:.0f} s")


if __name__ == "__main__":
    main()
