"""Measurements of the arena on this machine, all in one run, so that their ratios mean something
even where the machine's speed drifts.

*request*: what one request costs in a match of Warlight between instant bots on a map of 64
regions, all kept on one core and everything included (rules, fog, rendering, recording, and the
bots' own work), against the floor: a bare loop of blocking writes and reads with the same bot on
the same core.

*start*: a whole match of 160 rounds from the shell, against a program that only imports Trio and
runs its loop once; and what a match costs before its first and after its last request.

*rules*: rounds per second through the table alone, without any process.

*walls*: starting a bot, a request, and a look at its limits, without walls and behind the strongest
of this machine.

*jobs*: whole matches per second, one at a time and two at a time, each on a core of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from msgspec import Struct

from arena.bench.jobs import Jobs, measure_jobs
from arena.bench.requests import Request, measure_request
from arena.bench.rules import Rules, measure_rules, measure_ten_orders
from arena.bench.start import Start, measure_start
from arena.bench.walls import Walls, measure_walls
from arena.game import find_game, game_names


class Bench(Struct, frozen=True):
    """All measurements of one run."""

    cores: int
    python: str
    request: Request
    start: Start
    rules: list[Rules]
    ten_orders_rounds_per_s: float
    """Warlight on 64 regions, ten orders a side in each phase of each round."""
    jobs: Jobs
    walls: list[Walls]


def bench(scale: float = 1.0, progress: Callable[[str], None] = lambda text: None) -> Bench:
    """Measure everything; a `scale` below 1 takes fewer samples. `progress` hears what is next."""

    def times(count: int) -> int:
        return max(1, round(count * scale))

    progress("request")
    request = measure_request(times(7))
    progress("start")
    start = measure_start(times(7))
    progress("rules")
    rules = [measure_rules(find_game(name), times(5)) for name in game_names()]
    ten = measure_ten_orders(times(5))
    progress("jobs")
    jobs = measure_jobs(times(3))
    progress("walls")
    walls = measure_walls(times(15))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Bench(cores or 1, sys.version.split()[0], request, start, rules, ten, jobs, walls)
