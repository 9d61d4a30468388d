"""Simultaneous perturbation (SPSA): the numbers of a bot, tuned by matches. Pure.

Iteration k moves every number by its perturbation c_k up or down, by the toss of a coin, and lets
the bot with these numbers and the bot with the opposite ones meet the same opponents on the same
seed. The difference y of their shares of the points moves every number towards the better side.
The gains are those of Fishtest: c_k = c (N / (k + 1))^gamma, and a step of
a_k / c_k · y, with a_k = a ((A + N) / (A + k + 1))^alpha, A a tenth of the N iterations, and c the
declared step at the end.

The end gain `a` follows from theory, not from trial. Let a number one step from its best cost
`worth` Elo. Then the expected y of an iteration is -4 · worth · slope for a number one step off,
where `slope` is the share of points that an Elo is worth, so the distance shrinks by r_k times that
in each iteration, r_k being the gain in steps. `a` is such that all gains together shrink the
distance `SHRINK` times by a factor e: with a smaller gain the numbers do not arrive, with a larger
one they end further away than the noise of the matches requires.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import Protocol

from msgspec import Struct

from arena.bots.numbers import TunedNumber
from arena.core.rng import Stream
from arena.tournament.ratings import ELO, Z

ALPHA = 0.602
GAMMA = 0.101
STABLE = 0.1
"""Fishtest's A, as a share of the iterations."""
SLOPE = 1 / (4 * ELO)
"""The share of a game's points that one Elo is worth between equal bots."""
SHRINK = 3.0
"""How many times the distance from the best numbers shrinks by a factor e."""
WORTH = 2.0
"""Elo that a number one step from its best is thought to cost."""
SURE = 0.95
"""How often a tune without any effect is recognised as such."""
LOOKS = 7
"""How often an effect is looked for: at the end, at half of the iterations, at a quarter …"""


class NumberProgress(Struct, frozen=True):
    """Where one number stands."""

    name: str
    start: float
    value: float
    low: float
    high: float
    """The 95 % interval of the value: what other luck in the same iterations would have made."""
    elo_per_step: float | None
    """The measured effect of one step up, in Elo, as a mean over the iterations so far; null if the
    method does not tell."""
    elo_error: float | None
    """Half of its 95 % interval."""


class Method(Protocol):
    """A way of tuning: asks which numbers are to meet, and is told how much better they did."""

    numbers: Sequence[TunedNumber]
    window: int
    """Iterations that are asked for together, and whose results are told together."""

    def ask(self, iteration: int) -> tuple[list[float], list[float]]:
        """Two sets of numbers that meet the same opponents: the first is the old version."""

    def tell(self, iteration: int, difference: float) -> None:
        """How much larger the second set's share of the points was. Iterations come in order."""

    def values(self) -> list[float]:
        """The best numbers so far, rounded where they are whole."""

    def progress(self) -> list[NumberProgress]:
        """Where each number stands."""

    def has_effect(self) -> bool:
        """Whether the numbers have had a measurable effect so far."""


class Spsa:
    """The method of this module. See `Method`."""

    def __init__(
        self,
        numbers: Sequence[TunedNumber],
        iterations: int,
        seed: str,
        *,
        window: int,
        worth: float = WORTH,
    ) -> None:
        self.numbers = numbers
        self.window = window
        self.iterations = iterations
        self.end_gain = end_gain(iterations, worth)
        self._seed = seed
        self._now = [number.start for number in numbers]
        self._asked: dict[int, list[int]] = {}
        self._noise = 0.0
        """The variance of each number in steps, if no number has an effect."""
        self._told = 0
        self._along = [0.0] * len(numbers)
        """By number: the sum of all differences, each with the sign of the number's coin."""
        self._squares = 0.0
        """The variance of these sums, if no number has an effect."""
        self._has_effect = False

    def ask(self, iteration: int) -> tuple[list[float], list[float]]:
        """The numbers moved against the coins, and along them."""
        stream = Stream(self._seed, f"iteration {iteration}")
        flips = [1 if stream.unit() < 0.5 else -1 for _ in self.numbers]
        reach = perturbation(iteration, self.iterations)
        self._asked[iteration] = flips
        minus, plus = (
            [
                number.rounded(now + side * flip * reach * number.step, stream.unit())
                for number, now, flip in zip(self.numbers, self._now, flips, strict=True)
            ]
            for side in (-1, 1)
        )
        return minus, plus

    def tell(self, iteration: int, difference: float) -> None:
        """Move the numbers along the coins if that side did better."""
        flips = self._asked.pop(iteration)
        gain = self.end_gain * gain_at(iteration, self.iterations)
        for i, (number, flip) in enumerate(zip(self.numbers, flips, strict=True)):
            move = gain * difference * flip
            self._now[i] = number.bounded(self._now[i] + move * number.step)
            self._along[i] += difference * flip
        self._noise += (gain * difference) ** 2
        self._squares += difference**2
        self._told += 1
        if self._told in looks(self.iterations):
            self._has_effect |= self._is_surprising()

    def values(self) -> list[float]:
        """The present numbers; whole ones are rounded to the nearest."""
        return [
            number.rounded(now, 0.5) for number, now in zip(self.numbers, self._now, strict=True)
        ]

    def progress(self) -> list[NumberProgress]:
        """See `Method`."""
        half = Z * math.sqrt(self._noise)
        elo = 1 / (max(self._told, 1) * 2 * SLOPE * self._mean_reach())
        return [
            NumberProgress(
                name=number.name,
                start=number.start,
                value=now,
                low=number.bounded(now - half * number.step),
                high=number.bounded(now + half * number.step),
                elo_per_step=along * elo,
                elo_error=Z * math.sqrt(self._squares) * elo,
            )
            for number, now, along in zip(self.numbers, self._now, self._along, strict=True)
        ]

    def has_effect(self) -> bool:
        """Whether some number has moved the results further than chance does in all but 5 of 100
        tunes without any effect. It is looked for after each doubling of the iterations, since a
        number that soon arrives at its best has an effect in the beginning alone."""
        return self._has_effect

    def _is_surprising(self) -> bool:
        """Without an effect the coins are independent of the differences, so the sum of the squares
        of all `_along`, in standard errors, has a chi-squared law."""
        total = sum(along**2 for along in self._along)
        most = chi_squared(len(self.numbers), 1 - (1 - SURE) / LOOKS)
        return total > most * self._squares

    def _mean_reach(self) -> float:
        """The mean perturbation so far, roughly."""
        return perturbation(self._told // 2, self.iterations)


@cache
def looks(iterations: int) -> frozenset[int]:
    """The numbers of iterations after which an effect is looked for."""
    return frozenset(iterations >> i for i in range(LOOKS))


def perturbation(iteration: int, iterations: int) -> float:
    """How far the numbers of an iteration are moved, in steps."""
    return float((iterations / (iteration + 1)) ** GAMMA)


def gain_at(iteration: int, iterations: int) -> float:
    """How far a number moves in an iteration at the difference 1, in steps, if the last moves it
    by 1."""
    stable = STABLE * iterations
    slower = ((stable + iterations) / (stable + iteration + 1)) ** ALPHA
    return float(slower / perturbation(iteration, iterations))


def end_gain(iterations: int, worth: float) -> float:
    """The gain of the last iteration, in steps. See the theory above."""
    whole = sum(gain_at(k, iterations) * perturbation(k, iterations) for k in range(iterations))
    return SHRINK / (whole * 4 * worth * SLOPE)


@cache
def chi_squared(freedom: int, sure: float) -> float:
    """The quantile of the chi-squared distribution (from 2 degrees of freedom on by Wilson and
    Hilferty, who are right within half a per cent here)."""
    from statistics import NormalDist  # takes 5 ms, which most commands can save

    if freedom == 1:
        return float(NormalDist().inv_cdf((1 + sure) / 2) ** 2)
    spread = 2 / (9 * freedom)
    return float(freedom * (1 - spread + NormalDist().inv_cdf(sure) * math.sqrt(spread)) ** 3)
