"""The worked examples of the rules, one by one."""

from __future__ import annotations

import pytest

from arena.games.codecharacter import rules
from tests.games.codecharacter.helpers import at, put, states, tower, turn, world


def test_01_a_long_walk() -> None:
    made = world()
    turn(made, "move 0 1275 1275")
    assert at(made, 0) == (260.355, 260.355)
    turn(made)
    assert at(made, 0) == (295.71, 295.71)
    for _ in range(27):
        turn(made)
    assert at(made, 0) == (1250.295, 1250.295)
    turn(made)
    assert at(made, 0) == (1275, 1275)
    assert states(made, 0) == ["move"]


@pytest.mark.parametrize(
    ("to", "place"),
    [
        ("525 625", (255, 265)),
        ("425 325", (269.721, 247.361)),
        ("1275 1200", (261.64, 259.023)),
    ],
)
def test_02_single_steps(to: str, place: tuple[float, float]) -> None:
    made = world()
    turn(made, f"move 0 {to}")
    assert at(made, 0) == place


def test_03_three_attack_one() -> None:
    made = world()
    put(made, 20, 700, 700)
    for id in (1, 2, 3):
        put(made, id, 700, 740)
    turn(made, "attack 1 20, attack 2 20, attack 3 20")
    assert states(made, 1, 2, 3, 20) == ["attack", "attack", "idle", "dead"]
    assert made.money == [500, 300]


def test_04_two_kill_each_other() -> None:
    made = world()
    put(made, 0, 700, 700, hp=50)
    put(made, 20, 700, 740, hp=50)
    turn(made, "attack 0 20", "attack 20 0")
    assert states(made, 0, 20) == ["dead", "dead"]
    assert made.money == [500, 500]


def test_05_walking_away_from_sixty() -> None:
    made = world()
    put(made, 0, 700, 700)
    put(made, 20, 760, 700)
    turn(made, "attack 0 20", "move 20 0 800")
    assert at(made, 20) == (810, 700)
    assert made.soldiers[20].hp == 50


def test_06_twenty_raze_a_tower() -> None:
    made = world()
    tower(made, 1, 15, 15)
    for id in range(20):
        put(made, id, 775, 775)
    turn(made, ", ".join(f"attack {id} 42" for id in range(20)))
    for passed in range(1, 7):
        assert made.towers[42].hp == 7000 - 1000 * passed
        turn(made)
    assert 42 not in made.towers
    assert made.money == [600, 300]


def test_07_an_upgrade_comes_first() -> None:
    made = world(money_start=1000)
    assert turn(made, "build 6 6, upgrade 40") == ([(1, "funds")], [])
    assert made.money[0] == 200


@pytest.mark.parametrize(
    ("level", "rule", "refund"),
    [(2, "third", 533), (2, "table", 250), (1, "third", 266), (3, "third", 800)],
)
def test_08_refunds(level: int, rule: str, refund: int) -> None:
    made = world(suicide_refund=rule, money_start=0)
    tower(made, 0, 8, 8, level)
    turn(made, "suicide 42")
    assert made.money[0] == refund


def test_09_room_for_one_more() -> None:
    made = world(money_start=800)
    for i in range(14):
        tower(made, 0, 2 + i % 5, 8 + i // 5)
    assert turn(made, "suicide 44, build 6 6") == ([], [])
    assert sum(one.seat == 0 for one in made.towers.values()) == 15


def test_10_tiles() -> None:
    made = world(money_start=1600)
    assert made.tiles() == [25, 25]
    turn(made, "upgrade 40")
    turn(made, "upgrade 40")
    assert made.tiles() == [81, 25]
    corner = world()
    tower(corner, 0, 0, 0)
    base, both = 25, 1  # the tile (2, 2)
    assert corner.tiles()[0] == 9 + base - both


def test_11_a_draw_with_common_tiles() -> None:
    made = world()
    # two columns of 5 tiles are of both, 10 more are added to each of the bases
    made.towers.pop(40)
    made.towers.pop(41)
    for x in (5, 8):
        tower(made, 0, x, 15)
    for x in (11, 14):
        tower(made, 1, x, 15)
    own, other = made.territory
    assert ((own & other).bit_count(), (own & ~other).bit_count()) == (10, 30)
    assert made.tiles() == [40, 40]
    end = rules.outcome(made, [])
    assert (end.ranks, end.points) == ((1, 1), (0.5, 0.5))


def test_12_killed_in_turn_100() -> None:
    made = world()
    made.round = 100
    put(made, 0, 700, 700, hp=50)
    put(made, 20, 700, 740)
    put(made, 21, 225, 225)  # waits at the base
    turn(made, "", "attack 20 0")
    assert made.money == [300, 500]
    while made.round <= 110:
        assert states(made, 0) == ["dead"]
        turn(made)
    assert (states(made, 0), at(made, 0)) == (["idle"], (225, 225))
    turn(made, "", "attack 21 0")
    assert made.round == 112
    turn(made)
    assert (made.soldiers[0].hp, made.money[1]) == (100, 500)
    turn(made)
    assert made.soldiers[0].hp == 50
    turn(made)
    assert states(made, 0) == ["dead"]
    assert made.money[1] == 700


def test_12_a_last_hit_on_an_immune_soldier_pays_nothing() -> None:
    made = world(soldier_damage=100)
    put(made, 20, 700, 700, immune=1)
    put(made, 0, 700, 700)
    turn(made, "attack 0 20")
    assert (made.soldiers[20].hp, made.money[0]) == (100, 300)
    turn(made)
    assert (made.soldiers[20].hp, made.money[0]) == (0, 500)


def test_13_the_end_of_a_walk() -> None:
    made = world()
    turn(made, "move 0 225 225, move 1 225 260")
    assert states(made, 0, 1) == ["idle", "move"]
    turn(made)
    assert states(made, 1) == ["idle"]
