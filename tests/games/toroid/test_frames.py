"""What spectators see."""

from __future__ import annotations

import json
from typing import Any

import pytest

from arena.games.toroid.frames import frame, headline, opening_frame, picture
from tests.games.toroid.helpers import Talk, fresh, world
from tests.support.tools import every


def test_the_first_frame_has_the_board() -> None:
    (first,) = Talk(fresh("447")).frames
    assert first == {
        "round": 0,
        "rounds": 40,
        "owner": [0, -2, 1, -4, 0, 0, 1, 1, -1, -3],
        "units": [2, 1, 2, 5, 2, 2, 2, 2, 2, 1],
        "countries": [3, 3],
        "moves": [],
        "board": {"neutrals": 4, "turn_order": [1, 0]},
    }


def test_a_frame_tells_all_that_was_done() -> None:
    talk = Talk(world("A6 B2 A9 A3 B4 .1", [2, 7]))
    talk.say("attack right 3", "transfer right 2", "scout left", "attack left 4", "tea")
    talk.say("No moves")
    (shown,) = talk.frames
    assert shown == {
        "round": 1,
        "rounds": 40,
        "owner": [0, 0, 0, 0, 1, -1],
        "units": [3, 3, 7, 5, 4, 1],
        "countries": [4, 1],
        "moves": [
            ["attack", 0, 0, 1, 3, "conquer"],
            ["transfer", 0, 2, 3, 2],
            ["scout", 0, 3, 2, 7],
        ],
    }


def test_builds_are_told_where_they_are_carried_out() -> None:
    talk = Talk(world("A6 A19 A4 B2 .1")).say("build", "build", "transfer left 1", "build")
    assert talk.frames[0]["moves"] == [
        ["transfer", 0, 2, 1, 1],
        ["build", 0, 0],
        ["build", 1, 3],
    ]


def test_the_moves_are_those_of_one_game_turn() -> None:
    talk = Talk(world("A6 B4 .1")).say("scout left", "build", "build", "build")
    assert [shown["moves"] for shown in talk.frames] == [
        [["scout", 0, 0, 2, 1], ["build", 1, 1]],
        [["build", 0, 0], ["build", 1, 1]],
    ]


def test_frames_are_copies_and_plain_json() -> None:
    made = world("A6 B4 .1")
    shown = opening_frame(made)
    assert json.loads(json.dumps(shown)) == shown
    made.owner[0], made.units[0] = 1, 9
    made.countries[0] = 0
    assert (shown["owner"], shown["units"], shown["countries"]) == ([0, 1, -1], [6, 4, 1], [1, 1])


@pytest.mark.parametrize(
    ("ring", "line"),
    [
        ("A6 B4 .1 .2", "countries (units): player1 1 (6) · player2 1 (4) · neutral 2 (3)"),
        ("A6 A4 A1", "countries (units): player1 3 (11) · player2 out"),
    ],
)
def test_headlines(ring: str, line: str) -> None:
    assert headline(frame(world(ring))) == line


def drawn(ring: str, **values: Any) -> list[str]:
    made = world(ring, **values)
    return picture(opening_frame(made)["board"], frame(made)).split("\n")


def test_small_rings_are_two_rows() -> None:
    assert drawn("A6 B12 .3 B4 A1 .2") == [
        "0:A6   1:B12  2:.3",
        "5:.2   4:A1   3:B4",
        "",
        "A player1  B player2  . neutral",
    ]
    assert drawn("A6 B12 .3") == ["0:A6   1:B12", "       2:.3", *drawn("A1 B1 .1")[2:]]


def test_large_rings_are_rectangles() -> None:
    lines = drawn("A1 " * 41)
    assert lines[0].split() == [f"{c}:A1" for c in range(12)]
    assert [line.split() for line in lines[1:4]] == [
        ["12:A1"],
        ["40:A1", "13:A1"],
        ["39:A1", "14:A1"],
    ]
    assert lines[10].split() == [f"{c}:A1" for c in range(32, 20, -1)]


@every("count", [*range(3, 60), 199, 1800])
def test_every_country_is_drawn_once_beside_its_neighbours(count: int) -> None:
    lines = drawn("A20 " * count)[:-2]
    assert all(len(line) <= 100 for line in lines)
    wide = 2 + len(f"{count - 1}:A20")
    at = {
        int(cell.split(":")[0]): (x, y)
        for y, line in enumerate(lines)
        for x in range(-(-len(line) // wide))
        if (cell := line[x * wide : (x + 1) * wide].strip())
    }
    assert sorted(at) == list(range(count))
    for country in range(count - 1):
        (x, y), (next_x, next_y) = at[country], at[country + 1]
        assert abs(x - next_x) + abs(y - next_y) == 1


def test_the_picture_does_not_jump_when_numbers_grow() -> None:
    assert drawn("A9 B1 .1 .1")[0].index("1:") == drawn("A10 B1 .1 .1")[0].index("1:")


def test_the_picture_needs_no_board() -> None:
    shown = frame(world("A9 B1 .1", seats=8))
    assert picture(None, shown).split("\n")[-1] == (
        "A player1  B player2  C player3  D player4  E player5  F player6  G player7  H player8  "
        ". neutral"
    )
