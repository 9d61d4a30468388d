"""The model behind the ratings: that of Bradley and Terry, with a draw as half a win and half a
loss.

Against bot j, bot i is expected to get the share 1 / (1 + exp(-d)) of the points, for the
difference d of their ratings. The ratings are those at which each bot got as many points as it was
expected to get. That is where the likelihood has its maximum, and it is concave. How often bots
draw says nothing of who is better; it says how much less the points vary.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TypeAlias

from arena.tournament.linear import Matrix, cholesky, solve, zeros
from arena.tournament.results import Game

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
