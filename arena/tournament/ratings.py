"""Ratings: how strong each bot is, fitted to all results at once, with honest error bars.

The model is that of Bradley and Terry, with a draw as half a win and half a loss: a bot that is
better by D Elo is expected to get the share 1 / (1 + 10^(-D/400)) of the points. So the Elo of a
table is that of `arena compare`: of two bots it is what their score says.

A match of more than two counts as one comparison for each two of its bots. Under the model of
Plackett and Luce each such comparison has the law of Bradley and Terry with the same ratings, so
this estimates the same, and it knows ties, which Plackett and Luce do not.

Neither the games on one seed nor the comparisons within one match are independent. So error bars
come from what whole blocks did (the sandwich of White and Huber), not from the number of games. A
group of which few blocks were played borrows from all others, and these from what independent
games would do.

The fit is a maximum, so it does not depend on the order of games. Bots that won or lost all their
games would have no bound, and bots that drew all of them would be equal for sure. So where wins do
not link all bots both ways, each bot gets half a win and half a loss against an average bot, and
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
    """A square of zeros."""
    return [[0.0] * size for _ in range(size)]


def dot(one: Sequence[float], other: Sequence[float]) -> float:
    """Their inner product, as long as the shorter one."""
    return float(sum(map(mul, one, other)))


def times(one: Matrix, other: Matrix) -> Matrix:
    """The product of two matrices, of which the second is symmetric."""
    return [[dot(row, column) for column in other] for row in one]


def sandwich(bread: Matrix, middle: Matrix) -> Matrix:
    """bread·middle·bread, of symmetric matrices; so half of it is computed."""
    open_one = times(bread, middle)
    return mirrored([[dot(row, bread[j]) for j in range(i + 1)] for i, row in enumerate(open_one)])


def mirrored(lower: Matrix) -> Matrix:
    """A symmetric matrix, of its lower triangle."""
    size = range(len(lower))
    return [row + [lower[j][i] for j in size[i + 1 :]] for i, row in enumerate(lower)]


def cholesky(matrix: Matrix) -> Matrix:
    """The lower triangle L with L·Lᵀ = matrix, its rows cut off behind the diagonal."""
    lower: Matrix = []
    for i, given in enumerate(matrix):
        row: list[float] = []
        for j in range(i):
            row.append((given[j] - dot(row, lower[j])) / lower[j][j])
        row.append(math.sqrt(given[i] - dot(row, row)))
        lower.append(row)
    return lower


def solve(lower: Matrix, right: Sequence[float]) -> list[float]:
    """The x of matrix·x = right, for the matrix of which `lower` is the triangle."""
    found: list[float] = []
    for row, value in zip(lower, right, strict=True):
        found.append((value - dot(row, found)) / row[-1])
    for i in reversed(range(len(lower))):
        found[i] /= lower[i][i]
        for j in range(i):
            found[j] -= lower[i][j] * found[i]
    return found


def inverse(matrix: Matrix) -> Matrix:
    """The inverse: L⁻¹ by columns, and then its product with itself."""
    lower = cholesky(matrix)
    size = len(lower)
    rows: Matrix = []  # of L⁻¹, each cut off behind the diagonal
    columns: Matrix = [[] for _ in range(size)]
    for i, row in enumerate(lower):
        inverted = [-dot(row[j:i], columns[j]) / row[i] for j in range(i)] + [1 / row[i]]
        for j, value in enumerate(inverted):
            columns[j].append(value)
        rows.append(inverted)
    return mirrored(
        [[dot(columns[i], columns[j][i - j :]) for j in range(i + 1)] for i in range(size)]
    )


# The model behind the ratings: that of Bradley and Terry, with a draw as half a win and half a
# loss.
#
# Against bot j, bot i is expected to get the share 1 / (1 + exp(-d)) of the points, for the
# difference d of their ratings. The ratings are those at which each bot got as many points as it
# was expected to get. That is where the likelihood has its maximum, and it is concave. How often
# bots draw says nothing of who is better; it says how much less the points vary.

Pair: TypeAlias = tuple[int, int]
Counts: TypeAlias = list[float]
"""Wins of the first of a pair, draws, losses."""
MOST_DRAWS = 0.95
"""The largest share of draws that is reckoned with: bots that always draw are not surely equal."""


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
    """The share of points that a bot of the rating `one` is expected to get against one of the
    rating `other`."""
    return 1 / (1 + math.exp(other - one))


class Model:
    """The likelihood of ratings, and its maximum."""

    def __init__(self, bots: int, pairs: Mapping[Pair, Counts]) -> None:
        self.bots = bots
        self.pairs = pairs
        self.ratings = [0.0] * bots
        self.draw = 0.0
        """The share of their games that equal bots draw. Others draw the fewer, the less their
        points vary."""

    def law(self, pair: Pair) -> float:
        """See `law`."""
        return law(self.ratings[pair[0]], self.ratings[pair[1]])

    def variance(self, pair: Pair) -> float:
        """That of the points of one of these bots in a game without draws. It is also by how much
        the expected share grows with its rating."""
        share = self.law(pair)
        return share * (1 - share)

    def climb(self) -> None:
        """To the maximum, by Newton's method. The likelihood is concave, and a step is bounded."""
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
        """Of all games, with the gauge: the matrix would not change if all ratings were raised."""
        matrix = zeros(self.bots)
        for row in matrix:
            row[:] = [1 / self.bots] * self.bots
        for pair, counts in self.pairs.items():
            add_gap(matrix, pair, sum(counts) * self.variance(pair))
        return matrix


def add_gap(to: Matrix, pair: Pair, value: float) -> None:
    """Add to a matrix what concerns the difference of two ratings alone."""
    i, j = pair
    to[i][i] += value
    to[j][j] += value
    to[i][j] -= value
    to[j][i] -= value


# How far fitted ratings may be off: the covariance of the estimates, from what whole blocks did.
#
# The games of a block share their map, and the comparisons in a match share their bots, so neither
# are independent. What a block got beyond its expectation is one independent observation, whatever
# is in it. The sum of the squares of these is what the estimates rest on (the sandwich of White and
# Huber).
#
# A group of which few blocks were played borrows from all groups, and an event of few blocks from
# what independent games would do. Otherwise two blocks that happen to agree would claim certainty.

BOUNDED = 2.0
"""Points are bounded, so their squares vary half as much as those of normal errors: the variance is
known as well as from so many times the blocks."""
Z = 1.959963984540054
"""Standard errors in half of a 95 % interval."""
OWN = 8.0
"""A group of so many blocks counts its own variance half, and that of all groups half."""
LEAST = 4.0
"""An event of so many blocks to spare counts its variance half, and that of independent games
half."""


class _Group:
    """What the blocks of one group did."""

    def __init__(self, model: Model, bots: Iterable[int]) -> None:
        self.model = model
        self.bots = tuple(bots)
        self.laws = {pair: model.law(pair) for pair in combinations(self.bots, 2)}
        self.blocks = 0
        self.pairs: dict[Pair, float] = {}
        """Games of each pair."""
        self.squares = zeros(len(self.bots))
        """The sum over blocks of their residuals, times themselves."""

    def add(self, block: Block, count: int) -> None:
        """Blocks of one kind."""
        own = self._residual(block, count)
        for row, value in zip(self.squares, own, strict=True):
            for j, other in enumerate(own):
                row[j] += count * value * other
        self.blocks += count

    def _residual(self, block: Block, count: int) -> list[float]:
        """What its bots got beyond what they were expected to get. The games of so many blocks are
        counted."""
        more = [0.0] * len(self.bots)
        for game in block:
            for pair, result in comparisons(game):
                self.pairs[pair] = self.pairs.get(pair, 0) + count
                beyond = 1 - result / 2 - self.laws[pair]
                more[self.bots.index(pair[0])] += beyond
                more[self.bots.index(pair[1])] -= beyond
        return more

    def found(self) -> float:
        """The sum of the squares."""
        return sum(self.squares[i][i] for i in range(len(self.bots)))

    def expected(self) -> float:
        """The same of independent games by the model. (Comparisons within a match of more than two
        depend on each other: between equal bots that makes it a third of seats plus one times as
        much.)"""
        alone = sum(games * self.variance(pair) for pair, games in self.pairs.items())
        return 2 * alone * (len(self.bots) + 1) / 3

    def variance(self, pair: Pair) -> float:
        """Of the points of one bot of a pair in one game, by the model."""
        return self.model.variance(pair) * (1 - self.model.draw)


def spread(
    model: Model, blocks: Iterable[tuple[Block, int]], prior: Mapping[Pair, Counts]
) -> Matrix:
    """The covariance of the model's ratings; the gauge is that of its Hessian."""
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
    wider = _wider(BOUNDED * (spare + LEAST))
    return [[value * wider for value in row] for row in sandwich(bread, middle)]


def _wider(freedom: float) -> float:
    """How much larger a variance must be taken that is itself estimated, with so many degrees of
    freedom: the square of Student's quantile over the normal one, by Cornish and Fisher."""
    return (1 + (Z**2 + 1) / (4 * freedom) + (5 * Z**4 + 16 * Z**2 + 3) / (96 * freedom**2)) ** 2


def _spare(model: Model, groups: Iterable[_Group]) -> float:
    """The share of what was observed that the fit has not used up: a block of k bots is k - 1
    observations."""
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
    """The variance of a group: partly its own, partly `ratio` times what the model expects."""
    own = group.blocks / (group.blocks + OWN)
    for i, row in zip(group.bots, group.squares, strict=True):
        for j, value in zip(group.bots, row, strict=True):
            middle[i][j] += own * scale * value
    lent = (1 - own) * ratio * (len(group.bots) + 1) / 3
    for pair, games in group.pairs.items():
        add_gap(middle, pair, lent * games * group.variance(pair))


ELO = 400 / math.log(10)
"""Elo points in one unit of the natural logarithm of odds."""
CONFIDENCE = 0.95
"""Of all intervals."""
PRIOR = 0.5
"""Wins, and losses, against an average bot."""


class Fit(Struct, frozen=True):
    """The ratings of an event. They are in Elo, and their mean is 0."""

    elo: tuple[float, ...]
    covariance: Matrix
    """In Elo², of the ratings against their mean."""
    draw: float
    """The share of their games that equal bots draw."""
    prior: bool
    """Whether wins did not link all bots, so that each got a prior."""
    met: dict[Pair, Counts]
    """Wins of the first, draws and losses of each two bots that met, the lower number first."""

    def error(self, bot: int) -> float:
        """Half of the 95 % interval of a rating, against the mean of all."""
        return Z * math.sqrt(self.covariance[bot][bot])

    def difference(self, bot: int, rival: int) -> tuple[float, float]:
        """By how much a bot is better, and half of the 95 % interval of that."""
        return self.elo[bot] - self.elo[rival], Z * math.sqrt(self._variance(bot, rival))

    def superiority(self, bot: int, rival: int) -> float:
        """How probable it is that a bot is better than its rival."""
        gap, error = self.difference(bot, rival)
        return 0.5 * math.erfc(-gap / error * Z / math.sqrt(2)) if error else 0.5

    def ranks(self, bot: int) -> tuple[int, int]:
        """The best and the worst rank that a bot may truly have, with a confidence of 95 %: it is
        behind all rivals that are surely better, and ahead of all that are surely worse.

        It is compared with each rival, and none of these comparisons may be wrong. So each is held
        to the confidence of which as many together make 95 % (Šidák).
        """
        rivals = [rival for rival in range(len(self.elo)) if rival != bot]
        wider = _together(len(rivals)) / Z
        gaps = [self.difference(bot, rival) for rival in rivals]
        better = sum(gap < -half * wider for gap, half in gaps)
        worse = sum(gap > half * wider for gap, half in gaps)
        return 1 + better, len(self.elo) - worse

    def information(self, bot: int, rival: int) -> float:
        """What a match of two says of the difference of their ratings: the inverse of the variance
        with which it tells it, for ratings in units of the natural logarithm of odds."""
        share = law(self.elo[bot] / ELO, self.elo[rival] / ELO)
        return share * (1 - share) / (1 - self.draw)

    def _variance(self, bot: int, rival: int) -> float:
        c = self.covariance
        return max(0.0, c[bot][bot] + c[rival][rival] - 2 * c[bot][rival])


@cache
def _together(comparisons: int) -> float:
    """Standard errors in half of each of so many intervals that hold together in 95 %."""
    from statistics import NormalDist  # 5 ms, which a single match need not spend

    return NormalDist().inv_cdf((1 + CONFIDENCE ** (1 / max(comparisons, 1))) / 2)


def fit(bots: int, tally: ResultTally) -> Fit:
    """The ratings of so many bots, from all that they played."""
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
    """A rating to a millionth, so that bots that did the same have the same; there is no -0."""
    return round(elo, 6) + 0.0


def linked(bots: int, pairs: Mapping[Pair, Counts]) -> bool:
    """Whether wins lead from each bot to each other, and back."""
    beat = [(i, j) for (i, j), (wins, _, _) in pairs.items() if wins]
    beat += [(j, i) for (i, j), (_, _, losses) in pairs.items() if losses]
    back = [(j, i) for i, j in beat]
    return all(len(_reached(arrows)) == bots for arrows in (beat, back)) or bots == 1


def _reached(arrows: Iterable[Pair]) -> set[int]:
    """What can be reached from bot 0."""
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
    """Of the first bots against their mean, in Elo²."""
    rows = [row[:bots] for row in covariance[:bots]]
    means = [sum(row) / bots for row in rows]
    mean = sum(means) / max(bots, 1)
    return [
        [(value - means[i] - means[j] + mean) * ELO**2 for j, value in enumerate(row)]
        for i, row in enumerate(rows)
    ]
