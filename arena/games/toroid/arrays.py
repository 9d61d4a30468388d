"""Toroid Wars as arrays: one row for each country."""

from __future__ import annotations

from array import array

from arena.core import ArrayLayout, GameArrays, Setup
from arena.games.kit import OwnedRows, owner_columns
from arena.games.toroid.settings import ToroidSettings

TOROID_WORDS = ("build", "No moves", "scout", "transfer")
SCOUTED, ACTS = 2, 3
"""Columns, counted from the neutral one."""


def layout(setup: Setup[ToroidSettings]) -> ArrayLayout:
    """The ring, its owners and units; which country acts."""
    settings, seats = setup.settings, setup.seats
    neutrals = 2 * seats if settings.neutrals is None else settings.neutrals
    ring = seats * settings.countries_per_player + neutrals
    columns = (*owner_columns(seats), "units", "scouted", "acts")
    return ArrayLayout(tuple(map(str, range(ring))), columns, ("round", "rounds"), TOROID_WORDS)


class ToroidEncoder:
    """Keeps the last map, the country that acts, and the units that the seat has scouted."""

    def __init__(self, setup: Setup[ToroidSettings], seat: int) -> None:
        self._seats, self._width = setup.seats, setup.seats + 4
        self._rows = OwnedRows(layout(setup).places, self._width, seat, setup.seats)
        self._rounds = setup.settings.normal_game_turn_per_player * setup.seats
        self._map, self._round, self._acts = "", 0, 0

    def hear(self, line: str) -> None:
        """Keep what later observations need."""
        match line.split(" ", 3):
            case ["update_map", *_]:
                self._map = line.partition(" ")[2]
            case ["round", number]:
                self._round = int(number)
            case ["go", "action", _, country]:
                self._mark(self._acts, ACTS, 0)
                self._acts = int(country)
                self._mark(self._acts, ACTS, 1)
            case ["result", _, "scout", found]:
                _, country, units = found.split()
                self._mark(int(country), SCOUTED, int(units))

    def _mark(self, country: int, column: int, number: int) -> None:
        self._rows.cells[country * self._width + self._seats + column] = number

    def cells(self) -> array[float]:
        """Owners and units as far as known."""
        self._rows.write(self._map)
        return self._rows.cells

    def scalars(self) -> list[float]:
        """How far the match is."""
        return [self._round, self._rounds]


ARRAYS = GameArrays(layout, ToroidEncoder)
