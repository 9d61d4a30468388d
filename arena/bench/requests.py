"""What one request costs in a match, against a bare ping-pong with the same bot."""

from __future__ import annotations

import os
import subprocess
import tempfile
import time
from pathlib import Path
from statistics import median

from msgspec import Struct

from arena.bench.matches import INSTANT, instant_match
from arena.errors import ArenaFault
from arena.reports import MatchSpec
from arena.run import keeper_running, pinned, run_with
from arena.sandbox.children import Children
from arena.steps import Frame


class Request(Struct, frozen=True):
    """Microseconds a request, against a bare ping-pong with the same bot."""

    us: float
    floor_us: float
    floor_ratio: float


def measure_request(samples: int) -> Request:
    """Matches and ping-pongs in turn, on one core; the medians."""
    with pinned(0), keeper_running() as keeper, tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder))
        pairs = [
            (run_with(keeper, lambda children: request_us(spec, children)), floor_us())
            for _ in range(samples + 1)
        ][1:]
    us, floor = median(us for us, _ in pairs), median(floor for _, floor in pairs)
    return Request(us, floor, median(us / floor for us, floor in pairs))


async def request_us(spec: MatchSpec, children: Children) -> float:
    """One match; microseconds a request from the end of its set-up to its last round."""
    from arena.match import play_match

    stamps: list[float] = []

    async def stamp(frame: Frame) -> None:
        stamps.append(time.perf_counter())

    report = await play_match(spec, children, stamp)
    if any(player.stopped for player in report.players):
        raise ArenaFault(f"the bot of the bench did not play on: {report.sentence}")
    requests_a_round = 4
    return (stamps[-1] - stamps[0]) * 1e6 / ((len(stamps) - 1) * requests_a_round)


def floor_us(exchanges: int = 3000) -> float:
    """Microseconds for a request and its answer in a bare blocking loop with the same bot."""
    with subprocess.Popen(INSTANT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as bot:
        assert bot.stdin is not None
        assert bot.stdout is not None
        to_bot, from_bot = bot.stdin.fileno(), bot.stdout.fileno()
        for warm_up in (True, False):
            start = time.perf_counter()
            for _ in range(50 if warm_up else exchanges):
                os.write(to_bot, b"go place_armies 10000\n")
                os.read(from_bot, 4096)
        took = time.perf_counter() - start
        bot.stdin.close()
    return took * 1e6 / exchanges
