"""What walls cost: starting a bot, a request, and a look at its limits, without walls and behind
the strongest of this machine, in turn in one run. A bot is started as it comes, and once more when
it was prepared before, as the bots of the next match of a series are (`sandbox.ahead`)."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple, TypeVar

import msgspec
import trio
from msgspec import Struct

from arena.bench.matches import instant_match
from arena.bench.requests import play_stamped
from arena.core.limits import Limits
from arena.players.watch import Watch
from arena.runtime.affinity import pinned
from arena.sandbox.ahead import Recipe, opening, prepare
from arena.sandbox.children import Children
from arena.sandbox.keeper.request import SpawnRequest
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.probe import prove_level
from arena.sandbox.session import keeper_running, run_with
from arena.sandbox.usage.choice import meter_of

T = TypeVar("T")
ECHO = ("/bin/sh", "-c", "echo; read end")
"""A program that speaks as soon as it runs, and costs next to nothing itself."""
PAUSE = 0.1
"""Seconds between two starts: what the keeper does ahead of need is not measured."""
LOOKS = 20


class Walls(Struct, frozen=True):
    """The costs at one level; the ratio and the difference are to `Level.OFF`."""

    level: Level
    start_ms: float
    """From the request for a bot to its first word."""
    start_more_ms: float
    start_ratio: float
    ahead_ms: float
    """The same for a bot that was prepared before."""
    ahead_more_ms: float
    request_us: float
    request_ratio: float
    look_us: float
    """One look at the limits of a bot with one process, due every 50 ms."""


def measure_walls(samples: int) -> dict[Level, list[Walls]]:
    """The costs without walls, and behind the strongest of this machine (if there are any)."""
    with keeper_running(SandboxMode.AUTO) as keeper:
        best = run_with(keeper, lambda children: prove_level(children, SandboxMode.AUTO))
        levels = (Level.OFF, best) if best is not Level.OFF else (best,)
        starts = _in_turn(start_and_look, keeper, levels, samples)
    with pinned(0), keeper_running(SandboxMode.AUTO) as keeper:
        requests = _in_turn(request, keeper, levels, samples)
    return {
        level: [
            _walls(level, start[i], start[0], request[i], request[0])
            for start, request in zip(starts, requests, strict=True)
        ]
        for i, level in enumerate(levels)
    }


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
        used, _ = await play_stamped(spec, children)
        return used.us


class _Start(NamedTuple):
    """Milliseconds until a program speaks, without and with preparation, and microseconds for a
    look at it."""

    alone: float
    ahead: float
    look: float


async def start_and_look(children: Children, level: Level) -> _Start:
    """Start a program twice."""
    recipe = Recipe("echo", _folder, partial(_request, children.keeper, level))
    await trio.sleep(PAUSE)
    alone, _ = await _start_ms(children, recipe, level)
    prepare(children, [recipe])
    await trio.sleep(PAUSE)
    ahead, look = await _start_ms(children, recipe, level)
    return _Start(alone, ahead, look)


def _folder() -> AbstractContextManager[Path]:
    return nullcontext(Path(tempfile.gettempdir()))


def _request(keeper: KeeperProcess, level: Level, folder: Path) -> SpawnRequest:
    return bot_request(Program(ECHO, (), folder), level, Limits(), keeper)


async def _start_ms(children: Children, recipe: Recipe, level: Level) -> tuple[float, float]:
    limits, begin = Limits(), time.perf_counter()
    async with (
        opening(children, recipe) as prepared,
        children.started(prepared.child, name="echo") as child,
    ):
        await trio.lowlevel.wait_readable(child.stdout)
        start = (time.perf_counter() - begin) * 1e3
        with closing(meter_of(child, limits, level)) as meter:
            watch = Watch(meter, limits)
            return start, median(look_us(watch) for _ in range(LOOKS))


def look_us(watch: Watch) -> float:
    """Microseconds for one look at the limits of a bot."""
    begin = time.perf_counter()
    watch.look()
    return (time.perf_counter() - begin) * 1e6


def _walls(
    level: Level,
    start: _Start,
    start_off: _Start,
    request: float,
    request_off: float,
) -> Walls:
    """One sample at a level, and that without walls from the same turn."""
    return Walls(
        level=level,
        start_ms=start.alone,
        start_more_ms=start.alone - start_off.alone,
        start_ratio=start.alone / start_off.alone,
        ahead_ms=start.ahead,
        ahead_more_ms=start.ahead - start_off.ahead,
        request_us=request,
        request_ratio=request / request_off,
        look_us=start.look,
    )
