"""A rating that was chosen among versions."""

from __future__ import annotations

import pytest

from arena.tournament.ratings import ELO, Fit, fit
from arena.tournament.results import Result, ResultTally
from arena.tournament.versions import Performance, performance, shrunk

NOISY = 80.0**2


def fitted(elo: float, variance: float = NOISY) -> Fit:
    """A bot with this rating, and one rival."""
    covariance = [[variance, -variance / 2], [-variance / 2, variance]]
    return Fit((elo, -elo), covariance, draw=0.0, linked=True, met={})


def rating(elo: float, *earlier: float, variance: float = NOISY) -> float:
    """Its rating beside that of the rival, less twice what the rival's was, after versions with
    these ratings."""
    found = shrunk(fitted(elo, variance), {0: [Performance(one, variance) for one in earlier]})
    return found.elo[0] - found.elo[1] - elo


def test_the_performance_is_the_rating_that_is_fitted() -> None:
    """Against one rival, with the half win and half loss of the prior."""
    tally = ResultTally(
        Result(order, (1, 2) if game % 4 else (2, 1), (0.0, 0.0), f"{game}.{order}")
        for game in range(400)
        for order in [(0, 1)]
    )
    found = fit(2, tally)
    alone = performance([(found.elo[1], 400, 300)])
    assert alone.elo == pytest.approx(found.elo[0], abs=2)
    assert alone.variance == pytest.approx(ELO**2 / (401 * 0.1875), rel=0.02)
    assert performance([(0.0, 40, 40)]).elo < 1500  # the prior bounds it


def test_copies_get_the_rating_of_all_their_matches() -> None:
    chance = [-110, -60, -30, 0, 20, 40, 70, 100]
    assert rating(150, *chance) == pytest.approx(20, abs=5)
    assert rating(150) == pytest.approx(150)


def test_versions_that_differ_keep_their_ratings() -> None:
    sure = 15.0**2
    assert rating(150, 0, 40, 90, variance=sure) > 135
    assert rating(150, -100, variance=sure) == pytest.approx(150)  # clearly better


def test_bad_versions_do_not_make_luck_look_like_skill() -> None:
    assert rating(150, *[-150, 0] * 5) < 30
    assert rating(150, *[-600] * 10) == pytest.approx(150)
    assert rating(150, *[-600, 0] * 5) < 30


def test_a_rating_moved_is_known_better() -> None:
    found = shrunk(fitted(100), {0: [Performance(0, NOISY)] * 4})
    assert found.covariance[0][0] < NOISY / 2
    assert found.covariance[0][1] == found.covariance[1][0]
    assert found.covariance[1][1] == NOISY
