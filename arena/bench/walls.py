"""What walls cost: starting a bot, a request, and a look at its limits, without walls and behind
the strongest of this machine, in turn in one run."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median

import msgspec
import trio
from msgspec import Struct

from arena.bench.matches import instant_match
from arena.bench.requests import request_us
from arena.limits import Limits
from arena.players.launch import meter_of
from arena.players.watch import Watch
from arena.run import keeper_running, pinned, run_with
from arena.sandbox.children import Children
from arena.sandbox.choose import choose
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level, Wish
from arena.sandbox.walls import Placed, order

ECHO = ("/bin/sh", "-c", "echo; read end")
"""A program that speaks as soon as it runs, and costs next to nothing itself."""
BREAK = 0.03
"""Seconds between two starts: what the keeper does ahead of need is not measured."""
LOOKS = 20


class Walls(Struct, frozen=True):
    """The costs at one level; the ratio and the difference are to `Level.OFF`."""

    level: Level
    start_ms: float
    """From the wish for a bot to its first word."""
    start_more_ms: float
    request_us: float
    request_ratio: float
    look_us: float
    """One look at the limits of a bot with one process, due every 50 ms."""


def measure_walls(samples: int) -> list[Walls]:
    """The costs without walls, and behind the strongest of this machine (if there are any)."""
    with pinned(0), keeper_running(Wish.AUTO) as keeper:
        best = run_with(keeper, lambda children: choose(children, Wish.AUTO))
        levels = (Level.OFF, best) if best is not Level.OFF else (best,)
        runs = [_one_run(keeper, levels) for _ in range(samples + 1)][1:]
    return [
        _walls(level, [run[0] for run in runs], [run[i] for run in runs])
        for i, level in enumerate(levels)
    ]


class Costs(Struct, frozen=True):
    """What was measured once at one level."""

    start_ms: float
    request_us: float
    look_us: float


def _one_run(keeper: KeeperProcess, levels: Sequence[Level]) -> list[Costs]:
    return [run_with(keeper, partial(costs, level=level)) for level in levels]


async def costs(children: Children, level: Level) -> Costs:
    """One start, one match and a few looks at a level."""
    with tempfile.TemporaryDirectory() as folder:
        spec = msgspec.structs.replace(instant_match(Path(folder)), sandbox=level)
        request = await request_us(spec, children)
        await trio.sleep(BREAK)
        start, look = await start_and_look(children, level, Path(folder))
    return Costs(start, request, look)


async def start_and_look(children: Children, level: Level, folder: Path) -> tuple[float, float]:
    """Milliseconds until a program speaks, and microseconds for a look at it."""
    limits = Limits()
    begin = time.perf_counter()
    arguments = order(Placed(ECHO, (), folder), level, limits, children.keeper.etc)
    child = await children.spawn(**arguments, name="echo")
    try:
        await trio.lowlevel.wait_readable(child.stdout)
        start = (time.perf_counter() - begin) * 1e3
        with closing(meter_of(child, limits, level)) as meter:
            watch = Watch(meter, limits)
            looks = [look_us(watch) for _ in range(LOOKS)]
    finally:
        await child.kill()
        child.close()
    return start, median(looks)


def look_us(watch: Watch) -> float:
    """Microseconds for one look at the limits of a bot."""
    begin = time.perf_counter()
    watch.look()
    return (time.perf_counter() - begin) * 1e6


def _walls(level: Level, off: Sequence[Costs], here: Sequence[Costs]) -> Walls:
    pairs = list(zip(off, here, strict=True))
    return Walls(
        level,
        median(cost.start_ms for cost in here),
        median(cost.start_ms - base.start_ms for base, cost in pairs),
        median(cost.request_us for cost in here),
        median(cost.request_us / base.request_us for base, cost in pairs),
        median(cost.look_us for cost in here),
    )
