"""What a terminal shows while matches run. Nothing elsewhere, and never inside a bot's time."""

from __future__ import annotations

import shutil
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from arena.cli.text.layout import say
from arena.core.faults import attribute_errors_to
from arena.core.game import AnyGame
from arena.core.lines import LINE_CAP
from arena.core.listener import Listener
from arena.core.ranking import shares
from arena.core.steps import Frame
from arena.core.tally import SeatTotals
from arena.text import safe

if TYPE_CHECKING:
    from rich.progress import Progress

    from arena.api.compare import Comparison
    from arena.api.series import Series


REDRAW = 0.25
"""Seconds between two redraws: one takes milliseconds."""
LEADERS = 4
"""Bots whose scores a line on a series shows."""
NARROW = 70
"""Columns below which there is no room for a bar."""


@contextmanager
def rounds(game: AnyGame, quiet: bool, seed: str | None = None) -> Iterator[list[Listener]]:
    """A listener that keeps one line: the round, a bar up to the maximum, how the match stands."""
    if quiet or not sys.stderr or not sys.stderr.isatty():
        yield []
        return
    with progress_bar() as progress:
        yield [RoundLine(game, progress, seed)]


class RoundLine(Listener):
    """One line on the round."""

    def __init__(self, game: AnyGame, progress: Progress, seed: str | None) -> None:
        self._game = game
        self._seed = seed
        self._progress = progress
        self._task = progress.add_task("round", total=None, visible=False, standing="")
        self._drawn = 0.0

    def print(self, text: str) -> None:
        """Print a line above this one."""
        from rich.text import Text

        self._progress.console.print(Text(text), soft_wrap=True)

    async def shown(self, frame: Frame) -> None:
        """Redraw the line, unless that was just done."""
        number, last = frame["round"], frame["rounds"]
        if time.monotonic() - self._drawn < REDRAW and number != last:
            return
        with attribute_errors_to(self._game, "the headline", self._seed):
            standing = safe(self._game.headline(frame))
        self._progress.update(
            self._task, completed=number, total=last, standing=standing, visible=True
        )
        self._progress.refresh()
        self._drawn = time.monotonic()


@contextmanager
def games(series: Series, quiet: bool) -> Iterator[Callable[[], None]]:
    """A bar over the games of a series: how fast they are played, what is left, the score so far.
    Call what it gives after each."""
    if quiet or not sys.stderr or not sys.stderr.isatty():
        yield lambda: None
        return
    with progress_bar() as progress:
        yield _GamesLine(series, progress).advance


class _GamesLine:
    def __init__(self, series: Series, progress: Progress) -> None:
        self._series = series
        self._progress = progress
        self._task = progress.add_task("game", total=series.games, standing="")
        self._began = time.monotonic()
        self._drawn = 0.0
        self._beaten = [0.0] * len(series.names)
        self._games = [0] * len(series.names)

    def advance(self) -> None:
        """One more was played."""
        played = len(self._series.reports)
        self._count()
        now = time.monotonic()
        if now - self._drawn < REDRAW and played != self._series.games:
            return
        self._drawn = now
        rate = played / max(now - self._began, 1e-6)
        left = (self._series.games - played) / rate
        standing = f"{rate_text(rate)} {span_text(left)} left, {self._scores()}"
        self._progress.update(self._task, completed=played, standing=standing)
        self._progress.refresh()

    def _scores(self) -> str:
        """The score of each bot; of many, of those that lead."""
        counted = zip(self._beaten, self._games, strict=True)
        scores = [beaten / max(games, 1) for beaten, games in counted]
        shown: Sequence[int] = range(len(scores))
        if len(scores) > LEADERS:
            shown = sorted(shown, key=lambda bot: -scores[bot])[:LEADERS]
        return ", ".join(
            f"{safe(self._series.names[bot])} {scores[bot]:.0%}".replace("%", " %") for bot in shown
        )

    def _count(self) -> None:
        """Add the match that came in last. (All of them each time would take ever longer.)"""
        game = next(reversed(self._series.reports))
        ranks = [player.rank for player in self._series.reports[game].players]
        for bot, share in zip(self._series.schedule[game].order, shares(ranks), strict=True):
            self._beaten[bot] += share
            self._games[bot] += 1


@contextmanager
def pairs(comparison: Comparison, quiet: bool) -> Iterator[Callable[[], None]]:
    """A line on a comparison: the log-likelihood ratio between its bounds, the difference so far.
    Call what it gives after each match."""
    if quiet or not sys.stderr or not sys.stderr.isatty():
        yield lambda: None
        return
    with progress_bar() as progress:
        task = progress.add_task("game", total=comparison.series.games, standing="")
        began, drawn = time.monotonic(), 0.0

        def advance() -> None:
            nonlocal drawn
            if (now := time.monotonic()) - drawn < REDRAW:
                return
            drawn, played = now, comparison.played
            standing = f"{rate_text(played / max(now - began, 1e-6))}, {_ratio(comparison)}"
            progress.update(task, completed=played, standing=standing)
            progress.refresh()

        yield advance


def _ratio(comparison: Comparison) -> str:
    from arena.tournament.sprt import estimate  # a single match needs none of it

    low, high = comparison.test.bounds
    elo = estimate(comparison.pairs).elo
    known = "" if elo is None else f", {round(elo):+} Elo"
    return f"LLR {comparison.llr:.2f} ({low:.2f} to {high:.2f}){known}"


def rate_text(per_second: float) -> str:
    """``2.5/s``, ``12.0/min``."""
    return f"{per_second:.1f}/s" if per_second >= 1 else f"{per_second * 60:.1f}/min"


def span_text(seconds: float) -> str:
    """``12 s``, ``3:20 min``, ``5:07 h``."""
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"


def progress_bar() -> Progress:
    """A bar that is drawn when it is told to, with a field ``standing`` behind it."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.table import Column

    console = Console(stderr=True)
    rest = Column(no_wrap=True, overflow="ellipsis", ratio=1)
    bars = [BarColumn(bar_width=20)] if console.width >= NARROW else []
    return Progress(
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
        MofNCompleteColumn(table_column=Column(no_wrap=True)),
        *bars,
        TextColumn("{task.fields[standing]}", markup=False, table_column=rest),
        console=console,
        auto_refresh=False,
        expand=True,
        transient=True,
    )


# What bots write to stderr, printed as it comes: each line behind its seat and round.

ROUND_LINES = 200
"""Lines of one bot in one round that are printed."""
LINE_WIDTH = 2000
"""Characters of a line that are printed."""
NARROWEST = 40
"""Columns of a line, at least."""


class StderrLines(Listener):
    """Prints by a function, which must not print anything else on the same line."""

    def __init__(self, show: Callable[[str], None]) -> None:
        self._show = show
        self._begun: defaultdict[int, bytes] = defaultdict(bytes)
        """The beginning of a line, by seat."""
        self._rounds: dict[int, int] = {}
        """Of what was written last, by seat."""
        self._printed: dict[int, int] = {}
        """Lines of that round, by seat."""

    def wrote(self, seat: int, round: int, data: bytes) -> None:
        """Print the lines that are whole."""
        if self._rounds.get(seat) != round:
            self._end_line(seat)
            self._rounds[seat], self._printed[seat] = round, 0
        *lines, self._begun[seat] = (self._begun[seat] + data).split(b"\n")
        for line in lines:
            self._print(seat, line)
        if len(self._begun[seat]) > LINE_CAP:
            self._end_line(seat)

    def totals(self, totals: SeatTotals) -> None:
        """The match is over: print the unfinished line."""
        self._end_line(totals.seat)

    def _end_line(self, seat: int) -> None:
        if begun := self._begun.pop(seat, b""):
            self._print(seat, begun)

    def _print(self, seat: int, line: bytes) -> None:
        self._printed[seat] += 1
        if self._printed[seat] > ROUND_LINES + 1:
            return
        text = _shown(line)
        if self._printed[seat] > ROUND_LINES:
            text = "… and more in this round (--replay and --json have the last)"
        prefix = f"player{seat + 1} round {self._rounds[seat]} | "
        for piece in _folded(text, _columns() - len(prefix)):
            self._show(prefix + piece)


def printer(listeners: list[Listener]) -> Callable[[str], None]:
    """What prints beside what these listeners show."""
    for one in listeners:
        if isinstance(one, RoundLine):
            return one.print
    return lambda text: say(text, err=True)


def _shown(line: bytes) -> str:
    text = safe(line.decode(errors="backslashreplace").removesuffix("\r"))
    rest = len(text) - LINE_WIDTH
    return text if rest <= 0 else f"{text[:LINE_WIDTH]}… and {rest} characters more"


def _columns() -> int:
    """The width of the terminal on stderr; no end where there is none."""
    stderr = sys.__stderr__  # rich puts another in its place, which before 15 is no terminal
    if not (stderr and stderr.isatty()):
        return 1 << 20
    return max(shutil.get_terminal_size().columns, NARROWEST)


def _folded(text: str, columns: int) -> Iterator[str]:
    """A line in pieces that fit."""
    from rich.cells import chop_cells

    yield from chop_cells(text, columns) or [""]
