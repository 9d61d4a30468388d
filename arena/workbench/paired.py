"""The difference between two versions of a bot that meet the same opponents. Pure.

One observation is a paired block: each version plays the games of one block (one opponent, one
seed, every seat once), and the observation is the difference of their mean shares of the points.
What the versions have in common (the opponent, the map, the luck of the seed) cancels out, and the
games of a block are never counted as independent. This is the block model of
`arena.tournament.ratings`, for differences.

Hypotheses are Elo. Against an opponent from whom both versions together take the share s of the
points, versions that differ by D Elo are expected to differ by law(c + D/2) - law(c - D/2) points a
game, where law(c) = s. The test uses the mean of that over the pool. At D = 0 it is 0 whatever the
opponents are, so estimating s costs nothing of the error promised for H0 = 0.

The test is Wald's, with the exact likelihood ratio of `arena.tournament.sprt`: each hypothesis uses
the likeliest distribution of observations with its mean. A verdict is taken only after whole rounds
through the pool, so that every opponent counts equally. Opponents against whom the versions differ
unequally add to the variance of the observations, which makes the test a little too careful.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.tournament.ratings import BOUNDED, ELO, LEAST, OWN, PRIOR, Z, law, widened
from arena.tournament.sprt import FLOOR, UNSEEN, Sprt, SprtVerdict, tilted

FAR = 3000.0
"""Elo beyond which a difference counts as unbounded."""


class PairedResult(Struct, frozen=True, omit_defaults=True):
    """The result of one paired block, as written to the file of a run."""

    block: int
    """Number of the block in its run, from 0."""
    opponents: tuple[int, ...]
    """The opponents by their numbers in the pool, from 0."""
    map: int
    """The number of the map in the list of maps, from 0."""
    old: tuple[float, ...]
    """The old version's share of the points in each game, by its seat."""
    new: tuple[float, ...]
    """The same of the new version."""
    stopped: dict[str, int] = {}
    """Matches in which a version's program was stopped, by version and reason: ``new crashed``."""

    @property
    def difference(self) -> float:
        """How much larger the new version's mean share of the points is."""
        return round((sum(self.new) - sum(self.old)) / len(self.new), 9)

    @property
    def level(self) -> float:
        """The mean share of both versions."""
        return (sum(self.new) + sum(self.old)) / 2 / len(self.new)


class VersionDifference(Struct, frozen=True):
    """How much better the new version is. A missing bound of Elo is null."""

    blocks: int
    old: float
    """The old version's share of the points."""
    new: float
    """The new version's share of the points."""
    difference: float
    low: float
    high: float
    """The 95 % interval of the difference of the shares."""
    elo: float | None
    elo_low: float | None
    elo_high: float | None
    """The same in Elo."""
    superiority: float
    """The probability that the new version is better at all."""


class PairedTally:
    """The observations of a run, in their order."""

    def __init__(self, results: Iterable[PairedResult] = ()) -> None:
        self.results: list[PairedResult] = []
        self._values: Counter[float] = Counter()
        self._met: dict[tuple[int, ...], tuple[int, float]] = {}
        self._levels = 0.0
        for result in results:
            self.add(result)

    def __len__(self) -> int:
        return len(self.results)

    def add(self, result: PairedResult) -> None:
        """Add the result of the next block."""
        self.results.append(result)
        self._values[result.difference] += 1
        self._levels += result.level
        blocks, levels = self._met.get(result.opponents, (0, 0.0))
        self._met[result.opponents] = blocks + 1, levels + result.level

    def expected(self, elo: float) -> float:
        """The expected difference of the shares of versions that differ by `elo`."""
        if not elo:
            return 0.0
        mean, total = (self._levels + PRIOR) / (len(self) + 2 * PRIOR), 0.0
        for blocks, levels in self._met.values():
            share = (levels + OWN * mean) / (blocks + OWN)
            centre = math.log(share / (1 - share))
            total += blocks * (law(centre + elo / ELO / 2, 0) - law(centre - elo / ELO / 2, 0))
        return total / len(self) if len(self) else 0.0

    def llr(self, test: Sprt) -> float:
        """The log-likelihood ratio of all observations, H1 over H0."""
        if not self.results:
            return 0.0
        counts = {-1.0: UNSEEN, 1.0: UNSEEN} | self._values  # so that any mean can be fitted
        total = sum(counts.values())
        seen = [count / total for count in counts.values()]
        means = [self.expected(elo) for elo in (test.elo0, test.elo1)]
        fitted = [tilted(seen, [value - mean for value in counts]) for mean in means]
        return total * math.fsum(
            f * math.log(p1 / p0) for f, p0, p1 in zip(seen, *fitted, strict=True)
        )

    def verdict(self, test: Sprt) -> SprtVerdict:
        """The verdict after these observations, of which there should be whole rounds."""
        llr, (low, high) = self.llr(test), test.bounds
        if len(self) < FLOOR or low < llr < high:
            return SprtVerdict.UNDECIDED
        return SprtVerdict.BETTER if llr >= high else SprtVerdict.NOT_BETTER

    def estimate(self, z: float = Z) -> VersionDifference:
        """The estimate from all games; `z` is half the width of its intervals in standard errors,
        for several intervals that must hold together."""
        return difference(
            [result.difference for result in self.results],
            sum(sum(result.old) / len(result.old) for result in self.results),
            sum(sum(result.new) / len(result.new) for result in self.results),
            len(self.results[0].old) if self.results else 1,
            self.expected,
            z,
        )

    def parts(self, key: Callable[[PairedResult], int]) -> dict[int, PairedTally]:
        """The observations by the value of `key`, in the order of that."""
        parts: dict[int, PairedTally] = {}
        for result in self.results:
            parts.setdefault(key(result), PairedTally()).add(result)
        return dict(sorted(parts.items()))

    def against(self, opponents: int) -> list[PairedTally]:
        """The observations of each opponent of the pool: the blocks in which it took part."""
        return [
            PairedTally(result for result in self.results if opponent in result.opponents)
            for opponent in range(opponents)
        ]

    def at_seat(self, seat: int) -> PairedTally:
        """The observations of one seat: that game of each block. (What was stopped is known of
        whole blocks alone.)"""
        return PairedTally(
            replace(result, old=(result.old[seat],), new=(result.new[seat],))
            for result in self.results
        )


def difference(
    values: Sequence[float],
    old: float,
    new: float,
    games: int,
    expected: Callable[[float], float],
    z: float = Z,
) -> VersionDifference:
    """The estimate from the differences of blocks of so many games, and the sums of both versions'
    shares of the points."""
    blocks = len(values)
    if not blocks:
        return VersionDifference(0, 0.0, 0.0, 0.0, -1.0, 1.0, None, None, None, 0.5)
    mean = math.fsum(values) / blocks
    error = standard_error(values, (old + new) / 2 / blocks, games)
    low, high = max(-1.0, mean - z * error), min(1.0, mean + z * error)
    return VersionDifference(
        blocks=blocks,
        old=old / blocks,
        new=new / blocks,
        difference=mean,
        low=low,
        high=high,
        elo=elo_of_difference(mean, expected),
        elo_low=elo_of_difference(low, expected),
        elo_high=elo_of_difference(high, expected),
        superiority=0.5 * math.erfc(-mean / error / math.sqrt(2)),
    )


def standard_error(values: Sequence[float], share: float, games: int) -> float:
    """The standard error of the mean of some differences.

    As in the table, few blocks borrow from the variance that independent games of bots with this
    share of the points would have. Otherwise two blocks that happen to agree would claim certainty.
    The factor of Student's distribution is included.
    """
    blocks = len(values)
    mean = math.fsum(values) / blocks
    share = (share * blocks + PRIOR) / (blocks + 2 * PRIOR)
    independent = 2 * share * (1 - share) / games
    spare = blocks - 1
    squares = math.fsum((value - mean) ** 2 for value in values)
    variance = (squares + LEAST * independent) / (spare + LEAST)
    return math.sqrt(variance / blocks * widened(BOUNDED * (spare + LEAST)))


def elo_of_difference(share: float, expected: Callable[[float], float]) -> float | None:
    """The Elo at which this difference of the shares is expected; None if there is no such."""
    low, high = -FAR, FAR
    if not expected(low) < share < expected(high):
        return None
    while high - low > 1e-7:
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle) < share else (low, middle)
    return round((low + high) / 2, 6) + 0.0


def moved(results: Iterable[PairedResult], most: int) -> list[PairedResult]:
    """The blocks in which the versions differ most: first all that the new one lost."""
    changed = [result for result in results if result.difference]
    return sorted(changed, key=lambda one: (one.difference > 0, -abs(one.difference), one.block))[
        :most
    ]


def faults(results: Iterable[PairedResult]) -> Mapping[str, int]:
    """How often each version was stopped, by version and reason."""
    total: Counter[str] = Counter()
    for result in results:
        total.update(result.stopped)
    return dict(sorted(total.items()))
