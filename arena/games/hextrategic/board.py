"""The board: cells, types and neighbours, which never change, and drawing one from the seed.

A cell lies at axial coordinates (q, r). A board of radius n has the 3n² + 3n + 1 cells with
|q|, |r| and |q + r| at most n. Cells are named by numbers from 0, row by row (by r, then q).

Every player starts in a corner, and the board looks the same from all of these corners: a group of
turns and reflections carries each of them to each other, and the cells that it carries to one
another (an *orbit*) are drawn as one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from msgspec import Struct

from arena.core import Stream
from arena.games.hextrategic.settings import HexSettings
from arena.games.kit import Cell, around

TYPES = ("normal", "bronze", "silver", "gold")
NORMAL = 0
NEUTRAL = -1
"""The owner of a cell that belongs to no seat."""


@dataclass(frozen=True, slots=True)
class Board:
    """Cells by their number."""

    cells: tuple[Cell, ...]
    types: tuple[int, ...]
    """The type of each cell, as its place in TYPES."""
    neighbors: tuple[tuple[int, ...], ...]
    """The neighbours of each cell, ascending."""

    @property
    def radius(self) -> int:
        """That of the smallest board which has all these cells."""
        return max(max(abs(q), abs(r), abs(q + r)) for q, r in self.cells)


@dataclass(frozen=True, slots=True)
class Start:
    """A board and what stands on it before the first round."""

    board: Board
    owner: list[int]
    """A seat, or NEUTRAL, for each cell."""
    units: list[int]


class Symmetry(Struct, frozen=True):
    """A reflection, perhaps, and then some turns by 60°."""

    mirrored: bool
    turns: int

    def image(self, cell: Cell) -> Cell:
        """Where the cell is carried."""
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


def draw_start(settings: HexSettings, seats: int, stream: Stream) -> Start:
    """The board of a match for 2, 3, 4 or 6 seats."""
    radius = settings.radius or (4 if seats < 4 else 5)
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
