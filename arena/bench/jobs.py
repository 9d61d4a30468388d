"""Whole matches per second, one at a time and two at a time, each on a core of its own."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from arena.bench.matches import BARE_LOOP, instant_match
from arena.match.spec import MatchSpec
from arena.runtime.affinity import pinned
from arena.runtime.retry import play_all


class Jobs(Struct, frozen=True):
    """Matches per second; and what two bare loops at once gain over one on this machine, which no
    arena can exceed."""

    one: float
    two: float
    ratio: float
    machine_ratio: float


def measure_jobs(samples: int, matches: int = 60) -> list[Jobs]:
    """The same matches one at a time and two at a time, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        spec = instant_match(Path(folder))
        specs = [_with_replay(spec, Path(folder) / f"{i}.jsonl") for i in range(matches)]

        def one() -> Jobs:
            alone, two = matches_per_s(specs, 1), matches_per_s(specs, 2)
            return Jobs(alone, two, two / alone, 2 * loop_ms(1) / loop_ms(2))

        return [one() for _ in range(samples)]


def loop_ms(copies: int) -> float:
    """The wall time of so many bare loops at once, each on a core of its own."""
    start = time.perf_counter()
    processes = []
    for core in range(copies):
        with pinned(core):
            processes.append(subprocess.Popen([sys.executable, "-I", "-S", "-c", BARE_LOOP]))
    for process in processes:
        process.wait()
    return (time.perf_counter() - start) * 1000


def _with_replay(spec: MatchSpec, path: Path) -> MatchSpec:
    return MatchSpec(spec.game, spec.entrants, spec.seed, spec.settings, replay=path)


def matches_per_s(specs: Sequence[MatchSpec], jobs: int) -> float:
    """Whole matches per second, the start of the workers included."""
    start = time.perf_counter()
    for _ in play_all(specs, jobs=jobs, pin=True):
        pass
    return len(specs) / (time.perf_counter() - start)
