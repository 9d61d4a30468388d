"""The complete state of a match.

Seats are 0 and 1, as everywhere in the arena; bots know them as player1 and player2.
Everything here is as player1 sees it; `words` mirrors it for player2.

Positions are whole thousandths of a unit, x to the right and y downward from the top left corner.
Integers make the game exactly symmetric, and the same on every machine.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.core import Setup
from arena.games.codecharacter.settings import MAX_MONEY, CodecharacterSettings
from arena.games.kit import player_names

SEATS = (0, 1)
NAMES = player_names(2)
UNIT = 1000
"""Steps of a position per unit: positions are in thousandths."""
State: TypeAlias = Literal["idle", "move", "pursuit", "attack", "dead"]
"""The action of a soldier in the last turn."""


class Soldier(Struct):
    """One soldier. At most one of `destination` and `target` is set: its order."""

    id: int
    seat: int
    x: int
    y: int
    hp: int
    state: State = "idle"
    destination: tuple[int, int] | None = None
    target: int | None = None
    """The id of a soldier or a tower."""
    immune: int = 0
    """Remaining turns of immunity."""
    dead: int = 0
    """For a dead soldier: turns until it returns."""


class Tower(Struct):
    """One tower; `x` and `y` are the centre of its tile."""

    id: int
    seat: int
    tile: tuple[int, int]
    x: int
    y: int
    hp: int
    level: int = 1
    base: bool = False


@dataclass(slots=True, eq=False)
class CodecharacterWorld:
    """The state of one match at one moment. Call `survey` after any change of towers."""

    settings: CodecharacterSettings
    soldiers: list[Soldier]
    """Soldiers by id: first those of player1."""
    towers: dict[int, Tower]
    """Towers by id, ascending."""
    money: list[int]
    next_id: int
    """The id of the next tower."""
    round: int = 0
    """The current or next turn; 0 before the first line."""
    territory: list[int] = field(default_factory=list)
    """For each seat, the tiles that it controls as bits: bit y × map_size + x."""
    edge: int = field(init=False)
    """The largest coordinate."""

    def __post_init__(self) -> None:
        self.edge = self.settings.map_size * self.settings.tile_size * UNIT

    def add_tower(self, seat: int, tile: tuple[int, int], base: bool = False) -> Tower:
        """Put a tower of level 1 on a tile."""
        settings = self.settings
        x, y = (middle(i, settings.tile_size) for i in tile)
        tower = Tower(
            id=self.next_id, seat=seat, tile=tile, x=x, y=y, hp=settings.tower_hp[0], base=base
        )
        self.towers[tower.id] = tower
        self.next_id += 1
        return tower

    def base(self, seat: int) -> Tower:
        """The base of a seat, which is indestructible."""
        return self.towers[len(self.soldiers) + seat]

    def earn(self, seat: int, amount: int) -> None:
        """Add to the money of a seat, up to the maximum."""
        self.money[seat] = min(self.money[seat] + amount, MAX_MONEY)

    def survey(self) -> None:
        """Update the territory: a tower of range r controls its tile and r tiles to each side."""
        size, ranges = self.settings.map_size, self.settings.tower_ranges
        self.territory = [0, 0]
        for tower in self.towers.values():
            self.territory[tower.seat] |= square(tower.tile, ranges[tower.level - 1], size)

    def controls(self, seat: int, x: int, y: int) -> bool:
        """Whether the seat controls a tile (the other seat may, too)."""
        return bool(self.territory[seat] >> (y * self.settings.map_size + x) & 1)

    def tiles(self) -> list[int]:
        """The number of tiles that each seat controls."""
        return [tiles.bit_count() for tiles in self.territory]

    def copy(self) -> CodecharacterWorld:
        """An independent copy of the world."""
        twin = copy.copy(self)
        twin.soldiers = [copy.copy(soldier) for soldier in self.soldiers]
        twin.towers = {id: copy.copy(tower) for id, tower in self.towers.items()}
        twin.money, twin.territory = self.money[:], self.territory[:]
        return twin


def middle(tile: int, tile_size: int) -> int:
    """The coordinate of the centre of a row or column of tiles."""
    return (2 * tile + 1) * tile_size * UNIT // 2


@lru_cache(maxsize=4096)
def square(tile: tuple[int, int], reach: int, size: int) -> int:
    """The tiles at most `reach` away in x and in y, as bits, clipped to the map."""
    (left, right), (top, bottom) = ((max(i - reach, 0), min(i + reach, size - 1)) for i in tile)
    row = (1 << right + 1) - (1 << left)
    return sum(row << y * size for y in range(top, bottom + 1))


def new_world(setup: Setup[CodecharacterSettings]) -> CodecharacterWorld:
    """A match before its first line."""
    settings = setup.settings
    count = settings.num_soldiers
    world = CodecharacterWorld(settings, [], {}, [settings.money_start] * 2, next_id=2 * count)
    bases = settings.base_tiles[:2], settings.base_tiles[2:]
    for seat in SEATS:
        base = world.add_tower(seat, bases[seat], base=True)
        ids = range(seat * count, (seat + 1) * count)
        world.soldiers += [
            Soldier(id=id, seat=seat, x=base.x, y=base.y, hp=settings.soldier_hp) for id in ids
        ]
    world.survey()
    return world
