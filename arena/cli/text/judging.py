"""How a run of a league goes on, and what it came to."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.cli.text.layout import say
from arena.cli.text.league import league_text
from arena.cli.text.live import REDRAW, progress_bar, rate_text, span_text
from arena.league.judge import Judge
from arena.league.progress import Progress
from arena.league.table import league_table
from arena.text import counted, safe

if TYPE_CHECKING:
    from rich.progress import Progress as Bar


@contextmanager
def shown(progress: Progress, *, quiet: bool, log_every: int) -> Iterator[Callable[[], None]]:
    """Show how it goes on: a bar on a terminal, elsewhere a line now and then. Call what this
    gives after each match."""
    if quiet:
        yield lambda: None
    elif sys.stderr and sys.stderr.isatty():
        with progress_bar() as bar:
            yield _every(REDRAW, _draws(progress, bar))
    else:
        yield _every(log_every, lambda: say(progress_text(progress), err=True))


def _every(seconds: float, act: Callable[[], None]) -> Callable[[], None]:
    """Does it, but not more often than that."""
    last = time.monotonic()

    def maybe() -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= seconds:
            last = now
            act()

    return maybe


def _draws(progress: Progress, bar: Bar) -> Callable[[], None]:
    task = bar.add_task("match", total=None, standing="")

    def draw() -> None:
        bar.update(
            task,
            description=progress.stage or "match",
            total=progress.total,
            completed=progress.done,
            standing=_standing(progress),
        )
        bar.refresh()

    return draw


def progress_text(progress: Progress) -> str:
    """One line: ``120 of 400 matches, 3.1/s, 1:30 min left, best: a 75 %, b 50 %``."""
    of = "" if progress.total is None else f" of {progress.total}"
    stage = f"{progress.stage}: " if progress.stage else ""
    return f"{stage}{progress.done}{of} matches, {_standing(progress)}"


def _standing(progress: Progress) -> str:
    left = progress.seconds_left
    best = [f"{safe(name)} {share:.0%}".replace("%", " %") for name, share in progress.leaders()]
    ended = [f"{count} {why}" for why, count in progress.ended.most_common(3)]
    words = [
        rate_text(progress.rate),
        *([f"{span_text(left)} left"] if left is not None else []),
        *([f"best: {', '.join(best)}"] if best else []),
        *([f"stopped: {', '.join(ended)}"] if ended else []),
    ]
    return ", ".join(words)


def summary(judge: Judge, *, interrupted: bool = False) -> str:
    """What a run came to, and the table after it."""
    progress = judge.progress
    lines = [f"{counted(progress.played, 'match', 'matches')} played, {rate_text(progress.rate)}"]
    if not (progress.played or judge.unplayed or judge.stopped or interrupted):
        lines = [
            "nothing was left to play: all that was planned has its results (--rounds plays more)"
        ]
    if judge.stopped:
        lines.append("stopped as asked: run it again to go on")
    elif interrupted:
        lines.append("interrupted: all that was played is kept, run it again to go on")
    for why, count in judge.unplayed.items():
        lines.append(f"{counted(count, 'match', 'matches')} left out: {safe(why)}")
    return "\n".join([*lines, "", league_text(league_table(judge.league))])
