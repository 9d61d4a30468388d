"""The model behind the ratings, and its likelihood: Davidson's form of Bradley and Terry.

Bot i beats, draws with and loses to bot j in the ratio exp(d/2) : nu : exp(-d/2), for the
difference d of their ratings. Points and draws are all that the likelihood depends on, and it is
concave in the ratings and the logarithm of nu.
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


def law(one: float, other: float, nu: float) -> tuple[float, float]:
    """The share of points that a bot of the rating `one` is expected to get against one of the
    rating `other`, and the share of draws."""
    half = (one - other) / 2
    win, loss = math.exp(half), math.exp(-half)
    total = win + loss + nu
    return (win + nu / 2) / total, nu / total


class Model:
    """The likelihood of ratings, and its maximum. The last parameter is the logarithm of nu, if
    there are draws."""

    def __init__(self, bots: int, pairs: Mapping[Pair, Counts]) -> None:
        self.bots = bots
        self.pairs = pairs
        self.ratings = [0.0] * bots
        games = sum(map(sum, pairs.values()))
        draws = sum(counts[1] for counts in pairs.values())
        self.nu = 2 * draws / (games - draws) if draws else 0.0
        self.size = bots + (draws > 0)

    def law(self, pair: Pair) -> tuple[float, float]:
        """See `law`."""
        return law(self.ratings[pair[0]], self.ratings[pair[1]], self.nu)

    def information(self, pair: Pair, games: float) -> Matrix:
        """Fisher's, of so many games of a pair: variances of points and draws, and covariance."""
        share, draw = self.law(pair)
        points = share * (1 - share) - draw / 4
        both = draw * (0.5 - share)
        return [[games * points, games * both], [games * both, games * draw * (1 - draw)]]

    def climb(self) -> None:
        """To the maximum, by Newton's method. The likelihood is concave, and a step is bounded."""
        for _ in range(100):
            step = solve(cholesky(self.hessian()), self._gradient())
            longest = max(map(abs, step))
            self._move([part / max(1.0, longest) for part in step])
            if longest < 1e-9:
                break

    def _move(self, step: list[float]) -> None:
        self.ratings = [rating + part for rating, part in zip(self.ratings, step, strict=False)]
        if self.size > self.bots:
            self.nu *= math.exp(step[-1])

    def _gradient(self) -> list[float]:
        slope = [0.0] * self.size
        for pair, counts in self.pairs.items():
            self.add_residual(slope, pair, counts)
        return slope

    def add_residual(self, to: list[float], pair: Pair, counts: Counts) -> None:
        """What a pair got beyond what it was expected to get, in points and in draws."""
        share, draw = self.law(pair)
        games = sum(counts)
        more = counts[0] + counts[1] / 2 - games * share
        to[pair[0]] += more
        to[pair[1]] -= more
        if self.size > self.bots:
            to[-1] += counts[1] - games * draw

    def hessian(self) -> Matrix:
        """Of all games, with the gauge: the matrix would not change if all ratings were raised."""
        matrix = zeros(self.size)
        for i in range(self.bots):
            matrix[i][: self.bots] = [1 / self.bots] * self.bots
        for pair, counts in self.pairs.items():
            self.add_information(matrix, pair, sum(counts))
        return matrix

    def add_information(self, to: Matrix, pair: Pair, games: float) -> None:
        (points, both), (_, draws) = self.information(pair, games)
        i, j = pair
        to[i][i] += points
        to[j][j] += points
        to[i][j] -= points
        to[j][i] -= points
        if self.size > self.bots:
            for bot, sign in ((i, 1), (j, -1)):
                to[bot][-1] += sign * both
                to[-1][bot] += sign * both
            to[-1][-1] += draws
