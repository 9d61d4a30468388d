"""The covariance matrix adaptation (CMA-ES) of the library cmaes, as a method of tuning.

Each candidate of a generation meets the pool beside the numbers at the start, on the same seeds;
what counts is the mean difference. The result is the mean of the distribution, not the luckiest
candidate, since every score is noisy.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import pstdev
from typing import Any

from arena.bots.numbers import TunedNumber
from arena.core.rng import Stream
from arena.errors import UsageError
from arena.tournament.ratings import Z
from arena.workbench.spsa import NumberProgress

INSTALL = "pip install '.[tune]' in a clone"


class Cmaes:
    """See `arena.workbench.spsa.Method`. Numbers are in steps from their start."""

    def __init__(self, numbers: Sequence[TunedNumber], seed: str, *, blocks: int) -> None:
        """Each candidate plays so many `blocks`. Raises UsageError without the library."""
        try:
            import numpy
            from cmaes import CMA
        except ImportError:
            raise UsageError(f"--method cmaes needs the library cmaes: {INSTALL}") from None
        self.numbers = numbers
        self._blocks = blocks
        self._array = numpy.array
        bounds = [
            [(bound - number.start) / number.step for bound in (number.min, number.max)]
            for number in numbers
        ]
        self._search = CMA(
            mean=numpy.zeros(len(numbers)),
            sigma=1.0,
            bounds=numpy.array(bounds),
            seed=Stream(seed, "cmaes").below(2**32),
        )
        self.window = self._search.population_size * blocks
        self._generation: list[Any] = []
        self._sums: list[float] = []

    def ask(self, iteration: int) -> tuple[list[float], list[float]]:
        """The numbers at the start, and those of a candidate."""
        place = iteration % self.window
        if place == 0:
            self._generation = [self._search.ask() for _ in range(self._search.population_size)]
            self._sums = [0.0] * len(self._generation)
        start = [number.start for number in self.numbers]
        return start, self._rounded(self._generation[place // self._blocks])

    def tell(self, iteration: int, difference: float) -> None:
        """Once a generation is complete, the search moves on."""
        place = iteration % self.window
        self._sums[place // self._blocks] += difference
        if place == self.window - 1:
            scores = [-total / self._blocks for total in self._sums]
            self._search.tell(list(zip(self._generation, scores, strict=True)))

    def values(self) -> list[float]:
        """The mean of the distribution."""
        return self._rounded(self._search.mean)

    def progress(self) -> list[NumberProgress]:
        """The mean, with the spread of the last generation."""
        found = []
        for i, number in enumerate(self.numbers):
            value = number.start + float(self._search.mean[i]) * number.step
            spread = pstdev([float(one[i]) for one in self._generation] or [0.0])
            half = Z * spread * number.step
            low, high = number.bounded(value - half), number.bounded(value + half)
            found.append(NumberProgress(number.name, number.start, value, low, high, None, None))
        return found

    def has_effect(self) -> bool:
        """The method does not say: the comparison at the end does."""
        return True

    def _rounded(self, steps: Any) -> list[float]:
        return [
            number.rounded(number.start + float(step) * number.step, 0.5)
            for number, step in zip(self.numbers, steps, strict=True)
        ]
