"""What it costs to start: a whole match from the shell, a match in a running arena, a bot behind
walls."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import closing, nullcontext
from functools import partial
from pathlib import Path
from statistics import median
from typing import TypeVar

import msgspec
import trio

import arena
from arena.core.limits import Limits
from arena.match.play import play_match
from arena.players.watch import Watch
from arena.runtime.affinity import pinned
from arena.sandbox.children import Children
from arena.sandbox.keeper.messages import SpawnRequest
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.prestart import PrestartSpec, opening, prepare
from arena.sandbox.probe import prove_level
from arena.sandbox.session import keeper_running, run_with
from arena.sandbox.usage.choice import meter_of
from tests.experiments.bench.matches import INSTANT, ROUNDS, SEED_OF_64, instant_match, play_stamped
from tests.experiments.bench.samples import Sample

T = TypeVar("T")
ONLY_TRIO = (sys.executable, "-c", "import trio; trio.run(trio.sleep, 0)")
ECHO = ("/bin/sh", "-c", "echo; read end")
"""A program that speaks as soon as it runs, and costs next to nothing itself."""
PAUSE = 0.1
"""Seconds between two starts: what the keeper does ahead of need is not measured."""
LOOKS = 20


def measure_start(samples: int) -> list[Sample]:
    """Matches from the shell (160 rounds of Warlight, 1000 turns of Code Character): against a
    program that imports Trio and runs its loop once; and a match of one round in a running
    arena, which is starting and ending two bots."""
    with tempfile.TemporaryDirectory() as folder, keeper_running() as keeper:
        place = Path(folder)
        source = _compiled_copy(place)
        short = _shell_match(place, "warlight", f"max_rounds={ROUNDS}")
        long = _shell_match(place, "codecharacter", "num_turns=1000")

        def one() -> Sample:
            shell, far, trio_ms = (_wall_ms(words, source) for words in (short, long, ONLY_TRIO))
            return {
                "shell_ms": shell,
                "trio_ms": trio_ms,
                "trio_ratio": shell / trio_ms,
                "long_ms": far,
                "long_ratio": far / trio_ms,
                "match_ms": run_with(keeper, partial(_match_ms, place)),
            }

        return [one() for _ in range(samples + 1)][1:]


def _compiled_copy(folder: Path) -> Path:
    """A folder for PYTHONPATH with a copy of the package and its byte code, as a wheel installs
    it. (In a checkout the byte code may be missing, or its folder not be writable.)"""
    target = folder / "packages"
    package = Path(arena.__file__).parent
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(package, target / package.name, ignore=ignored, symlinks=False)
    compileall.compile_dir(target, quiet=2)
    return target


def _shell_match(folder: Path, game: str, setting: str) -> Sequence[str]:
    """The command line of a recorded match between instant bots."""
    bot = " ".join(f'"{word}"' for word in INSTANT)
    return (
        *(sys.executable, "-m", "arena", "play", game, bot, bot, "--seed", SEED_OF_64),
        *("--set", setting, "--replay", str(folder / "shell.jsonl"), "--overwrite", "--json"),
    )


def _wall_ms(command: Sequence[str], source: Path) -> float:
    """The wall time of a process, its output thrown away."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    quiet = subprocess.DEVNULL
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=quiet, stdin=quiet, env=environment, cwd=source)
    return (time.perf_counter() - start) * 1000


async def _match_ms(folder: Path, children: Children) -> float:
    spec = instant_match(folder, rounds=1)
    start = time.perf_counter()
    await play_match(spec, children)
    return (time.perf_counter() - start) * 1000


# -- walls -----------------------------------------------------------------------------------------


def measure_walls(samples: int) -> list[Sample]:
    """Starting a bot, a request, a look at the limits: without walls and behind the strongest of
    this machine, in turn. A bot is started as it comes, and once more when it was prepared before
    (`ahead`), as the bots of the next match of a series are."""
    with keeper_running(SandboxMode.AUTO) as keeper:
        best = run_with(keeper, lambda children: prove_level(children, SandboxMode.AUTO))
        levels = list(dict.fromkeys((Level.OFF, best)))
        starts = _in_turn(_start_and_look, keeper, levels, samples)
    with pinned(0), keeper_running(SandboxMode.AUTO) as keeper:
        requests = _in_turn(_request_us, keeper, levels, samples)
    return [_flat(*sample) for sample in zip(starts, requests, strict=True)]


def _flat(starts: Mapping[Level, Sample], requests: Mapping[Level, float]) -> Sample:
    """One sample of all levels."""
    found: dict[str, float] = {}
    for level, us in requests.items():
        found |= {f"{level}.{name}": value for name, value in starts[level].items()}
        found[f"{level}.request_us"] = us
        if level is not Level.OFF:
            found[f"{level}.request_ratio"] = us / requests[Level.OFF]
    return found


def _in_turn(
    measure: Callable[..., Awaitable[T]],
    keeper: KeeperProcess,
    levels: Sequence[Level],
    samples: int,
) -> list[dict[Level, T]]:
    """By sample and level; a first round warms up."""
    return [
        {level: run_with(keeper, partial(measure, level=level)) for level in levels}
        for _ in range(samples + 1)
    ][1:]


async def _request_us(children: Children, level: Level) -> float:
    """Microseconds a request, in a whole match."""
    with tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder))
        terms = msgspec.structs.replace(spec.terms, sandbox=level)
        spec = msgspec.structs.replace(spec, terms=terms)
        used, _ = await play_stamped(spec, children)
        return used.us


async def _start_and_look(children: Children, level: Level) -> Sample:
    """Start a program twice: milliseconds until it speaks, microseconds for a look at it."""

    def request(folder: Path) -> SpawnRequest:
        return bot_request(Program(ECHO, (), folder), level, Limits(), children.keeper)

    recipe = PrestartSpec("echo", lambda: nullcontext(Path(tempfile.gettempdir())), request)
    await trio.sleep(PAUSE)
    alone, _ = await _start_ms(children, recipe, level)
    prepare(children, [recipe])
    await trio.sleep(PAUSE)
    ahead, look = await _start_ms(children, recipe, level)
    return {"start_ms": alone, "ahead_ms": ahead, "look_us": look}


async def _start_ms(children: Children, recipe: PrestartSpec, level: Level) -> tuple[float, float]:
    limits, begin = Limits(), time.perf_counter()
    async with (
        opening(children, recipe) as prepared,
        children.started(prepared.child, name="echo") as child,
    ):
        await trio.lowlevel.wait_readable(child.stdout)
        start = (time.perf_counter() - begin) * 1e3
        with closing(meter_of(child, limits, level)) as meter:
            watch = Watch(meter, limits)
            return start, median(_look_us(watch) for _ in range(LOOKS))


def _look_us(watch: Watch) -> float:
    """Microseconds for one look at the limits of a bot."""
    begin = time.perf_counter()
    watch.look()
    return (time.perf_counter() - begin) * 1e6
