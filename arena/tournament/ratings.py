"""Ratings: the strength of each bot, fitted to all results at once, with honest error bars.

The model is Bradley-Terry, with a draw as half a win and half a loss: a bot better by D Elo is
expected to get the share 1 / (1 + 10^(-D/400)) of the points. So the Elo of a table agrees with
that of `arena compare`, which follows from the score of two bots.

A match of more than two bots counts as one comparison for each pair. Under the Plackett-Luce model
each such comparison follows Bradley-Terry with the same ratings, so both estimate the same, but
this one handles ties, which Plackett-Luce does not.

Neither the games on one seed nor the comparisons within one match are independent. So error bars
come from the results of whole blocks (the White-Huber sandwich estimator), not from the number of
games. A group with few blocks borrows from all groups, and an event with few blocks from the
variance of independent games.

The fit is a maximum, so it does not depend on the order of games. Bots that won or lost all games
would have unbounded ratings, and bots that drew all games would be equal for certain. So when wins
do not link all bots both ways, each bot gets half a win and half a loss against an average bot, and
the fit says so.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from itertools import combinations
from operator import mul
from typing import TypeAlias

from msgspec import Struct

from arena.tournament.results import Block, Game, ResultTally

# Linear algebra for the ratings of a few hundred bots: symmetric positive definite matrices, as
# lists of rows. (200 bots take a second; numpy would be a dependency for this alone.)

Matrix: TypeAlias = list[list[float]]


def zeros(size: int) -> Matrix:
    """A square matrix of zeros."""
    return [[0.0] * size for _ in range(size)]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """The inner product, over the length of the shorter vector."""
    return float(sum(map(mul, one, other)))


def times(one: Matrix, other: Matrix) -> Matrix:
    """The product of two matrices; the second must be symmetric."""
    return [[dot(row, column) for column in other] for row in one]


def sandwich(bread: Matrix, middle: Matrix) -> Matrix:
    """bread·middle·bread for symmetric matrices; only half of it is computed."""
    open_one = times(bread, middle)
    return mirrored([[dot(row, bread[j]) for j in range(i + 1)] for i, row in enumerate(open_one)])


def mirrored(lower: Matrix) -> Matrix:
    """The symmetric matrix with the given lower triangle."""
    size = range(len(lower))
    return [row + [lower[j][i] for j in size[i + 1 :]] for i, row in enumerate(lower)]


def cholesky(matrix: Matrix) -> Matrix:
    """The lower triangle L with L·Lᵀ = matrix; rows end at the diagonal."""
    lower: Matrix = []
    for i, given in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((given[j] - dot(row, lower[j])) / lower[j][j])
        row.append(math.sqrt(given[i] - dot(row, row)))
        lower.append(row)
    return lower


def solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """Solve matrix·x = right, where `lower` is the Cholesky factor of the matrix."""
    found: list[float] = []
    for row, value in zip(lower, right, strict=True):
        found.append((value - dot(row, found)) / row[-1])
    for i in reversed(range(len(lower))):
        found[i] /= lower[i][i]
        for j in range(i):
            found[j] -= lower[i][j] * found[i]
    return found


def inverse(matrix: Matrix) -> Matrix:
    """The inverse, L⁻ᵀ·L⁻¹."""
    lower = cholesky(matrix)
    size = len(lower)
    rows: Matrix = []  # of L⁻¹, each ending at the diagonal
    columns: Matrix = [[] for _ in range(size)]
    for i, row in enumerate(lower):
        inverted = [-dot(row[j:i], columns[j]) / row[i] for j in range(i)] + [1 / row[i]]
        for j, value in enumerate(inverted):
            columns[j].append(value)
        rows.append(inverted)
    return mirrored(
        [[dot(columns[i], columns[j][i - j :]) for j in range(i + 1)] for i in range(size)]
    )


# The Bradley-Terry model. Against bot j, bot i is expected to get the share 1 / (1 + exp(-d)) of
# the points, for the difference d of their ratings. At the fitted ratings each bot got as many
# points as expected; this is the maximum of the likelihood, which is concave. The rate of draws
# does not affect who is better, only how much less the points vary.

Pair: TypeAlias = tuple[int, int]
Counts: TypeAlias = list[float]
"""Wins, draws and losses of the first bot of a pair."""
MOST_DRAWS = 0.95
"""Upper limit of the share of draws: bots that always draw are not certain to be equal."""


def compared(games: Iterable[tuple[Game, float]]) -> dict[Pair, Counts]:
    """Wins, draws and losses of each pair of bots, the lower number first."""
    pairs: dict[Pair, Counts] = {}
    for game, count in games:
        for pair, result in comparisons(game):
            pairs.setdefault(pair, [0.0, 0.0, 0.0])[result] += count
    return pairs


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


class Model:
    """The likelihood of ratings, and its maximum."""

    def __init__(self, bots: int, pairs: Mapping[Pair, Counts]) -> None:
        self.bots = bots
        self.pairs = pairs
        self.ratings = [0.0] * bots
        self.draw = 0.0
        """The share of games that equal bots draw. Unequal bots draw less often, in proportion to
        the variance of their points."""

    def law(self, pair: Pair) -> float:
        """See `law`."""
        return law(self.ratings[pair[0]], self.ratings[pair[1]])

    def variance(self, pair: Pair) -> float:
        """The variance of a bot's points in one game without draws. This is also the derivative of
        the expected share with respect to its rating."""
        share = self.law(pair)
        return share * (1 - share)

    def climb(self) -> None:
        """Maximise by Newton's method. The likelihood is concave, and steps are bounded."""
        for _ in range(100):
            step = solve(cholesky(self.hessian()), self._gradient())
            longest = max(map(abs, step), default=0.0)
            scale = 1 / max(1.0, longest)
            moves = zip(self.ratings, step, strict=True)
            self.ratings = [rating + part * scale for rating, part in moves]
            if longest < 1e-9:
                break
        self.draw = self._draw()

    def _draw(self) -> float:
        draws = sum(counts[1] for counts in self.pairs.values())
        most = sum(4 * self.variance(pair) * sum(counts) for pair, counts in self.pairs.items())
        return min(draws / most, MOST_DRAWS) if draws else 0.0

    def _gradient(self) -> list[float]:
        slope = [0.0] * self.bots
        for pair, counts in self.pairs.items():
            more = counts[0] + counts[1] / 2 - sum(counts) * self.law(pair)
            slope[pair[0]] += more
            slope[pair[1]] -= more
        return slope

    def hessian(self) -> Matrix:
        """The Hessian of all games plus a gauge term, since raising all ratings changes nothing."""
        matrix = zeros(self.bots)
        for row in matrix:
            row[:] = [1 / self.bots] * self.bots
        for pair, counts in self.pairs.items():
            add_gap(matrix, pair, sum(counts) * self.variance(pair))
        return matrix


def add_gap(to: Matrix, pair: Pair, value: float) -> None:
    """Add a term in the difference of two ratings to a matrix."""
    i, j = pair
    to[i][i] += value
    to[j][j] += value
    to[i][j] -= value
    to[j][i] -= value


# Error bars: the covariance of the estimates, from the results of whole blocks. The games of a
# block share their map, and the comparisons in a match share their bots, so neither are
# independent. The residual of a whole block is one independent observation; the sum of the squared
# residuals is the middle of the White-Huber sandwich.
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


class _Group:
    """The results of the blocks of one group."""

    def __init__(self, model: Model, bots: Iterable[int]) -> None:
        self.model = model
        self.bots = tuple(bots)
        self.laws = {pair: model.law(pair) for pair in combinations(self.bots, 2)}
        self.blocks = 0
        self.pairs: dict[Pair, float] = {}
        """Number of games of each pair."""
        self.squares = zeros(len(self.bots))
        """The sum over blocks of the outer product of the residuals with themselves."""

    def add(self, block: Block, count: int) -> None:
        """Add `count` blocks of one kind."""
        own = self._residual(block, count)
        for row, value in zip(self.squares, own, strict=True):
            for j, other in enumerate(own):
                row[j] += count * value * other
        self.blocks += count

    def _residual(self, block: Block, count: int) -> list[float]:
        """The bots' points minus the expected points in a block; adds the games of `count` blocks
        to `pairs`."""
        more = [0.0] * len(self.bots)
        for game in block:
            for pair, result in comparisons(game):
                self.pairs[pair] = self.pairs.get(pair, 0) + count
                beyond = 1 - result / 2 - self.laws[pair]
                more[self.bots.index(pair[0])] += beyond
                more[self.bots.index(pair[1])] -= beyond
        return more

    def found(self) -> float:
        """The sum of the squared residuals."""
        return sum(self.squares[i][i] for i in range(len(self.bots)))

    def expected(self) -> float:
        """The model's expectation of `found` for independent games. (Comparisons within a match of
        more than two bots are dependent; between equal bots that multiplies it by (seats + 1) / 3.)
        """
        alone = sum(games * self.variance(pair) for pair, games in self.pairs.items())
        return 2 * alone * (len(self.bots) + 1) / 3

    def variance(self, pair: Pair) -> float:
        """The model's variance of the points of one bot of a pair in one game."""
        return self.model.variance(pair) * (1 - self.model.draw)


def spread(
    model: Model, blocks: Iterable[tuple[Block, int]], prior: Mapping[Pair, Counts]
) -> Matrix:
    """The covariance of the model's ratings, with the same gauge as its Hessian."""
    groups = list(_grouped(model, blocks).values())
    played = sum(group.blocks for group in groups)
    spare = played * _spare(model, groups)
    expected = sum(group.expected() for group in groups)
    found = sum(group.found() for group in groups)
    ratio = (found / expected * played + LEAST) / (spare + LEAST) if expected else 1.0
    middle = zeros(model.bots)
    for pair, counts in prior.items():
        add_gap(middle, pair, sum(counts) * model.variance(pair))
    for group in groups:
        _add(middle, group, ratio, played / max(spare, 1.0))
    bread = inverse(model.hessian())
    wider = widened(BOUNDED * (spare + LEAST))
    return [[value * wider for value in row] for row in sandwich(bread, middle)]


def widened(freedom: float) -> float:
    """The factor by which to enlarge a variance estimated with `freedom` degrees of freedom: the
    squared ratio of Student's quantile to the normal one, by the Cornish-Fisher expansion."""
    return (1 + (Z**2 + 1) / (4 * freedom) + (5 * Z**4 + 16 * Z**2 + 3) / (96 * freedom**2)) ** 2


def _spare(model: Model, groups: Iterable[_Group]) -> float:
    """The share of observations that the fit has not used up; a block of k bots has k - 1."""
    observed = sum(group.blocks * (len(group.bots) - 1) for group in groups)
    return max(0.0, 1 - (model.bots - 1) / observed) if observed else 0.0


def _grouped(model: Model, blocks: Iterable[tuple[Block, int]]) -> dict[tuple[int, ...], _Group]:
    groups: dict[tuple[int, ...], _Group] = {}
    for block, count in blocks:
        bots = tuple(sorted(block[0][0]))
        if bots not in groups:
            groups[bots] = _Group(model, bots)
        groups[bots].add(block, count)
    return groups


def _add(middle: Matrix, group: _Group, ratio: float, scale: float) -> None:
    """Add the variance of a group: partly its own, partly `ratio` times the model's."""
    own = group.blocks / (group.blocks + OWN)
    for i, row in zip(group.bots, group.squares, strict=True):
        for j, value in zip(group.bots, row, strict=True):
            middle[i][j] += own * scale * value
    lent = (1 - own) * ratio * (len(group.bots) + 1) / 3
    for pair, games in group.pairs.items():
        add_gap(middle, pair, lent * games * group.variance(pair))


ELO = 400 / math.log(10)
"""Elo points per unit of natural log odds."""
CONFIDENCE = 0.95
"""The confidence of all intervals."""
PRIOR = 0.5
"""Wins, and as many losses, against an average bot in the prior."""


class Fit(Struct, frozen=True):
    """The ratings of an event, in Elo with mean 0."""

    elo: tuple[float, ...]
    covariance: Matrix
    """The covariance of the ratings against their mean, in Elo²."""
    draw: float
    """The share of games that equal bots draw."""
    prior: bool
    """Whether each bot got a prior, because wins did not link all bots."""
    met: dict[Pair, Counts]
    """Wins, draws and losses of the first bot of each pair that met, the lower number first."""

    def error(self, bot: int) -> float:
        """Half of the 95 % interval of a rating, relative to the mean of all."""
        return Z * math.sqrt(self.covariance[bot][bot])

    def difference(self, bot: int, rival: int) -> tuple[float, float]:
        """How much better a bot is than its rival, and half of the 95 % interval of that."""
        return self.elo[bot] - self.elo[rival], Z * math.sqrt(self._variance(bot, rival))

    def superiority(self, bot: int, rival: int) -> float:
        """The probability that a bot is better than its rival."""
        gap, error = self.difference(bot, rival)
        return 0.5 * math.erfc(-gap / error * Z / math.sqrt(2)) if error else 0.5

    def ranks(self, bot: int) -> tuple[int, int]:
        """The best and the worst true rank of a bot, with a confidence of 95 %: behind all rivals
        that are significantly better, and ahead of all that are significantly worse.

        None of the comparisons with the rivals may be wrong, so each uses the confidence at which
        all of them together have 95 % (Šidák).
        """
        rivals = [rival for rival in range(len(self.elo)) if rival != bot]
        wider = z_of_all(len(rivals)) / Z
        gaps = [self.difference(bot, rival) for rival in rivals]
        better = sum(gap < -half * wider for gap, half in gaps)
        worse = sum(gap > half * wider for gap, half in gaps)
        return 1 + better, len(self.elo) - worse

    def information(self, bot: int, rival: int) -> float:
        """The information of a match of two bots about the difference of their ratings: the inverse
        of its variance, for ratings in natural log odds."""
        share = law(self.elo[bot] / ELO, self.elo[rival] / ELO)
        return share * (1 - share) / (1 - self.draw)

    def _variance(self, bot: int, rival: int) -> float:
        c = self.covariance
        return max(0.0, c[bot][bot] + c[rival][rival] - 2 * c[bot][rival])


@cache
def z_of_all(comparisons: int) -> float:
    """Half width of each of several intervals that jointly hold with 95 %, in standard errors."""
    from statistics import NormalDist  # takes 5 ms, which a single match can save

    return NormalDist().inv_cdf((1 + CONFIDENCE ** (1 / max(comparisons, 1))) / 2)


def fit(bots: int, tally: ResultTally) -> Fit:
    """The ratings of `bots` bots from all their results."""
    blocks = tally.blocks()
    pairs = compared((game, count) for block, count in blocks for game in block)
    prior = not linked(bots, pairs)
    anchor = {(bot, bots): [PRIOR, 0.0, PRIOR] for bot in range(bots)} if prior else {}
    model = Model(bots + prior, pairs | anchor)
    model.climb()
    mean = sum(model.ratings[:bots]) / max(bots, 1)
    return Fit(
        elo=tuple(_rounded((rating - mean) * ELO) for rating in model.ratings[:bots]),
        covariance=_centred(spread(model, blocks, anchor), bots),
        draw=model.draw,
        prior=prior,
        met=pairs,
    )


def _rounded(elo: float) -> float:
    """A rating rounded to a millionth, so that equal results give equal ratings; never -0."""
    return round(elo, 6) + 0.0


def linked(bots: int, pairs: Mapping[Pair, Counts]) -> bool:
    """Whether wins lead from each bot to each other, and back."""
    beat = [(i, j) for (i, j), (wins, _, _) in pairs.items() if wins]
    beat += [(j, i) for (i, j), (_, _, losses) in pairs.items() if losses]
    back = [(j, i) for i, j in beat]
    return all(len(_reached(arrows)) == bots for arrows in (beat, back)) or bots == 1


def _reached(arrows: Iterable[Pair]) -> set[int]:
    """The bots that can be reached from bot 0."""
    onward: dict[int, list[int]] = {}
    for tail, head in arrows:
        onward.setdefault(tail, []).append(head)
    found, todo = {0}, [0]
    while todo:
        new = set(onward.get(todo.pop(), ())) - found
        found |= new
        todo += new
    return found


def _centred(covariance: Matrix, bots: int) -> Matrix:
    """The covariance of the first `bots` bots against their mean, in Elo²."""
    rows = [row[:bots] for row in covariance[:bots]]
    means = [sum(row) / bots for row in rows]
    mean = sum(means) / max(bots, 1)
    return [
        [(value - means[i] - means[j] + mean) * ELO**2 for j, value in enumerate(row)]
        for i, row in enumerate(rows)
    ]
