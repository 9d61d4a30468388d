"""Ratings: the strength of each bot, fitted to all results at once, with honest error bars.

The model is Bradley-Terry, with a draw as half a win and half a loss: a bot better by D Elo is
expected to get the share 1 / (1 + 10^(-D/400)) of the points. So the Elo of a table agrees with
that of `arena compare`, which follows from the score of two bots, but for the prior below.

A match of more than two bots counts as one comparison for each pair. Under the Plackett-Luce model
each such comparison follows Bradley-Terry with the same ratings, so both estimate the same, but
this one handles ties, which Plackett-Luce does not.

Neither the games on one seed nor the comparisons within one match are independent. So error bars
come from the results of whole blocks (the White-Huber sandwich estimator), not from the number of
games. A group with few blocks borrows from all groups, and an event with few blocks from the
variance of independent games.

The fit is a maximum, so it does not depend on the order of games. Bots that won or lost all games
would have unbounded ratings, and bots that drew all games would be equal for certain. So each bot
gets half a win and half a loss against an average bot. They stay when wins link all bots both ways:
without them ratings would jump at that moment, and where only neighbours meet, they would be less
right and 95 % intervals would cover 88 to 92 % (`python -m tests.leagues prior`).
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from arena.tournament.algebra import (
    Algebra,
    Gaps,
    Numbers,
    PlainAlgebra,
    Square,
    algebra_for,
)
from arena.tournament.results import Block, BlockCounts, Game, ResultTally

# The Bradley-Terry model. Against bot j, bot i is expected to get the share 1 / (1 + exp(-d)) of
# the points, for the difference d of their ratings. At the fitted ratings each bot got as many
# points as expected; this is the maximum of the likelihood, which is concave. The rate of draws
# does not affect who is better, only how much less the points vary.

Pair: TypeAlias = tuple[int, int]
Counts: TypeAlias = Sequence[float]
"""Wins, draws and losses of the first bot of a pair."""
MOST_DRAWS = 0.95
"""Upper limit of the share of draws: bots that always draw are not certain to be equal."""


def comparisons(game: Game) -> Iterable[tuple[Pair, int]]:
    """The pairs of bots in a match, and for each 0 for a win of the first, 1 for a draw, 2 for a
    loss."""
    return [
        ((one, other), 1 + (mine > theirs) - (mine < theirs))
        for (one, mine), (other, theirs) in combinations(sorted(zip(*game, strict=True)), 2)
    ]


def law(one: float, other: float) -> float:
    """The expected share of points of a bot with rating `one` against one with rating `other`."""
    return 1 / (1 + math.exp(other - one))


class MetPairs(Mapping[Pair, Counts]):
    """Wins, draws and losses of the first bot of each pair that met, the lower number first. They
    are columns, since a thousand bots are half a million pairs."""

    def __init__(self, *columns: Iterable[int]) -> None:
        self.one, self.other, *counts = (array("i", one) for one in columns)
        self.counts = tuple(counts)
        """Wins, draws and losses."""

    @classmethod
    def of(cls, pairs: Mapping[Pair, Counts]) -> MetPairs:
        """The same in columns."""
        if isinstance(pairs, MetPairs):
            return pairs
        rows = sorted((*pair, *counts) for pair, counts in pairs.items())
        return cls(*(zip(*rows, strict=True) if rows else [()] * 5))

    def parts(self) -> Iterator[Sequence[Sequence[int]]]:
        """The columns in parts of at most `PAIRS_AT_ONCE` pairs, without copies."""
        columns = [memoryview(one) for one in (self.one, self.other, *self.counts)]
        for start in range(0, len(self), PAIRS_AT_ONCE):
            yield [column[start : start + PAIRS_AT_ONCE] for column in columns]

    def __len__(self) -> int:
        return len(self.one)

    def __iter__(self) -> Iterator[Pair]:
        return zip(self.one, self.other, strict=True)

    def __getitem__(self, pair: Pair) -> Counts:
        pairs = range(len(self))
        at = bisect_left(pairs, pair, key=lambda at: (self.one[at], self.other[at]))
        if at == len(self) or (self.one[at], self.other[at]) != pair:
            raise KeyError(pair)
        return [column[at] for column in self.counts]


PAIRS_AT_ONCE = 50_000
"""Pairs that are computed at once, for the memory of intermediate results."""


def _parts(algebra: Algebra, pairs: Mapping[Pair, Counts]) -> list[list[Numbers]]:
    """Pairs, and their wins, draws and losses, as five vectors; many of them in parts."""
    if isinstance(pairs, MetPairs):
        parts: Iterable[Sequence[Sequence[float]]] = pairs.parts()
    else:
        rows = [(*pair, *counts) for pair, counts in pairs.items()]
        parts = [list(zip(*rows, strict=True))] if rows else []
    return [
        [vector if at < 2 else algebra.compact(vector) for at, vector in enumerate(vectors)]
        for vectors in (map(algebra.vector, columns) for columns in parts)
    ]


class _Games(NamedTuple):
    """Games of pairs of bots: vectors over pairs."""

    one: Numbers
    other: Numbers
    games: Numbers
    points: Numbers
    """Points of the first bot of each pair."""


class Model:
    """The likelihood of ratings, and its maximum."""

    def __init__(
        self,
        bots: int,
        pairs: Mapping[Pair, Counts],
        algebra: Algebra | None = None,
        prior: Mapping[Pair, Counts] | None = None,
    ) -> None:
        self.bots, self.algebra = bots, algebra or PlainAlgebra()
        parts = _parts(self.algebra, pairs)
        for part in _parts(self.algebra, prior or {}):
            parts[-1:] = [list(map(self.algebra.joined, zip(*parts[-1:], part, strict=True)))]
        self.parts = [
            _Games(one, other, wins + draws + losses, wins + draws / 2)
            for one, other, wins, draws, losses in parts
        ]
        self.draws = sum(self.algebra.total(draws) for _, _, _, draws, _ in parts)
        self.ratings = self.algebra.vector([0.0] * bots)
        self.draw = 0.0
        """The share of games that equal bots draw. Unequal bots draw less often, in proportion to
        the variance of their points."""

    def shares(self, one: Numbers, other: Numbers) -> Numbers:
        """The expected shares of some bots against others: see `law`."""
        take = self.algebra.take
        return self.algebra.share(take(self.ratings, one) - take(self.ratings, other))

    def law(self, pair: Pair) -> float:
        """See `law`."""
        ratings = list(self.ratings)
        return law(ratings[pair[0]], ratings[pair[1]])

    def variance(self, pair: Pair) -> float:
        """The variance of a bot's points in one game without draws. This is also the derivative of
        the expected share with respect to its rating."""
        share = self.law(pair)
        return share * (1 - share)

    def climb(self) -> None:
        """Maximise by Newton's method. The likelihood is concave, and steps are bounded."""
        for _ in range(100):
            step = self.algebra.solution(self.hessian(), self._gradient())
            longest = max(map(abs, step), default=0.0)
            self.ratings = self.ratings + step * (1 / max(1.0, longest))
            if longest < 1e-9:
                break
        self.draw = self._draw()

    def _draw(self) -> float:
        shares = ((self.shares(one, other), games) for one, other, games, _ in self.parts)
        most = sum(self.algebra.total(share * (1 - share) * games * 4) for share, games in shares)
        return min(self.draws / most, MOST_DRAWS) if self.draws else 0.0

    def _gradient(self) -> Numbers:
        totals = self.algebra.totals
        gained = lost = self.algebra.vector([0.0] * self.bots)
        for one, other, games, points in self.parts:
            more = points - games * self.shares(one, other)
            gained = gained + totals(one, more, self.bots)
            lost = lost + totals(other, more, self.bots)
        return gained - lost

    def _weights(self) -> Iterator[Gaps]:
        """The variances of the points of all games without draws."""
        for one, other, games, _ in self.parts:
            share = self.shares(one, other)
            yield one, other, games * share * (1 - share)

    def hessian(self) -> Square:
        """The Hessian of all games plus a gauge term, since raising all ratings changes nothing."""
        return self.algebra.laplacian(self.bots, self._weights(), 1 / max(self.bots, 1))


# Error bars: the covariance of the estimates, from the results of whole blocks. The games of a
# block share their map, and the comparisons in a match share their bots, so neither are
# independent. The residual of a whole block is one independent observation; the sum of the squared
# residuals is the middle of the White-Huber sandwich.
#
# The residual of a bot in a block is its points less the games times its expected points a game. So
# the sum over blocks of the product of two bots' residuals follows from few sums, which are whole
# or half numbers and do not depend on the ratings. Since the residuals of a block add up to
# nothing, the products of two different bots say all.
#
# A group with few blocks borrows from all groups, and an event with few blocks from the variance of
# independent games. Otherwise two blocks that happen to agree would claim certainty.

BOUNDED = 2.0
"""Factor on the degrees of freedom: points are bounded, so their squares vary half as much as those
of normal errors, and the variance is known as well as from twice the blocks."""
Z = 1.959963984540054
"""Half width of a 95 % interval, in standard errors."""
OWN = 8.0
"""Number of blocks at which a group's own variance and that of all groups count half each."""
LEAST = 4.0
"""Number of spare blocks at which an event's own variance and that of independent games count half
each."""


class _Groups:
    """The results of groups of one size: vectors over groups. They are made when they are asked
    for, and not kept: together they are larger than the matrices of a fit."""

    def __init__(self, algebra: Algebra, counts: BlockCounts, shapes: Sequence[_Shape]) -> None:
        self.algebra = algebra
        self.seats = len(counts.bots)
        self.bots = [algebra.vector(column) for column in counts.bots]
        self.pairs = list(combinations(range(self.seats), 2))
        """Pairs of places."""
        self._group, self._shape, self._count = map(
            algebra.vector, (counts.group, counts.shape, counts.count)
        )
        self._shapes, self._groups = shapes, len(counts.bots[0])

    def _sums(self, of: Sequence[float]) -> Numbers:
        """The sum over blocks of what a block of each shape counts."""
        values = self.algebra.take(self.algebra.vector(of), self._shape) * self._count
        return self.algebra.totals(self._group, values, self._groups)

    @property
    def blocks(self) -> Numbers:
        """The number of blocks."""
        return self.algebra.totals(self._group, self._count, self._groups)

    @property
    def met(self) -> Iterator[tuple[Numbers, ...]]:
        """The bots of each pair of places, and the wins, draws and losses of the first."""
        for at, (p, q) in enumerate(self.pairs):
            counts = [self._sums([one.counts[at][k] for one in self._shapes]) for k in range(3)]
            yield (self.bots[p], self.bots[q], *map(self.algebra.compact, counts))

    def residuals(self, model: Model) -> list[Numbers]:
        """The sum over blocks of the product of the residuals of two bots, by pair."""
        shares = [model.shares(self.bots[p], self.bots[q]) for p, q in self.pairs]
        due = [0.0 for _ in self.bots]
        for (p, q), share in zip(self.pairs, shares, strict=True):
            due[p] = share + due[p]
            due[q] = (1 - share) + due[q]
        squares = self._sums([float(one.games**2) for one in self._shapes])
        points = [
            self._sums([one.games * one.points[place] for one in self._shapes])
            for place in range(self.seats)
        ]
        return [
            self._sums([one.points[p] * one.points[q] for one in self._shapes])
            - due[q] * points[p]
            - due[p] * points[q]
            + due[p] * due[q] * squares
            for p, q in self.pairs
        ]

    def variances(self, model: Model) -> list[Numbers]:
        """The model's variance of the points of one bot of a pair in all its games, by pair."""
        games = self._sums([float(one.games) for one in self._shapes])
        shares = (model.shares(self.bots[p], self.bots[q]) for p, q in self.pairs)
        return [games * share * (1 - share) * (1 - model.draw) for share in shares]

    @property
    def dependence(self) -> float:
        """By how much comparisons within a match of equal bots vary more than independent ones."""
        return (self.seats + 1) / 3


class _Shape:
    """What a block counts for its group."""

    def __init__(self, block: Block) -> None:
        self.games = len(block)
        pairs = list(combinations(range(len(block[0][0])), 2))
        self.counts = [[0.0, 0.0, 0.0] for _ in pairs]
        """Wins, draws and losses by pair of places."""
        self.points = [0.0] * len(block[0][0])
        """Points from comparisons, by place."""
        numbers = {pair: at for at, pair in enumerate(pairs)}
        for game in block:
            for (one, other), result in comparisons(game):
                self.counts[numbers[one, other]][result] += 1
                self.points[one] += 1 - result / 2
                self.points[other] += result / 2


def spread(
    bots: int, model: Model, groups: Sequence[_Groups], prior: Mapping[Pair, Counts]
) -> tuple[Square, float]:
    """The covariance of the model's ratings, with the same gauge as its Hessian; and the number of
    spare blocks from which it was estimated."""
    algebra = model.algebra
    played = sum(algebra.total(one.blocks) for one in groups)
    spare = played * _spare(bots, groups, algebra)
    found = -2 * sum(algebra.total(one) for group in groups for one in group.residuals(model))
    expected = 2 * sum(
        algebra.total(one) * group.dependence for group in groups for one in group.variances(model)
    )
    ratio = (found / expected * played + LEAST) / (spare + LEAST) if expected else 1.0
    middle = _middle(model, groups, prior, ratio=ratio, scale=played / max(spare, 1.0))
    return algebra.sandwich(algebra.inverted(model.hessian()), middle), spare


def _middle(
    model: Model,
    groups: Iterable[_Groups],
    prior: Mapping[Pair, Counts],
    *,
    ratio: float,
    scale: float,
) -> Square:
    """The variance of all residuals. That of a group is partly its own, times `scale`, and partly
    `ratio` times the model's."""

    def terms() -> Iterator[Gaps]:
        for group in groups:
            own = group.blocks / (group.blocks + OWN)
            lent = (1 - own) * (ratio * group.dependence)
            variances = group.residuals(model), group.variances(model)
            for (p, q), product, alone in zip(group.pairs, *variances, strict=True):
                yield group.bots[p], group.bots[q], lent * alone - own * scale * product
        for one, other, wins, _, losses in _parts(model.algebra, prior):
            share = model.shares(one, other)
            yield one, other, (wins + losses) * share * (1 - share)

    return model.algebra.laplacian(model.bots, terms())


def widened(freedom: float) -> float:
    """The factor by which to enlarge a variance estimated with `freedom` degrees of freedom: the
    squared ratio of Student's quantile to the normal one, by the Cornish-Fisher expansion."""
    return (1 + (Z**2 + 1) / (4 * freedom) + (5 * Z**4 + 16 * Z**2 + 3) / (96 * freedom**2)) ** 2


def _spare(bots: int, groups: Iterable[_Groups], algebra: Algebra) -> float:
    """The share of observations that the fit has not used up; a block of k bots has k - 1."""
    observed = sum(algebra.total(one.blocks) * (one.seats - 1) for one in groups)
    return max(0.0, 1 - (bots - 1) / observed) if observed else 0.0


ELO = 400 / math.log(10)
"""Elo points per unit of natural log odds."""
CONFIDENCE = 0.95
"""The confidence of all intervals."""
PRIOR = 0.5
"""Wins, and as many losses, against an average bot in the prior."""


class Fit(Struct, frozen=True):
    """The ratings of an event, in Elo with mean 0."""

    elo: tuple[float, ...]
    covariance: Sequence[Sequence[float]]
    """The covariance of the ratings against their mean, in Elo²."""
    draw: float
    """The share of games that equal bots draw."""
    linked: bool
    """Whether wins lead from each bot to each other, and back. If not, only the prior bounds some
    ratings."""
    met: Mapping[Pair, Counts]
    """Wins, draws and losses of the first bot of each pair that met, the lower number first."""

    def error(self, bot: int) -> float:
        """Half of the 95 % interval of a rating, relative to the mean of all."""
        return Z * math.sqrt(self.covariance[bot][bot])

    def difference(self, bot: int, rival: int) -> tuple[float, float]:
        """How much better a bot is than its rival, and half of the 95 % interval of that."""
        return self.elo[bot] - self.elo[rival], Z * math.sqrt(self._variance(bot, rival))

    def superiority(self, bot: int, rival: int) -> float:
        """The probability that a bot is better than its rival."""
        return superiority(*self.difference(bot, rival))

    def ranks(self) -> list[tuple[int, int]]:
        """The best and the worst true rank of each bot, with a confidence of 95 %: behind all
        rivals that are significantly better, and ahead of all that are significantly worse.

        None of the comparisons of a bot with its rivals may be wrong, so each uses the confidence
        at which all of them together have 95 % (Šidák).
        """
        bots = len(self.elo)
        least, variances = z_of_all(bots - 1) ** 2, self._variances
        found = []
        for own, variance, spread in zip(self.elo, variances, self.covariance, strict=True):
            apart = [
                elo > own
                for elo, other, shared in zip(self.elo, variances, spread, strict=True)
                if (elo - own) ** 2 > least * (variance + other - 2 * shared) and elo != own
            ]
            better = sum(apart)
            found.append((1 + better, bots - len(apart) + better))
        return found

    @property
    def _variances(self) -> Sequence[float]:
        return [row[bot] for bot, row in enumerate(self.covariance)]

    def errors(self) -> array[float]:
        """For each pair that met, half of the 95 % interval of the difference of their ratings."""
        own, rows = self._variances, self.covariance
        return array(
            "d",
            [
                Z * math.sqrt(max(0.0, own[one] + own[other] - 2 * rows[one][other]))
                for one, other in self.met
            ],
        )

    def information(self, bot: int, rival: int) -> float:
        """The information of a match of two bots about the difference of their ratings: the inverse
        of its variance, for ratings in natural log odds."""
        share = law(self.elo[bot] / ELO, self.elo[rival] / ELO)
        return share * (1 - share) / (1 - self.draw)

    def _variance(self, bot: int, rival: int) -> float:
        c = self.covariance
        return max(0.0, c[bot][bot] + c[rival][rival] - 2 * c[bot][rival])


def superiority(gap: float, error: float) -> float:
    """The probability that a bot is better whose rating is better by `gap`, of which `error` is
    half of the 95 % interval."""
    return 0.5 * math.erfc(-gap / error * Z / math.sqrt(2)) if error else 0.5


@cache
def z_of_all(comparisons: int) -> float:
    """Half width of each of several intervals that jointly hold with 95 %, in standard errors."""
    from statistics import NormalDist  # takes 5 ms, which a single match can save

    return NormalDist().inv_cdf((1 + CONFIDENCE ** (1 / max(comparisons, 1))) / 2)


def fit(bots: int, tally: ResultTally, *, prior: float = PRIOR) -> Fit:
    """The ratings of `bots` bots from all their results. A `prior` of 0 is for simulations; some
    ratings have no bound then unless wins link all bots."""
    algebra = algebra_for(bots)
    groups = [
        _Groups(algebra, part, shapes)
        for counts in tally.columns()
        for shapes in [list(map(_Shape, counts.shapes))]
        for part in counts.parts()
    ]
    met = _meetings(algebra, bots, groups)
    anchor = {(bot, bots): (prior, 0.0, prior) for bot in range(bots)} if prior else {}
    model = Model(bots + bool(prior), met, algebra, anchor)
    model.climb()
    covariance, spare = spread(bots, model, groups, anchor)
    ratings = [float(rating) * ELO for rating in model.ratings][:bots]
    mean = sum(ratings) / max(bots, 1)
    return Fit(
        elo=tuple(_rounded(rating - mean) for rating in ratings),
        covariance=algebra.centred(covariance, bots, ELO**2 * widened(BOUNDED * (spare + LEAST))),
        draw=model.draw,
        linked=linked(bots, met, algebra),
        met=met,
    )


def _rounded(elo: float) -> float:
    """A rating rounded to a millionth, so that equal results give equal ratings; never -0."""
    return round(elo, 6) + 0.0


def _meetings(algebra: Algebra, bots: int, groups: Sequence[_Groups]) -> MetPairs:
    """Who met whom in all groups."""
    rows = [row for group in groups for row in group.met]
    if not rows:
        return MetPairs.of({})
    columns: Iterable[Numbers] = map(algebra.joined, zip(*rows, strict=True))
    if any(group.seats > 2 for group in groups):  # else they are sorted, and each is a pair
        columns = algebra.merged(bots, *columns)
    return MetPairs(*map(algebra.whole, columns))


def linked(bots: int, met: MetPairs, algebra: Algebra) -> bool:
    """Whether wins lead from each bot to each other, and back: whether each is reached from the
    first in both directions."""
    one, other, wins, _, losses = map(algebra.vector, (met.one, met.other, *met.counts))
    return all(
        _reached(bots, one, other, *both, algebra) == bots
        for both in ((wins, losses), (losses, wins))
    )


def _reached(
    bots: int, one: Numbers, other: Numbers, onward: Numbers, back: Numbers, algebra: Algebra
) -> int:
    """How many bots are reached from the first, over wins `onward` and `back` of pairs."""
    found, before = [True] + [False] * (bots - 1), 0
    while before < (reached := sum(found[:bots])):
        before, vector = reached, algebra.vector(list(map(float, found)))
        more = algebra.totals(other, algebra.take(vector, one) * onward, bots)
        more = more + algebra.totals(one, algebra.take(vector, other) * back, bots) + vector
        found = [value > 0 for value in more]
    return before
