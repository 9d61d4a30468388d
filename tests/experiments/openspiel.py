"""Every game of OpenSpiel through the whole arena, and a table of what holds for it.

``python -m tests.experiments.openspiel`` puts each game, or those that are named, to all
conformance checks, with as few and with as many seats as it has; then the sample bot of ten lines
is checked by ``arena check``, and plays whole matches by ``arena play``. Each record goes
through ``arena verify``, ``arena view --text`` and ``arena view``::

    python -m tests.experiments.openspiel --jobs 2
    python -m tests.experiments.openspiel go chess
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from pathlib import Path

from msgspec import Struct

from arena.core import find_game
from arena.core.game import AnyGame
from arena.core.registry import library_games
from arena.errors import ArenaError
from arena.games.openspiel import library
from arena.games.openspiel.probes import HIDES, can_probe, can_redraw
from arena.record.reader import Match
from arena.testing.conformance import CHECKS, check_fog, check_fog_behind_answers, run_check
from tests.support.forks import ARENA, ArenaProcess
from tests.test_every_game import SAMPLES

LONGEST_COMMAND = 300
"""Seconds in which each command must end."""


class Examined(Struct, frozen=True):
    """What came of one game."""

    name: str
    seats: tuple[int, ...]
    """How many programs played in each match."""
    rounds: tuple[int, ...]
    seconds: float
    unasked: tuple[str, ...] = ()
    """What no check can ask of the game, and why."""
    refuted: tuple[str, ...] = ()
    """The checks that do not hold, and why."""
    broken: tuple[str, ...] = ()
    """The commands that failed, and what they said."""


def examine(name: str) -> Examined:
    """Put a game through everything."""
    began, game = time.monotonic(), find_game(name)
    seats = tuple(sorted({min(game.seats), max(game.seats)}))
    refuted = tuple(refutations(replace(game, seats=seats)))
    broken, rounds = list[str](), list[int]()
    with tempfile.TemporaryDirectory() as folder:
        broken += command("check", name, bot())
        for count in seats:
            replay = Path(folder, f"{count}.jsonl")
            broken += played(name, count, replay)
            rounds.append(Match.read(replay).rounds if replay.exists() else 0)
    return Examined(
        name,
        seats,
        tuple(rounds),
        time.monotonic() - began,
        tuple(unasked(game)),
        refuted,
        tuple(broken),
    )


def bot() -> str:
    """The program that plays all games."""
    return str(SAMPLES / "openspiel" / "simple.py")


def refutations(game: AnyGame) -> Iterator[str]:
    """The checks that do not hold for a game."""
    for check in CHECKS:
        try:
            run_check(check, game)
        except (AssertionError, ArenaError) as error:
            yield f"{check.__name__}: {' '.join(str(error).split())[:300]}"


def unasked(game: AnyGame) -> Iterator[str]:
    """The checks that say nothing of a game."""
    kind = library.registered(in_python=True)[game.name.removeprefix(library.FAMILY)]
    if kind.information == HIDES and not can_probe(kind):
        why = "a deal takes a second" if can_redraw(kind) else "OpenSpiel does not tell its chance"
        yield f"{check_fog.__name__}, {check_fog_behind_answers.__name__}: {why}"


def played(name: str, seats: int, replay: Path) -> Iterator[str]:
    """What failed in a match and with its record."""
    yield from command("play", name, *[bot()] * seats, "--seed", "1", "--replay", str(replay))
    if replay.exists():
        yield from command("verify", str(replay))
        yield from command("view", "--text", str(replay))
        yield from command("view", str(replay), "-o", f"{replay}.html")


def command(*words: str) -> Iterator[str]:
    """Run a command of the arena; yields what it said if it failed."""
    with ArenaProcess(
        [*ARENA, *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=LONGEST_COMMAND)
        except subprocess.TimeoutExpired:
            process.kill()
            said = b"it did not end"
    if process.returncode:
        yield f"arena {words[0]}: {' '.join(said.decode().split())[-300:]}"


def main() -> None:
    """Run as the module says."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("games", nargs="*", help="names without openspiel:, if not all")
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    names = [f"openspiel:{name}" for name in asked.games] or library_games()
    rows = list[Examined]()
    with ProcessPoolExecutor(asked.jobs) as pool:
        for row in pool.map(examine, names):
            rows.append(row)
            seats, rounds = (", ".join(map(str, one)) for one in (row.seats, row.rounds))
            verdict = "fails" if row.broken else "refuted" if row.refuted else "holds"
            print(
                f"{row.name:40} {seats:6} {rounds:12} {row.seconds:6.1f} s  {verdict}", flush=True
            )
            for problem in (*row.broken, *row.refuted, *row.unasked):
                print(f"    {problem}")
            sys.stdout.flush()
    whole = [row for row in rows if not row.broken]
    right = [row for row in whole if not row.refuted]
    print(
        f"{len(rows)} games: {len(whole)} play, check, record, verify and show; {len(right)} of "
        f"them pass all that the checks can ask, {sum(not row.unasked for row in right)} all checks"
    )
    sys.exit(len(right) < len(rows))


if __name__ == "__main__":
    main()
