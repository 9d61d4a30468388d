"""Phases B and C of a turn, and the end of a match."""

from __future__ import annotations

import pytest

from arena.core.steps import Fate
from arena.games.codecharacter import rules
from arena.games.codecharacter.settings import MAX_MONEY
from tests.games.codecharacter.helpers import put, states, tower, turn, world


def test_a_new_tower() -> None:
    made = world(money_start=1000)
    turn(made, "build 6 6")
    one = made.towers[42]
    assert (one.id, one.seat, one.tile, one.level, one.hp, one.base) == (
        42,
        0,
        (6, 6),
        1,
        7000,
        False,
    )
    assert (one.x, one.y) == (325000, 325000)
    assert made.money == [200, 1000]
    assert made.tiles() == [41, 25]


def test_ids_go_to_player1s_builds_first_each_in_the_order_of_the_line() -> None:
    made = world(money_start=1600)
    turn(made, "build 6 6, build 2 2", "build 6 5, build 3 3")
    assert [(t.id, t.seat, t.tile) for t in made.towers.values()][2:] == [
        (42, 0, (6, 6)),
        (43, 0, (2, 2)),
        (44, 1, (23, 24)),
        (45, 1, (26, 26)),
    ]


def test_ids_are_never_used_again() -> None:
    made = world(money_start=5000)
    turn(made, "build 6 6")
    turn(made, "suicide 42")
    turn(made, "build 6 6")
    assert sorted(made.towers) == [40, 41, 43]


def test_an_upgrade_gives_level_full_hp_and_land() -> None:
    made = world(money_start=1600)
    made.towers[40].hp = 7
    turn(made, "upgrade 40")
    assert (made.towers[40].level, made.towers[40].hp) == (2, 10000)
    assert made.tiles()[0] == 49
    turn(made, "upgrade 40")
    assert (made.towers[40].level, made.towers[40].hp) == (3, 15000)
    assert made.tiles()[0] == 81
    assert made.money[0] == 0


def test_an_upgrade_comes_before_the_hits_of_its_turn() -> None:
    made = world(money_start=800)
    one = tower(made, 0, 8, 8, hp=50)
    put(made, 20, 425, 425, target=42)
    turn(made, "upgrade 42")
    assert (one.level, one.hp) == (2, 9950)
    assert made.money == [0, 800]


def test_a_tower_given_up_is_gone_at_once() -> None:
    made = world()
    tower(made, 0, 8, 8)
    put(made, 20, 425, 425, target=42)
    turn(made, "suicide 42")
    assert sorted(made.towers) == [40, 41]
    assert made.tiles()[0] == 25
    assert states(made, 20) == ["idle"]
    assert made.soldiers[20].target is None
    assert made.money == [566, 300]


@pytest.mark.parametrize(("level", "third", "table"), [(1, 266, 150), (2, 533, 250), (3, 800, 400)])
def test_refunds(level: int, third: int, table: int) -> None:
    for rule, refund in (("third", third), ("table", table)):
        made = world(suicide_refund=rule)
        tower(made, 0, 8, 8, level)
        turn(made, "suicide 42")
        assert made.money[0] == 300 + refund


def test_a_third_of_the_old_prices() -> None:
    made = world(tower_costs="500 300 300")
    tower(made, 0, 8, 8, 3)
    turn(made, "suicide 42")
    assert made.money[0] == 300 + 1100 // 3


def test_there_is_a_limit_to_money() -> None:
    made = world(money_start=MAX_MONEY - 100)
    tower(made, 0, 8, 8)
    turn(made, "suicide 42")
    assert made.money == [MAX_MONEY, MAX_MONEY - 100]


def test_a_move_replaces_an_attack_and_the_other_way_round() -> None:
    made = world()
    put(made, 0, 700, 700, target=20)
    put(made, 1, 700, 700, destination=(0, 0))
    turn(made, "move 0 0 0, attack 1 21")
    assert (made.soldiers[0].destination, made.soldiers[0].target) == ((0, 0), None)
    assert (made.soldiers[1].destination, made.soldiers[1].target) == (None, 21)
    assert states(made, 0, 1) == ["move", "pursuit"]


def test_without_a_new_order_the_old_one_goes_on() -> None:
    made = world()
    turn(made, "move 0 1000 225, attack 1 20")
    for _ in range(5):
        turn(made, "move 2 0 0, attack 3 41")
    assert states(made, 0, 1, 3) == ["move", "pursuit", "idle"]
    assert made.soldiers[0].x == 525000


def test_a_void_order_leaves_the_old_one() -> None:
    made = world()
    turn(made, "move 0 1000 225")
    turn(made, "move 0 2000 225")
    assert made.soldiers[0].destination == (1000000, 225000)
    assert made.soldiers[0].x == 325000


# -- the end -------------------------------------------------------------------------------


def test_more_tiles_win() -> None:
    made = world()
    tower(made, 1, 20, 20)
    end = rules.outcome(made, [])
    assert (end.ranks, end.points, end.reason) == ((2, 1), (0.0, 1.0), "num_turns")
    assert end.fates == (Fate.SURVIVED, Fate.SURVIVED)
    assert end.sentence == "player2 won after 1000 turns: 50 tiles against 25."


def test_as_many_tiles_are_a_draw() -> None:
    end = rules.outcome(world(), [])
    assert (end.ranks, end.points) == ((1, 1), (0.5, 0.5))
    assert end.sentence == "A draw after 1000 turns: 25 tiles against 25."


@pytest.mark.parametrize(
    ("gone", "ranks", "points", "sentence"),
    [
        ([0], (2, 1), (0.0, 1.0), "player2 won in turn 1: no answer of player1."),
        ([1], (1, 2), (1.0, 0.0), "player1 won in turn 1: no answer of player2."),
        ([0, 1], (1, 1), (0.5, 0.5), "A draw in turn 1: no answer of player1 and player2."),
    ],
)
def test_no_answer_loses(
    gone: list[int], ranks: tuple[int, int], points: tuple[float, float], sentence: str
) -> None:
    made = world()
    tower(made, gone[0], 15, 15)
    end = rules.outcome(made, gone)
    assert (end.ranks, end.points, end.reason) == (ranks, points, "game_limit")
    assert [fate is Fate.REMOVED for fate in end.fates] == [seat in gone for seat in (0, 1)]
    assert end.sentence == sentence
