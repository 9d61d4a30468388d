"""Hextrategic as arrays: one row for each cell."""

from __future__ import annotations

from array import array

from arena.core import ArrayLayout, GameArrays, Setup
from arena.games.hextrategic.board import TYPES, load_start, usual_radius
from arena.games.hextrategic.settings import HexSettings
from arena.games.kit import OwnedRows, owner_columns

HEX_WORDS = ("auto", "stop")


def layout(setup: Setup[HexSettings]) -> ArrayLayout:
    """The cells, their owners, units and types, and where they lie."""
    columns = (*owner_columns(setup.seats), "units", *TYPES, "q", "r")
    places = tuple(map(str, range(_count(setup))))
    return ArrayLayout(places, columns, ("round", "rounds"), HEX_WORDS)


def _count(setup: Setup[HexSettings]) -> int:
    if setup.map is not None:
        return len(load_start(setup.map, setup.seats).board.cells)
    radius = setup.settings.radius or usual_radius(setup.seats)
    return 3 * radius * (radius + 1) + 1


class HexEncoder:
    """Keeps the board, and the last map. Coordinates are counted from the lowest."""

    def __init__(self, setup: Setup[HexSettings], seat: int) -> None:
        self._seats, self._width = setup.seats, setup.seats + 4 + len(TYPES)
        self._rows = OwnedRows(layout(setup).places, self._width, seat, setup.seats)
        self._map, self._round, self._rounds = "", 0, setup.settings.max_rounds

    def hear(self, line: str) -> None:
        """Keep what later observations need."""
        head, _, rest = line.partition(" ")
        if head == "update_map":
            self._map = rest
        elif head == "round":
            self._round = int(rest)
        elif line.startswith("setup_map cells"):
            self._hear_cells(rest.split()[1:])

    def _hear_cells(self, words: list[str]) -> None:
        types, places, cells = self._seats + 2, self._width - 2, self._rows.cells
        low = [min(map(int, words[axis::4])) for axis in (1, 2)]
        for cell, q, r, kind in zip(*(words[i::4] for i in range(4)), strict=True):
            row = int(cell) * self._width
            cells[row + types + TYPES.index(kind)] = 1
            cells[row + places] = int(q) - low[0]
            cells[row + places + 1] = int(r) - low[1]

    def cells(self) -> array[float]:
        """The board, owners and units: nothing is hidden but the auto-moves of others."""
        self._rows.write(self._map)
        return self._rows.cells

    def scalars(self) -> list[float]:
        """How far the match is."""
        return [self._round, self._rounds]


ARRAYS = GameArrays(layout, HexEncoder)
