"""The gains, the coins and the effect of a tune."""

from __future__ import annotations

import pytest

from arena.bots.numbers import TunedNumber
from arena.workbench.spsa import (
    ALPHA,
    GAMMA,
    SHRINK,
    SLOPE,
    Spsa,
    chi_squared,
    end_gain,
    gain_at,
    perturbation,
)
from tests.support.tools import dear
from tests.workbench.simulation import World, hill, tuned

STAY = TunedNumber("stay", "int", 3.0, 0.0, 10.0, 1.0)
FORCE = TunedNumber("force", "float", 2.0, 1.0, 5.0, 0.5)


def test_the_gains_are_those_of_fishtest() -> None:
    """a_k / c_k for c = 1 and a_end = 1, written as Fishtest does."""
    for iterations, k in ((1000, 0), (1000, 500), (1000, 999)):
        a = (0.1 * iterations + iterations) ** ALPHA
        c = iterations**GAMMA
        a_k, c_k = a / (0.1 * iterations + k + 1) ** ALPHA, c / (k + 1) ** GAMMA
        assert perturbation(k, iterations) == pytest.approx(c_k)
        assert gain_at(k, iterations) == pytest.approx(a_k / c_k)


def test_all_gains_together_shrink_the_distance_as_planned() -> None:
    """Without luck, a number one step off that costs as much as thought arrives within e^-3."""
    iterations, worth, off = 2000, 5.0, 1.0
    gain = end_gain(iterations, worth)
    for k in range(iterations):
        expected = 4 * worth * SLOPE * off * perturbation(k, iterations)
        off -= gain * gain_at(k, iterations) * expected
    assert off == pytest.approx(2.718**-SHRINK, rel=0.05)


def test_both_sides_are_opposite_and_within_the_bounds() -> None:
    spsa = Spsa([STAY, FORCE], 1000, "7", window=8)
    for k in range(200):
        for stay, force in spsa.ask(k):
            assert 0 <= stay <= 10
            assert stay == int(stay)
            assert 1 <= force <= 5
        (_, minus), (_, plus) = spsa.ask(k)
        reach = 0.5 * perturbation(k, 1000)
        assert {minus, plus} == {max(1.0, float(f"{2 - reach:.6g}")), float(f"{2 + reach:.6g}")}


def test_the_same_seed_asks_the_same() -> None:
    one, other = (Spsa([STAY, FORCE], 1000, "7", window=8) for _ in range(2))
    assert [one.ask(k) for k in range(20)] == [other.ask(k) for k in range(20)]
    assert Spsa([STAY, FORCE], 1000, "8", window=8).ask(0) != one.ask(0)


def test_a_number_moves_towards_the_better_side() -> None:
    spsa = Spsa([FORCE], 1000, "7", window=8)
    for k in range(100):
        (one,), (other,) = spsa.ask(k)
        spsa.tell(k, 0.2 if other > one else -0.2)
    (force,) = spsa.progress()
    assert force.value > force.low > 2.0
    assert force.elo_per_step is not None
    assert force.elo_error is not None
    assert force.elo_per_step > force.elo_error > 0


def test_the_quantiles() -> None:
    """Beside a table of the distribution."""
    for freedom, sure, known in ((1, 0.95, 3.841), (6, 0.95, 12.592), (10, 0.99, 23.209)):
        assert chi_squared(freedom, sure) == pytest.approx(known, rel=0.005)


@pytest.mark.parametrize("runs", dear([20, 200], but=lambda runs: runs == 20))
def test_numbers_without_an_effect_are_known_as_such(runs: int) -> None:
    found = [
        tuned(World(), hill(6, 0.0, 0.5), 256, f"n{run}", lambda *_: False).has_effect()
        for run in range(runs)
    ]
    assert sum(found) <= 0.05 * runs + 3 * (0.0475 * runs) ** 0.5


def test_a_tune_of_numbers_that_matter_much_gets_nearer() -> None:
    truth = hill(2, 30.0, 1.0)
    spsa = tuned(World(), truth, 1500, "t", lambda *_: False, worth=30.0)
    assert spsa.has_effect()
    assert truth.elo(spsa.values()) > 0.2 * truth.elo([50.0, 50.0])
