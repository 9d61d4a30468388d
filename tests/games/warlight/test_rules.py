"""Picking, placing, the end."""

from __future__ import annotations

from itertools import pairwise

import pytest

from arena.core.steps import Fate
from arena.games.warlight import rules
from arena.games.warlight.orders import new_notes, read_orders
from arena.games.warlight.world import NAMES, Placed, WarlightWorld
from tests.games.warlight.helpers import fresh, standing, world


def place(made: WarlightWorld, seat: int, text: str) -> list[str]:
    """Carry out an answer; the codes of its faults."""
    faults = new_notes(seat)
    rules.place(made, seat, read_orders(text, NAMES[seat], made.board, faults), faults)
    return [note.code for note in faults.close()]


def test_the_turns_of_the_picks() -> None:
    assert [rules.picker(turn) for turn in range(12)] == [0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0]


def test_both_pick_equally_often() -> None:
    for picks in range(2, 100, 2):
        seats = [rules.picker(turn) for turn in range(picks)]
        assert seats.count(0) == seats.count(1)


def test_a_picked_region_is_owned_and_keeps_its_armies() -> None:
    made = fresh(wastelands=0)
    region, *others = rules.free_to_pick(made)
    rules.pick(made, 1, region)
    assert standing(made)[region] == (1, 2)
    assert rules.free_to_pick(made) == others
    assert rules.picked(made, 1) == [region]
    assert rules.picked(made, 0) == []


def test_legal_placements() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {2: 7})
    assert place(made, 0, "player1 place_armies 1 2, player1 place_armies 2 3") == []
    assert (made.armies[1], made.armies[2]) == (4, 10)
    assert made.acts == [Placed(0, 1, 2), Placed(0, 2, 3)]


def test_example_7_the_second_is_cut_and_the_third_illegal() -> None:
    made = world({1: 0, 2: 0, 3: 1})
    text = "player1 place_armies 1 3,player1 place_armies 2 4,player1 place_armies 1 1"
    assert place(made, 0, text) == ["no_armies"]
    assert (made.armies[1], made.armies[2]) == (5, 4)
    assert made.acts == [Placed(0, 1, 3), Placed(0, 2, 2)]


def test_armies_that_are_not_placed_vanish() -> None:
    made = world({1: 0, 8: 1})
    place(made, 0, "player1 place_armies 1 1")
    rules.begin_round(made)
    place(made, 0, "player1 place_armies 1 9")
    assert made.armies[1] == 2 + 1 + 5


def test_the_bonus_can_be_placed() -> None:
    made = world({1: 0, 2: 0, 3: 0, 8: 1})
    place(made, 0, "player1 place_armies 1 100")
    assert made.armies[1] == 2 + 8


@pytest.mark.parametrize(
    ("order", "code"),
    [
        ("player1 place_armies 8 1", "not_owned"),
        ("player1 place_armies 4 1", "not_owned"),
        ("player1 place_armies 1 0", "amount"),
        ("player1 place_armies 1 -3", "amount"),
        ("player1 place_armies 8 0", "not_owned"),
        ("player1 attack/transfer 1 2 1", "phase"),
        ("player1 attack/transfer 8 7 0", "phase"),
    ],
)
def test_illegal_placements_cost_nothing(order: str, code: str) -> None:
    made = world({1: 0, 8: 1})
    assert place(made, 0, f"{order}, player1 place_armies 1 5, {order}") == [code, code]
    assert standing(made) == {**standing(world({1: 0, 8: 1})), 1: (0, 7)}


def test_with_nothing_left_the_first_reason_still_counts() -> None:
    made = world({1: 0, 8: 1})
    text = "player1 place_armies 1 5,player1 place_armies 8 1,player1 place_armies 1 0"
    assert place(made, 0, text) == ["not_owned", "amount"]


def test_a_placement_is_witnessed_by_who_sees_the_region() -> None:
    made = world({2: 0, 5: 1, 8: 0})
    place(made, 0, "player1 place_armies 2 1,player1 place_armies 8 1")
    place(made, 1, "player2 place_armies 5 2")
    assert made.witnessed == ([Placed(1, 5, 2)], [Placed(0, 2, 1)])


def test_a_new_round_forgets_the_last() -> None:
    made = world({2: 0, 5: 1})
    place(made, 0, "player1 place_armies 2 1")
    rules.begin_round(made)
    assert (made.acts, made.witnessed) == ([], ([], []))


def test_the_match_goes_on_while_both_stand() -> None:
    made = world({1: 0, 8: 1}, max_rounds=3)
    for number in (1, 2, 3):
        made.round = number
        assert rules.outcome(made) is None


@pytest.mark.parametrize("winner", [0, 1])
def test_a_seat_without_regions_has_lost(winner: int) -> None:
    made = world({1: winner})
    made.round = 43
    end = rules.outcome(made)
    assert end is not None
    assert end.ranks == ((1, 2) if winner == 0 else (2, 1))
    assert end.points == ((1, 0) if winner == 0 else (0, 1))
    assert end.fates[winner] is Fate.SURVIVED
    assert end.fates[1 - winner] is Fate.ELIMINATED
    assert end.reason == "elimination"
    loser = NAMES[1 - winner]
    assert end.sentence == f"{NAMES[winner]} won in round 42: {loser} has no regions left."


def test_after_the_last_round_it_is_a_draw() -> None:
    made = world({1: 0, 8: 1}, max_rounds=3)
    made.round = 4
    end = rules.outcome(made)
    assert end is not None
    assert (end.ranks, end.points) == ((1, 1), (0.5, 0.5))
    assert end.fates == (Fate.SURVIVED, Fate.SURVIVED)
    assert end.reason == "max_rounds"
    assert end.sentence == "A draw: both still stand after 3 rounds."


def test_a_defeat_in_the_last_round_is_a_defeat() -> None:
    made = world({1: 0}, max_rounds=3)
    made.round = 4
    end = rules.outcome(made)
    assert end is not None
    assert end.reason == "elimination"


def test_turns_come_in_pairs_that_alternate() -> None:
    pairs = list(pairwise(rules.picker(turn) for turn in range(40)))
    assert pairs[::2] == [(0, 1), (1, 0)] * 10
