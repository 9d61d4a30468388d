"""What walls cost: starting a bot, a request, and a look at its limits, without walls and behind
the strongest of this machine, in turn in one run."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

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

T = TypeVar("T")
ECHO = ("/bin/sh", "-c", "echo; read end")
"""A program that speaks as soon as it runs, and costs next to nothing itself."""
BREAK = 0.1
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
    with keeper_running(Wish.AUTO) as keeper:
        best = run_with(keeper, lambda children: choose(children, Wish.AUTO))
        levels = (Level.OFF, best) if best is not Level.OFF else (best,)
        starts = _in_turn(start_and_look, keeper, levels, samples * 3)
    with pinned(0), keeper_running(Wish.AUTO) as keeper:
        requests = _in_turn(request, keeper, levels, samples)
    return [_walls(level, i, starts, requests) for i, level in enumerate(levels)]


def _in_turn(
    measure: Callable[..., Awaitable[T]],
    keeper: KeeperProcess,
    levels: Sequence[Level],
    samples: int,
) -> list[list[T]]:
    """By sample and level; a first round warms up."""
    return [
        [run_with(keeper, partial(measure, level=level)) for level in levels]
        for _ in range(samples + 1)
    ][1:]


async def request(children: Children, level: Level) -> float:
    """Microseconds a request, in a whole match."""
    with tempfile.TemporaryDirectory() as folder:
        spec = msgspec.structs.replace(instant_match(Path(folder)), sandbox=level)
        return await request_us(spec, children)


async def start_and_look(children: Children, level: Level) -> tuple[float, float]:
    """Milliseconds until a program speaks, and microseconds for a look at it."""
    limits = Limits()
    await trio.sleep(BREAK)
    begin = time.perf_counter()
    placed = Placed(ECHO, (), Path(tempfile.gettempdir()))
    how = order(placed, level, limits, children.keeper.etc)
    async with children.running(**how, name="echo") as child:
        await trio.lowlevel.wait_readable(child.stdout)
        start = (time.perf_counter() - begin) * 1e3
        with closing(meter_of(child, limits, level)) as meter:
            watch = Watch(meter, limits)
            looks = [look_us(watch) for _ in range(LOOKS)]
    return start, median(looks)


def look_us(watch: Watch) -> float:
    """Microseconds for one look at the limits of a bot."""
    begin = time.perf_counter()
    watch.look()
    return (time.perf_counter() - begin) * 1e6


def _walls(
    level: Level,
    place: int,
    starts: Sequence[Sequence[tuple[float, float]]],
    requests: Sequence[Sequence[float]],
) -> Walls:
    return Walls(
        level,
        median(run[place][0] for run in starts),
        median(run[place][0] - run[0][0] for run in starts),
        median(run[place] for run in requests),
        median(run[place] / run[0] for run in requests),
        median(run[place][1] for run in starts),
    )
