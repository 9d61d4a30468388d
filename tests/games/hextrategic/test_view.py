"""The chart, the orders, the events and the views of seats."""

from __future__ import annotations

from typing import Any

from arena.core.replies import Answer
from arena.core.steps import Fate, Frame
from arena.games.hextrategic.frames import frame, opening_frame
from arena.games.hextrategic.view import VIEW
from arena.games.hextrategic.world import HexWorld
from tests.games.hextrategic.helpers import ABSENT, Talk, world

BOARD: dict[str, Any] = {"cells": [[0, 0, "normal"]] * 5 + [[0, 0, "gold"]] * 2}


def texts(before: Frame | None, after: Frame, board: Any = BOARD) -> list[str]:
    return [event.text for event in VIEW.events(board, before, after)]


def test_the_standing_is_in_cells() -> None:
    assert VIEW.standing(frame(world({0: 0, 1: 0, 3: 1}, seats=3))) == [2, 1, 0]


def test_orders_are_the_moves() -> None:
    made = world({0: 0, 3: 1})
    made.moves = [(0, 0, 1, 5), (1, 3, 4, 1)]
    assert VIEW.orders(frame(made)) == [
        "player1 moves 5 units from cell 0 to 1.",
        "player2 moves 1 unit from cell 3 to 4.",
    ]


def test_the_first_frame_has_no_events() -> None:
    assert texts(None, opening_frame(world({0: 0, 3: 1}))) == []


def test_who_goes_out_is_an_event() -> None:
    before, made = frame(world({0: 0}, seats=4)), world({0: 0}, seats=4)
    made.fate[1:] = [Fate.ELIMINATED, Fate.SURRENDERED, Fate.REMOVED]
    assert texts(before, frame(made)) == [
        "player2 has lost its last cell.",
        "player3 surrenders.",
        "player4 has missed too many rounds.",
    ]
    assert texts(frame(made), frame(made)) == []


def test_gold_and_raids_are_events() -> None:
    before = frame(world({0: 1, 1: 1, 2: 1, 3: 0}))
    after = frame(world({0: 0, 1: 0, 2: 0, 3: 0, 5: 0, 6: 0}))
    assert texts(before, after) == [
        "player1 takes gold: cell 5 and cell 6.",
        "player1 takes 3 cells of others.",
    ]
    assert texts(before, after, board=None) == ["player1 takes 3 cells of others."]
    assert texts(before, before) == []


def test_on_a_large_board_a_raid_takes_more() -> None:
    old, new = world({0: 1, 1: 1, 2: 1, 3: 0}), world({0: 0, 1: 0, 2: 0, 3: 0})
    for one, filler in ((old, 1), (new, 1)):
        one.owner.extend([filler] * 120)
    assert texts(frame(old), frame(new), board=None) == []


# -- what a seat sees ----------------------------------------------------------------------


def test_what_is_hidden_from_one_who_is_in() -> None:
    made = world({0: 0, 3: 1, 6: 2}, {0: 5}, auto={0: 1, 3: 4}, seats=4)
    made.missed, made.survived = [1, 2, 0, 0], [0, 0, 0, 0]
    made.fate[3] = Fate.REMOVED
    true = frame(made)
    assert VIEW.seen
    assert VIEW.seen(made, 0, true) == true | {
        "auto": [1, -1, -1, None, -1, -1, None],
        "missed": [1, None, None, None],
        "fate": ["survived", "survived", "survived", None],
    }


def views(made: HexWorld, *rounds: tuple[str | None, ...]) -> list[list[bool]]:
    """For each round, played with these answers (None: absent), whether each seat sees the map."""
    shown: list[list[bool]] = []
    talk = Talk(made)
    seats = range(len(made.names))
    assert VIEW.seen
    for answers in rounds:
        out = [fate is not Fate.SURVIVED for fate in made.fate]
        asked = [a for a, gone in zip(answers, out, strict=True) if not gone]
        talk.reply(*[ABSENT if a is None else Answer(a) for a in asked])
        made.round -= 1  # as it is when the frame is shown
        true = frame(made)
        shown.append([VIEW.seen(made, seat, true)["owner"][0] is not None for seat in seats])
        made.round += 1
    return shown


def test_who_is_out_is_told_no_more() -> None:
    """Who loses all in a round is told how it ends, who surrenders is not."""
    made = world({0: 0, 2: 1, 3: 2, 6: 3}, {0: 9, 2: 2, 3: 5, 6: 5}, seats=4)
    attack = ("move 0 2 9", "No moves", "surrender", "No moves")
    assert views(made, attack, ("No moves",) * 4) == [
        [True, True, False, True],
        [True, False, False, True],
    ]


def test_all_are_told_of_a_match_that_ends_before_the_update() -> None:
    made = world({0: 0, 2: 1, 3: 2}, seats=3)
    assert views(made, ("No moves", "surrender", "surrender")) == [[True, True, True]]


def test_who_missed_too_many_rounds_is_told_no_more() -> None:
    made = world({0: 0, 2: 1, 3: 2}, seats=3, max_missed=1)
    assert views(made, ("No moves", "No moves", None)) == [[True, True, False]]


def test_a_blank_view_has_the_own_fate_alone() -> None:
    made = world({0: 0, 2: 1}, seats=3)
    made.fate[2], made.round = Fate.SURRENDERED, 5
    assert VIEW.seen
    seen = VIEW.seen(made, 2, frame(made))
    assert seen["fate"] == [None, None, "surrendered"]
    assert seen["position"] == seen["survived"] == [None] * 3
    assert seen["moves"] == []
