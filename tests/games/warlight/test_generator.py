"""Generated maps: the promises of the rules, over many seeds."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest

from arena.core.rng import Stream
from arena.games.warlight import generator
from arena.games.warlight.board import Board
from arena.games.warlight.generator import generate
from tests.conftest import DEEP
from tests.games.warlight.helpers import Said, settings
from tests.support.tools import every

SEEDS = [str(seed) for seed in range(60 * DEEP)]


@cache
def board(seed: str, least: int = 8, most: int = 14) -> Board:
    return generate(settings(min_supers=least, max_supers=most), Stream(seed, "map"))


@every("seed", SEEDS[: 8 * DEEP])
def test_ids_are_contiguous_in_each_super_region(seed: str) -> None:
    made = board(seed)
    assert [region for zone in made.members for region in zone] == list(made.regions)


@every("seed", SEEDS[: 8 * DEEP])
def test_sizes_and_bonuses_are_in_range(seed: str) -> None:
    made = board(seed)
    assert 8 <= len(made.supers) <= 14
    for zone in made.supers:
        size = len(made.members[zone])
        border = sum(
            any(made.super_of[other] != zone for other in made.neighbors[region])
            for region in made.members[zone]
        )
        sheltered = size > 2 and 2 * border <= size
        assert 1 <= size <= 7
        least = 0 if size <= 2 else size - 2 - sheltered
        assert max(0, least) <= made.bonus[zone] <= max(least + 2 - (size <= 2), 0)


@every("seed", SEEDS[: 8 * DEEP])
def test_a_map_is_connected_in_the_whole_and_in_each_super_region(seed: str) -> None:
    made = board(seed)
    assert reach(made, set(made.regions)) == set(made.regions)
    for zone in made.supers:
        assert reach(made, set(made.members[zone])) == set(made.members[zone])


def reach(made: Board, inside: set[int]) -> set[int]:
    """The regions that hang together with the lowest of `inside`."""
    reached, edge = {min(inside)}, [min(inside)]
    while edge:
        fresh = (set(made.neighbors[edge.pop()]) & inside) - reached
        reached |= fresh
        edge += fresh
    return reached


@every("seed", SEEDS[: 8 * DEEP])
def test_links_are_those_of_the_lattice_so_the_map_is_planar(seed: str) -> None:
    made = board(seed)
    assert made.xy is not None
    region_at = {made.xy[region]: region for region in made.regions}
    assert len(region_at) == len(made.regions)
    steps = ((2, 0), (1, 1), (-1, 1), (-2, 0), (-1, -1), (1, -1))
    for (x, y), region in region_at.items():
        near = {region_at.get((x + dx, y + dy)) for dx, dy in steps} - {None}
        assert set(made.neighbors[region]) == near


def test_the_first_region_lies_in_the_middle() -> None:
    assert all((board(seed).xy or ())[1] == (0, 0) for seed in SEEDS)


def test_maps_are_as_varied_as_promised() -> None:
    boards = [board(seed) for seed in SEEDS]
    sizes = Counter(len(made.members[zone]) for made in boards for zone in made.supers)
    degrees = [len(made.neighbors[region]) for made in boards for region in made.regions]
    assert set(sizes) >= {2, 3, 4, 5, 6, 7}
    assert sizes.most_common(1)[0][0] == 4
    assert 4.2 < sum(degrees) / len(degrees) < 4.7
    assert {len(made.supers) for made in boards} == set(range(8, 15))
    assert any(0 in made.bonus[1:] for made in boards)


def test_one_seed_makes_one_map() -> None:
    assert generate(settings(), Stream("3", "map")) == board("3")
    assert board("3") != board("4")


@pytest.mark.parametrize(("least", "most"), [(2, 2), (5, 5), (30, 30), (100, 100)])
def test_the_number_of_super_regions_is_a_setting(least: int, most: int) -> None:
    made = board("1", least, most)
    assert len(made.supers) == least
    assert reach(made, set(made.regions)) == set(made.regions)


@pytest.mark.parametrize(
    ("draw", "size"),
    [
        (0, 2),
        (4, 2),
        (5, 3),
        (23, 3),
        (24, 4),
        (52, 4),
        (53, 5),
        (74, 5),
        (75, 6),
        (89, 6),
        (90, 7),
    ],
)
def test_the_size_of_a_super_region(draw: int, size: int) -> None:
    assert generator._size(Said([draw])) == size


def test_the_draws_of_a_map_in_their_order() -> None:
    """Two super regions of two cells, every draw by hand.

    Free cells in order around (0, 0): (-1,0) (-1,1) (0,-1) (0,1) (1,-1) (1,0).
    """
    draws = Said(
        [
            0,  # two super regions
            0,  # the first has two cells, the first of them (0, 0)
            5,  # first pick (1, 0), with one neighbour in use
            0,  # second pick (-1, 0), with one too: the first pick stays
            4,  # the second has two cells
            0,  # around both: (-1,0) (-1,1) (0,-1) (0,1) (1,-1) (1,1) (2,-1) (2,0): pick (-1,0)
            3,  # (0, 1) touches both cells, so it is taken
            0,  # its free neighbours: (-1,1) (-1,2) (0,2) (1,1): pick (-1,1), two in use
            3,  # (1, 1), two in use as well: the first pick stays
            1,  # bonus of the first
            0,  # bonus of the second
        ]
    )
    made = generate(settings(min_supers=2, max_supers=3), draws)
    assert draws.left == []
    assert made.members == ((), (1, 2), (3, 4))
    # (0,0) (1,0) (0,1) (-1,1) as points (2q + r, r)
    assert made.xy == ((0, 0), (0, 0), (2, 0), (1, 1), (-1, 1))
    assert made.neighbors == ((), (2, 3, 4), (1, 3), (1, 2, 4), (1, 3))
    assert made.bonus == (0, 1, 0)


def test_a_sheltered_super_region_is_worth_less() -> None:
    lattice = generator._Lattice(Said([2, 2, 0, 0]))
    row = [(q, 0) for q in range(6)]
    lattice.zone_of = dict.fromkeys(row, 1) | {(6, 0): 2, (7, 0): 2, (8, 0): 2}
    assert lattice.bonus(1) == 6 - 2 + 2 - 1  # one of six cells touches another super region
    assert lattice.bonus(2) == 3 - 2 + 2 - 1  # one of three
    lattice.zone_of = {(0, 0): 1, (1, 0): 2, (2, 0): 2, (3, 0): 3, (4, 0): 2}
    assert lattice.bonus(2) == 3 - 2 + 0  # all three touch another
    assert lattice.bonus(1) == 0  # two cells or fewer: one draw below two


def test_a_super_region_that_is_shut_in_stays_smaller() -> None:
    lattice = generator._Lattice(Said([]))
    ring = [(1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1)]
    far = [(2, -1), (1, 1), (-1, 2), (-2, 1), (-1, -1), (1, -2)]
    for cell in [*ring, *[(2 * q, 2 * r) for q, r in ring], *far]:
        lattice._use(cell, 1, set())
    lattice._stream = Said([sorted(lattice._beside).index((0, 0))] * 2)
    lattice.grow(2, 5)
    assert [cell for cell, zone in lattice.zone_of.items() if zone == 2] == [(0, 0)]
