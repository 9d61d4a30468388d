"""The match that is measured: Warlight between two instant bots on a map of 64 regions."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from msgspec import Struct

from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.core.listener import Listener
from arena.core.registry import find_game
from arena.core.replies import Answer
from arena.core.settings import parse
from arena.core.steps import Ask, Outcome, Show, Step, Tell
from arena.core.table import Table
from arena.match.play import play_match
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.players.entrant import programs
from arena.sandbox.children import Children

SEED_OF_64 = "147"
"""A seed whose generated Warlight map has 64 regions, as maps of the original competition had."""
ROUNDS = 160
REQUESTS_A_ROUND = 4
INSTANT = (sys.executable, "-I", "-S", str(Path(__file__).with_name("instant.py")))
INSTANT_IN_C = Path(__file__).with_name("instant.c")


def instant_bot() -> BotProgram:
    """The instant bot in Python."""
    return BotProgram("instant", INSTANT, None, None, "instant", (Path(INSTANT[-1]),))


def instant_bot_in_c() -> BotProgram:
    """The instant bot in C. Raises BotError without a compiler."""
    return find_bot(str(INSTANT_IN_C))


def instant_match(
    folder: Path, rounds: int = ROUNDS, *, bot: BotProgram | None = None
) -> MatchSpec:
    """Warlight between two instant bots (those in Python, unless it says another), recorded."""
    settings = parse(find_game("warlight").settings, {"max_rounds": rounds})
    bots = programs((bot or instant_bot(),) * 2)
    return MatchSpec("warlight", bots, SEED_OF_64, settings, replay=folder / "bench.jsonl")


def exchanges(spec: MatchSpec) -> list[bytes]:
    """What the first bot of a match is sent for each of its requests, from round 1 on."""
    table = Table(find_game(spec.game), spec.setup)
    sent, lines = [], list[str]()
    while table.outcome is None:
        lines += [step.line for step in table.take() if type(step) is Tell and step.seat == 0]
        for ask in table.asked:
            if ask.seat == 0:
                sent.append("\n".join([*lines, ask.line(10_000), ""]).encode())
                lines = []
        table.answer_all((Answer("No moves"),) * len(table.asked))
    return [text for text in sent if b"go " in text]


class Used(Struct, frozen=True):
    """Microseconds a request, from the end of the set-up to the last round: real time in the median
    round (as the floor is a median: other work on the machine makes some rounds a hundred times as
    long), CPU time in the mean."""

    us: float
    arena_cpu_us: float
    keeper_cpu_us: float


async def play_stamped(spec: MatchSpec, children: Children) -> tuple[Used, MatchReport]:
    """Play a match of Warlight, and look at the clock after each round; at those of CPU time, which
    take a microsecond, after the first and the last."""
    keeper = children.keeper.process.pid
    stamps: list[int] = []
    cpu: list[tuple[int, int]] = []

    class Stamps(Listener):
        def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
            if type(last := steps[-1]) is Show:
                stamps.append(time.perf_counter_ns())
                if last.frame["round"] in (0, last.frame["rounds"]):
                    cpu.append((time.process_time_ns(), _cpu_ns(keeper)))

    report = await play_match(spec, children, [Stamps()])
    assert not any(player.stopped for player in report.players), report.sentence
    rounds = median(after - before for before, after in pairwise(stamps))
    requests = (len(stamps) - 1) * REQUESTS_A_ROUND
    first, last = cpu
    arena, keeper_too = [(last[i] - first[i]) / 1e3 / requests for i in (0, 1)]
    return Used(rounds / 1e3 / REQUESTS_A_ROUND, arena, keeper_too), report


def _cpu_ns(pid: int) -> int:
    """The CPU time of another process; 0 where the system does not say (macOS)."""
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except (OSError, AttributeError):
        return 0
