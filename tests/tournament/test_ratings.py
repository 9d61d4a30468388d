"""Ratings: the worked numbers, the prior, and the order of games."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from arena.tournament.algebra import PlainAlgebra, inverse
from arena.tournament.ratings import ELO, Fit, MetPairs, Model, Pair, fit, linked
from arena.tournament.results import Result, ResultTally
from arena.tournament.sprt import elo_of
from tests.experiments.leagues import crowd

WON = {(0, 1): (7, 0, 3), (0, 2): (9, 0, 1), (1, 2): (6, 0, 4)}
DRAWN = {(0, 1): (6, 4, 2), (0, 2): (8, 3, 1), (1, 2): (5, 4, 3)}


def results(counts: Mapping[Pair, tuple[int, int, int]]) -> list[Result]:
    """Each match in a block of its own."""
    kinds = [
        (pair, ranks)
        for pair, numbers in counts.items()
        for ranks, number in zip(((1, 2), (1, 1), (2, 1)), numbers, strict=True)
        for _ in range(number)
    ]
    return [Result(pair, ranks, (0, 0), str(at)) for at, (pair, ranks) in enumerate(kinds)]


def test_bradley_and_terry_as_choix_computes_it() -> None:
    """choix 0.4.1 gives these, without a prior."""
    model = Model(3, WON)
    model.climb()
    assert next(iter(model.ratings)) == pytest.approx(0)
    mean = sum(model.ratings) / 3
    assert [ELO * (one - mean) for one in model.ratings] == pytest.approx(
        [163.92, -27.82, -136.10], abs=0.01
    )
    assert model.draw == 0


def test_no_bots_have_no_ratings() -> None:
    assert fit(0, ResultTally([])).elo == ()


def test_the_information_gives_the_known_errors() -> None:
    """Of independent games; the errors of a fit are those of blocks."""
    model = Model(3, WON)
    model.climb()
    c = inverse(model.hessian())  # which holds the first, so the mean of all has to be taken off
    mean, all_of = [sum(row) / 3 for row in c], sum(map(sum, c)) / 9
    own = [ELO * (c[i][i] - 2 * mean[i] + all_of) ** 0.5 for i in range(3)]
    assert own == pytest.approx([65.53, 57.02, 62.22], abs=0.01)
    gaps = [ELO * (c[i][i] + c[j][j] - 2 * c[i][j]) ** 0.5 for i, j in WON]
    assert gaps == pytest.approx([105.92, 114.36, 99.76], abs=0.01)


def test_a_draw_is_half_a_win_and_half_a_loss() -> None:
    drawn = fit(3, ResultTally(results(DRAWN)))
    split = {pair: (won + d // 2, d % 2, lost + d // 2) for pair, (won, d, lost) in DRAWN.items()}
    assert drawn.elo == pytest.approx(fit(3, ResultTally(results(split))).elo)


@pytest.mark.parametrize("counts", [(7, 0, 3), (6, 4, 2), (1, 8, 3)])
def test_the_elo_of_two_bots_is_that_of_their_score(counts: tuple[int, int, int]) -> None:
    """As `arena compare` has it, but for the prior. It is a game of each against an average bot, in
    which both get half of the points: together as much as about half a drawn game of the two."""
    wins, draws, losses = (100 * one for one in counts)
    found = fit(2, ResultTally(results({(0, 1): (wins, draws, losses)})))
    games = wins + draws + losses
    score = (wins + draws / 2 + 0.25) / (games + 0.5)
    assert found.difference(0, 1)[0] == pytest.approx(elo_of(score), rel=1e-3)


def test_draws_make_points_vary_less() -> None:
    some, many = ({(0, 1): (40 - d, 2 * d, 40 - d)} for d in (0, 30))
    assert fit(2, ResultTally(results(many))).error(0) < 0.7 * fit(
        2, ResultTally(results(some))
    ).error(0)


def test_the_order_of_games_makes_no_difference_at_all() -> None:
    games = results(DRAWN)
    once = fit(3, ResultTally(games))
    for seed in range(3):
        random.Random(seed).shuffle(games)
        assert fit(3, ResultTally(games)) == once


def test_the_numbers_of_the_bots_make_no_difference() -> None:
    games = [Result((2 - r.order[0], 2 - r.order[1]), *r.__reduce__()[1][1:]) for r in results(WON)]
    assert fit(3, ResultTally(games)).elo[::-1] == pytest.approx(
        fit(3, ResultTally(results(WON))).elo
    )


@pytest.mark.parametrize(
    "counts",
    [
        {(0, 1): (4, 0, 0), (0, 2): (4, 0, 0), (1, 2): (2, 0, 2)},
        {(0, 1): (2, 0, 2)},
        {(0, 1): (0, 4, 0), (0, 2): (0, 4, 0), (1, 2): (0, 4, 0)},
        {(0, 1): (1, 3, 0), (1, 2): (2, 0, 2)},
        {},
    ],
    ids=["one never loses", "one never plays", "all draws", "a draw is no win", "no game"],
)
def test_without_links_both_ways_the_prior_bounds_ratings(
    counts: dict[Pair, tuple[int, int, int]],
) -> None:
    found = fit(3, ResultTally(results(counts)))
    assert not found.linked
    assert sum(found.elo) == pytest.approx(0, abs=1e-6)
    assert all(abs(elo) < 1000 and 50 < found.error(i) < 2000 for i, elo in enumerate(found.elo))


def test_links_are_wins_in_both_directions() -> None:
    circle = {(0, 1): [1, 0, 0], (1, 2): [1, 0, 0], (0, 2): [0, 0, 1]}

    def are_linked(bots: int, pairs: dict[Pair, list[int]]) -> bool:
        return linked(bots, MetPairs.of(pairs), PlainAlgebra())

    assert are_linked(3, circle)
    assert not are_linked(3, circle | {(0, 2): [1, 0, 0]})
    assert not are_linked(4, circle)


def test_more_than_two_seats_find_known_strengths() -> None:
    """Drawn from Plackett and Luce, whose ratings these are."""
    truth, tally = crowd(random.Random(3), 5, 5, 1500)
    found = fit(5, tally)
    for bot, elo in enumerate(found.elo):
        assert abs(elo - truth[bot]) < 1.5 * found.error(bot)
        assert found.error(bot) < 20


def test_whoever_beats_two_that_tie_for_third_is_above_them() -> None:
    """Five newcomers, ranked 1, 1, 2, 3, 4: the winners come first."""
    elo = fit(5, ResultTally([Result((0, 1, 2, 3, 4), (1, 1, 2, 3, 4), (0,) * 5, "b")])).elo
    assert elo[0] == pytest.approx(elo[1])
    assert list(elo[1:]) == sorted(elo[1:], reverse=True)
    assert elo[1] > elo[2] + 10


def test_superiority_is_a_probability() -> None:
    found = fit(3, ResultTally(results(WON)))
    assert found.superiority(0, 1) + found.superiority(1, 0) == pytest.approx(1)
    assert 0.99 < found.superiority(0, 2) < 1
    assert found.superiority(1, 1) == 0.5


def test_ranks_are_sure_where_ratings_are_far_apart() -> None:
    """The first two are not told apart, and the last one is told from both."""
    elo, covariance = (
        (100.0, 90.0, -190.0),
        [[100.0 * (i == j) for j in range(3)] for i in range(3)],
    )
    found = Fit(elo, covariance, draw=0.0, linked=True, met={})
    assert found.ranks() == [(1, 2), (1, 2), (3, 3)]


def test_more_rivals_make_a_rank_less_sure() -> None:
    """A gap of 2.1 standard errors is one for two bots, and none where there are six more."""
    for others, ranks in ((0, (1, 1)), (6, (1, 2))):
        elo = (2.1, 0.0, *[-100.0] * others)
        size = range(len(elo))
        covariance = [[0.5 * (i == j) for j in size] for i in size]
        assert Fit(elo, covariance, draw=0.0, linked=True, met={}).ranks()[0] == ranks
