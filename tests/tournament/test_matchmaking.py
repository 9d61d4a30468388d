"""What tells most is played next."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from itertools import combinations, islice, pairwise, repeat
from operator import mul
from random import Random

import pytest

from arena.errors import UsageError
from arena.tournament.algebra import Matrix, inverse
from arena.tournament.pairings import PlacementTurn, _Plan, most_telling, turns_of
from arena.tournament.ratings import ELO, Fit, Model
from arena.tournament.schedule import Group


@pytest.fixture
def fit() -> Fit:
    """A has won 7 of 10 against B and 9 of 10 against C, B 6 of 10 against C."""
    model = Model(3, {(0, 1): [7, 0, 3], (0, 2): [9, 0, 1], (1, 2): [6, 0, 4]})
    model.climb()
    covariance = [[(value - 1 / 3) * ELO**2 for value in row] for row in inverse(model.hessian())]
    return Fit(tuple(one * ELO for one in model.ratings), covariance, draw=0, linked=True, met={})


def test_the_gain_of_two_games(fit: Fit) -> None:
    plan = _Plan(fit, 2, range(3))
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
    found = Fit((100.0, 50.0, -50.0, -100.0), covariance, draw=0.0, linked=True, met={})
    assert 3 in next(most_telling(found))


def after(covariance: Matrix, one: int, other: int, noise: float) -> Matrix:
    """The covariance once a difference was measured, by its definition (a Kalman update)."""
    size = range(len(covariance))
    change = [covariance[bot][one] - covariance[bot][other] for bot in size]
    scale = noise + change[one] - change[other]
    return [[covariance[i][j] - change[i] * change[j] / scale for j in size] for i in size]


def open_questions(covariance: Matrix, ranking: list[int]) -> float:
    """The sum of the variances of the gaps between neighbours."""
    return sum(
        covariance[a][a] + covariance[b][b] - 2 * covariance[a][b] for a, b in pairwise(ranking)
    )


@pytest.mark.parametrize("wanted", [None, {2, 5}])
def test_each_choice_is_the_best_by_its_definition(wanted: set[int] | None) -> None:
    """Of nine bots with any covariance, whatever was chosen before."""
    chance, bots = Random(3), range(9)
    roots = [[chance.gauss(0, 60) for _ in range(12)] for _ in bots]
    covariance = [[sum(map(mul, one, other)) for other in roots] for one in roots]
    elo = tuple(chance.gauss(0, 200) for _ in bots)
    fit = Fit(elo, covariance, draw=0.1, linked=True, met={})
    ranking = sorted(bots, key=lambda bot: -elo[bot])
    now = [[value / ELO**2 for value in row] for row in covariance]
    turns = None if wanted is None else repeat(PlacementTurn(wanted, set(bots)))
    for chosen in islice(most_telling(fit, turns=turns), 60):
        then = {
            (one, other): after(now, one, other, 1 / (2 * fit.information(one, other)))
            for one, other in combinations(bots, 2)
            if wanted is None or {one, other} & wanted
        }
        left = {pair: open_questions(matrix, ranking) for pair, matrix in then.items()}
        assert chosen == min(left, key=lambda pair: left[pair])
        now = then[chosen]


def test_bots_of_a_team_never_meet(fit: Fit) -> None:
    assert set(islice(most_telling(fit, teams=["a", "a", "b"]), 9)) == {(0, 2), (1, 2)}
    with pytest.raises(UsageError, match="a match needs bots of 2 teams"):
        next(most_telling(fit, teams=["a", "a", "a"]))
    with pytest.raises(UsageError, match="a match needs bots of 3 teams"):
        next(most_telling(fit, 3, teams=["a", "a", "b"]))


def test_placement_takes_half_of_the_turns_and_goes_round_by_team() -> None:
    """Also when the players change after every turn, and whoever hands in how much."""
    teams, served = ["a", "b", "copier", "copier", "copier", "late"], dict[Hashable, int]()
    new = {2, 3, 4, 5}
    seen = [next(turns_of(teams, new, served)) for _ in range(12)]
    placing = [turn.wanted for turn in seen if turn.wanted & new]
    assert len(placing) == 6
    assert placing == [{2, 3, 4}, {5}] * 3
    assert all(turn == PlacementTurn({0, 1}, {0, 1}) for turn in seen if not turn.wanted & new)


@pytest.mark.parametrize("new", [{8}, {0, 8, 9}, {10}, set()])
def test_a_team_of_many_bots_has_half_of_the_turns(new: set[int]) -> None:
    """While its bots are placed, some of them or none; while others are, and afterwards."""
    teams, served = ["many"] * 9 + ["a", "b", "c"], dict[Hashable, int]()
    seen = [next(turns_of(teams, new, served)) for _ in range(12)]
    without = [turn for turn in seen if turn.field.isdisjoint(range(9))]
    assert len(without) == 6
    assert all(len(turn.field) >= 2 for turn in without)


def test_many_bots_of_each_team_play_freely() -> None:
    """Only who has more than others must wait, and only if enough others are there."""
    for teams in (["a", "a", "b", "b"], ["a", "b", "c"], ["a", "a", "b"]):
        for turn in islice(turns_of(teams, set(), {}), 4):
            assert turn.field == set(range(len(teams)))


def test_where_all_are_new_all_turns_place() -> None:
    """And where the others are all of one team."""
    turns = islice(turns_of(["a", "b", "b"], {0, 1, 2}, {}), 4)
    assert [turn.wanted for turn in turns] == [{0}, {1, 2}] * 2
    turns = islice(turns_of(["a", "b", "b"], {0}, {}), 3)
    assert [turn.wanted for turn in turns] == [{0}] * 3
