"""Cut and played on by the recorded bots, a match gives the recorded digests.

``python -m tests.experiments.positions`` records matches between deterministic sample bots in all
games, cuts each at random moments, lets the same bots play on from there, and compares every
digest. It prints how many of them differ, and verifies each new record::

    python -m tests.experiments.positions --positions 1000 --jobs 2
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import arena
from arena.record.format import Digest
from arena.record.position import Position, cut
from arena.record.reader import Match
from arena.record.verify import verify
from tests.playthroughs import SHORT

GAMES = ("warlight", "hextrategic", "tncc", "toroid", "codecharacter")
BOTS = Path(__file__).parents[2] / "sample_bots"
CUTS = 10
"""Positions that are cut out of one match."""


def digests(match: Match) -> list[str]:
    """The digests of all rounds."""
    return [one.sha256 for one in match.records if isinstance(one, Digest)]


def recorded(game: str, seed: int, folder: Path) -> Path:
    """The record of a match between two simple bots."""
    path = folder / f"{game}-{seed}.jsonl"
    bot = BOTS / game / "simple.py"
    arena.play(game, [bot, bot], seed=seed, settings=SHORT.get(game, {}), replay=path)
    return path


def some_positions(match: Match, count: int, draw: random.Random) -> Iterator[Position]:
    """Positions at random rounds, half of them at the first request to a random seat."""
    for _ in range(count):
        seat = draw.choice([None, *range(len(match.players))])
        last = match.rounds if seat is None else match.replies(seat)[-1].round
        yield cut(match, draw.randint(0, last), seat)


def wrong(game: str, seed: int, count: int) -> list[str]:
    """What differs when `count` positions of one match are played on."""
    found, draw, bot = [], random.Random(seed), BOTS / game / "simple.py"
    with tempfile.TemporaryDirectory() as folder:
        match = Match.read(recorded(game, seed, Path(folder)))
        for position in some_positions(match, count, draw):
            path = Path(folder, "again.jsonl")
            again = arena.play(game, [bot, bot], position=position, replay=path, overwrite=True)
            verdict = verify(path)
            where = f"{game}, seed {seed}, round {position.round}, seat {position.seat}"
            if digests(again) != digests(match):
                found.append(f"{where}: other digests")
            if not verdict.ok:
                found.append(f"{where}: {verdict.problem}")
    return found


def main() -> None:
    """Run as the module says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--positions", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--games", nargs="*", default=GAMES, choices=GAMES)
    asked = parser.parse_args()
    began, found, played = time.monotonic(), list[str](), 0
    with ProcessPoolExecutor(asked.jobs) as pool:
        for game in asked.games:
            matches = range(1, asked.positions // len(asked.games) // CUTS + 1)
            size = len(matches)
            for problems in pool.map(wrong, [game] * size, matches, [CUTS] * size):
                played += CUTS
                found += problems
            print(f"{game}: {played} played on, {len(found)} problems", flush=True)
    for problem in found:
        print(problem)
    print(f"{played} positions in {time.monotonic() - began:.0f} s, {len(found)} problems")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
