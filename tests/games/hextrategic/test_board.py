"""The board: coordinates, neighbours, symmetries, what is drawn."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from arena.core.rng import Stream
from arena.games.hextrategic.board import (
    CORNERS,
    NEUTRAL,
    SYMMETRIES,
    TYPES,
    Symmetry,
    draw_start,
    hexagon,
    make_board,
)
from arena.games.hextrategic.settings import HexSettings
from arena.games.kit import Cell
from tests.games.hextrategic.helpers import settings

SEATS = [2, 3, 4, 6]


def test_the_cells_of_a_small_board() -> None:
    assert hexagon(1) == [(0, -1), (1, -1), (-1, 0), (0, 0), (1, 0), (-1, 1), (0, 1)]


@pytest.mark.parametrize("radius", [1, 2, 4, 5, 24])
def test_how_many_cells_a_board_has(radius: int) -> None:
    cells = hexagon(radius)
    assert len(cells) == len(set(cells)) == 3 * radius * radius + 3 * radius + 1
    assert all(max(abs(q), abs(r), abs(q + r)) <= radius for q, r in cells)
    assert cells == sorted(cells, key=lambda cell: (cell[1], cell[0]))
    assert make_board(cells, [0] * len(cells)).radius == radius


def test_the_neighbours_of_a_cell() -> None:
    board = make_board(hexagon(2), [0] * 19)
    assert board.neighbors[9] == (4, 5, 8, 10, 13, 14)
    assert board.neighbors[0] == (1, 3, 4)
    assert board.neighbors[1] == (0, 2, 4, 5)
    links = {(a, b) for a, near in enumerate(board.neighbors) for b in near}
    assert links == {(b, a) for a, b in links}


def distance(one: Cell, other: Cell) -> int:
    q, r = one[0] - other[0], one[1] - other[1]
    return max(abs(q), abs(r), abs(q + r))


def test_neighbours_are_one_step_away() -> None:
    board = make_board(hexagon(4), [0] * 61)
    for cell, near in enumerate(board.neighbors):
        steps = [distance(board.cells[cell], other) for other in board.cells]
        assert list(near) == [other for other, step in enumerate(steps) if step == 1]


def test_a_turn_goes_from_corner_to_corner() -> None:
    n = 4
    corners = [(n, 0), (0, n), (-n, n), (-n, 0), (0, -n), (n, -n)]
    assert [Symmetry(False, turns).image((n, 0)) for turns in range(6)] == corners
    assert Symmetry(True, 0).image((2, 1)) == (3, -1)
    assert Symmetry(True, 3).image((2, 1)) == (-3, 1)


@pytest.mark.parametrize("seats", SEATS)
def test_the_symmetries_are_a_group_that_carries_starts_to_starts(seats: int) -> None:
    cells = hexagon(3)
    images = {tuple(s.image(cell) for cell in cells) for s in SYMMETRIES[seats]}
    assert len(images) == len(SYMMETRIES[seats]) == seats
    twice = {tuple(b.image(a.image(c)) for c in cells) for a in SYMMETRIES[seats]
             for b in SYMMETRIES[seats]}  # fmt: skip
    assert twice == images
    starts = {Symmetry(False, turns).image((3, 0)) for turns in CORNERS[seats]}
    assert {s.image(min(starts)) for s in SYMMETRIES[seats]} == starts
    for symmetry in SYMMETRIES[seats]:
        assert all(
            distance(symmetry.image(a), symmetry.image(b)) == distance(a, b)
            for a in cells for b in cells
        )  # fmt: skip


STARTS = {
    2: [(4, 0), (-4, 0)],
    3: [(4, 0), (-4, 4), (0, -4)],
    4: [(0, 4), (-4, 4), (0, -4), (4, -4)],
    6: [(4, 0), (0, 4), (-4, 4), (-4, 0), (0, -4), (4, -4)],
}


@pytest.mark.parametrize("seats", SEATS)
def test_every_seat_has_its_corner(seats: int) -> None:
    start = draw_start(settings(radius=4, start_units=7), seats, Stream("1", "setup"))
    for seat, corner in enumerate(STARTS[seats]):
        cell = start.board.cells.index(corner)
        assert (start.owner[cell], start.units[cell], start.board.types[cell]) == (seat, 7, 0)
    assert start.owner.count(NEUTRAL) == 61 - seats


@pytest.mark.parametrize("seats", SEATS)
@pytest.mark.parametrize("radius", [1, 2, 5])
def test_every_board_is_the_same_from_all_corners(seats: int, radius: int) -> None:
    for seed in range(10):
        start = draw_start(settings(radius=radius), seats, Stream(str(seed), "setup"))
        ids = {cell: id_ for id_, cell in enumerate(start.board.cells)}
        for symmetry in SYMMETRIES[seats]:
            for id_, cell in enumerate(start.board.cells):
                image = ids[symmetry.image(cell)]
                assert start.board.types[image] == start.board.types[id_]
                assert start.units[image] == start.units[id_]
                assert (start.owner[image] == NEUTRAL) == (start.owner[id_] == NEUTRAL)


def by_hand(seats: int, radius: int, seed: str, made: HexSettings) -> dict[Cell, tuple[int, int]]:
    """Type and units of each cell but the starts, drawn from the page: orbits by hand."""
    draw = random.Random(f"{seed}:setup").random
    found: dict[Cell, tuple[int, int]] = {}
    for cell in hexagon(radius):
        if cell in found or cell in [(q * radius // 4, r * radius // 4) for q, r in STARTS[seats]]:
            continue
        t = int(draw() * 100)
        kind = 0 if t < 70 else 1 if t < 88 else 2 if t < 97 else 3
        low, high = made.neutral_units[2 * kind], made.neutral_units[2 * kind + 1]
        units = low + int(draw() * (high - low + 1))
        q, r = cell
        turned = [cell]
        for _ in range(5):
            q, r = -r, q + r
            turned.append((q, r))
        q, r = cell
        orbit = {
            2: [turned[0], turned[3]],
            3: [turned[0], turned[2], turned[4]],
            4: [turned[0], turned[3], (q + r, -r), (-q - r, r)],
            6: turned,
        }[seats]
        found |= dict.fromkeys(orbit, (kind, units))
    return found


@pytest.mark.parametrize("seats", SEATS)
def test_the_draws_come_in_the_order_of_the_rules(seats: int) -> None:
    made = settings(radius=4)
    start = draw_start(made, seats, Stream("7", "setup"))
    drawn = by_hand(seats, 4, "7", made)
    assert len(drawn) == 61 - seats
    for id_, cell in enumerate(start.board.cells):
        if cell in drawn:
            assert drawn[cell] == (start.board.types[id_], start.units[id_])


def test_types_are_as_frequent_and_as_strong_as_set() -> None:
    starts = [draw_start(settings(), 2, Stream(str(seed), "setup")) for seed in range(100)]
    kinds: Counter[str] = Counter()
    for start in starts:
        for kind, units, owner in zip(start.board.types, start.units, start.owner, strict=True):
            low, high = ((0, 4), (2, 8), (6, 14), (12, 24))[kind]
            if owner == NEUTRAL:
                assert low <= units <= high
                kinds[TYPES[kind]] += 1
    share = {kind: count / kinds.total() for kind, count in kinds.items()}
    assert share == pytest.approx(
        {"normal": 0.7, "bronze": 0.18, "silver": 0.09, "gold": 0.03}, abs=0.02
    )


def test_limits_and_units_are_settings() -> None:
    made = settings(type_limits=(0, 0, 100), neutral_units=(0, 0, 0, 0, 9, 9, 0, 0))
    start = draw_start(made, 2, Stream("1", "setup"))
    assert {kind for kind, owner in zip(start.board.types, start.owner, strict=True)
            if owner == NEUTRAL} == {2}  # fmt: skip
    assert {units for units, owner in zip(start.units, start.owner, strict=True)
            if owner == NEUTRAL} == {9}  # fmt: skip
