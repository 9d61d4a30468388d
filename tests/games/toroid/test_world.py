"""The set-up and its chance, and copies."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from arena.core.game import Setup
from arena.core.rng import Stream
from arena.core.table import Table
from arena.errors import MapError
from arena.games.toroid import GAME
from arena.games.toroid.world import Attacked
from tests.games.toroid.helpers import fresh, ring, settings, world
from tests.support.tools import every


def by_hand(seed: str, seats: int) -> tuple[list[int], list[int], list[int]]:
    """Owners, units and turn order, drawn from the library's generator step by step."""
    draw = random.Random(f"{seed}:setup").random

    def shuffle(items: list[int]) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = int(draw() * (i + 1))
            items[i], items[j] = items[j], items[i]

    owner = sorted(list(range(seats)) * 3) + [-k for k in range(1, 2 * seats + 1)]
    shuffle(owner)
    units = [2 if seat >= 0 else 1 + int(draw() * 5) for seat in owner]
    order = list(range(seats))
    shuffle(order)
    return owner, units, order


@every("seats", range(2, 9))
@every("seed", ["1", "2", "golden", "ä"])
def test_the_set_up_is_drawn_in_this_order(seed: str, seats: int) -> None:
    made = fresh(seed, seats)
    assert (made.owner, made.units, list(made.turn_order)) == by_hand(seed, seats)


def test_all_start_alike() -> None:
    for seed in range(30):
        made = fresh(str(seed), 4)
        count = Counter(made.owner)
        assert [count[seat] for seat in range(4)] == [3] * 4 == made.countries
        assert all(count[-k] == 1 for k in range(1, 9))
        neutral = [n for owner, n in zip(made.owner, made.units, strict=True) if owner < 0]
        assert all(1 <= n <= 5 for n in neutral)
        assert {n for o, n in zip(made.owner, made.units, strict=True) if o >= 0} == {2}
        assert sorted(made.turn_order) == [0, 1, 2, 3]


def test_settings_shape_the_set_up() -> None:
    made = fresh(
        countries_per_player=2, neutrals=1, start_units=7, neutral_units_min=4, neutral_units_max=4
    )
    assert sorted(ring(made).split()) == [".4", "A7", "A7", "B7", "B7"]


def test_every_number_of_units_of_a_neutral_occurs() -> None:
    made = fresh(neutrals=300)
    assert set(made.units) == {1, 2, 3, 4, 5}


def test_all_orders_and_places_occur() -> None:
    made = [fresh(str(seed)) for seed in range(60)]
    assert {one.turn_order for one in made} == {(0, 1), (1, 0)}
    assert {one.owner.index(0) for one in made} >= {0, 1, 2}


def test_names_of_owners() -> None:
    made = fresh(neutrals=3)
    assert [made.names[owner] for owner in (0, 1, -1, -2, -3)] == [
        "player1",
        "player2",
        "neutral1",
        "neutral2",
        "neutral3",
    ]


@pytest.mark.parametrize("data", [{}, [], {"Regions": []}], ids=str)
def test_there_are_no_map_files(data: Any) -> None:
    with pytest.raises(MapError) as error:
        Table(GAME, Setup("1", 2, settings(), data))
    assert str(error.value) == "toroid takes no map file: leave out --map"


def test_a_match_is_for_two_to_eight() -> None:
    assert GAME.seats == (2, 3, 4, 5, 6, 7, 8)


def test_a_copy_is_independent() -> None:
    made = world("A6 B2 .3 B4", normal_game_turn_per_player=3)
    made.todo, made.builds = [0], [1]
    twin = made.copy()
    act = Attacked(1, 1, 0, 1, "defeat")
    for change in (
        twin.owner, twin.units, twin.countries, twin.todo, twin.builds, twin.fallen
    ):  # fmt: skip
        change.append(7)
    twin.acts.append(act)
    twin.news[0].append(act)
    twin.news.append([])
    twin.heard[0], twin.maps[0] = [act], ("update_map", 1)
    assert ring(made) == "A6 B2 .3 B4"
    assert (made.countries, made.todo, made.builds, made.fallen) == ([1, 2], [0], [1], [])
    assert (made.acts, made.news) == ([], [[], []])
    assert (made.heard, made.maps) == ([[], []], [("", 0)] * 2)


def test_copies_draw_the_same_dice_each_for_itself() -> None:
    made = fresh()
    first = made.chance["die"].below(1000)
    twin, third = made.copy(), made.copy()
    ours = [made.chance["die"].below(1000) for _ in range(5)]
    fourth = twin.copy()
    assert [twin.chance["die"].below(1000) for _ in range(5)] == ours
    assert [third.chance["die"].below(1000) for _ in range(5)] == ours
    assert [fourth.chance["die"].below(1000) for _ in range(5)] == ours
    expected = Stream("1", "die")
    assert [first, *ours] == [expected.below(1000) for _ in range(6)]
