"""Reading answers, and which orders are legal."""

from __future__ import annotations

import pytest

from arena.games.hextrategic import rules
from arena.games.hextrategic.orders import (
    Auto,
    Halt,
    Move,
    Order,
    explain,
    order_pieces,
    read_order,
    surrenders,
)
from arena.games.kit import Refusal
from tests.games.hextrategic.helpers import held, once, world
from tests.support.tools import every


@pytest.mark.parametrize(
    ("piece", "order"),
    [
        ("move 11 10 5", Move(11, 10, 5)),
        ("auto 11 15", Auto(11, 15)),
        ("stop 9", Halt(9)),
        ("move -1 0 1", Move(-1, 0, 1)),
        ("move 0 0 999999999", Move(0, 0, 999_999_999)),
    ],
)
def test_orders_in_form(piece: str, order: Order) -> None:
    assert read_order(piece) == order


SHAPE = "give 'move FROM TO UNITS', 'auto FROM TO' or 'stop FROM', one blank between the words"
NUMBERS = "cells and units are plain whole numbers of at most 9 digits"


@every(
    "piece, why",
    [
        ("tea", SHAPE),
        ("move", SHAPE),
        ("move 1 2", SHAPE),
        ("move 1 2 3 4", SHAPE),
        ("move  1 2 3", SHAPE),
        ("move\t1 2 3", SHAPE),
        ("Move 1 2 3", SHAPE),
        ("MOVE 1 2 3", SHAPE),
        ("auto 1", SHAPE),
        ("auto 1 2 3", SHAPE),
        ("stop", SHAPE),
        ("stop 1 2", SHAPE),
        ("halt 1", SHAPE),
        ("move 1 2 +3", NUMBERS),
        ("move 01 2 3", NUMBERS),
        ("move 1 -0 3", NUMBERS),
        ("move 1 2 1234567890", NUMBERS),
        ("move 1 2 3.0", NUMBERS),
        ("move a b c", NUMBERS),
        ("auto 1 ２", NUMBERS),
        ("stop x", NUMBERS),
        ("move 1 2 0", "move at least one unit"),
        ("move 1 2 -3", "move at least one unit"),
        ("No moves", "it counts only alone"),
    ],
)
def test_what_is_no_order(piece: str, why: str) -> None:
    assert read_order(piece) is None
    assert explain(piece) == Refusal("syntax", why)


def test_the_pieces_of_an_answer() -> None:
    assert order_pieces(" a ,, b,") == ["a", "b"]
    assert order_pieces("no moves") == order_pieces("") == order_pieces("No moves,") == []
    assert order_pieces("No moves, a") == ["No moves", "a"]


def test_surrender_is_a_piece_of_its_own() -> None:
    assert surrenders("surrender")
    assert surrenders(" move 1 2 3 , surrender ,")
    assert not surrenders("surrender 1")
    assert not surrenders("No moves")


def reasons(*orders: Order) -> list[str | None]:
    """What becomes of these orders of seat 0, which has cell 3 with 5 units and 4 with 2."""
    made = world({3: 0, 4: 0, 2: 1}, {3: 5, 4: 2, 2: 9})
    plan = rules.new_plan(made)
    refusals = [rules.obey(made, plan, 0, order) for order in orders]
    return [refusal.code if refusal else None for refusal in refusals]


@pytest.mark.parametrize("cell", [2, 0, 7, 99, -1, -4, 999_999_999])
def test_the_source_must_be_ones_own(cell: int) -> None:
    assert reasons(Move(cell, 3, 1), Auto(cell, 3), Halt(cell)) == ["not_own"] * 3


@pytest.mark.parametrize("cell", [5, 4, 7, 99, -1, -6])
def test_the_target_must_be_a_neighbour(cell: int) -> None:
    assert reasons(Move(4, cell, 1), Auto(4, cell)) == ["not_adjacent"] * 2


def test_a_target_may_belong_to_any_player_or_to_none() -> None:
    assert reasons(Move(3, 2, 1), Move(3, 4, 1), Move(3, 0, 1), Auto(3, 2)) == [None] * 4


def test_what_is_promised_cannot_be_promised_again() -> None:
    assert reasons(Move(3, 2, 5), Move(3, 0, 1)) == [None, "too_many"]
    assert reasons(Move(3, 2, 6), Move(3, 0, 5)) == ["too_many", None]
    assert reasons(Move(3, 4, 3), Move(4, 3, 3)) == [None, "too_many"], "units do not move on"


def test_the_first_reason_counts() -> None:
    assert reasons(Move(2, 99, 99), Move(3, 99, 99), Move(3, 2, 99)) == [
        "not_own",
        "not_adjacent",
        "too_many",
    ]


def test_autos_are_set_changed_and_cleared() -> None:
    made = world({3: 0, 4: 0, 2: 1}, {3: 5})
    plan = rules.new_plan(made)
    autos = []
    for order in (Auto(3, 4), Auto(3, 0), Auto(3, 99), Halt(3), Halt(3), Auto(3, 4)):
        rules.obey(made, plan, 0, order)
        autos.append(made.auto[3])
    assert autos == [4, 0, 0, -1, -1, 4]


def test_the_last_auto_of_a_line_counts() -> None:
    made = world({3: 0, 2: 1}, {3: 5})
    once(made, "auto 3 0, auto 3 1", "No moves")
    assert (held(made, 0), held(made, 1)) == ((-1, 0), (0, 6))
    once(made, "auto 3 0, stop 3", "No moves")
    assert made.units[3] == 2
