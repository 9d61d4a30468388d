"""The judge of a league: plays the planned matches and writes each result to disk before it counts.

A record is written as a draft, synced, and renamed to its place; then its row is added. A judge
killed in between leaves a record without a row: the next judge proves the record and adds the row,
or drops the record. Matches without a result are played, with the same seed as before.
"""

from __future__ import annotations

import hashlib
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from msgspec.structs import replace

from arena.core.ranking import shares
from arena.errors import ArenaError, BotError, MachineError, ReplayError
from arena.league.bots import LeagueBots, StoredBots
from arena.league.final import final_stages
from arena.league.league import League
from arena.league.lock import is_asked_to_stop, judging
from arena.league.plan import Plan, Stage
from arena.league.types import MatchResult, PlannedMatch, from_record, from_report, spec_of
from arena.match.play import header_of
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.record.format import Header
from arena.record.reader import Match
from arena.record.source import open_plain
from arena.record.verify import verify
from arena.runtime.affinity import pins
from arena.runtime.pool import Pool
from arena.runtime.retry import Voids, fitting_jobs, play_each


class Progress:
    """The progress of a run: matches played and planned, rate, leaders, stopped programs."""

    def __init__(self, league: League) -> None:
        self.stage = ""
        """The name of the current stage, if there are several."""
        self.total: int | None = None
        """Matches of the stage, including those played before; None for an endless stage."""
        self.done = 0
        """Matches of the stage with results."""
        self.played = 0
        """Matches played in this run."""
        self.ended: Counter[str] = Counter()
        """Programs that were stopped in this run, by reason."""
        self._league = league
        self._began = time.monotonic()
        self._beaten: defaultdict[str, float] = defaultdict(float)
        self._games: Counter[str] = Counter()

    def begin(self, stage: str, total: int | None) -> None:
        """Begin a stage."""
        self.stage, self.total, self.done = stage, total, 0

    def count(self, fixture: PlannedMatch, result: MatchResult) -> None:
        """Count a finished match."""
        self.done += 1
        self.played += 1
        won = shares([seat.rank for seat in result.seats])
        for bot, share, seat in zip(fixture.seats, won, result.seats, strict=True):
            self._beaten[bot] += share
            self._games[bot] += 1
            if seat.stopped is not None:
                self.ended[seat.stopped] += 1

    @property
    def rate(self) -> float:
        """Matches per second in this run."""
        return self.played / max(time.monotonic() - self._began, 1e-6)

    @property
    def seconds_left(self) -> float | None:
        """Estimate for the rest of the stage; None for an endless stage or before any match."""
        if self.total is None or not self.played:
            return None
        return (self.total - self.done) / self.rate

    def leaders(self, count: int = 3) -> list[tuple[str, float]]:
        """The bots that have beaten the largest share of their rivals in this run."""
        shares = {bot: self._beaten[bot] / games for bot, games in self._games.items()}
        best = sorted(shares, key=lambda bot: -shares[bot])[:count]
        return [(self._league.copy_of(bot)[0], shares[bot]) for bot in best]


RESULTS_AT_ONCE = 100
"""The most results that become one change of the league."""


class ClusterOfWorkers(Pool, Protocol):
    """A pool that says whether it has a result at hand."""

    def has_more(self) -> bool:
        """Whether `play` has a further result at hand."""


Cluster: TypeAlias = Callable[[int], AbstractContextManager[ClusterOfWorkers]]
"""Opens a pool whose workers play the given number of matches at a time, or as many as they can."""


RANKED = 4
"""Ranked matches between two of `Unranked`, so that these slow the league by a bounded share."""


class Unranked(Protocol):
    """Matches without a result of the league, which its judge plays between ranked ones."""

    def next(self, bots: LeagueBots) -> tuple[int, MatchSpec] | None:
        """The next match, with its number; None when none waits. Each is given out once."""

    def end(self, number: int, played: MatchReport | BotError) -> None:
        """Keep what has become of a match."""

    def give_up(self) -> None:
        """The arena itself failed while those were played that were given out and have not ended:
        they shall not be the reason for that again."""


class Judge:
    """Plays a league until its plan is done or it is asked to stop."""

    def __init__(
        self,
        league: League,
        plan: Plan,
        *,
        jobs: int = 1,
        pin: bool | None = None,
        cluster: Cluster | None = None,
        unranked: Unranked | None = None,
        tell: Callable[[str], None] = lambda text: None,
    ) -> None:
        """With a `cluster` its workers play, `jobs` matches at a time or as many as they can.
        Of `unranked` one is played after each `RANKED` matches, and the rest at the end.

        `pin` is as in `runtime.affinity.pins`. `tell` receives messages for the organiser. Raises
        UsageError when this release or this machine cannot play the league.
        """
        self.league = league
        self.progress = Progress(league)
        self.stopped = False
        """Whether the judge was asked to stop."""
        self.unplayed: dict[str, int] = {}
        """Number of matches that could not be played, by reason."""
        self._plan = plan
        self._spec = spec_of(league.terms)
        self._bots = StoredBots(league) if cluster else LeagueBots(league)
        self._cluster = cluster
        self._unranked = unranked
        self._since_unranked = 0
        self._pool: ClusterOfWorkers | None = None
        """The pool of the cluster that plays now."""
        self._jobs = jobs
        self._pin = pin
        self._tell = tell
        self._voids = _RecordedVoids(league)

    def run(self) -> Generator[PlannedMatch, None, None]:
        """Play, and yield each match whose result was added.

        Raises UsageError when another judge plays the league, and ArenaFault when no match can be
        played. Results are kept then, and also when the generator is closed or interrupted.
        """
        jobs = self._jobs
        if self._cluster is None:
            terms = self.league.terms
            jobs = fitting_jobs(jobs, terms.seats, terms.memory, self._tell)
        with judging(self.league.path, self.league.folder.path):
            self.league.check_rows()
            self.league.folder.clear_drafts()
            try:
                yield from self._all_stages(jobs)
            finally:
                self.league.folder.clear_drafts()

    def _all_stages(self, jobs: int) -> Iterator[PlannedMatch]:
        for stage in self._stages():
            self.progress.begin(stage.name, stage.total)
            yield from self._play(stage, jobs)
            if self.stopped:
                return

    def _stages(self) -> Iterator[Stage]:
        """The stages of the plan; before each, and at the end, what cannot wait for it."""
        yield from self._urgent()
        for stage in self._plan.stages(self.league):
            yield stage
            yield from self._urgent()
        if self._unranked is not None:
            yield Stage(None, iter(()), "unranked matches")

    def _urgent(self) -> Iterator[Stage]:
        """The annulled matches, and the finals that have started."""
        if annulled := self.league.annulled():
            yield Stage(len(annulled), iter([annulled]), "annulled matches")
        yield from final_stages(self.league)

    def _play(self, stage: Stage, jobs: int) -> Iterator[PlannedMatch]:
        found: list[PlannedMatch] = []  # matches whose records exist already
        specs = self._with_unranked(self._specs(stage.rounds, found))
        matches = play_each(
            specs, jobs=jobs,
            pin=pins(self._pin, jobs, self._spec.terms.timing.clock), voids=self._voids,
            tell=self._tell, stopped=self._is_stopped, pool=self._cluster and self._open_cluster,
        )  # fmt: skip
        with closing(matches), self._blaming_unranked():
            ended: list[tuple[PlannedMatch, MatchReport]] = []
            for fixture, played in matches:
                if not isinstance(fixture, PlannedMatch):
                    self._end_unranked(fixture, played)
                elif isinstance(played, BotError):
                    self._leave_out(played)
                else:
                    ended.append((fixture, played))
                    if len(ended) == RESULTS_AT_ONCE or not self._has_more():
                        yield from self._keep(ended)
                        ended.clear()
                while found:
                    yield found.pop()
            yield from self._keep(ended)
        yield from found

    def _with_unranked(
        self, specs: Iterable[tuple[PlannedMatch, MatchSpec]]
    ) -> Iterator[tuple[PlannedMatch | int, MatchSpec]]:
        """Ranked matches, and an unranked one after each `RANKED` of them; where there are no
        ranked ones, all that wait."""
        is_empty = True
        for one in specs:
            is_empty = False
            yield one
            self._since_unranked += 1
            if self._since_unranked >= RANKED and (unranked := self._next_unranked()) is not None:
                self._since_unranked = 0
                yield unranked
        while is_empty and (unranked := self._next_unranked()) is not None:
            yield unranked

    def _next_unranked(self) -> tuple[int, MatchSpec] | None:
        return None if self._unranked is None else self._unranked.next(self._bots)

    def _end_unranked(self, number: int, played: MatchReport | BotError) -> None:
        assert self._unranked is not None
        self._unranked.end(number, played)

    @contextmanager
    def _blaming_unranked(self) -> Iterator[None]:
        """If the arena itself fails, it may be one of those: the next judge must not begin it."""
        try:
            yield
        except ArenaError:
            raise
        except Exception:
            if self._unranked is not None:
                self._unranked.give_up()
            raise

    @contextmanager
    def _open_cluster(self, jobs: int) -> Iterator[ClusterOfWorkers]:
        assert self._cluster is not None
        with self._cluster(jobs) as pool:
            self._pool = pool
            try:
                yield pool
            finally:
                self._pool = None

    def _has_more(self) -> bool:
        """Whether the result of a further match is at hand."""
        return self._pool is not None and self._pool.has_more()

    def _keep(self, ended: Sequence[tuple[PlannedMatch, MatchReport]]) -> Iterator[PlannedMatch]:
        """Put records and results on the disk, and yield the matches once all are there. (A disk
        takes some milliseconds for each change, however many results it has.)"""
        records = [(fixture.number, self._record(fixture)) for fixture, _ in ended]
        self.league.folder.keep_records(records)
        self._add([(fixture, from_report(report)) for fixture, report in ended])
        for fixture, _ in ended:
            yield fixture

    def _record(self, fixture: PlannedMatch) -> Path:
        return self.league.record(fixture.number)

    def _is_stopped(self) -> bool:
        self.stopped = self.stopped or is_asked_to_stop(self.league.folder.path)
        return self.stopped

    def _specs(
        self, rounds: Iterable[list[PlannedMatch]], found: list[PlannedMatch]
    ) -> Iterator[tuple[PlannedMatch, MatchSpec]]:
        """The matches to play. Those whose records exist already are added to `found`."""
        for fixtures in rounds:
            pending = self.league.plan(fixtures)
            self.progress.done += len(fixtures) - len(pending)
            for fixture in pending:
                if self._adopt(fixture):
                    found.append(fixture)
                    continue
                try:
                    yield fixture, self._match(fixture)
                except BotError as error:
                    self._leave_out(error)

    def _match(self, fixture: PlannedMatch) -> MatchSpec:
        return replace(
            self.league.begun(self._spec, fixture),
            entrants=tuple(self._bots.entrant(bot) for bot in fixture.seats),
            replay=self.league.folder.draft(fixture.number),
        )

    def _leave_out(self, error: BotError) -> None:
        """Leave a match whose bot cannot be started for another run."""
        why = str(error)
        if why not in self.unplayed:
            self._tell(f"matches are left out: {why}")
        self.unplayed[why] = self.unplayed.get(why, 0) + 1

    def _adopt(self, fixture: PlannedMatch) -> bool:
        """Add the result from a record left by a killed judge, if it is whole and of this match."""
        path = self._record(fixture)
        if not path.is_file():
            return False
        try:
            match, verdict = Match.ending(path), verify(path)
            is_proven = verdict.ok and match.header == self._header(fixture)
            if is_proven:
                self._add([(fixture, from_record(match))])
        except (ReplayError, BotError):
            is_proven = False
        if not is_proven:
            path.unlink()
        return is_proven

    def _header(self, fixture: PlannedMatch) -> Header:
        """The header of the record of a match."""
        entrants = tuple(self._bots.entrant(bot) for bot in fixture.seats)
        spec = replace(self.league.begun(self._spec, fixture), entrants=entrants)
        return header_of(spec, [one.name for one in entrants])

    def _add(self, results: Sequence[tuple[PlannedMatch, MatchResult]]) -> None:
        self.league.add_results(
            [(fixture, result, self._sha256(fixture)) for fixture, result in results]
        )
        for fixture, result in results:
            self.progress.count(fixture, result)

    def _sha256(self, fixture: PlannedMatch) -> str:
        with open_plain(self._record(fixture)) as record:
            return hashlib.file_digest(record, "sha256").hexdigest()


class _RecordedVoids(Voids):
    """Counts void matches, and stores each in the league."""

    def __init__(self, league: League) -> None:
        super().__init__()
        self._league = league

    def count(self, key: Any, error: MachineError) -> None:
        """Count a void match, and store that of a planned one."""
        super().count(key, error)
        if isinstance(key, PlannedMatch):
            self._league.void(key.number, str(error))
