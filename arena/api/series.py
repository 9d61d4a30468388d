"""Many matches between the same bots, from Python."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

import msgspec
from msgspec import Struct

from arena.api.conditions import Bot, Conditions, make_spec
from arena.api.inside import refuse_inside_trio
from arena.core.game import AnyGame
from arena.errors import UsageError
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec, numbered
from arena.runtime.retry import Voids, play_all
from arena.sandbox.session import one_error
from arena.tournament.schedule import Pairing, pairing
from arena.tournament.standings import CONFIDENCE, Standing, distinct, standings

if TYPE_CHECKING:
    from concurrent.futures import Future


class SeriesSummary(Struct, frozen=True):
    """What a series comes to. `void` matches were played again."""

    games: int
    """Matches that were asked for."""
    played: int
    void: int
    stopped: str | None
    """Why it ended early."""
    confidence: float
    """Of the intervals in the standings."""
    standings: list[Standing]


class SeriesReport(Struct, frozen=True):
    """What `arena play --games N --json` prints."""

    matches: list[MatchReport]
    summary: SeriesSummary


class Series:
    """Matches that are played while they are iterated, in the order in which they end::

        series = arena.series("warlight", ["my_bot.py", "other.js"], games=100, jobs=2)
        for report in series:
            print(report.sentence)
        print(series.standings)

    Inside Trio it is ``await series.play_async()``. Whatever ends the playing early (an interrupt,
    an ArenaError, a ``break``), what was played so far stays in `reports` and `standings`.
    """

    def __init__(
        self,
        first: MatchSpec,
        games: int,
        *,
        jobs: int = 1,
        pin: bool = False,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """`first` is the match of the first game; its replay's name is that of all, numbered."""
        self.first = first
        self.games = games
        self.names = distinct([entrant.name for entrant in first.entrants])
        """The bots' names in the order in which they were given, told apart by numbers."""
        self.reports: dict[int, MatchReport] = {}
        """By the number of the game, from 0."""
        self._jobs = min(jobs, games)
        self._pin = pin
        self._tell = tell
        self._voids = Voids()

    @property
    def voids(self) -> int:
        """Matches that the machine made void; they were played again."""
        return self._voids.total

    @property
    def standings(self) -> list[Standing]:
        """The table of what was played so far, in the order in which the bots were given."""
        return standings(
            self.names,
            [
                (
                    self.pairing(game),
                    [p.rank for p in one.players],
                    [p.points for p in one.players],
                )
                for game, one in sorted(self.reports.items())
            ],
        )

    def report(self, stopped: BaseException | None = None) -> SeriesReport:
        """All of it as one document."""
        why = None if stopped is None else str(stopped) or "interrupted"
        played = [one for _, one in sorted(self.reports.items())]
        summary = SeriesSummary(
            self.games, len(played), self.voids, why, CONFIDENCE, self.standings
        )
        return SeriesReport(played, summary)

    def __iter__(self) -> Iterator[MatchReport]:
        refuse_inside_trio("series", "series(…).play_async()")
        return self._play()

    async def play_async(self, each: Callable[[MatchReport], None] = lambda report: None) -> None:
        """Play all matches inside Trio, in worker processes; `each` is called with every report as
        it comes in. When it is cancelled, the running matches are given up."""
        from concurrent.futures import Future

        import trio

        from arena.runtime.pool import Aborted

        abort = Future[None]()

        def play_in_thread() -> None:
            with suppress(Aborted), closing(self._play(abort)) as reports:
                for report in reports:
                    trio.from_thread.run_sync(each, report)

        with one_error():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(_set_when_cancelled, abort)
                with trio.CancelScope(shield=True):
                    await trio.to_thread.run_sync(play_in_thread)
                nursery.cancel_scope.cancel()
        await trio.lowlevel.checkpoint_if_cancelled()

    def _play(self, abort: Future[None] | None = None) -> Generator[MatchReport, None, None]:
        specs = (self.spec(game) for game in range(self.games))
        jobs = _fitting(self._jobs, len(self.names), self._tell)
        if jobs > 1 or abort is not None:
            _require_picklable(self.first)
        for game, report in play_all(
            specs, jobs=jobs, pin=self._pin, voids=self._voids, tell=self._tell, abort=abort
        ):
            self.reports[game] = report
            yield report

    def spec(self, game: int) -> MatchSpec:
        """The match of one game, numbered from 0."""
        here, keep = self.pairing(game), self.first.keep_files
        return msgspec.structs.replace(
            self.first,
            entrants=tuple(self.first.entrants[bot] for bot in here.order),
            seed=here.seed,
            replay=numbered(self.first.replay, game + 1),
            keep_files=keep and keep / f"match-{game + 1}",
        )

    def pairing(self, game: int) -> Pairing:
        """Who sits where in one game, numbered from 0."""
        return pairing(self.first.seed, len(self.names), game)


def series(
    game: str | AnyGame,
    bots: Sequence[Bot],
    *,
    games: int,
    jobs: int = 1,
    pin: bool = False,
    replay: str | Path | None = None,
    tell: Callable[[str], None] = lambda text: None,
    **conditions: Unpack[Conditions],
) -> Series:
    """A series of `games` matches, `jobs` at a time: seats rotate, and all rotations of a group
    share a seed. Nothing is played before it is iterated.

    With `pin` each match and its bots stay on one core. `replay` names the records: ``r.jsonl``
    makes ``r-1.jsonl``, ``r-2.jsonl`` and so on. `tell` hears one sentence when fewer matches than
    `jobs` fit on this machine, or are played at a time because some were void.

    Raises UsageError and BotError at once; the iteration raises ArenaFault when matches cannot be
    played.
    """
    for name, number in (("games", games), ("jobs", jobs)):
        if not isinstance(number, int) or number < 1:
            raise UsageError(f"{name}={number!r} is not allowed: give a whole number from 1")
    first = make_spec(game, bots, conditions)
    path = None if replay is None else Path(replay)
    first = msgspec.structs.replace(first, replay=path)
    return Series(first, games, jobs=jobs, pin=pin, tell=tell)


async def _set_when_cancelled(abort: Future[None]) -> None:
    import trio

    try:
        await trio.sleep_forever()
    finally:
        abort.set_result(None)


def _fitting(jobs: int, seats: int, tell: Callable[[str], None]) -> int:
    """As many matches at a time as there is room for."""
    if jobs == 1:
        return jobs
    from arena.runtime.capacity import jobs_that_fit

    fitting, why = jobs_that_fit(jobs, seats)
    if fitting < jobs:
        tell(f"playing {fitting} at a time instead of {jobs}: {why}")
    return fitting


def _require_picklable(spec: MatchSpec) -> None:
    """Raise UsageError when a match cannot be sent to a worker process."""
    try:
        pickle.dumps(spec)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise UsageError(
            f"a bot cannot be sent to worker processes ({error}): give a function that stands in a "
            "module, or play with jobs=1"
        ) from None
