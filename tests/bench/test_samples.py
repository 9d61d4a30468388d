from __future__ import annotations

from statistics import median

from msgspec import Struct

from arena.bench.samples import Spread, differ, enough, medians, spread, spreads
from arena.core.rng import Stream


class Pair(Struct):
    """A measurement of two numbers and a name."""

    name: str
    fast: float
    slow: float


SAMPLES = [Pair("x", 3.0, 30.0), Pair("x", 1.0, 50.0), Pair("x", 2.0, 10.0)]


def test_medians_are_taken_number_by_number() -> None:
    assert medians(SAMPLES) == Pair("x", 2.0, 30.0)


def test_every_number_has_a_spread() -> None:
    assert spreads(SAMPLES) == {"fast": Spread(2, 1, 3, 3), "slow": Spread(30, 10, 50, 3)}


def test_extremes_are_left_out_of_many_samples() -> None:
    assert spread([float(i) for i in range(6)]) == Spread(2.5, 0, 5, 6)
    assert spread([float(i) for i in range(9)]) == Spread(4, 1, 7, 9)
    assert spread([float(i) for i in range(15)]) == Spread(7, 3, 11, 15)


def test_the_interval_holds_the_true_median_in_95_of_100_cases() -> None:
    stream = Stream("samples", "coins")

    def holds() -> bool:
        found = spread([stream.below(1_000_000) / 1_000_000 for _ in range(15)])
        return found.low <= 0.5 <= found.high

    assert 0.95 <= sum(holds() for _ in range(4000)) / 4000 < 0.99


def test_only_intervals_apart_differ() -> None:
    now, near, far = (spread([base + i for i in range(9)]) for base in (0.0, 3.0, 20.0))
    assert median([now.low, now.high]) == now.median
    assert not differ(now, near)
    assert differ(now, far)
    assert differ(far, now)


def test_five_samples_are_too_few() -> None:
    assert not enough(spread([1.0] * 5), spread([1.0] * 9))
    assert enough(spread([1.0] * 6), spread([1.0] * 9))
