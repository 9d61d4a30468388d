"""The model: comparisons of a match, and the law of a game."""

from __future__ import annotations

import math

import pytest

from arena.tournament.ratings import Model, comparisons, fit, law
from arena.tournament.results import ResultTally


def test_a_match_of_three_is_three_comparisons() -> None:
    assert list(comparisons(((2, 0, 1), (1, 2, 2)))) == [((0, 1), 1), ((0, 2), 2), ((1, 2), 2)]


def test_comparisons_add_up_whoever_sits_first() -> None:
    games = [(((0, 1), (1, 2)), 3), (((1, 0), (1, 2)), 2), (((1, 0), (1, 1)), 1)]
    tally = ResultTally()
    for game, count in games:
        tally.add_blocks([game], count)
    assert fit(2, tally).met == {(0, 1): [3, 1, 2]}


def test_points_are_in_the_ratio_of_the_model() -> None:
    share = law(1.0, 0.0)
    assert share / (1 - share) == pytest.approx(math.e)


def test_at_the_maximum_points_are_as_expected() -> None:
    pairs = {(0, 1): [6, 4, 2], (0, 2): [8, 3, 1], (1, 2): [5, 4, 3]}
    model = Model(3, pairs)
    model.climb()
    assert 12 * (model.law((0, 1)) + model.law((0, 2))) == pytest.approx(6 + 8 + 3.5)
    draws = [4 * model.draw * model.variance(pair) for pair in pairs]
    assert 12 * sum(draws) == pytest.approx(11)
