"""What spectators see."""

from __future__ import annotations

import json

from arena.games.codecharacter.frames import frame, headline, opening_frame, picture
from tests.games.codecharacter.helpers import fresh, put, settings, small, tower, turn, world


def test_a_frame_holds_the_whole_state() -> None:
    made = fresh(small(num_soldiers=3))
    made.round = 7
    put(made, 0, 100, 75.25, state="move", destination=(1, 2))
    put(made, 3, 80, 90, state="pursuit", target=0, immune=1)
    put(made, 4, 80, 90, state="dead", hp=0, dead=4)
    tower(made, 1, 8, 7, level=2, hp=99)
    assert frame(made) == {
        "round": 7,
        "rounds": 1000,
        "money": [300, 300],
        "tiles": [16, 49 + 16 - 12],
        "soldiers": [
            [0, 0, 100000, 75250, 100, "move", 0, 0, ["move", 1, 2]],
            [1, 0, 75000, 75000, 100, "idle", 0, 0, []],
            [2, 0, 75000, 75000, 100, "idle", 0, 0, []],
            [3, 1, 80000, 90000, 100, "pursuit", 1, 0, ["attack", 0]],
            [4, 1, 80000, 90000, 0, "dead", 0, 4, []],
            [5, 1, 525000, 525000, 100, "idle", 0, 0, []],
        ],
        "towers": [
            [6, 0, 1, 1, 7000, 1, 1],
            [7, 1, 10, 10, 7000, 1, 1],
            [8, 1, 8, 7, 99, 2, 0],
        ],
    }


def test_the_first_frame_has_the_board() -> None:
    made = fresh()
    assert opening_frame(made) == frame(made) | {
        "board": {
            "map_size": 30,
            "tile_size": 50,
            "soldier_hp": 100,
            "tower_hp": [7000, 10000, 15000],
            "tower_ranges": [2, 3, 4],
        }
    }


def test_a_frame_is_a_fresh_copy() -> None:
    made = world(money_start=9000)
    shown = [frame(made)]
    kept = [json.dumps(shown[0])]
    for _ in range(5):
        turn(made, "build 6 6, upgrade 40, move 0 5 5, attack 1 20", "attack 20 0")
        shown.append(frame(made))
        kept.append(json.dumps(shown[-1]))
    assert [json.dumps(one) for one in shown] == kept
    assert all(json.loads(text) == one for text, one in zip(kept, shown, strict=True))


def test_the_headline() -> None:
    made = world(num_soldiers=2)
    put(made, 0, 5, 5, state="dead", hp=0)
    tower(made, 1, 20, 25)
    assert headline(frame(made)) == (
        "player1 25 tiles 1 soldier 300 money · player2 50 tiles 2 soldiers 300 money"
    )


def test_the_picture() -> None:
    made = fresh(small(num_soldiers=12))
    for id in range(3):
        put(made, id, 301, 250)
    put(made, 3, 400, 0)
    put(made, 12, 449.999, 49)
    put(made, 13, 600, 600)
    put(made, 14, 0, 0, state="dead", hp=0)
    tower(made, 1, 4, 3, level=2, hp=5)
    assert picture(opening_frame(made)["board"], frame(made)).splitlines() == [
        "   0  1  2  3  4  5  6  7  8  9  10 11",
        "0  -  #  #  #  =  =  =  =  .ab.  .  .",
        "1  -  Aa8#  #  =  =  =  =  .  .  .  .",
        "2  -  #  #  #  =  =  =  =  .  .  .  .",
        "3  -  #  #  #  B  =  =  =  .  .  .  .",
        "4  .  =  =  =  =  =  =  =  .  .  .  .",
        "5  .  =  =  =  =  =  =a3=  .  .  .  .",
        "6  .  =  =  =  =  =  =  =  .  .  .  .",
        "7  .  .  .  .  .  .  .  .  .  .  .  .",
        "8  .  .  .  .  .  .  .  .  =  =  =  =",
        "9  .  .  .  .  .  .  .  .  =  =  =  =",
        "10 .  .  .  .  .  .  .  .  =  =  Bb9=",
        "11 .  .  .  .  .  .  .  .  =  =  =  =b1",
        "A B: towers; a b: how many soldiers, * ten or more, ab some of both; of player1, player2",
        "- = #: land of player1, of player2, of both",
        "A player1 16 tiles 12 soldiers 300 money",
        "  24 base at 1,1 level 1 hp 7000",
        "B player2 65 tiles 11 soldiers 300 money",
        "  25 base at 10,10 level 1 hp 7000; 26 at 4,3 level 2 hp 5",
    ]


def test_ten_or_more_soldiers() -> None:
    text = picture(opening_frame(fresh())["board"], frame(fresh()))
    assert "Aa*" in text
    assert "Bb*" in text


def test_a_picture_is_at_most_a_hundred_columns_wide() -> None:
    made = world()
    for i in range(28):
        tower(made, i % 2, i, i, level=3)
    for id in range(40):
        put(made, id, 1500, 37 * id)
    text = picture(opening_frame(made)["board"], frame(made))
    assert max(map(len, text.splitlines())) <= 100
    assert text.isascii()


def test_a_large_map_has_one_character_for_each_tile() -> None:
    made = fresh(settings(map_size=96, base_tiles=(1, 1, 94, 94), num_soldiers=2))
    put(made, 0, 101, 0)
    put(made, 2, 155, 4700)
    lines = picture(opening_frame(made)["board"], frame(made)).splitlines()
    assert lines[:2] == ["0  --a-" + "." * 92, "1  -a--" + "." * 92]
    assert lines[94] == "94 ...b" + "." * 88 + "==b="
    assert max(map(len, lines)) == 99


def test_without_a_board_there_is_a_list() -> None:
    assert picture(None, frame(fresh(settings()))).splitlines() == [
        "A player1 25 tiles 20 soldiers 300 money",
        "  40 base at 4,4 level 1 hp 7000",
        "B player2 25 tiles 20 soldiers 300 money",
        "  41 base at 25,25 level 1 hp 7000",
    ]
