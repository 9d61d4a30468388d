"""The lines of a bot, read."""

from __future__ import annotations

import pytest

from arena.games.kit import Refusal
from arena.games.toroid.orders import (
    Attack,
    Build,
    Order,
    Scout,
    Skip,
    Transfer,
    read_order,
)
from tests.support.tools import every


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("attack left 3", Attack("left", 3)),
        ("attack right 999999999", Attack("right", 999999999)),
        ("scout right", Scout("right")),
        ("scout left", Scout("left")),
        ("transfer left 2", Transfer("left", 2)),
        ("transfer right 1", Transfer("right", 1)),
        ("build", Build()),
        ("No moves", Skip()),
        ("no moves", Skip()),
        ("NO MOVES", Skip()),
        ("", Skip()),
    ],
)
def test_what_can_be_said(text: str, order: Order) -> None:
    assert read_order(text) == order


@every(
    "text",
    [
        "skip",
        "Build",
        "build 1",
        "build left",
        "attack",
        "attack left",
        "attack left 3 4",
        "attack left 3 left",
        "attack  left 3",
        "attack left  3",
        "attack left 0",
        "attack left -1",
        "attack left +3",
        "attack left 03",
        "attack left 3.0",
        "attack left 1234567890",
        "attack left ３",
        "attack left x",
        "attack 3 left",
        "attack 3 3",
        "attack -1 3",
        "Attack left 3",
        "ATTACK LEFT 3",
        "transfer left",
        "transfer 2 left",
        "transfer left 0",
        "scout",
        "scout  left",
        "scout left 1",
        "scout 1",
        "scout 7 left",
        "attack left 3,",
        ",build",
        "build,build",
        "attack left 3, scout right",
        "scout left,",
        "scout left, right",
        "No moves,",
        "No moves, build",
        "No  moves",
        "no",
        "player1 attack left 3",
        "\\xff\\x00",
        "attack\\tleft\\t3",
        "scout 05",
        "scout +5",
        "scout -5",
        "scout 1.5",
        "scout ５",
        "attack 05 3",
        "attack l0ft 0",
        "attack l,ft 3",
        "attack l0ft, 3",
    ],
)
def test_what_is_no_action(text: str) -> None:
    order = read_order(text)
    assert isinstance(order, Refusal)
    assert order.code == "syntax"


@every("verb", ["scout {}", "attack {} 3", "transfer {} 2"])
@every(
    "word",
    [
        "up",
        "Left",
        "RIGHT",
        "l",
        "l0ft",
        "left1",
        "1eft",
        "_",
        "le-ft",
        "left.",
        "\\xff",
        "-",
        "+",
        ".",
    ],
)
def test_what_is_neither_left_nor_right_nor_a_number_is_no_direction(verb: str, word: str) -> None:
    order = read_order(verb.format(word))
    assert isinstance(order, Refusal)
    assert order.code == "direction"


def test_a_bad_number_counts_before_a_bad_direction() -> None:
    order = read_order("attack up 0")
    assert isinstance(order, Refusal)
    assert order.code == "syntax"
