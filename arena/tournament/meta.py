"""The field as a whole: what no rating explains, who beats whom in a circle, which mixture of bots
nobody beats, and what seats and maps do. Pure.

Ratings say that the log odds of each pair are the difference of two numbers. What a pair has beyond
that is its *excess*: points minus expected points, divided by the information of its games,
n·p·(1 - p), which makes it log odds. The excess is linear in the points, so its mean is 0 where the
ratings are right, also for pairs in which one bot always wins.

With the information as weights the excess of all pairs is orthogonal to all differences of ratings,
because at the fitted ratings each bot got as many points as expected. So the squares add up: the
weighted squares of the log odds are those of the ratings and those of the excess, which is the
cyclic part (the decomposition of Hodge, on a graph). The sum of the excess around a triangle is its
*curl*; ratings cancel out of it.

Luck makes cycles, too. The points of whole blocks vary around their mean within a pair, and draws
with that variation (a bootstrap over blocks, by normal multipliers) say how large a cyclic part
luck alone makes; it is taken off. As in `ratings`, a pair with few blocks borrows from all.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product
from operator import add, mul
from statistics import fmean
from typing import TypeAlias

from msgspec import Struct

from arena.core.ranking import shares
from arena.core.rng import Stream
from arena.errors import UsageError
from arena.tournament.algebra import Matrix, cholesky, dot, solve, zeros
from arena.tournament.ratings import (
    ELO,
    LEAST,
    OWN,
    Fit,
    Model,
    Pair,
    Z,
    comparisons,
    fit,
    law,
    widened,
    z_of_all,
)
from arena.tournament.results import Block, ResultTally
from arena.tournament.standings import NOT_LINKED

Blocks: TypeAlias = Sequence[tuple[Block, int]]
"""Each kind of block and its count."""
DRAWS = 1000
"""Draws for the intervals of the cyclic part."""
NASH_DRAWS = 100
"""Draws for the intervals of the Nash mixture, each of which solves a game."""
NASH_MOST = 24
"""Most bots for which these intervals are computed. (A draw takes 0.03 s for 12 bots.)"""
LEAST_BLOCKS = 2
"""Fewest blocks for each pair in the mean: one block does not say how much blocks vary."""
ONE_SIDED = 1.6448536269514722
"""The lower end of a one-sided 95 % interval, in standard errors."""


class Cycle(Struct, frozen=True):
    """Three bots, each of which beats the next, and the last the first, surely."""

    bots: tuple[str, str, str]
    scores: tuple[float, float, float]
    """The share of the points of each against the next."""
    elo: float
    """What each has against the next in the mean, beyond anything that ratings can say."""
    low: float
    high: float
    """Its interval; those of all triples of the field hold together with 95 %."""


class FieldBot(Struct, frozen=True):
    """One bot in the field."""

    name: str
    elo: float
    nash: float | None
    """Its share of the mixture that no bot beats; null for more than two seats."""
    nash_low: float | None
    nash_high: float | None
    """The 95 % interval of that share; null where it was not computed."""
    score: float | None
    """Its share of the points against that mixture: at most a half."""
    score_low: float | None
    score_high: float | None


class SeatEffect(Struct, frozen=True):
    """The share of the points that a seat gets when all bots take all seats."""

    map: str
    """The position of the book from which the matches began; empty for all matches."""
    seat: int
    """From 0."""
    blocks: int
    score: float
    low: float | None
    high: float | None
    """Its 95 % interval over blocks; null for a single block."""


class MapEffect(Struct, frozen=True):
    """The correlation of what the two bots at the first seat have beyond their expected points, in
    the two games of a block. Above 0, maps favour a seat; below 0, they favour a bot."""

    blocks: int
    correlation: float
    low: float
    high: float


class FieldReport(Struct, frozen=True):
    """A field as a whole."""

    games: int
    blocks: int
    pairs: int
    """Pairs of bots that met."""
    cyclic: float
    """The share of the squared log odds that no rating explains, without the part of luck."""
    low: float
    high: float
    """Its 95 % interval."""
    luck: float
    """The share that luck alone is expected to make."""
    chance: float
    """How often luck alone would make a cyclic part as large as the one found."""
    cycles: list[Cycle]
    """The surest first."""
    bots: list[FieldBot]
    """In the order in which they were given."""
    seats: list[SeatEffect]
    maps: MapEffect | None
    confidence: float
    notes: list[str]


def field_report(
    names: Sequence[str],
    tally: ResultTally,
    maps: Mapping[str, Blocks] | None = None,
    *,
    draws: int = DRAWS,
    nash_draws: int = NASH_DRAWS,
) -> FieldReport:
    """The field of the bots with these names, in order of their numbers. `maps` are the blocks by
    the positions of a book, whose seats are compared as well.

    Raises UsageError for too few bots or matches.
    """
    blocks = tally.blocks()
    fitted = fit(len(names), tally)
    _refuse_too_few(names, blocks, fitted)
    field = _Field(len(names), fitted, blocks)
    parts = field.parts(draws)
    two = all(len(block[0][0]) == 2 for block, _ in blocks)
    notes = [] if fitted.linked else [NOT_LINKED]
    if not two:
        notes.append(
            "a match of more than two bots counts as one comparison for each pair; the Nash "
            "mixture and the correlation of maps are for two seats, and are left out"
        )
    elif len(names) > NASH_MOST:
        notes.append(f"with more than {NASH_MOST} bots the Nash mixture has no intervals")
        nash_draws = 0
    return FieldReport(
        games=tally.games,
        blocks=sum(count for _, count in blocks),
        pairs=len(field.pairs),
        cyclic=parts.share,
        low=parts.low,
        high=parts.high,
        luck=parts.luck,
        chance=parts.chance,
        cycles=field.cycles(names),
        bots=_bots(names, field, nash_draws) if two else _rated(names, fitted),
        seats=[
            *seat_effects(blocks),
            *(one for name, some in (maps or {}).items() for one in seat_effects(some, name)),
        ],
        maps=field.map_effect(blocks) if two else None,
        confidence=0.95,
        notes=notes,
    )


def _refuse_too_few(names: Sequence[str], blocks: Blocks, fitted: Fit) -> None:
    if len(names) < 3:
        raise UsageError(f"a field has at least three bots, and {len(names)} play: add others")
    groups = _apart(len(names), fitted.met)
    if len(groups) > 1:
        one, other = (names[min(group)] for group in groups[:2])
        raise UsageError(
            f"no matches lead from {one} to {other}, not even over others: play a round first"
        )
    if len(fitted.met) < len(names):
        raise UsageError(
            "the pairs that met are too few for a circle: play a round in which all bots meet"
        )
    played = sum(count * len(_pairs_of(block)) for block, count in blocks)
    if played < LEAST_BLOCKS * len(fitted.met):
        raise UsageError(
            f"{len(fitted.met)} pairs have {played} blocks of matches, and each needs "
            f"{LEAST_BLOCKS} in the mean to say what is luck: play more rounds"
        )


def _apart(bots: int, pairs: Iterable[Pair]) -> list[set[int]]:
    """The groups of bots between which there are no matches."""
    groups = [{bot} for bot in range(bots)]
    for pair in pairs:
        joined = [group for group in groups if group & set(pair)]
        groups = [group for group in groups if group not in joined] + [set().union(*joined)]
    return groups


def _pairs_of(block: Block) -> list[Pair]:
    return list(combinations(sorted(block[0][0]), 2))


# The cyclic part.


class _Parts(Struct, frozen=True):
    """See FieldReport."""

    share: float
    low: float
    high: float
    luck: float
    chance: float


class _Group:
    """The blocks of the same bots: how the points of their pairs vary from block to block."""

    def __init__(self, pairs: Sequence[int]) -> None:
        self.pairs = pairs
        """The numbers of its pairs."""
        self.kinds: list[tuple[list[float], int]] = []
        """For each kind of block the points beyond the expected ones, by pair, and its count."""
        self.blocks = 0
        self.games = [0.0] * len(pairs)

    def add(self, beyond: Sequence[float], games: Sequence[int], count: int) -> None:
        self.kinds.append((list(beyond), count))
        self.blocks += count
        for at, number in enumerate(games):
            self.games[at] += count * number

    def deviations(self) -> list[tuple[list[float], int]]:
        """The same against their mean, enlarged for the mean that was taken from them."""
        scale = math.sqrt(self.blocks / (self.blocks - 1)) if self.blocks > 1 else 0.0
        places = range(len(self.pairs))
        mean = [sum(count * one[at] for one, count in self.kinds) / self.blocks for at in places]
        return [
            ([scale * (one[at] - mean[at]) for at in places], count) for one, count in self.kinds
        ]

    def squares(self) -> float:
        """The sum of the squared deviations."""
        return sum(count * dot(one, one) for one, count in self.deviations())


class _Field:
    """The excess of each pair, and how blocks make it vary. Pairs are numbered."""

    def __init__(self, bots: int, fitted: Fit, blocks: Blocks) -> None:
        self.bots = bots
        self.fitted = fitted
        self.pairs = sorted(fitted.met)
        self.at = {pair: number for number, pair in enumerate(self.pairs)}
        model = Model(bots, fitted.met)
        self.ratings = [elo / ELO for elo in fitted.elo]
        model.ratings = model.algebra.vector(self.ratings)
        self.games = [sum(fitted.met[pair]) for pair in self.pairs]
        self.laws = [law(self.ratings[one], self.ratings[other]) for one, other in self.pairs]
        self.variances = [share * (1 - share) for share in self.laws]
        self.weights = list(map(mul, self.games, self.variances))
        self._lower = cholesky(model.hessian())
        self.beyond = [
            fitted.met[pair][0] + fitted.met[pair][1] / 2 - games * share
            for pair, games, share in zip(self.pairs, self.games, self.laws, strict=True)
        ]
        """The points of the first bot of each pair minus the expected ones."""
        groups = self._groups(blocks)
        spare = sum(group.blocks - 1 for group in groups)
        self.wider = math.sqrt(widened(2.0 * spare))
        """The factor on standard errors, which are themselves estimated."""
        self.factors = list(self._factors(groups))
        """Vectors over pairs: their sum, each times a normal number of its own, varies as `beyond`
        does by luck."""
        self.variance: dict[Pair, float] = {}
        """The covariance of `beyond`, by the numbers of two pairs."""
        for factor in self.factors:
            for (p, one), (q, other) in product(factor, factor):
                self.variance[p, q] = self.variance.get((p, q), 0.0) + one * other

    def _groups(self, blocks: Blocks) -> list[_Group]:
        groups: dict[tuple[int, ...], _Group] = {}
        for block, count in blocks:
            pairs = _pairs_of(block)
            bots = tuple(sorted(block[0][0]))
            group = groups.setdefault(bots, _Group([self.at[pair] for pair in pairs]))
            beyond, games = dict.fromkeys(pairs, 0.0), dict.fromkeys(pairs, 0)
            for game in block:
                for pair, result in comparisons(game):
                    beyond[pair] += 1 - result / 2 - self.laws[self.at[pair]]
                    games[pair] += 1
            group.add(list(beyond.values()), list(games.values()), count)
        return list(groups.values())

    def _factors(self, groups: Sequence[_Group]) -> Iterator[list[tuple[int, float]]]:
        several = [group for group in groups if group.blocks > 1]
        alone = sum(
            games * self.variances[pair]
            for group in several
            for pair, games in zip(group.pairs, group.games, strict=True)
        )
        spare = sum(group.blocks - 1 for group in several)
        found = sum(group.squares() for group in several) / alone
        ratio = (found * spare + LEAST) / (spare + LEAST)
        for group in groups:
            own = group.blocks / (group.blocks + OWN) if group.blocks > 1 else 0.0
            deviations = group.deviations()
            if len(group.pairs) == 1:  # one normal number does for all kinds
                lent = (1 - own) * ratio * group.games[0] * self.variances[group.pairs[0]]
                yield [(group.pairs[0], math.sqrt(own * group.squares() + lent))]
                continue
            for one, count in deviations:
                yield [
                    (pair, math.sqrt(own * count) * value)
                    for pair, value in zip(group.pairs, one, strict=True)
                ]
            for pair, games in zip(group.pairs, group.games, strict=True):
                yield [(pair, math.sqrt((1 - own) * ratio * games * self.variances[pair]))]

    def _drawn(self, normal: Iterator[float]) -> list[float]:
        """Points beyond the expected ones that luck alone makes."""
        found = [0.0] * len(self.pairs)
        for factor in self.factors:
            by = next(normal) * self.wider
            for pair, value in factor:
                found[pair] += by * value
        return found

    def _split(self, beyond: Sequence[float]) -> tuple[list[float], float]:
        """The change of ratings that fits these points best, and the weighted squares of what is
        left: the cyclic part."""
        slope = [0.0] * self.bots
        for (i, j), more in zip(self.pairs, beyond, strict=True):
            slope[i] += more
            slope[j] -= more
        change, left = solve(self._lower, slope), 0.0
        for (i, j), weight, more in zip(self.pairs, self.weights, beyond, strict=True):
            left += (more - weight * (change[i] - change[j])) ** 2 / weight
        return change, left

    def _rated(self, ratings: Sequence[float]) -> float:
        """The weighted squares of the differences of ratings."""
        squares = [(ratings[i] - ratings[j]) ** 2 for i, j in self.pairs]
        return dot(self.weights, squares)

    def parts(self, draws: int) -> _Parts:
        """The cyclic part of all, with its interval."""
        change, cyclic = self._split(self.beyond)
        ratings = list(map(add, self.ratings, change))
        rated = self._rated(ratings)
        normal = _normal("parts")
        luck, lucky, found = [], [], []
        for _ in range(draws):
            by_luck = self._drawn(normal)
            moved, alone = self._split(by_luck)
            luck.append(alone)
            lucky.append(self._rated(moved))
            whole = self._split(list(map(add, self.beyond, by_luck)))[1]
            found.append((whole, self._rated(list(map(add, ratings, moved)))))
        noise, moving = fmean(luck), fmean(lucky)
        shares = sorted(_share(c - 2 * noise, r - 2 * moving) for c, r in found)
        low, high = _middle(shares)
        share = _share(cyclic - noise, rated - moving)
        return _Parts(
            share=share,
            low=min(low, share),
            high=max(high, share),
            luck=noise / (cyclic + rated) if cyclic + rated else 0.0,
            chance=sum(one >= cyclic for one in luck) / draws,
        )

    # -- cycles ----------------------------------------------------------------------------

    def cycles(self, names: Sequence[str]) -> list[Cycle]:
        """The triples that are surely cycles: the interval of the curl, wide enough for all triples
        together, leaves out 0, and each of the three surely beats the next."""
        triples = [t for t in combinations(range(self.bots), 3) if self._met(t)]
        wide = z_of_all(len(triples))
        found = []
        for a, b, c in triples:
            circle = (a, b, c) if self._curl((a, b, c))[0] > 0 else (a, c, b)
            curl, error = self._curl(circle)
            edges = _edges(circle)
            if curl > wide * error and all(self._beats(*edge) for edge in edges):
                middle, half = curl / 3 * ELO, wide * error / 3 * ELO
                cycle = Cycle(
                    (names[circle[0]], names[circle[1]], names[circle[2]]),
                    (self.score(*edges[0]), self.score(*edges[1]), self.score(*edges[2])),
                    middle,
                    middle - half,
                    middle + half,
                )
                found.append((curl / error, cycle))
        return [cycle for _, cycle in sorted(found, key=lambda one: -one[0])]

    def _met(self, triple: tuple[int, ...]) -> bool:
        return all(pair in self.at for pair in combinations(triple, 2))

    def _curl(self, circle: tuple[int, int, int]) -> tuple[float, float]:
        """The sum of the excess around a circle, in log odds, and its standard error."""
        parts = []
        for one, other in _edges(circle):
            at = self.at[min(one, other), max(one, other)]
            parts.append((at, (1 if one < other else -1) / self.weights[at]))
        curl = sum(self.beyond[at] * by for at, by in parts)
        variance = sum(
            self.variance.get((p, q), 0.0) * one * other
            for (p, one), (q, other) in product(parts, parts)
        )
        return curl, math.sqrt(max(variance, 1e-12)) * self.wider

    def score(self, one: int, other: int) -> float:
        """The points of a bot against another, as a share; the expected ones if they never met."""
        at = self.at.get((min(one, other), max(one, other)))
        if at is None:
            return law(self.ratings[one], self.ratings[other])
        share = self.laws[at] + self.beyond[at] / self.games[at]
        return share if one < other else 1 - share

    def _beats(self, one: int, other: int) -> bool:
        at = self.at[min(one, other), max(one, other)]
        error = math.sqrt(self.variance[at, at]) / self.games[at] * self.wider
        return self.score(one, other) - 0.5 > ONE_SIDED * error

    # -- Nash ------------------------------------------------------------------------------

    def payoffs(self) -> Matrix:
        """The share of the points of each bot against each other, minus a half."""
        bots = range(self.bots)
        return [[self.score(i, j) - 0.5 if i != j else 0.0 for j in bots] for i in bots]

    def drawn_payoffs(self, normal: Iterator[float]) -> Matrix:
        """The same with as much luck again."""
        found = self.payoffs()
        for at, more in enumerate(self._drawn(normal)):
            i, j = self.pairs[at]
            value = min(0.5, max(-0.5, found[i][j] + more / self.games[at]))
            found[i][j], found[j][i] = value, -value
        return found

    # -- maps ------------------------------------------------------------------------------

    def map_effect(self, blocks: Blocks) -> MapEffect | None:
        """See MapEffect; None for too few blocks or no variation."""
        products, squares, counts = [], [], []
        for block, count in blocks:
            if len(block) == 2 and block[0][0] == block[1][0][::-1]:
                one, other = (self._first_seat(*game) for game in block)
                products.append(one * other)
                squares.append((one**2 + other**2) / 2)
                counts.append(count)
        played, whole = sum(counts), dot(counts, squares)
        if played < 2 or whole < 1e-9:
            return None
        found = dot(counts, products) / whole
        mean = whole / played
        beyond = [
            ((one - found * other) / mean) ** 2
            for one, other in zip(products, squares, strict=True)
        ]
        error = math.sqrt((dot(counts, beyond) + LEAST) / (played - 1 + LEAST) / played)
        half = Z * math.sqrt(widened(2.0 * (played - 1))) * error
        return MapEffect(played, found, max(-1.0, found - half), min(1.0, found + half))

    def _first_seat(self, bots: tuple[int, ...], ranks: tuple[int, ...]) -> float:
        return shares(ranks)[0] - law(self.ratings[bots[0]], self.ratings[bots[1]])


def _edges(circle: tuple[int, int, int]) -> tuple[Pair, Pair, Pair]:
    a, b, c = circle
    return (a, b), (b, c), (c, a)


def _normal(label: str) -> Iterator[float]:
    """Normal numbers, the same each time (by Box and Muller)."""
    stream = Stream("meta", label)
    while True:
        radius = math.sqrt(-2 * math.log(1 - stream.unit()))
        angle = 2 * math.pi * stream.unit()
        yield radius * math.cos(angle)
        yield radius * math.sin(angle)


def _share(part: float, rest: float) -> float:
    part, rest = max(part, 0.0), max(rest, 0.0)
    return part / (part + rest) if part else 0.0


def _middle(ordered: Sequence[float]) -> tuple[float, float]:
    """The ends of the middle 95 % of draws."""
    last = len(ordered) - 1
    return ordered[round(0.025 * last)], ordered[round(0.975 * last)]


def seat_effects(blocks: Blocks, map: str = "") -> list[SeatEffect]:
    """What each seat gets in whole blocks, in which each bot takes each seat once."""
    whole = [(block, count) for block, count in blocks if len(block) == len(block[0][0])]
    if not whole:
        return []
    found, played = [], sum(count for _, count in whole)
    for seat in range(len(whole[0][0][0][0])):
        means = [(fmean(shares(ranks)[seat] for _, ranks in block), n) for block, n in whole]
        score = sum(n * mean for mean, n in means) / played
        low = high = None
        if played > 1:
            squares = sum(n * (mean - score) ** 2 for mean, n in means)
            squares += LEAST / 4 / len(whole[0][0])  # few blocks borrow from independent games
            error = math.sqrt(squares / (played - 1 + LEAST) / played)
            half = Z * math.sqrt(widened(2.0 * (played - 1))) * error
            low, high = max(0.0, score - half), min(1.0, score + half)
        found.append(SeatEffect(map, seat, played, score, low, high))
    return found


# Nash averaging: the mixture of bots that no bot beats, of maximum entropy. A bot's score against
# it is at most a half. Copies of a bot share its part, so they change no other score; in an average
# over all bots they count as often as they were entered.


def nash(payoffs: Matrix) -> list[float]:
    """The Nash equilibrium of maximum entropy of a symmetric game of zero sum: each strategy's
    share. `payoffs` is what each row gets against each column, and is antisymmetric.

    An interior point method finds which strategies occur in any equilibrium. Among the mixtures of
    these against which all of these get 0, the one of maximum entropy is p ~ exp(A·x), where x
    minimises the logarithm of the sum of exp(A·x).
    """
    inner = _interior(payoffs)
    slack = [-dot(row, inner) for row in payoffs]
    support = [i for i, part in enumerate(inner) if part > slack[i]]
    tight = list(support)
    while True:
        found = _most_even(payoffs, support, tight)
        if found is None:
            return inner
        over = [i for i, row in enumerate(payoffs) if i not in tight and dot(row, found) > 1e-7]
        if not over:
            return found
        tight += over


def _interior(payoffs: Matrix) -> list[float]:
    """An equilibrium in which every strategy occurs that occurs in any.

    With the slack s = -A·p + t·r, where r is such that p = s = 1 at t = 1, follow p·s = t to t = 0.
    Then r·p stays the number of strategies, so p does not vanish.
    """
    size = len(payoffs)
    offset = [1 + sum(row) for row in payoffs]
    p, t = [1.0] * size, 1.0
    for _ in range(200):
        if t < 1e-9:
            break
        s = [t * more - dot(row, p) for row, more in zip(payoffs, offset, strict=True)]
        is_central = min(map(mul, p, s)) > 0.3 * t
        aim = t * (0.2 if is_central else 1.0)
        matrix = [[-value for value in row] for row in payoffs]
        for i in range(size):
            matrix[i][i] += s[i] / p[i]
        right = [aim / p[i] - s[i] - (aim - t) * offset[i] for i in range(size)]
        step = _eliminated(matrix, right)
        moved = [(aim - t) * offset[i] - dot(payoffs[i], step) for i in range(size)]
        both = zip((*p, *s), (*step, *moved), strict=True)
        ends = [-old / by for old, by in both if by < 0]
        length = min(1.0, 0.9 * min(ends, default=1.0))
        p = [part + length * by for part, by in zip(p, step, strict=True)]
        t += length * (aim - t)
    whole = sum(p)
    return [part / whole for part in p]


def _eliminated(matrix: Matrix, right: list[float]) -> list[float]:
    """Solve matrix·x = right, by Gauss with row exchanges. Spoils both."""
    size = len(matrix)
    for i in range(size):
        best = max(range(i, size), key=lambda j: abs(matrix[j][i]))
        matrix[i], matrix[best] = matrix[best], matrix[i]
        right[i], right[best] = right[best], right[i]
        row = matrix[i]
        for j in range(i + 1, size):
            by = matrix[j][i] / row[i]
            if by:
                matrix[j][i:] = [
                    own - by * up for own, up in zip(matrix[j][i:], row[i:], strict=True)
                ]
                right[j] -= by * right[i]
    for i in reversed(range(size)):
        right[i] = (right[i] - dot(matrix[i][i + 1 :], right[i + 1 :])) / matrix[i][i]
    return right


def _most_even(payoffs: Matrix, support: Sequence[int], tight: Sequence[int]) -> list[float] | None:
    """The mixture of `support` of maximum entropy against which all of `tight` get 0; None if it is
    not found to 1e-9."""
    rows = [[payoffs[i][j] for j in support] for i in tight]
    columns = [list(column) for column in zip(*rows, strict=True)]
    x = [0.0] * len(tight)
    value, p = _softmax(columns, x)
    for _ in range(200):
        slope = [dot(row, p) for row in rows]
        if max(map(abs, slope)) < 1e-12:
            break
        curve = zeros(len(tight))
        for i, row in enumerate(rows):
            weighted = list(map(mul, row, p))
            for j in range(i + 1):
                curve[i][j] = curve[j][i] = dot(weighted, rows[j]) - slope[i] * slope[j]
        for i in range(len(tight)):
            curve[i][i] += 1e-9 * max(curve[i][i], 1e-9)
        step = solve(cholesky(curve), slope)
        length = 1.0
        while length > 1e-9:
            trial = [old - length * by for old, by in zip(x, step, strict=True)]
            below, q = _softmax(columns, trial)
            if below <= value - 1e-4 * length * dot(slope, step) or below <= value + 1e-15:
                break
            length /= 2
        x, value, p = trial, below, q
    if max((abs(dot(row, p)) for row in rows), default=0.0) > 1e-9:
        return None
    found = [0.0] * len(payoffs)
    for i, part in zip(support, p, strict=True):
        found[i] = part
    return found


def _softmax(columns: Matrix, x: Sequence[float]) -> tuple[float, list[float]]:
    """The logarithm of the sum of exp(columns·x), and the share of each."""
    powers = [dot(column, x) for column in columns]
    most = max(powers)
    parts = [math.exp(power - most) for power in powers]
    whole = sum(parts)
    return most + math.log(whole), [part / whole for part in parts]


def _bots(names: Sequence[str], field: _Field, draws: int) -> list[FieldBot]:
    payoffs, normal = field.payoffs(), _normal("nash")
    mixture, scores = _averaged(payoffs)
    drawn = [_averaged(field.drawn_payoffs(normal)) for _ in range(draws)]
    found = []
    for bot, name in enumerate(names):
        shares_, against = ([one[part][bot] for one in drawn] for part in (0, 1))
        nash_low, nash_high = _middle(sorted(shares_)) if drawn else (None, None)
        low, high = _middle(sorted(against)) if drawn else (None, None)
        elo = field.fitted.elo[bot]
        found.append(FieldBot(name, elo, mixture[bot], nash_low, nash_high, scores[bot], low, high))
    return found


def _averaged(payoffs: Matrix) -> tuple[list[float], list[float]]:
    """The Nash mixture, and the score of each bot against it."""
    mixture = nash(payoffs)
    return mixture, [0.5 + dot(row, mixture) for row in payoffs]


def _rated(names: Sequence[str], fitted: Fit) -> list[FieldBot]:
    return [
        FieldBot(name, elo, None, None, None, None, None, None)
        for name, elo in zip(names, fitted.elo, strict=True)
    ]
