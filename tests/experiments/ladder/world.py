"""A ladder of made-up bots, with matchmaking and ratings whose cost hardly grows with their number.

The arena's own ratings are one fit of all results, with the covariance of all bots: n² numbers, and
n³ steps. A ladder cannot have that. Here each bot has a rating and a variance of its own. They are
in natural log odds, as in `arena.tournament.ratings`; the bots' true strengths do not change.
"""

from __future__ import annotations

import math
from array import array
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from random import Random
from statistics import median
from typing import NamedTuple, TypeAlias

from arena.tournament.ratings import ELO, PRIOR, law

STRENGTHS_SD = 200.0
"""Standard deviation of true strengths, in Elo."""
GAMES_A_BLOCK = 2
"""Two bots meet on one map from both sides, as in a league."""
LadderPair: TypeAlias = tuple[int, int]


class Ladder:
    """Bots with known strengths, and what their results say of these."""

    def __init__(self, bots: int, seed: str) -> None:
        self.chance = Random(seed)
        drawn = [self.chance.gauss(0, STRENGTHS_SD / ELO) for _ in range(bots)]
        mean = sum(drawn) / bots
        self.truth = [one - mean for one in drawn]
        self.ratings = [0.0] * bots
        self.variances = [(STRENGTHS_SD / ELO) ** 2] * bots
        self.rivals = [array("i") for _ in range(bots)]
        """The rival of each bot in each block, in order."""
        self.points = [array("b") for _ in range(bots)]
        """The bot's wins in that block."""

    def pairs(self) -> list[LadderPair]:
        """Who meets whom in the next round: neighbours by a rating drawn from what is known of each
        bot, so that one that is known little meets many. A sort: n log n steps."""
        gauss = self.chance.gauss
        drawn = [
            rating + gauss(0, math.sqrt(variance))
            for rating, variance in zip(self.ratings, self.variances, strict=True)
        ]
        order = sorted(range(len(drawn)), key=drawn.__getitem__)
        return list(zip(order[::2], order[1::2], strict=False))

    def result(self, one: float, other: float) -> int:
        """How many matches of a block a bot of strength `one` wins; nobody draws."""
        share, chance = law(one, other), self.chance
        return sum(chance.random() < share for _ in range(GAMES_A_BLOCK))

    def play(self, one: int, other: int) -> None:
        """Play a block, and keep its result."""
        wins = self.result(self.truth[one], self.truth[other])
        for bot, rival, points in ((one, other, wins), (other, one, GAMES_A_BLOCK - wins)):
            self.rivals[bot].append(rival)
            self.points[bot].append(points)
        self.update(one, other, wins)

    def update(self, one: int, other: int, wins: int) -> None:
        """Move two ratings by a block, which takes a few steps however many bots there are."""
        first, second = self.variances[one], self.variances[other]
        gap = self.ratings[one] - self.ratings[other]
        beyond, known = learned(gap, first + second, wins)
        self.ratings[one] += first * beyond
        self.ratings[other] -= second * beyond
        self.variances[one] -= first * first * known
        self.variances[other] -= second * second * known

    def round(self) -> int:
        """Play a round. The number of its matches."""
        pairs = self.pairs()
        for one, other in pairs:
            self.play(one, other)
        return GAMES_A_BLOCK * len(pairs)


def learned(gap: float, variance: float, wins: int) -> tuple[float, float]:
    """What a block says of two bots whose ratings are `gap` apart, which is known with this
    variance: by how much to move them, and by how much that narrows their variances, each in units
    of their variances. (A Kalman filter that forgets covariances.)"""
    share = law(gap, 0.0)
    slope = GAMES_A_BLOCK * share * (1 - share)
    return (wins - GAMES_A_BLOCK * share) / (slope * variance + 1), slope / (slope * variance + 1)


# The fit of all results without its covariance: each rating in turn is moved to where the bot got
# as many points as expected. A sweep over all bots takes as many steps as there are results.

NEAR = 0.5
"""Elo by which no rating may move in a sweep that is the last."""
MOST_SWEEPS = 100


def sparse_fit(ladder: Ladder, start: Sequence[float]) -> tuple[list[float], int]:
    """The ratings that fit all results best, with the prior of the arena's fit, and the sweeps that
    this took from the ratings `start`."""
    ratings, sweeps = list(start), 0
    for sweeps in range(1, MOST_SWEEPS + 1):  # noqa: B007  it is returned
        longest = 0.0
        for bot, rivals in enumerate(ladder.rivals):
            step = _newton_step(ratings, bot, rivals, ladder.points[bot])
            ratings[bot] += step
            longest = max(longest, abs(step))
        if longest * ELO < NEAR:
            break
    return ratings, sweeps


def _newton_step(
    ratings: Sequence[float], bot: int, rivals: Sequence[int], points: Sequence[int]
) -> float:
    """How far to move a rating, at most one unit."""
    own, exp = ratings[bot], math.exp
    share = law(own, 0.0)
    slope, curve = 2 * PRIOR * (0.5 - share) + sum(points), 2 * PRIOR * share * (1 - share)
    for rival in rivals:
        share = 1 / (1 + exp(ratings[rival] - own))
        slope -= GAMES_A_BLOCK * share
        curve += GAMES_A_BLOCK * share * (1 - share)
    return max(-1.0, min(1.0, slope / curve))


# What is right of the ratings


def errors(truth: Sequence[float], ratings: Sequence[float]) -> list[float]:
    """How far each rating is from the truth, in Elo, sorted. What all ratings are off alike does
    not count, since only differences of ratings say anything."""
    apart = [rating - true for rating, true in zip(ratings, truth, strict=True)]
    off = median(apart)
    return sorted(ELO * abs(one - off) for one in apart)


def quantile(ordered: Sequence[float], share: float) -> float:
    """The value that a share of them does not exceed."""
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def ranks(values: Sequence[float]) -> list[int]:
    """The rank of each, from 0 for the least."""
    found = [0] * len(values)
    for rank, at in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        found[at] = rank
    return found


def rank_correlation(truth: Sequence[float], ratings: Sequence[float]) -> float:
    """Spearman's."""
    size = len(truth)
    apart = sum((a - b) ** 2 for a, b in zip(ranks(truth), ranks(ratings), strict=True))
    return 1 - 6 * apart / (size * (size * size - 1))


class Arrival(NamedTuple):
    """A newcomer after a block."""

    elo: float
    """The error of its rating, in Elo."""
    rank: float
    """The error of its rank, as a share of all bots."""


def newcomers(ladder: Ladder, count: int, matches: int) -> list[list[Arrival]]:
    """Bots that come into a ladder as it stands, each by itself, and meet who is nearest by then;
    how each stands after each block. Only their own ratings move. A rival is found in log n steps.
    """
    order = sorted(range(len(ladder.ratings)), key=ladder.ratings.__getitem__)
    placed, strengths = [ladder.ratings[bot] for bot in order], sorted(ladder.truth)
    off = sum(placed) / len(placed)  # the mean of true strengths is 0

    def arrive(truth: float) -> Iterator[Arrival]:
        own, variance = off, (STRENGTHS_SD / ELO) ** 2
        rank = bisect_left(strengths, truth)
        for _ in range(matches // GAMES_A_BLOCK):
            drawn = own + ladder.chance.gauss(0, math.sqrt(variance))
            at = min(bisect_left(placed, drawn), len(placed) - 1)
            wins = ladder.result(truth, ladder.truth[order[at]])
            beyond, known = learned(own - placed[at], variance + ladder.variances[order[at]], wins)
            own += variance * beyond
            variance -= variance * variance * known
            apart = abs(bisect_left(placed, own) - rank) / len(placed)
            yield Arrival(ELO * abs(own - off - truth), apart)

    return [list(arrive(ladder.chance.gauss(0, STRENGTHS_SD / ELO))) for _ in range(count)]
