"""Measurements of the arena on this machine, all in one run, so that their ratios mean something
even where the machine's speed drifts. A figure is the median of its samples; how sure it is stands
beside it (`samples.Spread`).

*request*: what one request costs in the median round of a match of Warlight between instant bots on
a map of 64 regions, all kept on one core and everything included (rules, fog, rendering, recording,
and the bots' own work), against the floor: blocking writes and reads of the same text with the same
bot on the same core, the median of single exchanges. The bots are in Python; those in C need a
compiler. What comes every few rounds only (a write of the record, a look at the limits) is in the
CPU time alone.

*sizes*: the same on maps of 16 to 1000 regions.

*waiting*: the same where four bots in C are waited for at once, in a game without rules.

*start*: a whole match of 160 rounds from the shell, against a program that only imports Trio and
runs its loop once; and what a match costs before its first and after its last request.

*rules*: rounds per second through the table alone, without any process.

*proof*: verifying the record of a match, against its rules alone.

*walls*: starting a bot, a request, and a look at its limits, without walls and behind the strongest
of this machine.

*jobs*: whole matches per second, one at a time and two at a time, each on a core of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence

from msgspec import Struct

from arena.bench.jobs import Jobs, measure_jobs
from arena.bench.matches import instant_bot, instant_bot_in_c
from arena.bench.proofs import Proof, measure_proofs
from arena.bench.requests import Request, measure_request
from arena.bench.rules import Rules, measure_rules, measure_ten_orders
from arena.bench.samples import Spread, medians, spreads
from arena.bench.sandbox import Walls, measure_walls
from arena.bench.sizes import Size, measure_sizes
from arena.bench.start import Start, measure_start
from arena.bench.waiting import Waiting, measure_waiting
from arena.core.game import Game
from arena.core.registry import list_games


class Bench(Struct, frozen=True):
    """All measurements of one run."""

    cores: int
    python: str
    request: Request
    """With bots in Python."""
    c_request: Request | None
    """With bots in C; None without a compiler."""
    start: Start
    rules: list[Rules]
    ten_orders_rounds_per_s: float
    """Warlight on 64 regions, ten orders a side in each phase of each round."""
    jobs: Jobs
    walls: list[Walls]
    spreads: dict[str, Spread]
    """How sure each figure is, by its name: ``request.us``, ``rules.toroid.rounds_per_s``."""
    waiting: Waiting | None = None
    """Where four bots in C are waited for at once; None without a compiler."""
    sizes: list[Size] = []
    """With the same bots as the `c_request`, or those of the `request`."""
    proof: Proof | None = None


def bench(scale: float = 1.0, progress: Callable[[str], None] = lambda text: None) -> Bench:
    """Measure everything; a `scale` below 1 takes fewer samples. `progress` hears what is next."""

    def times(count: int) -> int:
        return max(1, round(count * scale))

    progress("request")
    request = measure_request(instant_bot(), times(15))
    in_c = instant_bot_in_c()
    c_request = measure_request(in_c, times(15)) if in_c is not None else []
    waiting = measure_waiting(in_c, times(9)) if in_c is not None else []
    sizes = measure_sizes(in_c or instant_bot(), times(9))
    progress("start")
    start = measure_start(times(11))
    progress("rules")
    games = [game for game in list_games() if isinstance(game, Game)]
    rules = {game.name: measure_rules(game, times(9)) for game in games}
    ten_orders = measure_ten_orders(times(9))
    proofs = measure_proofs(times(9))
    progress("jobs")
    jobs = measure_jobs(times(7), matches=times(40))
    progress("walls")
    walls = measure_walls(times(15))
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return Bench(
        cores=cores or 1,
        python=sys.version.split()[0],
        request=medians(request),
        c_request=medians(c_request) if c_request else None,
        waiting=medians(waiting) if waiting else None,
        sizes=[medians(samples) for samples in sizes.values()],
        start=medians(start),
        rules=[medians(samples) for samples in rules.values()],
        ten_orders_rounds_per_s=medians(ten_orders).rounds_per_s,
        proof=medians(proofs),
        jobs=medians(jobs),
        walls=[medians(samples) for samples in walls.values()],
        spreads=_spreads(
            {
                "request": request,
                "c_request": c_request,
                "waiting": waiting,
                **{f"sizes.{regions}": samples for regions, samples in sizes.items()},
                "start": start,
                **{f"rules.{name}": samples for name, samples in rules.items()},
                "ten_orders": ten_orders,
                "proof": proofs,
                "jobs": jobs,
                **{f"walls.{level}": samples for level, samples in walls.items()},
            }
        ),
    )


def _spreads(measured: Mapping[str, Sequence[Struct]]) -> dict[str, Spread]:
    return {
        f"{what}.{name}": spread
        for what, samples in measured.items()
        if samples
        for name, spread in spreads(samples).items()
    }
