"""The CPU time of matches: of the arena, its keeper and all programs together.

Runs as a script, so that it measures the checkout that PYTHONPATH names, and uses only what
every version has: ``python tests/experiments/bench/series_cpu.py LEVEL ROUNDS MATCHES [BOT]``
prints milliseconds a match, in a series of bots or, without one, by `arena.play` of functions.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import arena

FEW = 2
"""Matches of the short series, which is subtracted from a long one: what a series costs once."""


def main() -> None:
    """Measure what the command line says."""
    level, rounds, matches, *bots = sys.argv[1:]
    play = _play_series if bots else _play_functions
    terms: dict[str, Any] = {
        "sandbox": level,
        "seed": 147,
        "settings": {"max_rounds": int(rounds)},
    }

    def cpu_ms(games: int) -> float:
        return _cpu_ms(lambda: play(bots, games, terms))

    cpu_ms(FEW)  # imports, and fills the caches
    few = cpu_ms(FEW)
    print((cpu_ms(FEW + int(matches)) - few) / int(matches))


def _play_series(bots: list[str], games: int, terms: dict[str, Any]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        for _ in arena.series("warlight", bots * 2, games=games, replay=Path(folder, "r"), **terms):
            pass


def _play_functions(_: list[str], games: int, terms: dict[str, Any]) -> None:
    for _game in range(games):
        arena.play("warlight", [_idle, _idle], **terms)


def _idle(lines: list[str]) -> str:
    return "No moves"


def _cpu_ms(work: Callable[[], None]) -> float:
    """CPU milliseconds of work that waits for all processes that it starts."""
    before = _used_ms()
    work()
    return _used_ms() - before


def _used_ms() -> float:
    """Of this process, and of all that it has waited for, to the microsecond."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used) * 1000


if __name__ == "__main__":
    main()
