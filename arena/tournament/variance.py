"""How far fitted ratings may be off: the covariance of the estimates, from what whole blocks did.

The games of a block share their map, and the comparisons in a match share their bots, so neither
are independent. What a block got beyond its expectation is one independent observation, whatever is
in it. The sum of the squares of these is what the estimates rest on (the sandwich of White and
Huber).

A group of which few blocks were played borrows from all groups, and an event of few blocks from
what independent games would do. Otherwise two blocks that happen to agree would claim certainty.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from itertools import combinations

from arena.tournament.bradley_terry import Counts, Model, Pair, add_gap, comparisons
from arena.tournament.linear import Matrix, inverse, sandwich, zeros
from arena.tournament.results import Block

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
