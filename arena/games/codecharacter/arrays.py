"""Code Character as arrays: one row for each tile, as the seat sees the map."""

from __future__ import annotations

from array import array

from arena.core import ArrayLayout, GameArrays, Setup, zeros
from arena.games.codecharacter.settings import CodecharacterSettings
from arena.games.codecharacter.world import NAMES

TILE_COLUMNS = (
    *("soldiers", "hp", "enemies", "enemy hp", "tower level", "tower hp"),
    *("enemy tower level", "enemy tower hp", "territory", "enemy territory"),
)
TILE_WIDTH = len(TILE_COLUMNS)
DEEDS = ("everyone", "soldiers", "walk", "exact", "build", "upgrade", "suicide")
LAND = {"m": (8,), "e": (9,), "b": (8, 9), ".": ()}


def layout(setup: Setup[CodecharacterSettings]) -> ArrayLayout:
    """The tiles, row by row. Soldiers have their ids; towers, whose ids are new, an order."""
    settings = setup.settings
    places = (f"{x},{y}" for y in range(settings.map_size) for x in range(settings.map_size))
    ids = range(2 * settings.num_soldiers)
    words = (*DEEDS, *(f"soldier {id}" for id in ids), *map(str, ids))
    scalars = ("round", "rounds", "money")
    return ArrayLayout(tuple(places), TILE_COLUMNS, scalars, words, others=1)


class CodecharacterEncoder:
    """Keeps the last map."""

    def __init__(self, setup: Setup[CodecharacterSettings], seat: int) -> None:
        self._size, self._tile = setup.settings.map_size, setup.settings.tile_size
        self._name = NAMES[seat]
        self._soldiers: list[str] = []
        self._towers: list[str] = []
        self._land = ""
        self._round, self._rounds, self._money = 0.0, setup.settings.num_turns, 0.0

    def hear(self, line: str) -> None:
        """Keep what later observations need."""
        match line.split(" ", 2):
            case ["round", number]:
                self._round = float(number)
            case ["settings", "money", money]:
                self._money = float(money)
            case ["update_map", "soldiers", rest]:
                self._soldiers = rest.split()
            case ["update_map", "towers", rest]:
                self._towers = rest.split()
            case ["update_map", "territory", rest]:
                self._land = rest.replace(" ", "")

    def cells(self) -> array[float]:
        """Soldiers that live, towers and land."""
        cells = zeros(self._size * self._size * TILE_WIDTH)
        for tile, who in enumerate(self._land):
            for column in LAND[who]:
                cells[tile * TILE_WIDTH + column] = 1
        for owner, x, y, hp, state in zip(
            *(self._soldiers[i::7] for i in range(1, 6)), strict=True
        ):
            at = self._tile_at(x, y) + (0 if owner == self._name else 2)
            if state != "dead":
                cells[at] += 1
                cells[at + 1] += float(hp)
        for owner, x, y, hp, level in zip(*(self._towers[i::7] for i in range(1, 6)), strict=True):
            at = self._tile_at(x, y) + (4 if owner == self._name else 6)
            cells[at], cells[at + 1] = float(level), float(hp)
        return cells

    def _tile_at(self, x: str, y: str) -> int:
        across, down = (min(int(float(at)) // self._tile, self._size - 1) for at in (x, y))
        return (down * self._size + across) * TILE_WIDTH

    def scalars(self) -> list[float]:
        """How far the match is, and the money."""
        return [self._round, self._rounds, self._money]


ARRAYS = GameArrays(layout, CodecharacterEncoder)
