"""The chart, the orders, the events and the views of seats."""

from __future__ import annotations

from arena.core.steps import Frame
from arena.games.codecharacter.frames import frame, opening_frame
from arena.games.codecharacter.view import VIEW
from arena.games.codecharacter.world import CodecharacterWorld
from tests.games.codecharacter.helpers import fresh, put, small, tower, world


def texts(before: CodecharacterWorld, after: CodecharacterWorld) -> list[str]:
    return [event.text for event in VIEW.events(None, frame(before), frame(after))]


def test_the_standing_is_in_tiles() -> None:
    made = world()
    tower(made, 0, 10, 10)
    assert VIEW.standing(frame(made)) == [50, 25]


def test_soldiers_that_do_the_same_are_one_order() -> None:
    made = world()
    for id_ in (0, 2, *range(4, 12)):
        put(made, id_, 300, 300, state="move", destination=(260_500, 20_000))
    put(made, 1, 300, 300, state="attack", target=22)
    put(made, 3, 300, 300, state="pursuit", target=44)
    put(made, 21, 300, 300, state="dead")
    put(made, 25, 300, 300, state="move", destination=(1, 0))
    assert VIEW.orders(frame(made)) == [
        "player1: 10 soldiers (0, 2, 4, 5, 6, 7, 8, 9, …) walk to 260.5 20.",
        "player1: soldier 1 hits soldier 22.",
        "player1: soldier 3 pursues tower 44.",
        "player2: soldier 25 walks to 0.001 0.",
    ]


def test_orders_in_a_view_say_what_is_not_seen() -> None:
    made = world()
    put(made, 20, 300, 300, state="move", destination=(5, 5))
    put(made, 21, 300, 300, state="move", destination=(6, 6))
    put(made, 22, 300, 300, state="attack", target=1)
    assert VIEW.seen
    assert VIEW.orders(VIEW.seen(made, 0, frame(made))) == [
        "player2: 2 soldiers (20, 21) walk (where to is not seen).",
        "player2: soldier 22 hits something.",
    ]


# -- events --------------------------------------------------------------------------------


def test_the_first_frame_has_no_events() -> None:
    assert VIEW.events(None, None, opening_frame(fresh())) == []


def test_towers_that_come_and_go() -> None:
    before, after = world(), world()
    tower(before, 1, 20, 20)
    tower(after, 1, 20, 20).id = 43
    after.towers[43] = after.towers.pop(42)
    assert texts(before, after) == [
        "player2 builds tower 43 on tile 20,20.",
        "player2 loses tower 42 of level 1 on tile 20,20.",
    ]
    assert texts(after, after) == []


def test_many_deaths_at_once() -> None:
    before, after = world(), world()
    for id_ in range(4):
        put(after, id_, 0, 0, state="dead", hp=0)
    assert texts(before, after) == []
    put(after, 4, 0, 0, state="dead", hp=0)
    assert texts(before, after) == ["player1 loses 5 soldiers."]
    assert texts(after, after) == []


def test_a_new_leader() -> None:
    before, after = world(), world()
    tower(before, 0, 10, 10)
    tower(after, 0, 10, 10)
    tower(after, 1, 20, 20).level = 2
    after.survey()
    assert "player2 leads, 73 tiles to 50." in texts(before, after)
    assert not [text for text in texts(after, after) if "leads" in text]


# -- what a seat sees ----------------------------------------------------------------------


def hidden(made: CodecharacterWorld, seat: int) -> Frame:
    """What is otherwise for a seat than for spectators."""
    assert VIEW.seen
    true = frame(made)
    seen = VIEW.seen(made, seat, true)
    assert true == frame(made)
    return {key: value for key, value in seen.items() if value != true[key]}


def test_money_and_orders_of_the_enemy_are_hidden() -> None:
    made = fresh(small())
    made.money = [100, 200]
    put(made, 0, 10, 20, state="move", destination=(5, 6))
    put(made, 2, 30, 40, state="attack", target=0)
    orders = [one[8] for one in hidden(made, 0)["soldiers"]]
    assert orders == [["move", 5, 6], [], None, None]
    assert hidden(made, 0)["money"] == [100, None]
    assert [one[8] for one in hidden(made, 1)["soldiers"]] == [None, None, ["attack", 0], []]
    assert hidden(made, 1)["money"] == [None, 200]


def test_after_the_last_turn_no_money_is_told() -> None:
    made = fresh(small(num_turns=7))
    made.round = 7
    assert hidden(made, 0)["money"] == [None, None]
