"""The set-up, who controls what, and copies."""

from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest

from arena.core.game import Setup
from arena.core.rng import Stream
from arena.core.table import Table
from arena.errors import MapError
from arena.games.codecharacter import GAME
from arena.games.codecharacter.world import CodecharacterWorld, new_world, square
from tests.games.codecharacter.helpers import (
    at,
    careless_answer,
    fresh,
    settings,
    tower,
    turn,
    world,
)


def test_ids_soldiers_and_bases_at_the_start() -> None:
    made = fresh()
    assert [one.id for one in made.soldiers] == list(range(40))
    assert [one.seat for one in made.soldiers] == [0] * 20 + [1] * 20
    assert {at(made, id) for id in range(20)} == {(225, 225)}
    assert {at(made, id) for id in range(20, 40)} == {(1275, 1275)}
    assert {(one.state, one.hp, one.immune) for one in made.soldiers} == {("idle", 100, 0)}
    assert {one.destination or one.target for one in made.soldiers} == {None}
    bases = [(t.id, t.seat, t.tile, t.hp, t.level, t.base) for t in made.towers.values()]
    assert bases == [(40, 0, (4, 4), 7000, 1, True), (41, 1, (25, 25), 7000, 1, True)]
    assert (made.money, made.next_id, made.round) == ([300, 300], 42, 0)
    assert made.tiles() == [25, 25]


def test_a_tile_begins_at_its_left_and_upper_edge() -> None:
    made = fresh()
    assert (made.towers[40].x, made.towers[40].y) == (4 * 50000 + 25000, 225000)
    assert made.edge == 1500000


def test_a_world_of_another_size() -> None:
    made = fresh(settings(map_size=12, tile_size=7, num_soldiers=3, base_tiles=(1, 2, 10, 9)))
    assert sorted(made.towers) == [6, 7]
    assert at(made, 2) == (10.5, 17.5)
    assert at(made, 3) == (73.5, 66.5)
    assert made.edge == 84000
    assert made.base(1).id == 7


def test_there_are_no_maps() -> None:
    with pytest.raises(MapError, match="codecharacter takes no map file: leave out --map"):
        Table(GAME, Setup("1", 2, settings(), {"tiles": []}))


def test_the_seed_changes_nothing() -> None:
    one, two = (new_world(Setup(seed, 2, settings())) for seed in ("1", "2"))
    assert contents(one) == contents(two)


@pytest.mark.parametrize(
    ("tile", "reach", "count"),
    [((4, 4), 2, 25), ((4, 4), 4, 81), ((0, 0), 2, 9), ((0, 15), 3, 28), ((29, 29), 4, 25)],
)
def test_a_tower_controls_a_square_cut_at_the_edges(
    tile: tuple[int, int], reach: int, count: int
) -> None:
    bits = square(tile, reach, 30)
    expected = {
        (x, y)
        for x in range(30)
        for y in range(30)
        if abs(x - tile[0]) <= reach and abs(y - tile[1]) <= reach
    }
    assert {(i % 30, i // 30) for i in range(900) if bits >> i & 1} == expected
    assert len(expected) == count
    assert bits < 1 << 900


def test_territory_is_the_union_and_may_be_of_both() -> None:
    made = fresh()
    tower(made, 0, 6, 4)
    assert made.tiles() == [35, 25]
    tower(made, 1, 8, 4)
    assert made.tiles() == [35, 50]
    assert made.controls(0, 8, 4)
    assert made.controls(1, 8, 4)
    assert not made.controls(0, 9, 4)


def contents(made: CodecharacterWorld) -> dict[str, Any]:
    """Everything that is in a world, as plain data."""
    return {
        "soldiers": msgspec.to_builtins(made.soldiers),
        "towers": msgspec.to_builtins(list(made.towers.values())),
        "rest": copy.deepcopy((made.money, made.next_id, made.round, made.territory)),
    }


def test_a_copy_is_equal_and_independent() -> None:
    made, stream = world(money_start=9000), Stream("1", "answers")
    for _ in range(60):
        turn(made, careless_answer(made, 0, stream), careless_answer(made, 1, stream))
    before = contents(made)
    twin = made.copy()
    assert contents(twin) == before
    for _ in range(60):
        turn(twin, careless_answer(twin, 0, stream), careless_answer(twin, 1, stream))
    assert contents(twin) != before
    assert contents(made) == before


def test_each_part_of_a_copy_is_its_own() -> None:
    made = fresh()
    twin = made.copy()
    twin.soldiers[3].x += 1
    twin.towers[40].hp -= 1
    twin.add_tower(0, (5, 5))
    twin.money[1] += 1
    twin.survey()
    twin.territory[1] = 0
    assert contents(made) == contents(fresh())


def test_only_two_can_play() -> None:
    assert GAME.seats == (2,)
