"""Phase A: which orders count, and why the others do not."""

from __future__ import annotations

import pytest

from arena.games.codecharacter.world import CodecharacterWorld
from tests.games.codecharacter.helpers import at, put, states, tower, turn, world
from tests.support.tools import every


def field(**values: int | str) -> CodecharacterWorld:
    """Towers 42 and 43 of player1, 44 (level 3) and 45 of player2; soldiers 5 and 25 are dead."""
    made = world(**{"money_start": 10000} | values)
    for seat, x, y, level in ((0, 8, 4, 1), (0, 4, 8, 3), (1, 21, 25, 3), (1, 25, 21, 1)):
        tower(made, seat, x, y, level)
    for id in (5, 25):
        made.soldiers[id].state, made.soldiers[id].hp, made.soldiers[id].dead = "dead", 0, 3
    return made


@every(
    "order, code",
    [
        ("move 20 5 5", "not_own"),
        ("move 40 5 5", "not_own"),
        ("move 99 5 5", "not_own"),
        ("move -1 5 5", "not_own"),
        ("attack 20 0", "not_own"),
        ("attack 41 0", "not_own"),
        ("move 5 5 5", "dead_soldier"),
        ("attack 5 20", "dead_soldier"),
        ("move 0 1500.001 5", "position"),
        ("move 0 5 1501", "position"),
        ("move 0 -0.001 5", "position"),
        ("move 0 5 -7", "position"),
        ("attack 0 1", "target_invalid"),
        ("attack 0 0", "target_invalid"),
        ("attack 0 40", "target_invalid"),
        ("attack 0 42", "target_invalid"),
        ("attack 0 46", "target_invalid"),
        ("attack 0 -20", "target_invalid"),
        ("attack 0 25", "target_dead"),
        ("attack 0 5", "target_invalid"),
        ("attack 0 41", "target_base"),
        ("build -1 4", "position"),
        ("build 4 30", "position"),
        ("build 15 15", "territory"),
        ("build 25 25", "territory"),
        ("build 4 4", "territory"),
        ("build 8 4", "territory"),
        ("upgrade 44", "not_own"),
        ("upgrade 41", "not_own"),
        ("upgrade 0", "not_own"),
        ("upgrade 46", "not_own"),
        ("upgrade -42", "not_own"),
        ("upgrade 43", "max_level"),
        ("suicide 44", "not_own"),
        ("suicide 41", "not_own"),
        ("suicide 0", "not_own"),
        ("suicide 40", "suicide_base"),
    ],
)
def test_each_reason(order: str, code: str) -> None:
    made = field()
    assert turn(made, f"move 1 0 0, {order}, move 2 0 0") == ([(2, code)], [])
    assert states(made, 1, 2) == ["move", "move"]
    assert made.money[0] == 10000


@pytest.mark.parametrize(
    "order",
    [
        "move 0 0 0",
        "move 0 1500 1500",
        "attack 0 20",
        "attack 0 39",
        "attack 0 44",
        "build 2 2",
        "build 6 4",
        "build 10 6",
        "upgrade 40",
        "upgrade 42",
        "suicide 42",
        "suicide 43",
    ],
)
def test_each_kind_that_counts(order: str) -> None:
    assert turn(field(), order) == ([], [])


def test_the_same_for_player2_with_its_own_ids_and_mirrored_places() -> None:
    made = field()
    line = (
        "move 0 5 5, move 25 5 5, move 24 1501 0, attack 20 21, attack 21 5, attack 22 40, "
        "build 30 4, build 15 15, build 8 4, upgrade 42, upgrade 44, suicide 41, move 23 1500 0"
    )
    assert turn(made, "", line) == (
        [],
        [
            (1, "not_own"),
            (2, "dead_soldier"),
            (3, "position"),
            (4, "target_invalid"),
            (5, "target_dead"),
            (6, "target_base"),
            (7, "position"),
            (8, "territory"),
            (9, "territory"),
            (10, "not_own"),
            (11, "max_level"),
            (12, "suicide_base"),
        ],
    )
    assert made.soldiers[23].destination == (0, 1500000)


# -- one task each -------------------------------------------------------------------------


def test_two_orders_for_one_soldier_are_void() -> None:
    made = field()
    faults = turn(made, "move 0 0 0, attack 1 20, move 2 0 0, attack 0 20, move 0 5 5")[0]
    assert faults == [(1, "multiple_tasks"), (4, "multiple_tasks"), (5, "multiple_tasks")]
    assert states(made, 0, 1, 2) == ["idle", "pursuit", "move"]


def test_void_ones_exclude_each_other_too() -> None:
    for line in ("move 0 9999 0, move 0 1 1", "attack 0 41, attack 0 20", "move 5 1 1, move 5 2 2"):
        assert turn(field(), line)[0] == [(1, "multiple_tasks"), (2, "multiple_tasks")]
    assert turn(field(), "move 99 1 1, attack 99 0")[0] == [
        (1, "multiple_tasks"),
        (2, "multiple_tasks"),
    ]


def test_what_cannot_be_read_excludes_nothing() -> None:
    assert turn(field(), "move 0 1 1, move 0 x 1")[0] == [(2, "syntax")]


@pytest.mark.parametrize(
    "line",
    [
        "upgrade 42, suicide 42",
        "suicide 42, upgrade 42",
        "upgrade 42, upgrade 42",
        "suicide 42, suicide 42",
        "upgrade 43, suicide 43",
        "suicide 40, upgrade 40",
        "upgrade 44, upgrade 44",
    ],
)
def test_two_orders_for_one_tower_are_void(line: str) -> None:
    made = field()
    assert turn(made, line)[0] == [(1, "multiple_tasks"), (2, "multiple_tasks")]
    assert made.money[0] == 10000
    assert sorted(made.towers) == [40, 41, 42, 43, 44, 45]


def test_a_soldier_and_a_tower_of_one_number_do_not_meet() -> None:
    assert turn(field(), "move 0 1 1, upgrade 0")[0] == [(2, "not_own")]


# -- towers given up -----------------------------------------------------------------------


def test_a_tower_that_is_given_up_cannot_be_attacked() -> None:
    made = field()
    faults = turn(made, "attack 0 44, attack 1 45, suicide 42", "suicide 44, attack 20 42")
    assert faults == ([(1, "target_razed")], [(2, "target_razed")])
    assert states(made, 0, 1, 20) == ["idle", "pursuit", "idle"]


def test_a_suicide_that_does_not_count_protects_nothing() -> None:
    assert turn(field(), "attack 0 44", "suicide 44, upgrade 44") == (
        [],
        [(1, "multiple_tasks"), (2, "multiple_tasks")],
    )


def test_a_tower_that_is_no_more() -> None:
    made = field()
    turn(made, "", "suicide 44")
    assert turn(made, "attack 0 44, upgrade 44") == ([(1, "target_invalid"), (2, "not_own")], [])


def test_one_may_build_beside_a_tower_that_is_given_up_but_not_on_it() -> None:
    made = field()
    assert turn(made, "suicide 42, build 8 4, build 8 5")[0] == [(2, "territory")]
    assert {one.tile for one in made.towers.values() if one.seat == 0} == {(4, 4), (4, 8), (8, 5)}


# -- money ---------------------------------------------------------------------------------


def test_upgrades_come_before_builds_whatever_the_line() -> None:
    made = world(money_start=1000)
    assert turn(made, "build 6 6, upgrade 40")[0] == [(1, "funds")]
    assert made.money[0] == 200
    assert made.towers[40].level == 2


def test_money_goes_by_the_line_within_a_kind() -> None:
    made = field(money_start=2000, tower_costs="800 900 1000")
    assert turn(made, "upgrade 42, build 6 6, build 6 7, upgrade 40")[0] == [
        (2, "funds"),
        (3, "funds"),
    ]
    assert made.money[0] == 200
    made = field(money_start=1000)
    assert turn(made, "upgrade 42, upgrade 40")[0] == [(2, "funds")]
    made = field(money_start=1000)
    assert turn(made, "build 6 6, build 6 7")[0] == [(2, "funds")]


def test_each_thing_has_its_price() -> None:
    made = field(money_start=2600, tower_costs="700 900 1000")
    faults = turn(made, "build 6 6, upgrade 42, upgrade 40, build 6 7")[0]
    assert faults == [(4, "funds")]
    assert made.money[0] == 2600 - 900 - 900 - 700
    made = field(money_start=1000, tower_costs="700 900 1000")
    turn(made, "upgrade 42")
    made.money[0] = 999
    assert turn(made, "upgrade 42")[0] == [(1, "funds")]
    made.money[0] = 1000
    assert turn(made, "upgrade 42")[0] == []
    assert made.money[0] == 0


def test_a_refund_cannot_be_spent_in_its_turn() -> None:
    made = field(money_start=700)
    assert turn(made, "suicide 42, build 6 6")[0] == [(2, "funds")]
    assert made.money[0] == 700 + 266
    assert turn(made, "build 6 6")[0] == []


def test_a_reward_cannot_be_spent_in_its_turn() -> None:
    made = world(money_start=700)
    put(made, 0, 700, 700, target=20)
    put(made, 20, 700, 700, hp=50)
    assert turn(made, "build 6 6")[0] == [(1, "funds")]
    assert made.money[0] == 900


def test_a_refused_order_costs_nothing() -> None:
    made = field(money_start=800)
    assert turn(made, "build 15 15, upgrade 43, build 6 6")[0] == [
        (1, "territory"),
        (2, "max_level"),
    ]
    assert made.money[0] == 0


# -- builds --------------------------------------------------------------------------------


def test_a_tile_of_both_is_not_for_building() -> None:
    made = world(money_start=9000)
    tower(made, 1, 8, 4)
    assert turn(made, "build 6 4, build 5 4")[0] == [(1, "territory")]


def test_a_tile_can_be_built_on_once() -> None:
    made = world(money_start=9000)
    assert turn(made, "build 6 6, build 6 6, build 6 5")[0] == [(2, "territory")]
    assert made.money[0] == 9000 - 1600


def test_land_won_in_this_turn_is_not_yet_for_building() -> None:
    made = world(money_start=9000)
    assert turn(made, "build 6 6, build 8 8, upgrade 40")[0] == [(2, "territory")]
    assert turn(made, "build 8 8")[0] == []


def test_land_is_that_before_the_turn_even_when_its_tower_is_given_up() -> None:
    made = world(money_start=9000)
    tower(made, 0, 8, 8)
    assert turn(made, "suicide 42, build 10 10")[0] == []


def full(**values: int | str) -> CodecharacterWorld:
    """Player1 has 15 towers."""
    made = world(**{"money_start": 9000} | values)
    for i in range(14):
        tower(made, 0, 2 + i % 5, 8 + 2 * (i // 5))
    return made


def test_there_is_room_for_fifteen_towers() -> None:
    made = full()
    assert turn(made, "build 3 3")[0] == [(1, "max_towers")]
    made = full(max_towers=17)
    assert turn(made, "build 2 2, build 3 3, build 5 5")[0] == [(3, "max_towers")]


def test_a_tower_given_up_makes_room() -> None:
    made = full(money_start=1600)
    assert turn(made, "build 3 3, suicide 44, build 5 5")[0] == [(3, "max_towers")]
    assert sum(one.seat == 0 for one in made.towers.values()) == 15


def test_a_tower_given_up_makes_no_room_by_the_rule_of_the_source() -> None:
    made = full(tower_cap_rule="source")
    assert turn(made, "suicide 44, build 3 3")[0] == [(2, "max_towers")]
    assert turn(made, "build 3 3")[0] == []


def test_the_first_reason_counts() -> None:
    made = full(money_start=0)
    assert turn(made, "build 30 3, build 15 15, build 3 3")[0] == [
        (1, "position"),
        (2, "territory"),
        (3, "funds"),
    ]
    made.towers[42].level = 3
    assert turn(made, "upgrade 42, upgrade 43")[0] == [(1, "max_level"), (2, "funds")]
    made = field()
    assert turn(made, "move 5 9999 0, attack 5 41, attack 25 41")[0][-1] == (3, "not_own")


def test_reasons_are_told_by_the_line() -> None:
    made = field()
    line = "attack 0 41, tea, build 15 15, upgrade 44, move 1 -1 0"
    assert [number for number, _ in turn(made, line)[0]] == [1, 2, 3, 4, 5]


def test_orders_of_one_do_not_bear_on_the_other() -> None:
    alone, both = field(), field()
    turn(alone, "move 0 0 0, upgrade 42, build 6 6")
    turn(both, "move 0 0 0, upgrade 42, build 6 6", "build 6 6, upgrade 45, move 20 0 0")
    assert at(alone, 0) == at(both, 0)
    assert alone.money[0] == both.money[0]
    assert alone.towers[42] == both.towers[42]


def test_a_lower_top_level() -> None:
    made = field(max_level=1)
    assert turn(made, "upgrade 42")[0] == [(1, "max_level")]
