"""Whole matches from the shell; and what a match costs before its first and after its last
request."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from statistics import median

from msgspec import Struct

from arena.bench.matches import INSTANT, ONLY_TRIO, ROUNDS, SEED_OF_64, instant_match
from arena.run import keeper_running, run_with
from arena.sandbox.children import Children


class Start(Struct, frozen=True):
    """Milliseconds: matches from the shell (Warlight with 160 rounds, Code Character with 1000
    turns) against importing Trio; a match without its rounds."""

    shell_ms: float
    trio_ms: float
    trio_ratio: float
    long_ms: float
    long_ratio: float
    match_ms: float


def measure_start(samples: int) -> Start:
    """Whole processes, in turn; the medians."""
    with tempfile.TemporaryDirectory() as folder:
        short = _shell_match(Path(folder), "warlight", f"max_rounds={ROUNDS}")
        long = _shell_match(Path(folder), "codecharacter", "num_turns=1000")
        commands = (short, long, ONLY_TRIO)
        runs = [[wall_ms(command) for command in commands] for _ in range(samples + 1)][1:]
        match_ms = measure_match(Path(folder), samples)
    return Start(
        shell_ms=median(run[0] for run in runs),
        trio_ms=median(run[2] for run in runs),
        trio_ratio=median(run[0] / run[2] for run in runs),
        long_ms=median(run[1] for run in runs),
        long_ratio=median(run[1] / run[2] for run in runs),
        match_ms=match_ms,
    )


def _shell_match(folder: Path, game: str, setting: str) -> Sequence[str]:
    """The command line of a recorded match between instant bots."""
    bot = " ".join(f'"{word}"' for word in INSTANT)
    return (
        *(sys.executable, "-m", "arena", "play", game, bot, bot, "--seed", SEED_OF_64),
        *("--set", setting, "--replay", str(folder / "shell.jsonl"), "--json"),
    )


def wall_ms(command: Sequence[str]) -> float:
    """The wall time of a process, its output thrown away."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    return (time.perf_counter() - start) * 1000


def measure_match(folder: Path, samples: int) -> float:
    """Milliseconds for a match of one round in a running arena: starting and ending two bots."""
    from arena.match import play_match

    spec = instant_match(folder, rounds=1)

    async def one(children: Children) -> float:
        start = time.perf_counter()
        await play_match(spec, children)
        return (time.perf_counter() - start) * 1000

    with keeper_running() as keeper:
        return median(run_with(keeper, one) for _ in range(samples + 1))
