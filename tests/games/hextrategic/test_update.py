"""The update beyond the worked examples: streams, autos, captures, rewards."""

from __future__ import annotations

import pytest

from arena.games.hextrategic.rules import battle
from tests.games.hextrategic.helpers import Talk, held, once, world

NEUTRAL = -1


@pytest.mark.parametrize(
    ("sides", "after"),
    [
        ({0: 7}, (0, 7)),
        ({NEUTRAL: 0, 0: 1}, (0, 1)),
        ({0: 0, 1: 1}, (1, 1)),
        ({0: 7, 1: 5}, (0, 2)),
        ({0: 5, 1: 8}, (1, 3)),
        ({0: 5, 1: 5}, (NEUTRAL, 0)),
        ({NEUTRAL: 6, 0: 4}, (NEUTRAL, 2)),
        ({NEUTRAL: 3, 0: 9, 1: 7}, (0, 2)),
        ({NEUTRAL: 9, 0: 8, 1: 7}, (NEUTRAL, 1)),
        ({0: 4, 1: 9, 2: 9}, (NEUTRAL, 0)),
        ({0: 9, 1: 9, 2: 9}, (NEUTRAL, 0)),
        ({0: 0, 1: 3, 2: 3}, (NEUTRAL, 0)),
        ({0: 12, 1: 9, 2: 9, 3: 1}, (0, 3)),
    ],
    ids=str,
)
def test_battles(sides: dict[int, int], after: tuple[int, int]) -> None:
    assert battle(sides) == after
    assert battle(dict(reversed(sides.items()))) == after, "the order of sides is nothing"


def test_arrivals_of_one_player_are_summed() -> None:
    made = world({0: 0, 1: 0, 2: 0, 3: 1, 6: 1}, {0: 3, 1: 3, 2: 3, 3: 8})
    once(made, "move 0 3 3, move 1 3 3, move 2 3 3", "No moves")
    assert held(made, 3) == (0, 1 + 1)


def test_units_that_leave_do_not_defend() -> None:
    made = world({0: 0, 3: 1, 6: 1}, {0: 3, 3: 9})
    once(made, "move 0 3 3", "move 3 6 7")
    assert held(made, 3) == (0, 1 + 1)
    assert held(made, 6) == (1, 7 + 1)


def test_arriving_units_do_not_move_on() -> None:
    made = world({0: 0, 3: 0, 6: 1}, {0: 5, 3: 1}, auto={0: 3, 3: 4})
    once(made, "No moves", "No moves")
    assert (made.units[3], made.units[4]) == (5 + 1, 1 + 1)


def test_an_auto_runs_every_round_until_it_is_stopped() -> None:
    made = world({0: 0, 6: 1})
    talk = once(made, "auto 0 1", "No moves").idle(3)
    assert (made.units[0], made.units[1]) == (1, 6)
    talk.reply("stop 0", "No moves").idle()
    assert (made.units[0], made.units[1]) == (3, 8)


def test_an_auto_may_attack() -> None:
    made = world({0: 0, 3: 1, 6: 1}, {0: 5, 3: 3})
    once(made, "auto 0 3", "No moves")
    assert held(made, 3) == (0, 2 + 1)


def test_an_auto_is_lost_with_its_cell_also_when_that_is_retaken() -> None:
    made = world({0: 0, 3: 1, 6: 1}, {0: 9, 3: 1, 6: 9}, auto={3: 6})
    talk = once(made, "move 0 3 9", "No moves")
    assert held(made, 3) == (0, 9 + 1)
    assert made.auto[3] == -1
    talk.reply("No moves", "move 6 3 11")
    assert held(made, 3) == (1, 1 + 1)
    talk.idle()
    assert made.units[3] == 2 + 1, "it has sent nothing"


def test_an_auto_is_lost_in_a_tie() -> None:
    made = world({0: 0, 1: 0, 3: 1, 4: 1, 6: 1}, {1: 5, 4: 5}, auto={3: 6})
    once(made, "move 1 3 5", "move 4 3 5")
    assert held(made, 3) == (NEUTRAL, 0)
    assert made.auto[3] == -1


def test_a_defended_cell_keeps_its_auto() -> None:
    made = world({0: 0, 3: 1, 6: 1, 5: 1}, {0: 5, 3: 5, 5: 9}, auto={3: 6})
    once(made, "move 0 3 5", "move 5 3 9")
    assert held(made, 3) == (1, 4 + 1)
    assert made.auto[3] == 6


@pytest.mark.parametrize(
    ("kind", "income"), [("normal", 1), ("bronze", 2), ("silver", 5), ("gold", 10)]
)
def test_income_by_type(kind: str, income: int) -> None:
    made = world({0: 0, 3: 1}, types={0: kind, 6: kind})
    Talk(made).idle()
    assert held(made, 0) == (0, income)
    assert held(made, 6) == (NEUTRAL, 0), "neutral cells earn nothing"


def test_income_is_a_setting() -> None:
    made = world({0: 0, 3: 1}, types={0: "gold"}, income=(0, 0, 0, 77))
    Talk(made).idle()
    assert made.units == [77, 0, 0, 0, 0, 0, 0]


def test_a_captured_cell_earns_at_once() -> None:
    made = world({0: 0, 3: 1, 6: 1}, {0: 5}, {3: "gold"})
    once(made, "move 0 3 2", "No moves")
    assert held(made, 3) == (0, 2 + 10)
