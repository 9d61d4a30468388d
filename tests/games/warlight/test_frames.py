"""What spectators see."""

from __future__ import annotations

import json

from arena.games.warlight.frames import frame, headline, opening_frame, picture
from arena.games.warlight.world import Attacked, Picked, Placed, Transferred
from tests.games.warlight.helpers import fresh, world


def test_a_frame_holds_the_whole_state() -> None:
    made = world({2: 0, 5: 1}, {2: 9})
    made.acts += [
        Picked(0, 3),
        Placed(0, 2, 5),
        Transferred(1, 5, 6, 1),
        Attacked(0, 2, 5, 8, 1, 2, True),
    ]
    assert frame(made) == {
        "round": 1,
        "rounds": 20,
        "owner": [-1, 0, -1, -1, 1, -1, -1, -1],
        "armies": [2, 9, 2, 2, 2, 2, 2, 2],
        "moves": [
            ["pick", 0, 3],
            ["place", 0, 2, 5],
            ["transfer", 1, 5, 6, 1],
            ["attack", 0, 2, 5, 8, 1, 2, True],
        ],
    }


def test_the_first_frame_has_the_board() -> None:
    made = fresh(wastelands=0)
    assert opening_frame(made) == frame(made) | {
        "board": {
            "regions": [1, 1, 1, 2, 2, 3, 3, 3],
            "neighbors": [[2], [1, 3, 5], [2, 4], [3, 5], [2, 4, 6], [5, 7], [6, 8], [7]],
            "bonus": [3, 2, 0],
            "wastelands": [],
            "xy": None,
        }
    }


def test_a_generated_board_says_where_its_regions_lie() -> None:
    made = fresh(data=None)
    board = opening_frame(made)["board"]
    assert len(board["xy"]) == len(board["regions"]) == len(made.board.regions)
    assert board["xy"][0] == [0, 0]
    assert board["wastelands"] == list(made.opening.wastelands)


def test_frames_are_plain_json_and_fresh() -> None:
    made = world({2: 0, 5: 1})
    made.acts.append(Placed(0, 2, 5))
    shown = frame(made)
    before = json.dumps(shown)
    assert json.loads(before) == shown
    made.hand_over(1, 0)
    made.armies[1] = 99
    made.acts.append(Placed(1, 5, 1))
    assert json.dumps(shown) == before


def test_the_headline() -> None:
    made = world({1: 0, 2: 0, 8: 1}, {1: 40})
    assert headline(frame(made)) == "player1 2 regions 42 armies · player2 1 region 2 armies"
    made.armies[8] = 1
    assert headline(frame(made)).endswith("player2 1 region 1 army")
    made.hand_over(8, 0)
    assert headline(frame(made)).endswith("player2 0 regions 0 armies")


def test_the_picture_of_a_drawn_map_lies_as_the_map_does() -> None:
    board = {"xy": [[0, 0], [2, 0], [1, 1], [3, -1]]}
    frame = {"owner": [0, -1, 1, 0], "armies": [3, 2, 12, 1]}
    assert picture(board, frame).split("\n") == ["      A1", "A3  .2", "  B12"]
    frame["armies"][0] = 167
    assert picture(board, frame).split("\n") == ["         A1", "A167  .2", "   B12"]
    wide = {"xy": [[0, 0], [2, 0], [48, 0]]}  # no wider than a terminal
    assert picture(wide, {"owner": [0, 1, -1], "armies": [167, 2, 2]}).startswith("A167B2")


def test_the_picture_of_a_map_file_lists_super_regions() -> None:
    board = {"xy": None, "regions": [1, 2, 1], "bonus": [4, 0]}
    frame = {"owner": [0, -1, 1], "armies": [3, 2, 12]}
    assert picture(board, frame).split("\n") == [
        "super region 1 (+4): 1:A3 3:B12",
        "super region 2 (+0): 2:.2",
    ]
