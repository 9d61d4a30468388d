"""Compares two bots from Python: is the candidate better than the baseline?"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Unpack

from msgspec import Struct

from arena.api.conditions import Bot, Conditions
from arena.api.inside import play_in_thread, refuse_inside_trio
from arena.api.positions import Positions
from arena.api.series import Series, series
from arena.core.game import AnyGame
from arena.core.listener import Listener
from arena.core.ranking import shares
from arena.errors import UsageError
from arena.match.report import MatchReport
from arena.tournament.results import ResultTally, often_stopped, result_of
from arena.tournament.sprt import FLOOR, Estimate, Sprt, SprtVerdict, estimate
from arena.tournament.standings import Standing, make_table

if TYPE_CHECKING:
    from concurrent.futures import Future

MAX_GAMES = 10_000
"""Default number of matches after which a comparison without a book ends undecided."""


class ComparisonReport(Struct, frozen=True):
    """What `arena compare --json` prints."""

    game: str
    seed: str
    baseline: str
    candidate: str
    """The name of the bot that may be better."""
    verdict: SprtVerdict
    sentence: str
    """The verdict as a sentence."""
    stopped: str
    """Why it ended."""
    test: Sprt
    llr: float
    """The logarithm of how much likelier the pairs are under H1 than under H0."""
    bounds: list[float]
    """Where the test accepts H0, and where H1."""
    pairs: list[int]
    """Pairs in which the candidate got 0, ½, 1, 1½ and 2 points."""
    estimate: Estimate
    """How much better the candidate is."""
    played: int
    """Matches played. The last few may belong to pairs that were no longer needed."""
    void: int
    """Matches that the machine made void; they were played again."""
    standings: list[Standing]
    """The standings over all matches played: the baseline, then the candidate."""


class Comparison:
    """Mirrored pairs of matches, played during iteration, until it is known whether the candidate
    is better than the baseline::

        comparison = arena.compare("warlight", "old.py", "new.py", jobs=2)
        for report in comparison:
            print(comparison.llr)
        print(comparison.report().sentence)

    The pairs are judged in the order of their seeds, whichever ends first, so the verdict on bots
    without randomness of their own does not depend on `jobs`.
    """

    def __init__(self, matches: Series, test: Sprt) -> None:
        """`matches`: the baseline and the candidate, for as many games as there may be."""
        self.series = matches
        self.test = test
        self.pairs = [0] * 5
        """Pairs in which the candidate got 0, ½, 1, 1½ and 2 points, as far as they are judged."""
        self._tally = ResultTally()
        self._points: dict[int, list[float]] = {}

    @property
    def llr(self) -> float:
        """The logarithm of how much likelier the pairs are under H1 than under H0."""
        return self.test.llr(self.pairs)

    @property
    def verdict(self) -> SprtVerdict:
        """The verdict so far."""
        return self.test.verdict(self.pairs)

    @property
    def played(self) -> int:
        """Matches that were played so far."""
        return self._tally.games

    def __iter__(self) -> Iterator[MatchReport]:
        refuse_inside_trio("compare", "compare(…).play_async()")
        return self._play()

    async def play_async(self, each: Callable[[MatchReport], None] = lambda report: None) -> None:
        """Play inside Trio, as `Series.play_async` does."""
        await play_in_thread(self._play, each)

    def _play(self, abort: Future[None] | None = None) -> Generator[MatchReport, None, None]:
        """Play in waves, since void matches are played again at the end of each wave."""
        begun, size = 0, 2 * FLOOR
        while begun < self.series.games and self.verdict is SprtVerdict.UNDECIDED:
            wave = range(begun, min(begun + size, self.series.games))
            begun, size = wave.stop, 2 * size
            with closing(self.series.play_games(wave, abort)) as played:
                for game, report in played:
                    self._note(game, report)
                    yield report
                    if self.verdict is not SprtVerdict.UNDECIDED:
                        return

    def _note(self, game: int, report: MatchReport) -> None:
        result = result_of(self.series.schedule[game], report)
        self._tally.add(result)
        points = shares(result.ranks)[result.order.index(1)]
        self._points.setdefault(game // 2, []).append(points)
        while len(self._points.get(judged := sum(self.pairs), ())) == 2:
            if self.verdict is not SprtVerdict.UNDECIDED:
                return
            self.pairs[round(2 * sum(self._points.pop(judged)))] += 1

    def report(self, stopped: BaseException | None = None) -> ComparisonReport:
        """The report so far; `stopped` is the exception that ended the comparison early."""
        baseline, candidate = self.series.names
        found = estimate(self.pairs)
        stops = [often_stopped(self._tally.stopped[bot], self.played) for bot in range(2)]
        return ComparisonReport(
            game=self.series.first.game,
            seed=self.series.first.seed,
            baseline=baseline,
            candidate=candidate,
            verdict=of_living(self.verdict, stops[1]),
            sentence=sentence_of(self.verdict, baseline, candidate, self.test, *stops),
            stopped=why_ended(self.verdict, self.llr, self.test, self.series.games, stopped),
            test=self.test,
            llr=self.llr,
            bounds=list(self.test.bounds),
            pairs=self.pairs,
            estimate=found,
            played=self.played,
            void=self.series.voids,
            standings=make_table(self.series.names, self._tally).standings,
        )


def why_ended(
    verdict: SprtVerdict, llr: float, test: Sprt, games: int, stopped: BaseException | None
) -> str:
    """Why a test ended: a bound, what stopped it, or its last game."""
    low, high = test.bounds
    if verdict is SprtVerdict.BETTER:
        return f"the log-likelihood ratio {llr:.2f} reached {high:.2f}: H1 is accepted"
    if verdict is SprtVerdict.NOT_BETTER:
        return f"the log-likelihood ratio {llr:.2f} reached {low:.2f}: H0 is accepted"
    if stopped is not None:
        return str(stopped) or "interrupted"
    return f"all {games} games were played"


def of_living(verdict: SprtVerdict, stopped: str) -> SprtVerdict:
    """The verdict on a candidate that was `often_stopped`, or was not: a program that does not run
    is not better than any other, whatever the rules give it."""
    return SprtVerdict.NOT_BETTER if stopped and verdict is SprtVerdict.BETTER else verdict


def sentence_of(
    verdict: SprtVerdict,
    baseline: str,
    candidate: str,
    test: Sprt,
    baseline_stopped: str = "",
    candidate_stopped: str = "",
) -> str:
    """A verdict for people. Of a bot that was `often_stopped`, it says so."""
    if candidate_stopped:
        return (
            f"{candidate} {candidate_stopped}: mend that first. It is not better than {baseline}."
        )
    told = f" {baseline} {baseline_stopped}." if baseline_stopped else ""
    return _sentence(verdict, baseline, candidate, test) + told


def _sentence(verdict: SprtVerdict, baseline: str, candidate: str, test: Sprt) -> str:
    if verdict is SprtVerdict.BETTER:
        by = f" by more than {test.elo0:g} Elo" if test.elo0 else ""
        return f"{candidate} is better than {baseline}{by}."
    if verdict is SprtVerdict.NOT_BETTER:
        return f"{candidate} is not better than {baseline} by {test.elo1:g} Elo."
    return f"It is not known yet whether {candidate} is better than {baseline}: play more games."


def compare(
    game: str | AnyGame,
    baseline: Bot,
    candidate: Bot,
    *,
    test: Sprt = Sprt(),  # noqa: B008  # a frozen value
    games: int | None = None,
    jobs: int = 1,
    pin: bool | None = None,
    replay: str | Path | None = None,
    book: Positions | None = None,
    overwrite: bool = False,
    listen: Callable[[], Sequence[Listener]] | None = None,
    tell: Callable[[str], None] = lambda text: None,
    **conditions: Unpack[Conditions],
) -> Comparison:
    """Mirrored pairs of matches until `test` decides whether the candidate is better than the
    baseline, at most `games` matches (10,000 if absent, or as many as the `book` has). Nothing is
    played before iteration. All else, including the exceptions, is as in `series`."""
    if games is None and book is None:
        games = MAX_GAMES
    if isinstance(games, int) and games % 2:
        raise UsageError(f"games={games} is not allowed: give an even number, for mirrored pairs")
    matches = series(
        game,
        [baseline, candidate],
        games=games,
        seats=2,
        jobs=jobs,
        pin=pin,
        replay=replay,
        book=book,
        overwrite=overwrite,
        listen=listen,
        tell=tell,
        **conditions,
    )
    return Comparison(matches, test)
