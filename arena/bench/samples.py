"""Many measurements as one: medians, spreads, and whether two runs differ by more than noise.

A measurement is a `Struct` whose numbers belong together: taken in one moment, one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, takewhile
from math import comb
from statistics import median
from typing import TypeVar

import msgspec
from msgspec import Struct

T = TypeVar("T", bound=Struct)


FEWEST = 6
"""Samples: the median is outside the extremes of five with a probability of 2 ÷ 32, above 5 %."""


class Spread(Struct, frozen=True):
    """A figure over all samples of a run."""

    median: float
    low: float
    """The least and the most that the true median may be, with a confidence of at least 95 %: order
    statistics, which ask for no shape of the noise. (Of fewer than six samples, the
    extremes.)"""
    high: float
    samples: int


def medians(samples: Sequence[T]) -> T:
    """One measurement of the medians of all numbers; what is no number is the same in all."""
    numbers = {name: median(values) for name, values in _numbers(samples).items()}
    return msgspec.structs.replace(samples[0], **numbers)


def spreads(samples: Sequence[Struct]) -> dict[str, Spread]:
    """The spread of each number of a measurement, by its name."""
    return {name: spread(values) for name, values in _numbers(samples).items()}


def _numbers(samples: Sequence[Struct]) -> dict[str, list[float]]:
    """The values of each number of a measurement, by its name."""
    first = samples[0]
    names = [name for name in first.__struct_fields__ if isinstance(getattr(first, name), float)]
    return {name: [getattr(one, name) for one in samples] for name in names}


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


def enough(*runs: Spread) -> bool:
    """Whether there are so many samples that their intervals hold with 95 %."""
    return all(run.samples >= FEWEST for run in runs)


def differ(now: Spread, then: Spread) -> bool:
    """Whether two runs differ by more than noise: what the true medians may be does not overlap."""
    return now.low > then.high or now.high < then.low
