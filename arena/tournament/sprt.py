"""Sequential test of whether one bot is better than another, which stops as soon as that is known.

This is Wald's sequential probability ratio test on mirrored pairs of games. A pair is one
observation of five kinds: 0, ½, 1, 1½ or 2 points. Its two games share a map, so they are not
independent and cannot count separately. The likelihood ratio is exact: each hypothesis uses the
best-fitting distribution of pairs among those with its Elo. (The usual normal approximation accepts
falsely in 25 % instead of the promised 5 % if it may stop at the first pair.)
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
"""Number of pairs that gave 0, ½, 1, 1½ and 2 points."""
SCORES = (0.0, 0.25, 0.5, 0.75, 1.0)
"""Share of points for each of the five kinds of pairs."""
FLOOR = 32
"""Minimum number of pairs: with fewer, the distribution of pairs is not known."""
UNSEEN = 0.001
"""The count used for a kind of pair that was not seen."""
SURE = 1e-9
"""Shares of points this close to 0 or 1 count as 0 or 1."""


class SprtVerdict(Enum):
    """The verdict of the test. The values go into documents."""

    BETTER = "better"
    """H1: better by `elo1`."""
    NOT_BETTER = "not better"
    """H0: better by no more than `elo0`."""
    UNDECIDED = "undecided"


class Sprt(Struct, frozen=True):
    """The parameters of a test between H0, the difference is `elo0`, and H1, it is `elo1`.

    H1 is accepted falsely with probability `alpha`, H0 with `beta`. Raises UsageError for invalid
    values.
    """

    elo0: float = 0.0
    """How much better the candidate is under H0."""
    elo1: float = 20.0
    """How much better the candidate is under H1."""
    alpha: float = 0.05
    """How often H1 is accepted although H0 holds."""
    beta: float = 0.05
    """How often H0 is accepted although H1 holds."""
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
        """The bounds of the LLR: the test accepts H0 at or below the first, H1 at or above the
        second."""
        return (
            math.log(self.beta / (1 - self.alpha)),
            math.log((1 - self.beta) / self.alpha),
        )

    def llr(self, pairs: Pentanomial) -> float:
        """The log-likelihood ratio of the pairs, H1 over H0."""
        if not any(pairs):
            return 0.0
        counts = [count or UNSEEN for count in pairs]
        total = sum(counts)
        seen = [count / total for count in counts]
        fitted = _fit_normalised if self.normalised else _fit
        laws = zip(seen, fitted(seen, self.elo0), fitted(seen, self.elo1), strict=True)
        return total * sum(f * math.log(p1 / p0) for f, p0, p1 in laws)

    def verdict(self, pairs: Pentanomial) -> SprtVerdict:
        """The verdict after these pairs."""
        if sum(pairs) < FLOOR:
            return SprtVerdict.UNDECIDED
        llr, (low, high) = self.llr(pairs), self.bounds
        if low < llr < high:
            return SprtVerdict.UNDECIDED
        return SprtVerdict.BETTER if llr >= high else SprtVerdict.NOT_BETTER


def _fit(seen: Sequence[float], elo: float) -> list[float]:
    """The likeliest distribution of pairs whose mean corresponds to this Elo."""
    mean = expected(elo)
    return tilted(seen, [score - mean for score in SCORES])


def _fit_normalised(seen: Sequence[float], elo: float) -> list[float]:
    """The same for normalised Elo: the mean is above ½ by `elo` in standard deviations."""
    distance = math.sqrt(2) * elo * math.log(10) / 800
    law = [0.2] * 5
    for _ in range(10):
        before, (mean, variance) = law, moments(law)
        sd = math.sqrt(variance)
        law = tilted(
            seen, [a - 0.5 - distance * sd * (1 + ((a - mean) / sd) ** 2) / 2 for a in SCORES]
        )
        if max(abs(p - q) for p, q in zip(law, before, strict=True)) < 1e-9:
            break
    return law


def tilted(seen: Sequence[float], off: Sequence[float]) -> list[float]:
    """The likeliest distribution under which `off` has mean 0: f/(1 + x·off), for the root x of the
    sum of f·off/(1 + x·off), which decreases monotonically."""
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
    """The expected share of points of a bot that is better by `elo`."""
    return 1 / (1 + 10 ** (-elo / 400))


def elo_of(share: float) -> float | None:
    """The Elo difference that gives this share of points; None if unbounded."""
    return -400 * math.log10(1 / share - 1) if SURE < share < 1 - SURE else None


def moments(law: Sequence[float]) -> tuple[float, float]:
    """The mean and the variance of a pair's share of points."""
    mean = sum(p * a for p, a in zip(law, SCORES, strict=True))
    return mean, sum(p * (a - mean) ** 2 for p, a in zip(law, SCORES, strict=True))


class Estimate(Struct, frozen=True):
    """How much better one bot is than another, in Elo. A missing bound is null."""

    pairs: int
    score: float
    """The share of all points."""
    elo: float | None
    low: float | None
    high: float | None
    """The bounds of its 95 % interval."""
    superiority: float
    """The probability that the bot is better at all."""
    normalised_elo: float | None
    """In units of the standard deviation of a pair."""


def estimate(pairs: Pentanomial) -> Estimate:
    """The estimate from these pairs."""
    count = sum(pairs)
    if not count:
        return Estimate(
            pairs=0, score=0.5, elo=None, low=None, high=None, superiority=0.5, normalised_elo=None
        )
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
