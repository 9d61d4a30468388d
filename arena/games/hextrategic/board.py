"""The immutable board (cells, types, neighbours), its random generation, and map files.

A cell lies at axial coordinates (q, r). A board of radius n has the 3n² + 3n + 1 cells with
|q|, |r| and |q + r| at most n. Cells are named by numbers from 0, row by row (by r, then q).

Every player starts in a corner, and the board looks the same from all of these corners: a group of
turns and reflections carries each of them to each other, and the cells that it carries to one
another (an *orbit*) are drawn as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from arena.core import MapError, Stream
from arena.games.hextrategic.settings import HexSettings
from arena.games.kit import Cell, around, player_names, reachable

TYPES = ("normal", "bronze", "silver", "gold")
NORMAL = 0
NEUTRAL = -1
"""The owner of a cell without a seat."""


class Board(Struct, frozen=True):
    """Cells by their number."""

    cells: tuple[Cell, ...]
    types: tuple[int, ...]
    """The type of each cell, as its place in TYPES."""
    neighbors: tuple[tuple[int, ...], ...]
    """The neighbours of each cell, ascending."""

    @property
    def radius(self) -> int:
        """The radius of the smallest board with all these cells."""
        return max(max(abs(q), abs(r), abs(q + r)) for q, r in self.cells)


class Start(Struct, frozen=True):
    """A board, with owners and units before the first round."""

    board: Board
    owner: list[int]
    """A seat, or NEUTRAL, for each cell."""
    units: list[int]


class Symmetry(Struct, frozen=True):
    """An optional reflection, followed by turns of 60°."""

    mirrored: bool
    turns: int

    def image(self, cell: Cell) -> Cell:
        """The image of a cell."""
        q, r = cell
        if self.mirrored:
            q, r = q + r, -r
        for _ in range(self.turns):
            q, r = -r, q + r
        return q, r


CORNERS = {2: (0, 3), 3: (0, 2, 4), 4: (1, 2, 4, 5), 6: (0, 1, 2, 3, 4, 5)}
"""For each number of seats, the corners where they start: corner k is (n, 0) after k turns."""
SYMMETRIES = {
    2: tuple(Symmetry(False, turns) for turns in (0, 3)),
    3: tuple(Symmetry(False, turns) for turns in (0, 2, 4)),
    4: tuple(Symmetry(mirrored, turns) for mirrored in (False, True) for turns in (0, 3)),
    6: tuple(Symmetry(False, turns) for turns in range(6)),
}
"""For each number of seats, the group that carries their corners to each other."""


def make_board(cells: Sequence[Cell], types: Sequence[int]) -> Board:
    """A board of these cells, in this order; cells that touch are neighbours."""
    ids = {cell: id_ for id_, cell in enumerate(cells)}
    return Board(
        cells=tuple(cells),
        types=tuple(types),
        neighbors=tuple(
            tuple(sorted(ids[near] for near in around(cell) if near in ids)) for cell in cells
        ),
    )


def hexagon(radius: int) -> list[Cell]:
    """The cells of a board, in the order of their numbers."""
    return [
        (q, r)
        for r in range(-radius, radius + 1)
        for q in range(max(-radius, -radius - r), min(radius, radius - r) + 1)
    ]


def usual_radius(seats: int) -> int:
    """The radius of a board without a setting."""
    return 4 if seats < 4 else 5


def draw_start(settings: HexSettings, seats: int, stream: Stream) -> Start:
    """The board of a match for 2, 3, 4 or 6 seats."""
    radius = settings.radius or usual_radius(seats)
    cells = hexagon(radius)
    starts = [Symmetry(False, turns).image((radius, 0)) for turns in CORNERS[seats]]
    drawn = dict.fromkeys(starts, (NORMAL, settings.start_units))
    for cell in cells:
        if cell not in drawn:
            content = _draw_cell(settings, stream)
            drawn |= {symmetry.image(cell): content for symmetry in SYMMETRIES[seats]}
    return Start(
        make_board(cells, [drawn[cell][0] for cell in cells]),
        [starts.index(cell) if cell in starts else NEUTRAL for cell in cells],
        [drawn[cell][1] for cell in cells],
    )


def _draw_cell(settings: HexSettings, stream: Stream) -> tuple[int, int]:
    """Type and units of a neutral cell."""
    draw = stream.below(100)
    kind = sum(draw >= limit for limit in settings.type_limits)
    least, most = settings.neutral_units[2 * kind : 2 * kind + 2]
    return kind, stream.between(least, most)


# Map files: the board, its start, and the proof that it favours no player.
#
# A map file is JSON::
#
#     {"cells": [{"q": 0, "r": 0, "type": "normal", "owner": "player1", "units": 10}, …],
#      "symmetries": [[0, 1, 2, …], …]}
#
# Cells are numbered from 0 in the order of the file, and touch as their coordinates say.
# `symmetries` has one list for each seat: entry C of list K is the cell to which cell C is carried
# by a symmetry of the map that carries what is player1's to what is player(K + 1)'s.

MOST_CELLS = 10_000
"""Maximum number of cells in a map file."""

Coordinate = Annotated[int, Meta(ge=-1000, le=1000)]


class MapCell(Struct, frozen=True):
    q: Coordinate
    r: Coordinate
    type: Literal["normal", "bronze", "silver", "gold"]
    owner: str
    units: Annotated[int, Meta(ge=0, le=1_000_000)]


class _MapFile(Struct, frozen=True):
    cells: list[MapCell]
    symmetries: list[list[int]]


def load_start(data: Any, seats: int) -> Start:
    """The start of a match on a map file, given as parsed JSON. Raises MapError."""
    try:
        file = msgspec.convert(data, _MapFile)
    except msgspec.ValidationError as error:
        raise MapError(
            f"the map file has not the right form: {error}. Give an object with cells (q, r, type, "
            "owner, units) and symmetries (a list of cell numbers for each seat)"
        ) from None
    _check_cells(file.cells)
    board = make_board(
        [(cell.q, cell.r) for cell in file.cells], [TYPES.index(cell.type) for cell in file.cells]
    )
    _check_connected(board)
    owner = _owners(file.cells, player_names(seats))
    start = Start(board, owner, [cell.units for cell in file.cells])
    _check_symmetries(start, file.symmetries, seats)
    return start


def _check_cells(cells: Sequence[MapCell]) -> None:
    if not 2 <= len(cells) <= MOST_CELLS:
        raise MapError(f"the map has {len(cells)} cells: give at least 2 and at most {MOST_CELLS}")
    places: dict[Cell, int] = {}
    for id_, cell in enumerate(cells):
        first = places.setdefault((cell.q, cell.r), id_)
        if first != id_:
            raise MapError(
                f"cells {first} and {id_} both lie at q = {cell.q}, r = {cell.r}: give every cell "
                "a place of its own"
            )


def _check_connected(board: Board) -> None:
    lost = set(range(len(board.cells))) - reachable(board.neighbors, 0)
    if lost:
        raise MapError(f"cell {min(lost)} cannot be reached from cell 0: join the parts of the map")


def _owners(cells: Sequence[MapCell], names: Sequence[str]) -> list[int]:
    """The owner of each cell. A name that is no player, or a player without a cell, is a
    mistake."""
    seat_of = {name: seat for seat, name in enumerate(names)} | {"neutral": NEUTRAL}
    for id_, cell in enumerate(cells):
        if cell.owner not in seat_of:
            raise MapError(
                f"cell {id_} belongs to {cell.owner!r}: give one of {', '.join(seat_of)}, or play "
                "with as many bots as the map is for"
            )
    owner = [seat_of[cell.owner] for cell in cells]
    for seat, name in enumerate(names):
        if seat not in owner:
            raise MapError(f"no cell belongs to {name}: give every player a cell to start with")
    return owner


def _check_symmetries(start: Start, symmetries: Sequence[Sequence[int]], seats: int) -> None:
    if len(symmetries) != seats:
        raise MapError(
            f"the map has {len(symmetries)} symmetries for {seats} players: give one list for each"
        )
    for seat, images in enumerate(symmetries):
        wrong = _flaw(start, images, seat)
        if wrong:
            raise MapError(
                f"symmetry {seat + 1} of the map is none, since {wrong}: correct the list, or make "
                "the map the same for all players"
            )


def _flaw(start: Start, images: Sequence[int], seat: int) -> str | None:
    """Why the images of the cells are not a symmetry that carries seat 0 to `seat`."""
    board, count = start.board, len(start.board.cells)
    if sorted(images) != list(range(count)):
        return f"it does not name each of the {count} cells once"
    carried = {NEUTRAL: NEUTRAL, 0: seat}
    for cell, image in enumerate(images):
        if (board.types[cell], start.units[cell]) != (board.types[image], start.units[image]):
            return f"cells {cell} and {image} differ in type or units"
        if carried.setdefault(start.owner[cell], start.owner[image]) != start.owner[image]:
            return f"the owners of cells {cell} and {image} do not go together"
        if {images[near] for near in board.neighbors[cell]} != set(board.neighbors[image]):
            return f"the neighbours of cell {cell} are not carried to those of cell {image}"
    return None
