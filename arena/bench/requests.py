"""What one request costs in a match, against a bare ping-pong of the same text and bot."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median

from msgspec import Struct

from arena.bench.matches import REQUESTS_A_ROUND, exchanges, instant_match
from arena.bots.program import BotProgram
from arena.core.listener import Listener
from arena.core.steps import Ask, Outcome, Show, Step
from arena.errors import ArenaFault
from arena.match.report import MatchReport, PlayerReport
from arena.match.spec import MatchSpec
from arena.runtime.affinity import pinned
from arena.sandbox.children import Children
from arena.sandbox.session import keeper_running, run_with


class Request(Struct, frozen=True):
    """Microseconds a request: real time in the median round, against a bare ping-pong; and CPU time
    in the mean, by program."""

    us: float
    floor_us: float
    """The median of single exchanges of a blocking loop: the same text, the same bot."""
    floor_ratio: float
    arena_cpu_us: float
    keeper_cpu_us: float
    bots_cpu_us: float


def measure_request(bot: BotProgram, samples: int) -> list[Request]:
    """Matches and ping-pongs in turn, on one core; a first round warms up."""
    with pinned(0), keeper_running() as keeper, tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder), bot=bot)
        texts = exchanges(spec)

        async def one(children: Children) -> Request:
            return await _request(spec, children, texts, bot.argv)

        return [run_with(keeper, one) for _ in range(samples + 1)][1:]


async def _request(
    spec: MatchSpec, children: Children, texts: Sequence[bytes], argv: Sequence[str]
) -> Request:
    used, report = await play_stamped(spec, children)
    floor = floor_us(texts, argv)
    bots = sum(_conversing_ms(player) for player in report.players) * 1e3 / report.requests
    return Request(used.us, floor, used.us / floor, used.arena_cpu_us, used.keeper_cpu_us, bots)


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
    from arena.match.play import play_match

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
    if any(player.stopped for player in report.players):
        raise ArenaFault(f"the bot of the bench did not play on: {report.sentence}")
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


def _conversing_ms(player: PlayerReport) -> float:
    """The CPU time of a bot from its first request to its last."""
    thought = player.thought_ms.total if player.thought_ms else 0.0
    return thought + (player.pondered_ms or 0.0)


def floor_us(texts: Sequence[bytes], argv: Sequence[str]) -> float:
    """The median microseconds of one exchange in a bare blocking loop: a text, and the answer."""
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        to_bot, from_bot = bot.stdin.fileno(), bot.stdout.fileno()
        took = []
        for text in texts:
            start = time.perf_counter_ns()
            os.write(to_bot, text)
            os.read(from_bot, 4096)
            took.append(time.perf_counter_ns() - start)
        bot.stdin.close()
    return median(took) / 1e3
