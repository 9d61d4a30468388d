"""The worked examples of the rules, each as a round that is played."""

from __future__ import annotations

import pytest

from tests.games.hextrategic.helpers import LATE, Talk, held, once, world

ME, RED, BLUE = 0, 1, 2
NEUTRAL = -1


def test_1_defence() -> None:
    made = world({3: ME, 2: RED}, {3: 7, 2: 5})
    once(made, "No moves", "move 2 3 5")
    assert held(made, 3) == (ME, 2 + 1)


def test_2_conquest_of_silver() -> None:
    made = world({3: ME, 2: RED}, {3: 5, 2: 8}, {3: "silver"})
    once(made, "No moves", "move 2 3 8")
    assert held(made, 3) == (RED, 3 + 5)


def test_3_a_tie_makes_it_neutral() -> None:
    made = world({3: ME, 2: RED}, {3: 5, 2: 5})
    once(made, "No moves", "move 2 3 5")
    assert held(made, 3) == (NEUTRAL, 0)


@pytest.mark.parametrize(
    ("sent", "after"), [(10, (ME, 4 + 2)), (6, (NEUTRAL, 0)), (4, (NEUTRAL, 2))]
)
def test_4_neutral_bronze(sent: int, after: tuple[int, int]) -> None:
    made = world({4: ME, 2: RED}, {4: 20, 2: 1, 3: 6}, {3: "bronze"})
    once(made, f"move 4 3 {sent}", "No moves")
    assert held(made, 3) == after


def test_5_the_third_does_not_matter() -> None:
    made = world({0: RED, 1: BLUE, 6: ME}, {0: 9, 1: 7, 3: 3}, seats=3)
    once(made, "No moves", "move 0 3 9", "move 1 3 7")
    assert held(made, 3) == (RED, 2 + 1)


def test_6_all_lose_all() -> None:
    made = world({3: ME, 0: RED, 1: BLUE}, {3: 4, 0: 9, 1: 9}, seats=3)
    before = sum(made.units)
    once(made, "No moves", "move 0 3 9", "move 1 3 9")
    assert held(made, 3) == (NEUTRAL, 0)
    assert before == 22
    assert sum(made.units) == 1 + 1  # what the emptied cells of red and blue have earned


def test_7_an_emptied_cell_stays_ones_own() -> None:
    made = world({3: ME, 2: RED}, {3: 6, 2: 3}, auto={3: 4})
    once(made, "No moves", "No moves")
    assert held(made, 3) == (ME, 0 + 1)
    assert held(made, 4) == (ME, 6 + 1)


def test_7_a_single_unit_takes_an_emptied_cell() -> None:
    made = world({3: ME, 2: RED}, {3: 6, 2: 3}, auto={3: 4})
    once(made, "No moves", "move 2 3 1")
    assert held(made, 3) == (RED, 1 + 1)
    assert made.auto[3] == -1


def test_8_swap() -> None:
    made = world({3: ME, 4: RED}, {3: 10, 4: 8})
    once(made, "move 3 4 10", "move 4 3 8")
    assert held(made, 3) == (RED, 8 + 1)
    assert held(made, 4) == (ME, 10 + 1)


def test_9_fixed_amounts_then_the_rest() -> None:
    made = world({3: ME, 2: RED}, {3: 10, 2: 1})
    talk = once(made, "move 3 0 4, move 3 1 3, auto 3 4", "No moves")
    assert [made.units[cell] for cell in (0, 1, 4, 3)] == [4 + 1, 3 + 1, 3 + 1, 0 + 1]
    assert talk.results(ME) == []


def test_9_promised_twice() -> None:
    made = world({3: ME, 2: RED}, {3: 10, 2: 1})
    talk = once(made, "move 3 0 4, move 3 1 7, auto 3 4", "No moves")
    assert talk.results(ME) == ["result 2 illegal too_many"]
    assert [held(made, cell) for cell in (0, 1, 4)] == [(ME, 5), (NEUTRAL, 0), (ME, 7)]


def test_10_the_owner_is_joined() -> None:
    made = world({3: ME, 4: ME, 0: RED, 1: BLUE}, {3: 2, 4: 6, 0: 5, 1: 4}, seats=3)
    once(made, "move 4 3 6", "move 0 3 5", "move 1 3 4")
    assert held(made, 3) == (ME, 3 + 1)


def test_11_positions_and_points() -> None:
    made = world({9: 0, 8: 1, 10: 2, 0: 3, 1: 0}, {9: 90, 1: 90}, seats=4, radius=2)
    talk = Talk(made).idle(11)
    talk.reply("move 1 0 90", "No moves", "No moves", "No moves")
    assert talk.told[3][-1] == "game_over 4 11"
    talk.idle(7)
    talk.reply("move 9 8 50, move 9 10 50", "No moves", "No moves")
    assert talk.outcome is not None
    assert talk.outcome.ranks == (1, 2, 2, 4)
    assert talk.outcome.points == (50, 39, 39, 11)
    assert [lines[-1] for lines in talk.told[:3]] == [
        "game_over 1 50",
        "game_over 2 39",
        "game_over 2 39",
    ]


def test_12_three_rounds_missed() -> None:
    made = world({0: ME, 6: RED})
    talk = Talk(made).idle(4)
    for _ in range(3):
        talk.reply("No moves", LATE)
    assert talk.told[RED][-1] == "game_over 2 6"
    assert talk.frames[-1]["round"] == 7
    assert talk.frames[-1]["survived"][RED] == 6


def test_12_an_answer_counts_anew() -> None:
    made = world({0: ME, 6: RED})
    talk = Talk(made).idle(4).reply("No moves", LATE).reply("No moves", LATE)
    assert made.missed == [0, 2]
    talk.idle()
    assert made.missed == [0, 0]
    assert talk.outcome is None
