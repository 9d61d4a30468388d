"""What spectators see."""

from __future__ import annotations

import json

from arena.games.tncc import rules
from arena.games.tncc.frames import frame, headline, opening_frame, picture
from arena.games.tncc.world import Recruit, TnccWorld, Trade, Wait, War
from tests.games.tncc.helpers import RICH, fresh, world

BOARD = {"players": ["player1", "player2", "player3", "player4", "player5"]}


def busy() -> TnccWorld:
    """One act of each kind, and a dead."""
    made = world(RICH, (1, 2, 3, 4, 5), RICH, RICH, RICH)
    made.alive[4] = False
    for act in (
        Wait(0),
        Recruit(1, -2),
        Trade(2, 0, "gold", 7, "food", 8, True),
        War(3, 0, (20, 30, 10), (5, 5, 5), "attacker", 22),
        War(4, 0, (1, 0, 0), (9, 0, 0), "defender", 8),
    ):
        rules.record(made, act)
    return made


def test_a_frame_holds_the_whole_state() -> None:
    assert frame(busy()) == {
        "round": 1,
        "rounds": 100,
        "gold": [5000, 1, 5000, 5000, 5000],
        "food": [5000, 2, 5000, 5000, 5000],
        "population": [1000, 3, 1000, 1000, 1000],
        "military": [200, 4, 200, 200, 200],
        "land": [150, 5, 150, 150, 150],
        "alive": [True, True, True, True, False],
        "moves": [
            ["wait", 0],
            ["recruit", 1, -2],
            ["trade", 2, 0, "gold", 7, "food", 8, True],
            ["war", 3, 0, [20, 30, 10], [5, 5, 5], "attacker", 22],
            ["war", 4, 0, [1, 0, 0], [9, 0, 0], "defender", 8],
        ],
    }


def test_the_first_frame_has_the_board() -> None:
    made = fresh(2)
    assert opening_frame(made) == frame(made) | {"board": {"players": ["player1", "player2"]}}


def test_frames_are_plain_json_and_fresh() -> None:
    made = busy()
    shown = frame(made)
    before = json.dumps(shown)
    assert json.loads(before) == shown
    rules.fight(made, War(0, 1, (99, 0, 0)), (0, 0, 0))
    rules.production(made)
    assert json.dumps(shown) == before


def test_the_headline() -> None:
    made = world(RICH, (1, 2, 3, 4, 5))
    assert headline(frame(made)) == "people: player1 1200 · player2 7"
    made.alive[1] = False
    assert headline(frame(made)) == "people: player1 1200 · player2 dead"


def test_the_picture() -> None:
    assert picture(BOARD, frame(busy())).split("\n") == [
        "              gold     food citizens soldiers     land",
        "A player1     5000     5000     1000      200      150  waits",
        "B player2        1        2        3        4        5  recruits -2",
        "C player3     5000     5000     1000      200      150  7 gold to A for 8 food: yes",
        "D player4     5000     5000     1000      200      150  war A 20 30 10 v 5 5 5: won, 22",
        "E player5     5000     5000     1000      200      150  dead  "
        "war A 1 0 0 v 9 0 0: lost, 8",
    ]


def test_a_tie_and_a_no_in_the_picture() -> None:
    made = world(RICH, RICH)
    made.acts = [War(0, 1, (1, 1, 1)), Trade(1, 0, "gold", 7, "land", 8)]
    rows = picture(BOARD | {"players": ["player1", "player2"]}, frame(made)).split("\n")
    assert rows[1].endswith("  war B 1 1 1 v 0 0 0: tie")
    assert rows[2].endswith("  7 gold to A for 8 land: no")


def test_a_picture_is_never_too_wide() -> None:
    made = world(*[(10**9, 10**9, 10**9, 10**9, 10**9)] * 2)
    made.acts = [War(0, 1, (10**8, 10**8, 10**8), (10**8, 10**8, 10**8))]
    assert max(map(len, picture(BOARD | {"players": ["player1"]}, frame(made)).split("\n"))) == 100
