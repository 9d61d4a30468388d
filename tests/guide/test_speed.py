"""What `speed.md` says is so."""

from __future__ import annotations

import re

from arena.bench.jobs import Jobs
from arena.bench.measure import Bench
from arena.bench.proofs import Proof
from arena.bench.requests import Request
from arena.bench.rules import Rules
from arena.bench.samples import Spread
from arena.bench.sandbox import Walls
from arena.bench.sizes import REGIONS, Size
from arena.bench.start import Start
from arena.bench.waiting import Waiting
from arena.cli.bench import _text
from arena.core.registry import game_names
from arena.sandbox.levels import Level
from tests.guide.reading import block, flat


def unmeasured(text: str) -> list[str]:
    """The lines of a table, without their numbers and the widths of their columns."""
    return [" ".join(re.sub(r"[+-]?\d[\d.]*", "N", line).split()) for line in text.splitlines()]


def example() -> Bench:
    """A run in which everything is 1."""
    request = Request(1, 1, 1, 1, 1, 1)
    levels = (Level.OFF, Level.CGROUP)
    looked_at = ("start_ms", "ahead_ms", "request_us", "look_us")
    figures = [
        *(f"{what}.{part}" for what in ("request", "c_request") for part in ("us", "arena_cpu_us")),
        *("start.shell_ms", "start.long_ms", "start.match_ms", "ten_orders.rounds_per_s"),
        *(f"rules.{game}.rounds_per_s" for game in game_names()),
        *("jobs.one", "jobs.two", "waiting.arena_cpu_us", "proof.us"),
        *(f"sizes.{regions}.us" for regions in REGIONS),
        *(f"walls.{one}.{part}" for one in levels for part in looked_at),
    ]
    return Bench(
        cores=2,
        python="3.11.7",
        request=request,
        c_request=request,
        start=Start(1, 1, 1, 1, 1, 1),
        rules=[Rules(game, 2, 1, 1, 1) for game in game_names()],
        ten_orders_rounds_per_s=1,
        jobs=Jobs(1, 1, 1, 1),
        walls=[Walls(level, 1, 1, 1, 1, 1, 1, 1, 1) for level in levels],
        waiting=Waiting(1),
        sizes=[Size(regions, 1, 1) for regions in REGIONS],
        proof=Proof(1, 1),
        spreads={figure: Spread(1, 1, 1, 1) for figure in figures},
    )


def test_the_table_is_what_the_bench_prints() -> None:
    assert unmeasured(block("speed", "2 cores")) == unmeasured(_text(example()))


def test_the_text_repeats_the_table() -> None:
    table, text = block("speed", "2 cores"), flat("speed")
    (more,) = re.findall(r"([\d.]+ ms) more than off", table)
    (ratio,) = re.findall(r"([\d.]+) × off", table)
    assert f"**Walls** cost a start {more}:" in text
    assert f"costs {ratio} times as much" in text
