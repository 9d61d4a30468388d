"""Benchmark of how many matches per hour this machine plays.

Real matches are played in parallel for some seconds, as in a league: recorded, between programs
that have time to start. Matches count once each job has played its first.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice, pairwise
from pathlib import Path
from statistics import median

import psutil
from msgspec import Struct

from arena.api.conditions import seats_of
from arena.api.games import kits, new_bot
from arena.api.series import Series, series
from arena.core.game import AnyGame
from arena.core.limits import Limits
from arena.core.registry import find_game
from arena.errors import UsageError
from arena.match.report import MatchReport
from arena.players.timing import CORES
from arena.runtime.retry import fitting_jobs
from arena.sandbox.levels import Level
from arena.text import counted
from arena.tournament.pairings import round_robin

SLICES = 5
"""Number of time slices counted separately, if enough matches end in each."""
LEAGUE_BOTS = 60
KIT = "python"
ENDLESS = 10**9
"""Length of a series that is stopped when its time is over."""


class Forecast(Struct, frozen=True):
    """The playing time of a league on this machine, in which each group of bots meets once from
    every seat. (Checking and storing the results takes some 10 % more.)"""

    bots: int
    matches: int
    seconds: float


class Bench(Struct, frozen=True):
    """How fast this machine plays matches of one kind."""

    game: str
    bots: list[str]
    seats: int
    """Seats of each match."""
    sandbox: Level
    jobs: int
    """Matches at a time."""
    seconds: float
    """Time from when every job has played its first match to the end of the last match."""
    matches: int
    """Matches that ended in this time."""
    stopped: int
    """Matches among these in which a program was stopped; they may have been shorter."""
    matches_per_hour: float
    """The median of five slices of this time, or of fewer if few matches ended."""
    lowest: float
    """Matches per hour in the slowest slice."""
    highest: float
    """Matches per hour in the fastest slice."""
    requests_per_s: float
    cpu_ms: float | None
    """CPU time per match in milliseconds, of the arena and the programs. None on macOS, which does
    not report it."""
    league: Forecast


def bench(
    name: str,
    bots: Sequence[str],
    *,
    sandbox: str,
    jobs: int | None,
    seconds: float,
    tell: Callable[[str], None],
) -> Bench:
    """Play matches of the game for some `seconds`, or longer until each job has played two.

    Without `bots` the game's Python starter kit takes all seats. `jobs` matches are played at a
    time (None: one per core); `tell` hears if that is too many for this machine, and when playing
    begins. Raises what a series raises.
    """
    game = find_game(name)
    with tempfile.TemporaryDirectory(prefix="arena-bench-") as folder:
        bots = bots or _kit_bots(game, Path(folder, "kit"))
        seats = seats_of(game, len(bots), None, on_map=False)
        jobs = fitting_jobs(jobs or CORES, seats, Limits().memory, tell)
        matches = series(
            game,
            bots,
            games=ENDLESS,
            jobs=jobs,
            replay=Path(folder, "r.jsonl.gz"),
            tell=tell,
            sandbox=sandbox,
            start_up=10_000,
            forfeit=True,
        )
        tell(f"playing {name} for {seconds:g} s, {counted(jobs, 'match', 'matches')} at a time")
        return _measure(matches, jobs, seconds)


def _kit_bots(game: AnyGame, folder: Path) -> list[str]:
    seats = min(game.seats)
    if KIT not in kits(game):
        raise UsageError(
            f"{game.name} has no starter kit in Python: name the bots that play, as in arena bench "
            f"{game.name} {' '.join(['my_bot.py'] * seats)}"
        )
    new_bot(game.name, KIT, folder)
    return [str(folder)] * seats


def _measure(matches: Series, jobs: int, seconds: float) -> Bench:
    with closing(matches.play_games(range(matches.games))) as played:
        reports = _without_records(report for _, report in played)
        for _ in islice(reports, jobs):
            pass
        begin, cpu = time.monotonic(), _cpu_s()
        ended: list[MatchReport] = []
        ends = [0.0]
        for report in reports:
            ended.append(report)
            ends.append(time.monotonic() - begin)
            if ends[-1] >= seconds and len(ended) >= jobs:
                break
        cpu = _cpu_s() - cpu
    rates = slice_rates(ends, jobs)
    hourly = median(rates) * 3600
    return Bench(
        game=matches.first.game,
        bots=matches.names,
        seats=matches.seats,
        sandbox=ended[0].sandbox,
        jobs=jobs,
        seconds=ends[-1],
        matches=len(ended),
        stopped=sum(any(player.stopped for player in one.players) for one in ended),
        matches_per_hour=hourly,
        lowest=min(rates) * 3600,
        highest=max(rates) * 3600,
        requests_per_s=sum(report.requests for report in ended) / ends[-1],
        cpu_ms=cpu * 1000 / len(ended) if sys.platform == "linux" else None,
        league=forecast(matches.seats, hourly),
    )


def _without_records(reports: Iterable[MatchReport]) -> Iterator[MatchReport]:
    """Yield the reports and remove their records, which nobody reads and which fill the disk."""
    for report in reports:
        if report.replay is not None:
            os.unlink(report.replay)
        yield report


def slice_rates(ends: Sequence[float], jobs: int) -> list[float]:
    """Matches per second in up to `SLICES` slices of the time. `ends` has the beginning and then
    the end of each match, in seconds. Each slice has at least two matches per job, since parallel
    matches may end together."""
    last = len(ends) - 1
    parts = max(1, min(SLICES, last // (2 * jobs)))
    cuts = [last * part // parts for part in range(parts + 1)]
    return [(right - left) / (ends[right] - ends[left]) for left, right in pairwise(cuts)]


def forecast(seats: int, matches_per_hour: float) -> Forecast:
    """How long leagues of such matches take."""
    matches = len(round_robin(LEAGUE_BOTS, seats)) * seats
    return Forecast(LEAGUE_BOTS, matches, matches / matches_per_hour * 3600)


def _cpu_s() -> float:
    """CPU seconds of this process and all its descendants, living and ended."""
    this = psutil.Process()
    total = 0.0
    for process in (this, *this.children(recursive=True)):
        with suppress(psutil.Error):
            total += sum(process.cpu_times()[:4])  # its own, and that of ended children
    return total
