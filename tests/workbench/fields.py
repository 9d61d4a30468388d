"""Simulated fields, with a planted cycle or without one."""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import combinations

from arena.tournament.results import ResultTally
from tests.experiments.leagues import KINDS, game_law, pair_law

BOTS = 12
PLANTED = (3, 7, 10)
"""Each beats the next, and the last the first."""
RANKS = ((1, 2), (1, 1), (2, 1))


def ratings(rng: random.Random, bots: int = BOTS) -> list[float]:
    """True Elo, spread as in a league of students."""
    return [rng.gauss(0, 100) for _ in range(bots)]


def played(
    rng: random.Random,
    gaps: Sequence[Sequence[float]],
    games: int,
    kind: str = "independent",
) -> ResultTally:
    """A tally of that many games for each pair, in mirrored blocks of two; `gaps` is by how much
    each bot is better than each other, in Elo."""
    tally = ResultTally()
    for i, j in combinations(range(len(gaps)), 2):
        law = pair_law(game_law(gaps[i][j]), KINDS[kind])
        for both in rng.choices(range(9), law, k=games // 2):
            first, second = divmod(both, 3)
            tally.add_blocks([((i, j), RANKS[first]), ((j, i), RANKS[2 - second])], 1)
    return tally


def transitive(elo: Sequence[float]) -> list[list[float]]:
    """The gaps of a field that ratings explain."""
    return [[one - other for other in elo] for one in elo]


def with_cycle(elo: Sequence[float], beyond: float) -> list[list[float]]:
    """The same, but three bots, of equal ratings, have `beyond` Elo beyond that in a circle."""
    middle = sum(elo[bot] for bot in PLANTED) / 3
    gaps = transitive([middle if bot in PLANTED else own for bot, own in enumerate(elo)])
    for one, other in zip(PLANTED, (*PLANTED[1:], PLANTED[0]), strict=True):
        gaps[one][other] += beyond
        gaps[other][one] -= beyond
    return gaps
