"""Warlight as arrays: one row for each region."""

from __future__ import annotations

from array import array

from arena.core import ArrayLayout, GameArrays, Setup, zeros
from arena.games.kit import OwnedRows, owner_columns
from arena.games.warlight.board import load_board
from arena.games.warlight.generator import SIZES
from arena.games.warlight.settings import WarlightSettings
from arena.games.warlight.words import ATTACK, PICK, PLACE

REGION_COLUMNS = (*owner_columns(2), "armies", "bonus", "size", "wasteland", "pickable")
WARLIGHT_SCALARS = ("picking", "placing", "attacking", "round", "rounds", "income")
REQUEST_KINDS = {PICK: 0, PLACE: 1, ATTACK: 2}
REGION_WIDTH = len(REGION_COLUMNS)


def layout(setup: Setup[WarlightSettings]) -> ArrayLayout:
    """As many rows as a generated map can have regions, or those of the map file."""
    if setup.map is not None:
        count = len(load_board(setup.map).regions)
    else:
        count = setup.settings.max_supers * max(cells for _, cells in SIZES)
    return ArrayLayout(tuple(map(str, range(1, count + 1))), REGION_COLUMNS, WARLIGHT_SCALARS)


class WarlightEncoder:
    """Keeps the board, and the last map. The bonus and size of a row are those of its super
    region."""

    def __init__(self, setup: Setup[WarlightSettings], seat: int) -> None:
        self._rows = OwnedRows(layout(setup).places, REGION_WIDTH, seat, 2)
        self._cells = self._rows.cells
        self._bonus: dict[str, int] = {}
        self._map, self._request = "", 0
        self._round, self._rounds, self._income = 0, 0, 0

    def hear(self, line: str) -> None:
        """Keep what later observations need."""
        head, _, rest = line.partition(" ")
        if head == "update_map":
            self._map, self._round = rest, self._round + 1
            return
        words = rest.split()
        if head in ("go", PICK):
            self._request = REQUEST_KINDS[head if head == PICK else f"go {words[0]}"]
            self._mark(7, words[1:] if head == PICK else ())
        elif line.startswith("settings starting_armies"):
            self._income = int(words[1])
        elif line.startswith("settings max_rounds"):
            self._rounds = int(words[1])
        elif line.startswith("setup_map"):
            self._hear_board(*words)

    def _hear_board(self, what: str, *words: str) -> None:
        if what == "super_regions":
            self._bonus = dict(zip(words[::2], map(int, words[1::2]), strict=True))
        elif what == "regions":
            for region, zone in zip(map(int, words[::2]), words[1::2], strict=True):
                row = (region - 1) * REGION_WIDTH
                self._cells[row + 4] = self._bonus[zone]
                self._cells[row + 5] = words[1::2].count(zone)
        elif what == "wastelands":
            self._mark(6, words)

    def _mark(self, column: int, regions: tuple[str, ...] | list[str]) -> None:
        self._cells[column::REGION_WIDTH] = zeros(len(self._cells) // REGION_WIDTH)
        for region in regions:
            self._cells[(int(region) - 1) * REGION_WIDTH + column] = 1

    def cells(self) -> array[float]:
        """The board, and what is in sight."""
        self._rows.write(self._map)
        return self._cells

    def scalars(self) -> list[float]:
        """What is asked, how far the match is, and the armies to place."""
        asked = [float(self._request == i) for i in range(3)]
        return [*asked, self._round, self._rounds, self._income]


ARRAYS = GameArrays(layout, WarlightEncoder)
