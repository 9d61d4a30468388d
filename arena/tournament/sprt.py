"""Is one bot better than another? A sequential test, which stops as soon as that is known.

Wald's sequential probability ratio test on mirrored pairs of games. A pair is one observation of
five kinds: 0, ½, 1, 1½ or 2 points. Its two games share a map, so they are not independent, and
single games are no observations. The likelihood ratio is exact: each hypothesis gets the law of
pairs that fits best to what was seen, among those with its Elo. (The usual approximation by the
normal law accepts falsely in 25 % where 5 % are promised, when it may stop at the first pair.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from enum import Enum
from typing import TypeAlias

from msgspec import Struct

from arena.errors import UsageError
from arena.tournament.ratings import Z
from arena.tournament.standings import wilson

Pentanomial: TypeAlias = Sequence[int]
"""How many pairs gave 0, ½, 1, 1½ and 2 points."""
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Points of the five kinds of a pair, of one at most."""
FLOOR = 32
"""Pairs before which the test does not stop: the law of pairs is not known before."""
UNSEEN = 0.001
"""Counted for a kind of pair that was not seen."""
SURE = 1e-9
"""Shares of points closer to 0 or 1 are taken for that."""


class SprtVerdict(Enum):
    """What the test says. Its values go into documents."""

    BETTER = "better"
    """H1: by `elo1`."""
    NOT_BETTER = "not better"
    """H0: by no more than `elo0`."""
    UNDECIDED = "undecided"


class Sprt(Struct, frozen=True):
    """What is asked: H0, the difference is `elo0`, or H1, it is `elo1`. H1 is accepted falsely with
    the probability `alpha`, H0 with `beta`. Raises UsageError for what cannot be."""

    elo0: float = 0.0
    """By how much the candidate is better under H0."""
    elo1: float = 20.0
    """And under H1."""
    alpha: float = 0.05
    """How often H1 is accepted though H0 holds."""
    beta: float = 0.05
    """How often H0 is accepted though H1 holds."""
    normalised: bool = False
    """Whether Elo is in units of the standard deviation of a pair, which draws do not change."""

    def __post_init__(self) -> None:
        if not -1000 <= self.elo0 < self.elo1 <= 1000:
            raise UsageError(
                f"elo0={self.elo0:g} and elo1={self.elo1:g} are not allowed: give elo0 below elo1, "
                "both from -1000 to 1000"
            )
        if not (0.0001 <= self.alpha <= 0.4 and 0.0001 <= self.beta <= 0.4):
            raise UsageError(
                f"alpha={self.alpha:g} and beta={self.beta:g} are not allowed: give both from "
                "0.0001 to 0.4"
            )

    @property
    def bounds(self) -> tuple[float, float]:
        """Where the test stops: at or below the first it accepts H0, at or above the second H1."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def llr(self, pairs: Pentanomial) -> float:
        """The logarithm of how much likelier the pairs are under H1 than under H0."""
        if not any(pairs):
            return 0.0
        counts = [count or UNSEEN for count in pairs]
        total = sum(counts)
        seen = [count / total for count in counts]
        fitted = _fit_normalised if self.normalised else _fit
        laws = zip(seen, fitted(seen, self.elo0), fitted(seen, self.elo1), strict=True)
        return total * sum(f * math.log(p1 / p0) for f, p0, p1 in laws)

    def verdict(self, pairs: Pentanomial) -> SprtVerdict:
        """What can be said after these pairs."""
        if sum(pairs) < FLOOR:
            return SprtVerdict.UNDECIDED
        llr, (low, high) = self.llr(pairs), self.bounds
        if low < llr < high:
            return SprtVerdict.UNDECIDED
        return SprtVerdict.BETTER if llr >= high else SprtVerdict.NOT_BETTER


def _fit(seen: Sequence[float], elo: float) -> list[float]:
    """The likeliest law of pairs with the mean that this Elo stands for."""
    mean = expected(elo)
    return _tilted(seen, [score - mean for score in SCORES])


def _fit_normalised(seen: Sequence[float], elo: float) -> list[float]:
    """The same for normalised Elo: the law's mean is so many of its standard deviations above ½."""
    distance = math.sqrt(2) * elo * math.log(10) / 800
    law = [0.2] * 5
    for _ in range(10):
        before, (mean, variance) = law, moments(law)
        sd = math.sqrt(variance)
        law = _tilted(
            seen, [a - 0.5 - distance * sd * (1 + ((a - mean) / sd) ** 2) / 2 for a in SCORES]
        )
        if max(abs(p - q) for p, q in zip(law, before, strict=True)) < 1e-9:
            break
    return law


def _tilted(seen: Sequence[float], off: Sequence[float]) -> list[float]:
    """The likeliest law under which `off` is 0 on average: f/(1 + x·off), for the root x of the sum
    of f·off/(1 + x·off), which falls from end to end."""
    low, high = -1 / max(off), -1 / min(off)
    x = 0.0
    for _ in range(200):
        parts = [(f, d / (1 + x * d)) for f, d in zip(seen, off, strict=True)]
        value = sum(f * part for f, part in parts)
        low, high = (x, high) if value > 0 else (low, x)
        newton = x + value / sum(f * part * part for f, part in parts)
        step = newton if low < newton < high else (low + high) / 2
        if abs(step - x) < 1e-12:
            break
        x = step
    return [f / (1 + x * d) for f, d in zip(seen, off, strict=True)]


def expected(elo: float) -> float:
    """The share of points that a bot gets that is better by so much."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(share: float) -> float | None:
    """The Elo difference that gives such a share of points; None where it has no bound."""
    return -400 * math.log10(1 / share - 1) if SURE < share < 1 - SURE else None


def moments(law: Sequence[float]) -> tuple[float, float]:
    """The mean and the variance of a pair's share of points."""
    mean = sum(p * a for p, a in zip(law, SCORES, strict=True))
    return mean, sum(p * (a - mean) ** 2 for p, a in zip(law, SCORES, strict=True))


class Estimate(Struct, frozen=True):
    """How much better one bot is than another, in Elo. A bound is null where there is none."""

    pairs: int
    score: float
    """The share of all points."""
    elo: float | None
    low: float | None
    high: float | None
    """The bounds of its 95 % interval."""
    superiority: float
    """How probable it is that the bot is better at all."""
    normalised_elo: float | None
    """In units of the standard deviation of a pair."""


def estimate(pairs: Pentanomial) -> Estimate:
    """What so many pairs say."""
    count = sum(pairs)
    if not count:
        return Estimate(0, 0.5, None, None, None, 0.5, None)
    mean, variance = moments([pair / count for pair in pairs])
    sd = math.sqrt(variance)
    error = sd / math.sqrt(count)
    low, high = (mean - Z * error, mean + Z * error) if sd else wilson(mean * count, count)
    return Estimate(
        pairs=count,
        score=mean,
        elo=elo_of(mean),
        low=elo_of(low),
        high=elo_of(high),
        superiority=_superiority(mean, error or 0.5 / math.sqrt(count)),
        normalised_elo=(mean - 0.5) / (sd * math.sqrt(2)) * 800 / math.log(10) if sd else None,
    )


def _superiority(mean: float, error: float) -> float:
    return 0.5 * math.erfc((0.5 - mean) / error / math.sqrt(2))
