"""The table of an event: wins, points, scores, ratings and the crosstable. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from arena.core.ranking import shares
from arena.tournament.ratings import CONFIDENCE, Fit, fit
from arena.tournament.results import Game, ResultTally

Kinds: TypeAlias = Sequence[tuple[Game, int]]
"""Each kind of match and its count."""
NOT_LINKED = (
    "wins do not link all bots both ways, so ratings have no bound by themselves: each bot is "
    "given half a win and half a loss against an average bot"
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
    kinds, fitted = tally.kinds(), fit(len(names), tally)
    points, counts = tally.points(), _counts(len(names), kinds)
    return ResultTable(
        games=tally.games,
        standings=[
            Standing(
                bot=bot,
                name=name,
                rank=1 + sum(elo > fitted.elo[bot] for elo in fitted.elo),
                games=counts[bot].games,
                wins=counts[bot].wins,
                draws=counts[bot].draws,
                losses=counts[bot].losses,
                points=points.get(bot, 0.0),
                score=counts[bot].score,
                low=wilson(counts[bot].beaten, counts[bot].games)[0],
                high=wilson(counts[bot].beaten, counts[bot].games)[1],
                elo=fitted.elo[bot],
                error=fitted.error(bot),
                best=fitted.ranks(bot)[0],
                worst=fitted.ranks(bot)[1],
                faults=dict(sorted(tally.faults[bot].items())),
                stopped=dict(sorted(tally.stopped[bot].items())),
            )
            for bot, name in enumerate(names)
        ],
        crosstable=_crosstable(fitted),
        draw=fitted.draw,
        confidence=CONFIDENCE,
        notes=[NOT_LINKED] if fitted.prior and tally.games else [],
    )


@dataclass(slots=True)
class _Counts:
    """Counts of one bot over all its matches."""

    wins: int = 0
    draws: int = 0
    losses: int = 0
    beaten: float = 0.0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        return self.beaten / self.games if self.games else 0.0

    def add(self, first: bool, shared: bool, share: float, count: int) -> None:
        self.wins += count * (first and not shared)
        self.draws += count * (first and shared)
        self.losses += count * (not first)
        self.beaten += count * share


def _counts(bots: int, kinds: Kinds) -> list[_Counts]:
    counts = [_Counts() for _ in range(bots)]
    for (order, ranks), count in kinds:
        shared = ranks.count(1) > 1
        for bot, rank, share in zip(order, ranks, _shares(ranks), strict=True):
            counts[bot].add(rank == 1, shared, share, count)
    return counts


_shares = lru_cache(shares)  # there are few kinds of ranks


def _crosstable(fitted: Fit) -> list[Cell]:
    cells = []
    for (one, other), counts in fitted.met.items():
        ahead, level, behind = map(round, counts)
        cells.append(_cell(one, other, (ahead, level, behind), fitted))
        cells.append(_cell(other, one, (behind, level, ahead), fitted))
    return sorted(cells, key=lambda cell: (cell.bot, cell.rival))


def _cell(bot: int, rival: int, counts: tuple[int, int, int], fitted: Fit) -> Cell:
    return Cell(bot, rival, *counts, *fitted.difference(bot, rival), fitted.superiority(bot, rival))


def wilson(successes: float, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval for a share. Draws count half, which makes it a little too wide."""
    if trials == 0:
        return 0.0, 1.0
    from statistics import NormalDist  # takes 5 ms, which a single match can save

    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = successes / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / trials / 4)
    return max(0.0, middle - half), min(1.0, middle + half)
