"""Many samples as one figure: its median, how sure it is, and whether two runs differ by more than
noise. A sample holds numbers by name that were measured in one moment, one after the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import accumulate, takewhile
from math import comb
from statistics import median
from typing import TypeAlias

from msgspec import Struct

Sample: TypeAlias = Mapping[str, float]
FEWEST = 6
"""Samples: the median is outside the extremes of five with a probability of 2 ÷ 32, above 5 %."""
LESS_IS_BETTER, MORE_IS_BETTER = "_ratio", "_per_loop"
"""Ends of the names of proportions."""


class Spread(Struct, frozen=True):
    """A figure over all samples of a run."""

    median: float
    low: float
    """The least and the most that the true median may be, with a confidence of at least 95 %: order
    statistics, which ask for no shape of the noise. (Of fewer than six samples, the
    extremes.)"""
    high: float
    samples: int


class Comparison(Struct, frozen=True):
    """One proportion, then and now."""

    name: str
    then: Spread
    now: Spread
    verdict: str
    """``better``, ``worse``, ``noise`` where the runs do not tell, or ``too few samples``."""


def spreads(samples: Sequence[Sample]) -> dict[str, Spread]:
    """The spread of each number, by its name."""
    return {name: spread([one[name] for one in samples]) for name in samples[0]}


def spread(values: Sequence[float]) -> Spread:
    """The median of some values, and how sure it is."""
    ordered = sorted(values)
    outside = _outside(len(ordered))
    return Spread(median(ordered), ordered[outside], ordered[-1 - outside], len(ordered))


def _outside(count: int) -> int:
    """How many of `count` ordered values may be left out at each end, so that the true median lies
    between the others with a probability of 95 %: each value is below it by the toss of a coin."""
    below = accumulate(comb(count, k) / 2**count for k in range(count))
    return max(0, sum(1 for _ in takewhile(lambda tail: tail <= 0.025, below)) - 1)


def compare(now: Mapping[str, Spread], then: Mapping[str, Spread]) -> list[Comparison]:
    """All proportions that both runs have."""
    return [
        Comparison(name, then[name], one, _verdict(name, one, then[name]))
        for name, one in now.items()
        if name.endswith((LESS_IS_BETTER, MORE_IS_BETTER)) and name in then
    ]


def _verdict(name: str, now: Spread, then: Spread) -> str:
    if min(now.samples, then.samples) < FEWEST:
        return "too few samples"
    if now.low <= then.high and then.low <= now.high:
        return "noise"
    rose = now.median > then.median
    return "better" if rose is name.endswith(MORE_IS_BETTER) else "worse"
