"""Both algebras of the fit: Python alone, and numpy."""

from __future__ import annotations

from array import array
from itertools import combinations
from random import Random

import pytest

from arena.tournament import algebra, ratings, standings
from arena.tournament.algebra import Algebra, NumpyAlgebra, PlainAlgebra, Vector
from arena.tournament.ratings import Fit
from arena.tournament.results import ResultTally
from arena.tournament.standings import ResultTable, make_table
from tests.experiments.leagues import crowd, league

BOTH: list[Algebra] = [PlainAlgebra(), NumpyAlgebra()]


@pytest.fixture(params=BOTH, ids=["plain", "numpy"])
def one(request: pytest.FixtureRequest) -> Algebra:
    """Each of them."""
    found: Algebra = request.param
    return found


def test_vectors_have_arithmetic(one: Algebra) -> None:
    vector = one.vector([1.0, 2.0, 4.0])
    assert list(vector + vector) == [2, 4, 8]
    assert list(1 - vector) == [0, -1, -3]
    assert list(2 * vector - 1) == [1, 3, 7]
    assert list(vector / vector + 1) == [2, 2, 2]
    assert list(vector * one.vector([0.0, 1.0, 2.0]) / 2) == [0, 1, 4]
    assert vector.sum() == 7


def test_values_are_taken_and_added_by_index(one: Algebra) -> None:
    at = one.vector([2, 0, 2])
    assert list(one.vector([5.0, 6.0, 7.0])[at]) == [7, 5, 7]
    assert list(one.totals(at, one.vector([1.0, 2.0, 3.0]), 4)) == [2, 0, 4, 0]
    assert one.whole(one.vector([1.0, 2.0])) == array("i", [1, 2])


def test_matrices_of_differences_are_solved_and_inverted(one: Algebra) -> None:
    pairs = one.vector([0, 0, 1]), one.vector([1, 2, 2])
    terms = [(*pairs, one.vector([1.0, 2.0, 3.0]))]
    none = one.vector([0.0] * 3)
    gaps = one.laplacian(none, terms)
    assert [list(row) for row in gaps] == [[3, -1, -2], [-1, 4, -3], [-2, -3, 5]]
    twice = one.laplacian(none, 2 * terms)
    assert [list(row) for row in twice] == [[2 * n for n in row] for row in gaps]
    matrix = one.laplacian(one.vector([1.0, 2.0, 3.0]), terms)
    assert [list(row) for row in matrix] == [[4, -1, -2], [-1, 6, -3], [-2, -3, 8]]
    right = one.vector([1.0, 2.0, 3.0])
    assert list(one.solution(matrix, right)) == pytest.approx([1, 1, 1])
    for at, row in enumerate(one.inverse(matrix)):
        unit = one.vector([float(at == place) for place in range(3)])
        assert list(row) == pytest.approx(list(one.solution(matrix, unit)))


def test_a_sandwich_is_a_covariance_against_the_mean(one: Algebra) -> None:
    """With a unit matrix in the middle it is the square of the bread, whose columns lost their
    mean."""
    pair = [(one.vector([0]), one.vector([1]), one.vector([1.0]))]
    bread, middle = (
        one.laplacian(one.vector([2.0, 0.0]), pair),
        one.laplacian(one.vector([1.0, 1.0]), []),
    )
    assert [list(row) for row in bread] == [[3, -1], [-1, 1]]
    assert [list(row) for row in one.sandwich(bread, middle, 2.0)] == [[10, -10], [-10, 10]]


def with_algebra(
    patch: pytest.MonkeyPatch, one: Algebra, bots: int, tally: ResultTally
) -> tuple[Fit, ResultTable]:
    """What it makes of results."""
    for module in (ratings, standings):
        patch.setattr(module, "algebra_for", lambda bots: one)
    return ratings.fit(bots, tally), make_table([str(bot) for bot in range(bots)], tally)


def test_pairs_that_met_in_several_groups_are_counted_once(one: Algebra) -> None:
    tally = ResultTally()
    tally.add_blocks([((0, 1, 2), (1, 2, 2))], 2)
    tally.add_blocks([((3, 1, 0), (2, 2, 1))], 1)
    met = ratings._meetings(one, 4, ratings._groups(one, tally))
    assert list(met.items()) == [
        ((0, 1), [3, 0, 0]),
        ((0, 2), [2, 0, 0]),
        ((0, 3), [1, 0, 0]),
        ((1, 2), [0, 2, 0]),
        ((1, 3), [0, 1, 0]),
    ]


def events() -> list[tuple[int, ResultTally]]:
    """Results of two seats, of four, and of too few to link all bots; and none."""
    rng = Random(3)
    return [
        (8, league(rng, 8, 5, "lucky maps")[1]),
        (9, crowd(rng, 9, 4, 3)[1]),
        (5, league(rng, 5, 1, "lucky seats")[1]),
        (4, ResultTally()),
    ]


def test_both_find_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    for bots, tally in events():
        (plain, table), (quick, other) = (
            with_algebra(monkeypatch, one, bots, tally) for one in BOTH
        )
        assert quick.elo == pytest.approx(plain.elo, abs=2e-6)
        assert quick.met == plain.met
        assert quick.linked == plain.linked
        assert quick.draw == pytest.approx(plain.draw)
        for row, expected in zip(quick.covariance, plain.covariance, strict=True):
            assert list(row) == pytest.approx(list(expected), rel=1e-9)
        for mine, theirs in zip(other.standings, table.standings, strict=True):
            rounded = (round(mine.elo, 3), round(mine.error, 3), round(mine.score, 12))
            assert rounded == (
                round(theirs.elo, 3),
                round(theirs.error, 3),
                round(theirs.score, 12),
            )
            assert (mine.rank, mine.best, mine.worst) == (theirs.rank, theirs.best, theirs.worst)
            assert (mine.wins, mine.draws, mine.losses) == (
                theirs.wins,
                theirs.draws,
                theirs.losses,
            )


def test_numpy_is_for_many_bots_where_it_is_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(algebra.algebra_for(algebra.MANY_BOTS - 1), PlainAlgebra)
    assert isinstance(algebra.algebra_for(algebra.MANY_BOTS), NumpyAlgebra)
    monkeypatch.setattr(algebra, "has_numpy", lambda: False)
    assert isinstance(algebra.algebra_for(algebra.MANY_BOTS), PlainAlgebra)


def test_links_are_followed_through_a_long_chain(one: Algebra) -> None:
    """Each bot has beaten the next one, and the last one the first."""
    wins = {(bot, bot + 1): [1, 0, 0] for bot in range(9)}
    met = ratings.MetPairs.of(wins | {(0, 9): [0, 0, 1]})
    assert ratings.linked(10, met, one)
    assert not ratings.linked(10, ratings.MetPairs.of(wins | {(0, 9): [1, 0, 0]}), one)


def test_met_pairs_are_a_mapping() -> None:
    pairs = {pair: [pair[0], 1, pair[1]] for pair in combinations(range(5), 2) if sum(pair) != 4}
    met = ratings.MetPairs.of(pairs)
    assert met == pairs
    assert (0, 4) not in met
    assert (7, 8) not in met
    assert isinstance(Vector([1.0]) + 1, Vector)
