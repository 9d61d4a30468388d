"""The CPU time of matches in a series: of the arena, its keeper and all programs together.

Runs as a script, so that it can measure another checkout, and imports only what each has:
``python tests/bench/series_cpu.py LEVEL ROUNDS MATCHES BOT`` prints milliseconds a match.
"""

from __future__ import annotations

import resource
import sys
import tempfile
from pathlib import Path

import arena

FEW = 2
"""Matches of the short series, which is subtracted from a long one: what a series costs once."""


def main() -> None:
    """Measure what the command line says."""
    level, rounds, matches, bot = sys.argv[1:]
    _series_ms(level, int(rounds), FEW, bot)  # imports, and fills the caches
    few = _series_ms(level, int(rounds), FEW, bot)
    many = _series_ms(level, int(rounds), FEW + int(matches), bot)
    print((many - few) / int(matches))


def _series_ms(level: str, rounds: int, games: int, bot: str) -> float:
    """CPU milliseconds of a whole series, which reaps its keeper and all programs."""
    with tempfile.TemporaryDirectory() as folder:
        series = arena.series(
            "warlight",
            [bot, bot],
            games=games,
            seed=147,
            sandbox=level,  # type: ignore[arg-type]
            settings={"max_rounds": rounds},
            replay=Path(folder, "r.jsonl"),
        )
        before = _cpu_ms()
        for _ in series:
            pass
        return _cpu_ms() - before


def _cpu_ms() -> float:
    """Of this process, and of all that it has waited for, to the microsecond."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used) * 1000


if __name__ == "__main__":
    main()
