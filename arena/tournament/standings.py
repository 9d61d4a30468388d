"""The table of a series: wins, points, scores and their intervals. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence

from msgspec import Struct

from arena.core.ranking import shares
from arena.tournament.schedule import Pairing

CONFIDENCE = 0.95


class Standing(Struct, frozen=True):
    """One bot's series. `score` is the share of opponents beaten, ties half; with its interval."""

    bot: int
    name: str
    games: int
    wins: int
    draws: int
    losses: int
    points: float
    score: float
    low: float
    high: float


def standings(
    names: Sequence[str],
    results: Sequence[tuple[Pairing, Sequence[int], Sequence[float]]],
) -> list[Standing]:
    """The table of a series from its games: pairing, ranks by seat, points by seat."""
    return [_standing(bot, name, results) for bot, name in enumerate(names)]


def _standing(
    bot: int, name: str, results: Sequence[tuple[Pairing, Sequence[int], Sequence[float]]]
) -> Standing:
    wins = draws = losses = 0
    points = beaten = 0.0
    for pairing, ranks, game_points in results:
        seat = pairing.order.index(bot)
        others = [rank for other, rank in enumerate(ranks) if other != seat]
        points += game_points[seat]
        beaten += shares(ranks)[seat]
        wins += ranks[seat] == 1 and 1 not in others
        draws += ranks[seat] == 1 and 1 in others
        losses += ranks[seat] > 1
    games = len(results)
    low, high = wilson(beaten, games)
    score = beaten / games if games else 0.0
    return Standing(bot, name, games, wins, draws, losses, points, score, low, high)


def wilson(successes: float, trials: int, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Wilson's interval for a share. Draws count half, which makes it a little too wide."""
    if trials == 0:
        return 0.0, 1.0
    from statistics import NormalDist  # 5 ms, which a single match need not spend

    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = successes / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / trials / 4)
    return max(0.0, middle - half), min(1.0, middle + half)


def distinct(names: Sequence[str]) -> list[str]:
    """The names, told apart by a number where two are the same: ``a #1``, ``b``, ``a #2``."""
    return [
        name if names.count(name) == 1 else f"{name} #{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]
