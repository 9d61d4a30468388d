"""Toroid Wars as arrays: one row for each country."""

from __future__ import annotations

from arena.core import ArrayLayout, GameArrays, Setup
from arena.games.kit import OwnerColumns, owned, owner_columns
from arena.games.toroid.settings import ToroidSettings

TOROID_WORDS = ("build", "No moves", "scout", "transfer")


def layout(setup: Setup[ToroidSettings]) -> ArrayLayout:
    """The ring, its owners and units; which country acts."""
    settings, seats = setup.settings, setup.seats
    neutrals = 2 * seats if settings.neutrals is None else settings.neutrals
    ring = range(seats * settings.countries_per_player + neutrals)
    columns = (*owner_columns(seats), "units", "scouted", "acts")
    return ArrayLayout(tuple(map(str, ring)), columns, ("round", "rounds"), TOROID_WORDS)


class ToroidEncoder:
    """Keeps the last map, and the units that the seat has scouted."""

    def __init__(self, setup: Setup[ToroidSettings], seat: int) -> None:
        self._seats, self._columns = setup.seats, setup.seats + 4
        self._owners = OwnerColumns(seat, setup.seats)
        self._rounds = setup.settings.normal_game_turn_per_player * setup.seats
        self._map, self._round, self._acts = "", 0, -1
        self._scouted: dict[int, int] = {}

    def hear(self, line: str) -> None:
        """Keep what later observations need."""
        match line.split(" ", 3):
            case ["update_map", *_]:
                self._map = line.partition(" ")[2]
            case ["round", number]:
                self._round = int(number)
            case ["go", "action", _, country]:
                self._acts = int(country)
            case ["result", _, "scout", found]:
                _, country, units = found.split()
                self._scouted[int(country)] = int(units)

    def cells(self) -> dict[int, float]:
        """Owners and units as far as known."""
        columns, seats, owners = self._columns, self._seats, self._owners
        cells = dict[int, float]()
        for country, owner, units in owned(self._map):
            cells[country * columns + owners[owner]] = 1
            if units > 0:
                cells[country * columns + seats + 1] = units
        for country, units in self._scouted.items():
            cells[country * columns + seats + 2] = units
        if self._acts >= 0:
            cells[self._acts * columns + seats + 3] = 1
        return cells

    def scalars(self) -> list[float]:
        """How far the match is."""
        return [self._round, self._rounds]


ARRAYS = GameArrays(layout, ToroidEncoder)
