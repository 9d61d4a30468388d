"""Whole matches from the shell; and what a match costs before its first and after its last
request."""

from __future__ import annotations

import compileall
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from arena.bench.matches import INSTANT, ONLY_TRIO, ROUNDS, SEED_OF_64, instant_match
from arena.sandbox.children import Children
from arena.sandbox.session import keeper_running, run_with


class Start(Struct, frozen=True):
    """Milliseconds: matches from the shell (Warlight with 160 rounds, Code Character with 1000
    turns) against importing Trio; a match without its rounds."""

    shell_ms: float
    trio_ms: float
    trio_ratio: float
    long_ms: float
    long_ratio: float
    match_ms: float
    """A match of one round in a running arena: starting and ending two bots."""


def measure_start(samples: int) -> list[Start]:
    """Whole processes, in turn; a first round warms up."""
    with tempfile.TemporaryDirectory() as folder, keeper_running() as keeper:
        place = Path(folder)
        source = compiled_copy(place)
        short = _shell_match(place, "warlight", f"max_rounds={ROUNDS}")
        long = _shell_match(place, "codecharacter", "num_turns=1000")

        def one() -> Start:
            shell, far, trio = (wall_ms(words, source) for words in (short, long, ONLY_TRIO))
            match = run_with(keeper, lambda children: match_ms(place, children))
            return Start(shell, trio, shell / trio, far, far / trio, match)

        return [one() for _ in range(samples + 1)][1:]


def compiled_copy(folder: Path) -> Path:
    """A folder for PYTHONPATH with a copy of the package and its byte code, as a wheel installs
    it. (In a checkout the byte code may be missing, or its folder not be writable.)"""
    target = folder / "packages"
    package = Path(__file__).parents[1]
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


def wall_ms(command: Sequence[str], source: Path) -> float:
    """The wall time of a process, its output thrown away."""
    environment = {**os.environ, "PYTHONPATH": str(source)}
    quiet = subprocess.DEVNULL
    start = time.perf_counter()
    subprocess.run(command, check=True, stdout=quiet, stdin=quiet, env=environment, cwd=source)
    return (time.perf_counter() - start) * 1000


async def match_ms(folder: Path, children: Children) -> float:
    """Milliseconds for a match of one round in a running arena."""
    from arena.match.play import play_match

    spec = instant_match(folder, rounds=1)
    start = time.perf_counter()
    await play_match(spec, children)
    return (time.perf_counter() - start) * 1000
