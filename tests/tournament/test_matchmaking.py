"""What tells most is played next."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from arena.errors import UsageError
from arena.tournament.pairings import _Plan, most_telling
from arena.tournament.ratings import ELO, Fit, Model, inverse
from arena.tournament.schedule import Group


@pytest.fixture
def fit() -> Fit:
    """A has won 7 of 10 against B and 9 of 10 against C, B 6 of 10 against C."""
    model = Model(3, {(0, 1): [7, 0, 3], (0, 2): [9, 0, 1], (1, 2): [6, 0, 4]})
    model.climb()
    covariance = [[(value - 1 / 3) * ELO**2 for value in row] for row in inverse(model.hessian())]
    return Fit(tuple(one * ELO for one in model.ratings), covariance, draw=0, prior=False, met={})


def test_the_gain_of_two_games(fit: Fit) -> None:
    plan = _Plan(fit, 2)
    gains = [plan.gain(*pair) for pair in ((0, 1), (1, 2), (0, 2))]
    assert gains == pytest.approx([0.0513, 0.0501, 0.0219], abs=5e-5)


def test_what_was_chosen_tells_less_afterwards(fit: Fit) -> None:
    assert list(islice(most_telling(fit), 4)) == [(0, 1), (1, 2), (0, 1), (1, 2)]


def test_a_slow_match_must_tell_more(fit: Fit) -> None:
    costs: dict[Group, float] = {(0, 1): 3.0, (0, 2): 1.0, (1, 2): 1.0}
    assert Counter(islice(most_telling(fit, costs=costs), 4)) == {(1, 2): 4}


def test_more_seats_take_the_best_together(fit: Fit) -> None:
    assert next(most_telling(fit, 3)) == (0, 1, 2)
    with pytest.raises(UsageError, match="3 bots cannot take 4 seats"):
        next(most_telling(fit, 4))


def test_a_newcomer_is_played_first() -> None:
    """Its rating is known least."""
    wide = [1e4, 1e4, 1e4, 1e6]
    covariance = [[wide[i] if i == j else 0.0 for j in range(4)] for i in range(4)]
    found = Fit((100.0, 50.0, -50.0, -100.0), covariance, draw=0.0, prior=False, met={})
    assert 3 in next(most_telling(found))
