"""Plays many matches between the same bots, from Python."""

from __future__ import annotations

import pickle
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Unpack

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from arena.api.conditions import Bots, Conditions, game_of, listed, make_spec, seats_of
from arena.api.inside import play_in_thread, refuse_inside_trio
from arena.api.play import PlayedMatch, record_path
from arena.api.positions import Book, Positions, book_spec, find_book
from arena.core.game import AnyGame
from arena.core.listener import Listener
from arena.errors import UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec, numbered
from arena.record.reader import Match
from arena.runtime.affinity import pins
from arena.runtime.retry import Voids, fitting_jobs, play_all
from arena.text import counted, distinct
from arena.tournament.pairings import round_robin
from arena.tournament.results import ResultTally, result_of
from arena.tournament.schedule import Fixture, Schedule
from arena.tournament.standings import Cell, ResultTable, Standing, make_table

if TYPE_CHECKING:
    from concurrent.futures import Future


class SeriesSummary(Struct, frozen=True):
    """The results of a series. `void` matches were played again."""

    games: int
    """Number of requested matches."""
    played: int
    void: int
    stopped: str | None
    """Why it ended early."""
    seats: int
    """Bots in each match."""
    confidence: float
    """The confidence of all intervals."""
    standings: list[Standing]
    """The standings, in the order in which the bots were given."""
    crosstable: list[Cell]
    """One cell per pair of bots that met, from each side."""
    draw: float
    """The share of their games that equal bots draw."""
    matches_per_hour: float | None
    """How fast matches ended, without the first of each job, which also waits for what plays to
    start; None when each job has played only one."""
    notes: list[str]
    """Notes on the ratings."""


class SeriesReport(Struct, frozen=True):
    """What `arena play --games N --json` prints."""

    matches: list[MatchReport]
    fixtures: list[Fixture]
    """Who sat where in each of these matches. Bots have their numbers of the standings."""
    summary: SeriesSummary


class Series:
    """Matches that are played while they are iterated, in the order in which they end::

        series = arena.series("warlight", ["my_bot.py", "other.js"], games=100, jobs=2)
        for report in series:
            print(report.sentence)
        print(series.table.standings)

    With more bots than take part in a match it is a round robin: `games` for each group. Inside
    Trio it is ``await series.play_async()``. Whatever ends the playing early (an interrupt, an
    ArenaError, a ``break``), what was played so far stays in `reports` and `table`.
    """

    def __init__(
        self,
        first: MatchSpec,
        games: int,
        *,
        seats: int | None = None,
        jobs: int = 1,
        pin: bool | None = None,
        book: Book | None = None,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`first` is as all matches are, with all bots as its entrants; its replay's name is that
        of all, numbered. Each group of `seats` bots (all, if absent) plays `games` matches, from
        the positions of the `book`, if there is one."""
        self.first = first
        self.book = book
        self.seats = seats or len(first.entrants)
        groups = round_robin(len(first.entrants), self.seats)
        self.schedule = Schedule(first.seed, groups, games, alone=len(groups) == 1)
        self.games = len(self.schedule)
        """Total number of matches."""
        self.names = distinct([entrant.name for entrant in first.entrants])
        """The bots' names in the order in which they were given, told apart by numbers."""
        self.reports: dict[int, MatchReport] = {}
        """By the number of the game, from 0."""
        self._jobs = min(jobs, self.games)
        self._ends: list[float] = []
        """When matches ended, in seconds."""
        self._pin = pin
        self._tell = tell
        self._voids = Voids()
        self._fitted = False

    @property
    def voids(self) -> int:
        """Matches that the machine made void; they were played again."""
        return self._voids.total

    @property
    def jobs(self) -> int:
        """Matches at a time: fewer than requested where no more fit on this machine."""
        return self._jobs

    @property
    def matches_per_hour(self) -> float | None:
        """See `SeriesSummary`."""
        counted = len(self._ends) - self._jobs
        span = self._ends[-1] - self._ends[self._jobs - 1] if counted >= self._jobs else 0.0
        return counted * 3600 / span if span > 0 else None

    @property
    def table(self) -> ResultTable:
        """The table of the matches played so far."""
        return make_table(
            self.names,
            ResultTally(result_of(self.schedule[game], one) for game, one in self.reports.items()),
        )

    @property
    def standings(self) -> list[Standing]:
        """The rows of the table, in the order in which the bots were given."""
        return self.table.standings

    def report(self, stopped: BaseException | None = None) -> SeriesReport:
        """The whole series as one document."""
        why = None if stopped is None else str(stopped) or "interrupted"
        played, table = sorted(self.reports.items()), self.table
        summary = SeriesSummary(
            games=self.games,
            played=len(played),
            void=self.voids,
            stopped=why,
            seats=self.seats,
            confidence=table.confidence,
            standings=table.standings,
            crosstable=table.crosstable,
            draw=table.draw,
            matches_per_hour=self.matches_per_hour,
            notes=table.notes,
        )
        fixtures = [self.schedule[game] for game, _ in played]
        return SeriesReport([report for _, report in played], fixtures, summary)

    def __iter__(self) -> Iterator[MatchReport]:
        refuse_inside_trio("series", "series(…).play_async()")
        return self._play()

    def matches(self) -> Iterator[PlayedMatch]:
        """Play all matches, as iterating does, and give each with its record, as `arena.play`
        does. Raises as iterating does."""
        refuse_inside_trio("series", "series(…).play_async()")
        return self._play_with_records()

    def _play_with_records(self) -> Iterator[PlayedMatch]:
        first = self.first
        with TemporaryDirectory() as folder:
            if first.replay is None:
                self.first = msgspec.structs.replace(first, replay=Path(folder, "r.jsonl"))
            try:
                for game, report in self.play_games(range(self.games)):
                    path = self.spec(game).replay
                    assert path is not None
                    match = Match.read(path)
                    if first.replay is None:
                        path.unlink()
                        report = msgspec.structs.replace(report, replay=None)
                    self.reports[game] = report
                    yield PlayedMatch(match.header, match.records, report)
            finally:
                self.first = first

    async def play_async(self, each: Callable[[MatchReport], None] = lambda report: None) -> None:
        """Play all matches inside Trio, in worker processes; `each` is called with every report as
        it comes in. When it is cancelled, the running matches are given up."""
        await play_in_thread(self._play, each)

    def _play(self, abort: Future[None] | None = None) -> Generator[MatchReport, None, None]:
        for game, report in self.play_games(range(self.games), abort):
            self.reports[game] = report
            self._ends.append(time.monotonic())
            yield report

    def play_games(
        self, games: Sequence[int], abort: Future[None] | None = None
    ) -> Generator[tuple[int, MatchReport], None, None]:
        """Play some of the games, by their numbers; give each with its report, and keep none."""
        if not self._fitted:  # what does not fit is told once
            memory = self.first.terms.limits.memory if self.first.has_programs else None
            self._jobs = fitting_jobs(self._jobs, self.seats, memory, self._tell)
            self._fitted = True
        if self._jobs > 1 or abort is not None:
            _require_picklable(self.first)
        for index, report in play_all(
            map(self.spec, games),
            jobs=self._jobs,
            pin=pins(self._pin, self._jobs, self.first.terms.timing.clock),
            voids=self._voids,
            tell=self._tell,
            abort=abort,
        ):
            yield games[index], report

    def spec(self, game: int) -> MatchSpec:
        """The match of one game, numbered from 0."""
        here, keep = self.schedule[game], self.first.keep_files
        spec = msgspec.structs.replace(
            self.first,
            entrants=tuple(self.first.entrants[bot] for bot in here.order),
            seed=here.seed,
            replay=numbered(self.first.replay, game + 1),
            keep_files=keep and keep / f"match-{game + 1}",
        )
        return self.book.begin(spec, here.game // self.seats) if self.book else spec

    def origin(self, game: int) -> str:
        """How ``--from`` names the position of one game; empty without a book."""
        return self.book.name(self.schedule[game].game // self.seats) if self.book else ""


def series(
    game: str | AnyGame,
    bots: Bots,
    *,
    games: int | None = None,
    seats: int | None = None,
    jobs: int = 1,
    pin: bool | None = None,
    replay: str | Path | None = None,
    book: Positions | None = None,
    overwrite: bool = False,
    listen: Callable[[], Sequence[Listener]] | None = None,
    tell: Callable[[str], None] = lambda text: None,
    **conditions: Unpack[Conditions],
) -> Series:
    """A series of `games` matches, `jobs` at a time: seats rotate, and all rotations of a group
    share a seed. Nothing is played before it is iterated.

    When there are more bots than `seats` in a match (if absent: as many as there are bots, or the
    fewest that the game is for, when it is not for so many), it is a round robin, and each group
    plays `games` matches.

    With a `book` (a file of positions, or positions) each block, the matches of a group on one
    seed, begins at one of its positions, which brings seed, map and settings with it. The seed of
    the series shuffles the positions, and none comes twice for a group. If `games` is absent, all
    of them are played.

    With `pin` each match and its bots stay on one core; so they do without a word of it, by the
    fair clock, where `jobs` is the number of cores. `replay` names the records: ``r.jsonl``
    makes ``r-1.jsonl``, ``r-2.jsonl`` and so on; files that are there are refused, unless
    `overwrite` lets the records replace them. `listen` makes the listeners of a match, and is
    called for each, in the process that plays it: with more than one job that is another one.
    `tell` hears one sentence when fewer matches than `jobs` fit on this machine, or are played at a
    time because some were void.

    Raises UsageError and BotError at once; the iteration raises ArenaFault when matches cannot be
    played.
    """
    for name, number in (("games", games), ("jobs", jobs)):
        is_absent = number is None and book is not None
        if not is_absent and (not isinstance(number, int) or number < 1):
            raise UsageError(f"{name}={number!r} is not allowed: give a whole number from 1")
    if book is not None:
        first, drawn, games = _from_book(game_of(game), bots, book, games, seats, conditions)
        seats = drawn.seats
    else:
        drawn = None
        seats = seats_of(
            game_of(game), len(listed(bots)), seats, on_map=conditions.get("map") is not None
        )
        first = make_spec(game, bots, conditions, seats=seats)
    assert games is not None
    first = replace(first, listen=listen)
    planned = Series(first, games, seats=seats, jobs=jobs, pin=pin, book=drawn, tell=tell)
    path = record_path(replay, overwrite=overwrite, games=planned.games)
    planned.first = replace(first, replay=path)
    return planned


def _from_book(
    game: AnyGame,
    bots: Bots,
    book: Positions,
    games: int | None,
    seats: int | None,
    conditions: Conditions,
) -> tuple[MatchSpec, Book, int]:
    """The spec of a series from a book, the book, and the number of games for each group."""
    positions = find_book(book, game.name)
    sides = positions[0].seats
    if seats not in (None, sides):
        raise UsageError(f"seats={seats} is not allowed: the book is for {sides}")
    most = sides * len(positions)
    if games is not None and games > most:
        raise UsageError(
            f"games={games} is not allowed: the book has {counted(len(positions), 'position')}, "
            f"each played from {sides} sides: give at most {most}"
        )
    first, drawn = book_spec(game.name, bots, positions, conditions)
    named = drawn if not isinstance(book, str | Path) else replace(drawn, file=str(book))
    return first, named, games or most


def _require_picklable(spec: MatchSpec) -> None:
    """Raise UsageError when a match cannot be sent to a worker process."""
    try:
        pickle.dumps(spec)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"the match cannot be sent to worker processes ({error}): define functions and games "
            "in a module, or play with jobs=1"
        ) from None
