"""TNCC as arrays: one row for each country."""

from __future__ import annotations

from array import array

from arena.core import ArrayLayout, GameArrays, Setup, zeros
from arena.games.kit import player_names
from arena.games.tncc.settings import TnccSettings
from arena.games.tncc.words import ACTION, TRADE, WAR
from arena.games.tncc.world import RESOURCES

TNCC_WORDS = ("wait", "recruit", "home", "trade", "war", "yes", "no", *RESOURCES)
COUNTRY_COLUMNS = ("own", "asks", *RESOURCES, "alive")
OFFERED = tuple(f"{side} {one}" for side in ("given", "wanted") for one in RESOURCES)
TNCC_SCALARS = ("acting", "trading", "defending", *OFFERED, "soldiers", "round", "rounds")
COUNTRY_WIDTH = len(COUNTRY_COLUMNS)
TOLD_WORDS = 7
"""Words of a country in a map: its name, its resources, its state."""


def layout(setup: Setup[TnccSettings]) -> ArrayLayout:
    """Countries by their names, with their resources; what is offered by whom."""
    return ArrayLayout(player_names(setup.seats), COUNTRY_COLUMNS, TNCC_SCALARS, TNCC_WORDS)


class TnccEncoder:
    """Keeps the last map and the request."""

    def __init__(self, setup: Setup[TnccSettings], seat: int) -> None:
        self._names = player_names(setup.seats)
        self._cells = zeros(len(self._names) * COUNTRY_WIDTH)
        self._cells[seat * COUNTRY_WIDTH] = 1
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
        cells, words = self._cells, self._map.replace("alive", "1").replace("dead", "0").split()
        names, width = words[::TOLD_WORDS], TOLD_WORDS - 1
        del words[::TOLD_WORDS]
        told = array("f", [float(word) for word in words])
        for row, name in enumerate(names):
            at = row * COUNTRY_WIDTH + 1
            cells[at] = name in self._terms[:1]
            cells[at + 1 : at + 1 + width] = told[row * width : (row + 1) * width]
        return cells

    def scalars(self) -> list[float]:
        """What is asked, the terms of a trade, attacking soldiers, how far the match is."""
        offered, soldiers, asked = [0.0] * len(OFFERED), 0.0, self._asked
        if asked == TRADE:
            _, give, amount, take, price = self._terms
            offered[OFFERED.index(f"given {give}")] = float(amount)
            offered[OFFERED.index(f"wanted {take}")] = float(price)
        elif asked == WAR:
            soldiers = float(self._terms[1])
        kind = asked == ACTION, asked == TRADE, asked == WAR
        return [*kind, *offered, soldiers, self._round, self._rounds]


ARRAYS = GameArrays(layout, TnccEncoder)
