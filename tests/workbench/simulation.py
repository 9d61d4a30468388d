"""Matches with a known truth: how often the pool test and the tune are right, and what they cost.

A game is decided by one number from 0 to 1 against the chance that the version wins. Both versions
see the same map, which favours or harms a version by some Elo, and in a share `common` of games the
same number too: bots that hardly differ mostly play the same game.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache

from arena.bots.numbers import TunedNumber
from arena.tournament.ratings import ELO, law
from arena.tournament.sprt import Sprt, SprtVerdict
from arena.workbench.paired import PairedResult, PairedTally
from arena.workbench.spsa import WORTH, Spsa


@dataclass(frozen=True)
class World:
    """The opponents and the luck."""

    opponents: tuple[float, ...] = (-150.0, -70.0, 0.0, 70.0, 150.0)
    """Their Elo."""
    maps: float = 100.0
    """Standard deviation of what a map is worth to a version, in Elo."""
    common: float = 0.5
    draws: float = 0.1
    seats: float = 30.0
    """What the first seat is worth, in Elo."""

    def block(
        self,
        number: int,
        opponent: int,
        old: float,
        new: float,
        luck: random.Random,
        *,
        paired: bool,
    ) -> PairedResult:
        """A block between versions of these Elos; unless `paired`, on seeds of their own."""
        first, second = luck.gauss(0, self.maps), luck.gauss(0, self.maps)
        told, other = [], []
        for seat in (0, 1):
            beyond = (self.seats if seat == 0 else -self.seats) - self.opponents[opponent]
            mine = luck.random()
            same = paired and luck.random() < self.common
            theirs = mine if same else luck.random()
            told.append(self.points(old + beyond + first, mine))
            other.append(self.points(new + beyond + (first if paired else second), theirs))
        return PairedResult(number, (opponent,), 0, tuple(told), tuple(other))

    def points(self, elo: float, luck: float) -> float:
        """The points of one game."""
        share = law(elo / ELO, 0)
        draw = self.draws * 4 * share * (1 - share)
        if luck < share - draw / 2:
            return 1.0
        return 0.5 if luck < share + draw / 2 else 0.0

    @cache  # noqa: B019  # the worlds are few, and are there to the end
    def strength(self, elo: float) -> float:
        """How much a version must be better on each map, in Elo, so that it is better by `elo` over
        all maps: with maps that favour and harm, the same strength is fewer points. Elo in tables
        and in tests is of the second kind."""
        low, high = 0.0, 4 * elo
        while high - low > 1e-6:
            middle = (low + high) / 2
            short = self._gained(middle, elo) < 0
            low, high = (middle, high) if short else (low, middle)
        return (low + high) / 2

    def _gained(self, strength: float, elo: float) -> float:
        """The points gained on all maps by this strength, beyond those that `elo` promises."""
        total = 0.0
        for rival in self.opponents:
            old, new = self._mean(-rival), self._mean(strength - rival)
            share = (old + new) / 2
            centre = math.log(share / (1 - share))
            promised = law(centre + elo / ELO / 2, 0) - law(centre - elo / ELO / 2, 0)
            total += new - old - promised
        return total

    def _mean(self, elo: float) -> float:
        """The mean share of the points over all maps and both seats."""
        grid = [i / 10 for i in range(-50, 51)]
        weights = [math.exp(-z * z / 2) for z in grid]
        shares = [
            weight * law((elo + side * self.seats + z * self.maps) / ELO, 0)
            for z, weight in zip(grid, weights, strict=True)
            for side in (-1, 1)
        ]
        return math.fsum(shares) / 2 / math.fsum(weights)


def compared(
    world: World,
    old: float,
    new: float,
    test: Sprt,
    seed: str,
    *,
    paired: bool = True,
    most: int = 5000,
) -> tuple[SprtVerdict, int]:
    """The verdict on two versions of these Elos, and the number of games that it took."""
    luck, tally = random.Random(seed), PairedTally()
    pool = len(world.opponents)
    verdict = SprtVerdict.UNDECIDED
    while verdict is SprtVerdict.UNDECIDED and len(tally) < most:
        number = len(tally)
        tally.add(world.block(number, number % pool, old, new, luck, paired=paired))
        if len(tally) % pool == 0:
            verdict = tally.verdict(test)
    return verdict, 4 * len(tally)


@dataclass(frozen=True)
class Hill:
    """The truth of a tune: what the numbers are worth, in Elo below the best."""

    numbers: tuple[TunedNumber, ...]
    best: tuple[float, ...]
    worth: float
    """What a number one step off the best costs."""

    def elo(self, values: Sequence[float]) -> float:
        """The strength with these numbers."""
        return -sum(
            self.worth * ((value - best) / number.step) ** 2
            for number, value, best in zip(self.numbers, values, self.best, strict=True)
        )


def hill(count: int, worth: float, off: float) -> Hill:
    """A hill of so many numbers, all of which start `off` steps from the best."""
    numbers = tuple(TunedNumber(f"n{i}", "float", 50.0, 0.0, 100.0, 10.0) for i in range(count))
    best = tuple(50.0 + (10.0 if i % 2 else -10.0) * off for i in range(count))
    return Hill(numbers, best, worth)


def tuned(
    world: World,
    truth: Hill,
    iterations: int,
    seed: str,
    look: Callable[[Spsa, int], bool],
    worth: float = WORTH,
) -> Spsa:
    """A tune by simulated blocks; it ends early when `look`, called after each window, says so."""
    luck = random.Random(seed)
    pool = len(world.opponents)
    spsa = Spsa(truth.numbers, iterations, seed, window=16, worth=worth)
    for begun in range(0, iterations, spsa.window):
        window = range(begun, min(begun + spsa.window, iterations))
        asked = [spsa.ask(k) for k in window]
        for k, (one, other) in zip(window, asked, strict=True):
            result = world.block(k, k % pool, truth.elo(one), truth.elo(other), luck, paired=True)
            spsa.tell(k, result.difference)
        if look(spsa, window.stop):
            break
    return spsa
