"""What spectators see."""

from __future__ import annotations

import json

import pytest

from arena.core.steps import Fate
from arena.games.hextrategic.frames import frame, headline, opening_frame, picture
from tests.games.hextrategic.helpers import fresh, world


def test_a_frame_holds_the_whole_state() -> None:
    made = world({0: 0, 3: 1}, {0: 5, 6: 2}, auto={3: 4})
    made.moves = [(0, 1, 0, 5)]
    made.survived, made.missed = [3, 4], [0, 2]
    made.fate[0], made.position[0] = Fate.SURRENDERED, 2
    assert frame(made) == {
        "round": 1,
        "rounds": 200,
        "owner": [0, -1, -1, 1, -1, -1, -1],
        "units": [5, 0, 0, 0, 0, 0, 2],
        "auto": [-1, -1, -1, 4, -1, -1, -1],
        "moves": [[0, 1, 0, 5]],
        "fate": ["surrendered", "survived"],
        "position": [2, 0],
        "survived": [3, 4],
        "missed": [0, 2],
    }


def test_the_first_frame_has_the_board() -> None:
    made = world({0: 0, 3: 1}, types={0: "gold"})
    board = opening_frame(made)["board"]
    assert board["cells"][:4] == [
        [0, -1, "gold"],
        [1, -1, "normal"],
        [-1, 0, "normal"],
        [0, 0, "normal"],
    ]
    assert board["neighbors"][3] == [0, 1, 2, 4, 5, 6]


def test_frames_are_plain_json_and_fresh() -> None:
    made = world({0: 0, 3: 1}, {0: 5})
    made.moves = [(0, 0, 1, 5)]
    shown = opening_frame(made)
    before = json.dumps(shown)
    assert json.loads(before) == shown
    made.owner[0], made.units[0], made.auto[0] = 1, 9, 1
    made.missed[0] = made.survived[0] = made.position[0] = 1
    made.fate[0] = Fate.REMOVED
    assert json.dumps(shown) == before


def test_the_headline() -> None:
    made = world({0: 0, 3: 1, 1: 0}, {0: 5, 3: 1}, seats=3)
    made.fate[2] = Fate.ELIMINATED
    assert headline(frame(made)) == "player1 2 cells 5 units · player2 1 cell 1 unit · player3 out"


LEGEND = """
A player1  B player2
. neutral  ' bronze  " silver  * gold"""


def test_a_picture_of_a_small_board() -> None:
    made = world({0: 0, 3: 1}, {0: 5, 3: 12, 6: 3}, {0: "bronze", 3: "silver", 6: "gold"})
    made.units[4] = 99_999
    made.units[5] = 999_999
    expected = """\
   A5'   .0
.0    B12"  .99k
   .+    .3*
"""
    assert picture(opening_frame(made)["board"], frame(made)) == expected + LEGEND


def test_a_picture_without_its_board() -> None:
    made = world({0: 0, 3: 1}, {0: 5, 3: 12})
    assert picture(None, frame(made)) == f"A5    .0    .0    B12   .0    .0    .0\n{LEGEND}"


@pytest.mark.parametrize(
    ("radius", "first"),
    [
        (7, 21 * " " + "C10   "),
        (8, 16 * " " + "C10 "),
        (11, 22 * " " + "C10 "),
        (12, 24 * " " + "C10 "),
        (13, 13 * " " + "C . . "),
        (24, 24 * " " + "C . . "),
    ],
)
def test_large_boards_are_drawn_closer(radius: int, first: str) -> None:
    made = fresh(3, radius=radius)
    lines = picture(opening_frame(made)["board"], frame(made)).split("\n")
    assert len(lines) == 2 * radius + 1 + 3
    assert lines[0].startswith(first)
    assert max(map(len, lines)) <= 100


def test_a_very_wide_board_is_cut() -> None:
    board = {"cells": [[q, 0, "normal"] for q in range(60)]}
    made = fresh(2, radius=4)
    shown = frame(made) | {"owner": [0] * 60, "units": [7] * 60}
    assert picture(board, shown).split("\n")[0] == "A " * 50
