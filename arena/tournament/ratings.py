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
right and 95 % intervals would cover 88 to 92 % (`python -m tests.experiments.leagues prior`).
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations, compress
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

    def __init__(self, *columns: array[int]) -> None:
        self.one, self.other, *counts = columns
        self.counts = tuple(counts)
        """Wins, draws and losses."""

    @classmethod
    def of(cls, pairs: Mapping[Pair, Counts]) -> MetPairs:
        """The same in columns."""
        if isinstance(pairs, MetPairs):
            return pairs
        rows = sorted((*pair, *counts) for pair, counts in pairs.items())
        columns = zip(*rows, strict=True) if rows else [()] * 5
        return cls(*(array("i", column) for column in columns))

    def extend(self, columns: Iterable[array[int]]) -> None:
        """Add pairs, which come after all others in their order."""
        for column, more in zip((self.one, self.other, *self.counts), columns, strict=True):
            column.extend(more)

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


class _Games(NamedTuple):
    """Games of pairs of bots: vectors over pairs."""

    one: Numbers
    other: Numbers
    games: Numbers
    points: Numbers
    """Points of the first bot of each pair."""


class Model:
    """The likelihood of ratings, and its maximum.

    In the prior each bot wins `prior` games against an average bot, and loses as many; the rating
    of an average bot is 0. Without a prior that of the first bot stays 0, since to raise all
    ratings changes nothing.
    """

    def __init__(
        self,
        bots: int,
        pairs: Mapping[Pair, Counts],
        algebra: Algebra | None = None,
        prior: float = 0.0,
    ) -> None:
        self.bots, self.algebra, self.prior = bots, algebra or PlainAlgebra(), prior
        met = MetPairs.of(pairs)
        self.draws = sum(met.counts[1])
        self.parts = [_games(self.algebra, part) for part in met.parts()]
        self.ratings = self.algebra.vector([0.0] * bots)
        self.draw = 0.0
        """The share of games that equal bots draw. Unequal bots draw less often, in proportion to
        the variance of their points."""

    def shares(self, one: Numbers, other: Numbers) -> Numbers:
        """The expected shares of some bots against others: see `law`."""
        return self.algebra.share(self.ratings[one] - self.ratings[other])

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
        most = self.prior_variances().sum() + sum(each.sum() for _, _, each in self._weights())
        return min(self.draws / (4 * float(most)), MOST_DRAWS) if self.draws else 0.0

    def _gradient(self) -> Numbers:
        totals = self.algebra.totals
        gained = self.prior - 2 * self.prior * self.algebra.share(self.ratings)
        for one, other, games, points in self.parts:
            more = points - games * self.shares(one, other)
            gained = gained + totals(one, more, self.bots) - totals(other, more, self.bots)
        return gained

    def hessian(self) -> Square:
        """The Hessian of all games and the prior. Without a prior it also holds the rating of the
        first bot."""
        first = self.algebra.vector([float(not bot) for bot in range(self.bots)])
        return self.algebra.laplacian(
            self.prior_variances() if self.prior else first, self._weights()
        )

    def _weights(self) -> Iterator[Gaps]:
        """The variances of the points of all games without draws."""
        for one, other, games, _ in self.parts:
            share = self.shares(one, other)
            yield one, other, games * share * (1 - share)

    def prior_variances(self) -> Numbers:
        """The variance of the points of each bot in the games of the prior."""
        share = self.algebra.share(self.ratings)
        return 2 * self.prior * share * (1 - share)


def _games(algebra: Algebra, columns: Iterable[Sequence[int]]) -> _Games:
    one, other, wins, draws, losses = map(algebra.vector, columns)
    return _Games(one, other, wins + draws + losses, wins + draws / 2)


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
        values = self.algebra.vector(of)[self._shape] * self._count
        return self.algebra.totals(self._group, values, self._groups)

    @property
    def blocks(self) -> Numbers:
        """The number of blocks."""
        return self.algebra.totals(self._group, self._count, self._groups)

    @property
    def met(self) -> Iterator[list[array[int]]]:
        """The bots of each pair of places, and the wins, draws and losses of the first."""
        for at, (p, q) in enumerate(self.pairs):
            counts = [self._sums([one.counts[at][k] for one in self._shapes]) for k in range(3)]
            yield list(map(self.algebra.whole, (self.bots[p], self.bots[q], *counts)))

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


def _covariance(model: Model, groups: Sequence[_Groups]) -> Sequence[Sequence[float]]:
    """The covariance of the model's ratings against their mean, in Elo²."""
    played = sum(one.blocks.sum() for one in groups)
    spare = played * _spare(model.bots, groups)
    found = -2 * sum(one.sum() for group in groups for one in group.residuals(model))
    expected = 2 * sum(
        one.sum() * group.dependence for group in groups for one in group.variances(model)
    )
    ratio = (found / expected * played + LEAST) / (spare + LEAST) if expected else 1.0
    bread = model.algebra.inverse(model.hessian())
    middle = _middle(model, groups, ratio=ratio, scale=played / max(spare, 1.0))
    return model.algebra.sandwich(bread, middle, ELO**2 * widened(BOUNDED * (spare + LEAST)))


def _middle(model: Model, groups: Iterable[_Groups], *, ratio: float, scale: float) -> Square:
    """The variance of all residuals. That of a group is partly its own, times `scale`, and partly
    `ratio` times the model's."""

    def terms() -> Iterator[Gaps]:
        for group in groups:
            own = group.blocks / (group.blocks + OWN)
            lent = (1 - own) * (ratio * group.dependence)
            variances = group.residuals(model), group.variances(model)
            for (p, q), product, alone in zip(group.pairs, *variances, strict=True):
                yield group.bots[p], group.bots[q], lent * alone - own * scale * product

    return model.algebra.laplacian(model.prior_variances(), terms())


def widened(freedom: float) -> float:
    """The factor by which to enlarge a variance estimated with `freedom` degrees of freedom: the
    squared ratio of Student's quantile to the normal one, by the Cornish-Fisher expansion."""
    return (1 + (Z**2 + 1) / (4 * freedom) + (5 * Z**4 + 16 * Z**2 + 3) / (96 * freedom**2)) ** 2


def _spare(bots: int, groups: Iterable[_Groups]) -> float:
    """The share of observations that the fit has not used up; a block of k bots has k - 1."""
    observed = sum(one.blocks.sum() * (one.seats - 1) for one in groups)
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
            (
                Z * math.sqrt(max(0.0, own[one] + own[other] - 2 * rows[one][other]))
                for one, other in self.met
            ),
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
    groups = _groups(algebra, tally)
    met = _meetings(algebra, bots, groups)
    model = Model(bots, met, algebra, prior)
    model.climb()
    ratings = [float(rating) * ELO for rating in model.ratings]
    mean = sum(ratings) / max(bots, 1)
    return Fit(
        elo=tuple(_rounded(rating - mean) for rating in ratings),
        covariance=_covariance(model, groups),
        draw=model.draw,
        linked=linked(bots, met, algebra),
        met=met,
    )


def _groups(algebra: Algebra, tally: ResultTally) -> list[_Groups]:
    return [
        _Groups(algebra, part, shapes)
        for counts in tally.columns()
        for shapes in [list(map(_Shape, counts.shapes))]
        for part in counts.parts()
    ]


def _rounded(elo: float) -> float:
    """A rating rounded to a millionth, so that equal results give equal ratings; never -0."""
    return round(elo, 6) + 0.0


def _meetings(algebra: Algebra, bots: int, groups: Sequence[_Groups]) -> MetPairs:
    """Who met whom in all groups."""
    met = MetPairs.of({})
    for group in groups:
        for columns in group.met:
            met.extend(columns)
    if all(group.seats == 2 for group in groups):  # they are sorted, and each is a pair
        return met
    one, other, *counts = map(algebra.vector, (met.one, met.other, *met.counts))
    pair, square = one * bots + other, bots**2
    games, *sums = (
        algebra.whole(algebra.totals(pair, values, square)) for values in (sum(counts), *counts)
    )
    found = list(compress(range(square), games))
    pairs = [at // bots for at in found], [at % bots for at in found]
    return MetPairs(
        *(array("i", column) for column in pairs),
        *(array("i", compress(column, games)) for column in sums),
    )


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
        more = algebra.totals(other, vector[one] * onward, bots)
        more = more + algebra.totals(one, vector[other] * back, bots) + vector
        found = [value > 0 for value in more]
    return before
