"""The sequential test: worked numbers, bounds, and error rates."""

from __future__ import annotations

import math
import random

import pytest

from arena.errors import UsageError
from arena.tournament.sprt import FLOOR, Sprt, SprtVerdict, estimate
from tests.experiments.leagues import accepted

SEEN = (10, 30, 70, 45, 15)


@pytest.mark.parametrize(
    ("pairs", "elo0", "elo1", "normalised", "llr"),
    [
        ((1187, 7410, 13475, 7378, 1164), -3, 1, False, 2.8615),
        ((1187, 7410, 13475, 7378, 1164), -3, 1, True, 0.6003),
        ((39, 8843, 26675, 9240, 44), 0.5, 2.5, True, 2.9417),
        (SEEN, 0, 20, False, 1.7032),
        (SEEN, 0, 20, True, 1.4378),
    ],
)
def test_the_ratio_as_fishtest_computes_it(
    pairs: tuple[int, ...], elo0: float, elo1: float, normalised: bool, llr: float
) -> None:
    test = Sprt(elo0=elo0, elo1=elo1, normalised=normalised)
    assert test.llr(pairs) == pytest.approx(llr, abs=5e-5)


def test_an_estimate() -> None:
    found = estimate(SEEN)
    assert found.score == pytest.approx(0.53676, abs=1e-5)
    assert found.elo == pytest.approx(25.59, abs=0.01)
    assert found.low == pytest.approx(-0.67, abs=0.01)
    assert found.high == pytest.approx(52.15, abs=0.01)
    assert found.superiority == pytest.approx(0.9719, abs=1e-4)
    assert found.normalised_elo == pytest.approx(35.99, abs=0.01)


def test_an_estimate_has_no_bound_where_there_is_none() -> None:
    all_won = estimate((0, 0, 0, 0, 40))
    assert (all_won.elo, all_won.high) == (None, None)
    assert all_won.low == pytest.approx(407, abs=1)
    assert estimate((0,) * 5).elo is None


def test_there_is_no_verdict_before_the_floor() -> None:
    test = Sprt(elo1=200)
    assert test.llr((FLOOR - 1, 0, 0, 0, 0)) < test.bounds[0]
    assert test.verdict((FLOOR - 1, 0, 0, 0, 0)) is SprtVerdict.UNDECIDED
    assert test.verdict((FLOOR, 0, 0, 0, 0)) is SprtVerdict.NOT_BETTER
    assert test.verdict((0, 0, 0, 0, 10 * FLOOR)) is SprtVerdict.BETTER
    assert test.verdict((0,) * 5) is SprtVerdict.UNDECIDED


def test_the_bounds_follow_from_the_error_rates() -> None:
    bounds = Sprt(alpha=0.05, beta=0.1).bounds
    assert bounds == pytest.approx((math.log(0.1 / 0.95), math.log(18)))


@pytest.mark.parametrize(
    "given",
    [{"elo0": 5, "elo1": 5}, {"elo1": 2000}, {"alpha": 0}, {"beta": 0.5}, {"elo1": math.nan}],
)
def test_what_cannot_be_asked(given: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="not allowed: give"):
        Sprt(**given)  # type: ignore[arg-type]  # one table for all


def test_error_rates_are_as_promised() -> None:
    """A little of `python -m tests.experiments.leagues`: of 60 runs, 3 may be wrong on
    average (5 %), and more than 8 in one of 100 such tests."""
    test = Sprt(elo1=60)
    false, _ = accepted(random.Random(1), test, 0, 60)
    true, pairs = accepted(random.Random(2), test, 60, 60)
    assert false <= 8 / 60
    assert true >= 52 / 60
    assert FLOOR < pairs < 120
