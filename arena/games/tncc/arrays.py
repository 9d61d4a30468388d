"""TNCC as arrays: one row for each country."""

from __future__ import annotations

from array import array

from arena.core import ArrayLayout, GameArrays, Setup, zeros
from arena.games.kit import player_names
from arena.games.tncc.settings import TnccSettings
from arena.games.tncc.words import ACTION, TRADE, WAR
from arena.games.tncc.world import RESOURCES

TNCC_WORDS = ("wait", "recruit", "home", "trade", "war", "yes", "no", *RESOURCES)
COUNTRY_COLUMNS = ("own", "asks", "alive", *RESOURCES)
TNCC_REQUESTS = (ACTION, TRADE, WAR)
OFFERED = tuple(f"{side} {one}" for side in ("given", "wanted") for one in RESOURCES)
TNCC_SCALARS = ("acting", "trading", "defending", *OFFERED, "soldiers", "round", "rounds")
COUNTRY_WIDTH = len(COUNTRY_COLUMNS)


def layout(setup: Setup[TnccSettings]) -> ArrayLayout:
    """Countries by their names, with their resources; what is offered by whom."""
    return ArrayLayout(player_names(setup.seats), COUNTRY_COLUMNS, TNCC_SCALARS, TNCC_WORDS)


class TnccEncoder:
    """Keeps the last map and the request."""

    def __init__(self, setup: Setup[TnccSettings], seat: int) -> None:
        self._seat, self._names = seat, player_names(setup.seats)
        self._map = ""
        self._asked, self._terms = "", list[str]()
        self._round, self._rounds = 0, setup.settings.max_cycles

    def hear(self, line: str) -> None:
        """Keep what later observations need."""
        head, _, rest = line.partition(" ")
        if head == "update_map":
            self._map = rest
        elif head == "round":
            self._round = int(rest)
        elif head == "go":
            what, _, *self._terms = rest.split()
            self._asked = f"go {what}"

    def cells(self) -> array[float]:
        """The countries, and who asks for a trade or attacks."""
        cells, words = zeros(len(self._names) * COUNTRY_WIDTH), self._map.split()
        cells[self._seat * COUNTRY_WIDTH] = 1
        for row, start in enumerate(range(0, len(words), 7)):
            at = row * COUNTRY_WIDTH + 2
            cells[at] = words[start + 6] == "alive"
            cells[at + 1 : at + 6] = array("f", map(float, words[start + 1 : start + 6]))
        if self._terms:
            cells[self._names.index(self._terms[0]) * COUNTRY_WIDTH + 1] = 1
        return cells

    def scalars(self) -> list[float]:
        """What is asked, the terms of a trade, attacking soldiers, how far the match is."""
        offered, soldiers = dict.fromkeys(OFFERED, 0.0), 0.0
        if self._asked == TRADE:
            _, give, amount, take, price = self._terms
            offered[f"given {give}"], offered[f"wanted {take}"] = float(amount), float(price)
        elif self._asked == WAR:
            soldiers = float(self._terms[1])
        asked = [float(self._asked == one) for one in TNCC_REQUESTS]
        return [*asked, *offered.values(), soldiers, self._round, self._rounds]


ARRAYS = GameArrays(layout, TnccEncoder)
