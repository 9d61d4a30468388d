"""Many matches between the same bots: who sits where, on which seed, and what comes out.

Seats rotate, and all rotations of a group share one seed: with two bots, games 1 and 2 are the
same map with swapped seats, so a lucky map favours both alike.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from msgspec import Struct

CONFIDENCE = 0.95


class Pairing(Struct, frozen=True):
    """One game of a series: ``order[seat]`` is the number of the bot that sits there."""

    seed: str
    order: tuple[int, ...]


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


def schedule(seed: str, bots: int, games: int) -> list[Pairing]:
    """`games` pairings. The first group plays `seed` itself, group G plays ``SEED.G``."""
    return [
        Pairing(
            seed if game < bots else f"{seed}.{game // bots}",
            tuple((seat + game) % bots for seat in range(bots)),
        )
        for game in range(games)
    ]


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
        beaten += sum((rank > ranks[seat]) + (rank == ranks[seat]) / 2 for rank in others) / len(
            others
        )
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
    z = NormalDist().inv_cdf((1 + confidence) / 2)
    share, weight = successes / trials, z * z / trials
    middle = (share + weight / 2) / (1 + weight)
    half = z / (1 + weight) * math.sqrt(share * (1 - share) / trials + weight / trials / 4)
    return max(0.0, middle - half), min(1.0, middle + half)
