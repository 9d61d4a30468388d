"""The table of an event: wins, points, scores, ratings and the crosstable. Pure."""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from operator import add
from typing import NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from arena.tournament.algebra import algebra_for
from arena.tournament.ratings import CONFIDENCE, Fit, MetPairs, fit, superiority
from arena.tournament.results import Block, BlockCounts, ResultTally, often_stopped

NOT_LINKED = (
    "wins do not link all bots both ways, so some ratings are bounded by nothing but the half win "
    "and half loss against an average bot that each bot is given"
)


class Standing(Struct, frozen=True):
    """One bot's results. `score` is the share of opponents beaten (ties count half), with its
    interval from `low` to `high`."""

    bot: int
    name: str
    rank: int
    """The rank by rating."""
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    score: float
    low: float
    high: float
    elo: float
    """Its rating. The mean of all bots is 0."""
    error: float
    """Half of the 95 % interval of its rating, relative to the mean of all."""
    best: int
    """The best true rank, with a confidence of 95 %."""
    worst: int
    """The worst true rank, with a confidence of 95 %."""
    faults: dict[str, int]
    """Number of faults of each kind."""
    stopped: dict[str, int]
    """Number of matches in which its program was stopped before the end, by reason."""


class Cell(Struct, frozen=True):
    """One bot's results against one rival: finished ahead of it, level with it, behind it."""

    bot: int
    rival: int
    ahead: int
    level: int
    behind: int
    elo: float
    """The difference of their ratings."""
    error: float
    """Half of the 95 % interval of that difference."""
    superiority: float
    """The probability that the bot is better than its rival."""

    @property
    def score(self) -> float:
        """The bot's share of the points of these two."""
        return (self.ahead + self.level / 2) / (self.ahead + self.level + self.behind)


class ResultTable(Struct, frozen=True):
    """The table of an event."""

    games: int
    standings: list[Standing]
    """In the order in which the bots were given."""
    crosstable: list[Cell]
    """A cell for each pair of bots that met, from both sides."""
    draw: float
    """The share of games that equal bots draw."""
    confidence: float
    """The confidence of all intervals."""
    notes: list[str]
    """Remarks on the ratings."""


def make_table(names: Sequence[str], tally: ResultTally) -> ResultTable:
    """The table of the bots with these names, in order of their numbers."""
    fitted = fit(len(names), tally)
    return replace(table_of_fit(names, tally, fitted), crosstable=list(Crosstable.of(fitted)))


def table_of_fit(names: Sequence[str], tally: ResultTally, fitted: Fit) -> ResultTable:
    """The table without the crosstable, whose cells grow as the square of the bots."""
    points, counts = tally.points(), _counts(len(names), tally.columns())
    ranking = sorted(fitted.elo, reverse=True)
    ranks = {elo: rank for rank, elo in reversed(list(enumerate(ranking, 1)))}
    standings = []
    rows = zip(names, counts, fitted.ranks(), strict=True)
    for bot, (name, own, (best, worst)) in enumerate(rows):
        low, high = wilson(own.beaten, own.games)
        standings.append(
            Standing(
                bot=bot,
                name=name,
                rank=ranks[fitted.elo[bot]],
                games=own.games,
                wins=own.wins,
                draws=own.draws,
                losses=own.losses,
                points=points.get(bot, 0.0),
                score=own.score,
                low=low,
                high=high,
                elo=fitted.elo[bot],
                error=fitted.error(bot),
                best=best,
                worst=worst,
                faults=dict(sorted(tally.faults[bot].items())),
                stopped=dict(sorted(tally.stopped[bot].items())),
            )
        )
    return ResultTable(
        games=tally.games,
        standings=standings,
        crosstable=[],
        draw=fitted.draw,
        confidence=CONFIDENCE,
        notes=[
            *([NOT_LINKED] if tally.games and not fitted.linked else []),
            *(
                f"{row.name} {why}: its rating says nothing of its strength"
                for row in standings
                if (why := often_stopped(row.stopped, row.games))
            ),
        ],
    )


class _Counts(NamedTuple):
    """Counts of one bot over all its matches."""

    wins: int
    draws: int
    losses: int
    beaten: float
    """The sum over matches of the share of rivals that it beat; ties count half."""

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return self.beaten / self.games if self.games else 0.0


def _counts(bots: int, columns: Sequence[BlockCounts]) -> list[_Counts]:
    algebra = algebra_for(bots)
    found = [(0.0,) * 4] * bots
    for counts in columns:
        group, shape, count = map(algebra.vector, (counts.group, counts.shape, counts.count))
        sums = [algebra.vector([0.0] * bots)] * 4
        for place, column in enumerate(counts.bots):
            own = algebra.vector(column)[group]
            tables = zip(*(_outcomes(block, place) for block in counts.shapes), strict=True)
            for kind, table in enumerate(tables):
                values = algebra.vector(table)[shape] * count
                sums[kind] = sums[kind] + algebra.totals(own, values, bots)
        *places, halves = sums
        beaten = halves / (2 * len(counts.bots) - 2)  # of whole numbers, in whatever order
        rows = zip(*places, beaten, strict=True)
        found = [tuple(map(add, one, row)) for one, row in zip(found, rows, strict=True)]
    return [
        _Counts(round(wins), round(draws), round(losses), float(beaten))
        for wins, draws, losses, beaten in found
    ]


def _outcomes(block: Block, place: int) -> tuple[float, float, float, float]:
    """Matches of a block that a bot won, drew and lost, and twice the rivals that it beat, of whom
    one that tied is half."""
    wins = draws = losses = halves = 0
    for order, ranks in block:
        own = ranks[order.index(place)]
        wins += own == 1 and ranks.count(1) == 1
        draws += own == 1 and ranks.count(1) > 1
        losses += own > 1
        halves += sum((rank > own) * 2 + (rank == own) for rank in ranks) - 1
    return float(wins), float(draws), float(losses), float(halves)


@dataclass(slots=True)
class Crosstable:
    """Who did how against whom. It is in columns: a cell for each pair of bots that met, from both
    sides, is made when it is asked for, since a thousand bots have a million."""

    elo: tuple[float, ...]
    met: MetPairs
    errors: array[float]
    """Half of the 95 % interval of the difference of their ratings, by pair."""
    starts: list[int] = field(init=False, compare=False)
    """Where the pairs begin of which each bot is the first, and where the last ones end."""

    def __post_init__(self) -> None:
        self.starts = [bisect_left(self.met.one, bot) for bot in range(len(self.elo) + 1)]

    @classmethod
    def of(cls, fitted: Fit) -> Crosstable:
        """The crosstable of a fit."""
        return cls(fitted.elo, MetPairs.of(fitted.met), fitted.errors())

    def __iter__(self) -> Iterator[Cell]:
        """All cells, by bot and rival."""
        return (cell for bot in range(len(self.elo)) for cell in self.row(bot))

    def row(self, bot: int) -> list[Cell]:
        """The cells of a bot, by rival."""
        own = range(self.starts[bot], self.starts[bot + 1])
        return [self._cell(bot, at) for at in (*self._pairs_behind(bot), *own)]

    def _pairs_behind(self, bot: int) -> Iterator[int]:
        """The pairs of which a bot is the second."""
        rivals = self.met.other
        for start, end in pairwise(self.starts[: bot + 1]):
            at = bisect_left(rivals, bot, start, end)
            if at < end and rivals[at] == bot:
                yield at

    def _cell(self, bot: int, at: int) -> Cell:
        ahead, level, behind = (column[at] for column in self.met.counts)
        rival = self.met.other[at]
        if bot == rival:
            rival, ahead, behind = self.met.one[at], behind, ahead
        gap, error = self.elo[bot] - self.elo[rival], self.errors[at]
        return Cell(bot, rival, ahead, level, behind, gap, error, superiority(gap, error))


def wilson(successes: float, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval for a share. Draws count half, which makes it a little too wide."""
    if trials == 0:
        return 0.0, 1.0
    z = _quantile(confidence)
    share, weight = successes / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / trials / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


@cache
def _quantile(confidence: float) -> float:
    """Half width of an interval with this confidence, in standard errors."""
    from statistics import NormalDist  # takes 5 ms, which a single match can save

    return NormalDist().inv_cdf((1 + confidence) / 2)
