"""Code Character as typed state. `play` reads the lines of the protocol and asks your bot.

You see your own base in the upper left, whichever player you are. You need not change this file.
Lines that it does not know are ignored: a later arena may send more.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import Protocol


@dataclass
class Soldier:
    """A soldier at `x`, `y`, in units from the upper left corner."""

    id: int
    owner: str
    x: float
    y: float
    hp: int
    state: str
    """idle, move, pursuit, attack or dead."""
    immune: bool

    @property
    def alive(self) -> bool:
        """Whether it can be ordered and attacked."""
        return self.state != "dead"

    def distance2(self, other: Soldier | Tower) -> float:
        """The square of the distance: enough to find what is nearest."""
        return (self.x - other.x) ** 2 + (self.y - other.y) ** 2


@dataclass
class Tower:
    """A tower whose middle is at `x`, `y`. The base is one, and cannot be attacked."""

    id: int
    owner: str
    x: float
    y: float
    hp: int
    level: int
    base: bool


@dataclass
class Game:
    """Everything that your bot was told so far."""

    settings: dict[str, str] = field(default_factory=dict)
    """Every setting by its name, as it came: ``settings["num_turns"]``."""
    me: str = "player1"
    round: int = 0
    """The turn, from 1."""
    time_bank: int = 0
    """Your time bank for this request, in milliseconds."""
    money: int = 0
    tile_size: int = 50
    tower_costs: list[int] = field(default_factory=list)
    """What a tower costs, and each further level."""
    max_towers: int = 15
    max_level: int = 3
    soldiers: dict[int, Soldier] = field(default_factory=dict)
    """All soldiers by their number, your own first."""
    towers: dict[int, Tower] = field(default_factory=dict)
    territory: list[str] = field(default_factory=list)
    """A text for each row, from above: ``.`` no player's tile, ``m`` yours, ``e`` the enemy's,
    ``b`` of both."""
    refused: list[tuple[int, str]] = field(default_factory=list)
    """Of your last answer: the orders that did not count, by number from 1, and why."""
    rank: int = 0
    """Your rank, once the match is over."""

    def my_soldiers(self) -> list[Soldier]:
        """Your living soldiers."""
        return [one for one in self.soldiers.values() if one.owner == self.me and one.alive]

    def enemies(self) -> list[Soldier]:
        """The enemy's living soldiers."""
        return [one for one in self.soldiers.values() if one.owner != self.me and one.alive]

    def my_towers(self) -> list[Tower]:
        """Your towers, the base among them."""
        return [one for one in self.towers.values() if one.owner == self.me]

    def free_tiles(self) -> list[tuple[int, int]]:
        """The tiles on which you may build, row by row: yours alone, without a tower."""
        taken = {self.tile(tower.x, tower.y) for tower in self.my_towers()}
        return [
            (x, y)
            for y, row in enumerate(self.territory)
            for x, mark in enumerate(row)
            if mark == "m" and (x, y) not in taken
        ]

    def tile(self, x: float, y: float) -> tuple[int, int]:
        """The tile that has this place."""
        return int(x // self.tile_size), int(y // self.tile_size)


class Orders:
    """The orders of one turn."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def move(self, soldier: Soldier, x: float, y: float) -> None:
        """Walk to a place."""
        self._lines.append(f"move {soldier.id} {_decimal(x)} {_decimal(y)}")

    def attack(self, soldier: Soldier, target: Soldier | Tower) -> None:
        """Follow an enemy and attack it, also in the turns to come."""
        self._lines.append(f"attack {soldier.id} {target.id}")

    def build(self, x: int, y: int) -> None:
        """A new tower on a tile."""
        self._lines.append(f"build {x} {y}")

    def upgrade(self, tower: Tower) -> None:
        """The next level of a tower."""
        self._lines.append(f"upgrade {tower.id}")

    def suicide(self, tower: Tower) -> None:
        """Give a tower up, for a part of its price."""
        self._lines.append(f"suicide {tower.id}")

    def text(self) -> str:
        """The line to send."""
        return ", ".join(self._lines) or "No moves"


class Bot(Protocol):
    """What your bot answers."""

    def update(self, game: Game, orders: Orders) -> None:
        """Give the orders of this turn. Soldiers without a new order go on with their old one."""


def play(bot: Bot) -> None:
    """Play one match, until the input ends."""
    game = Game()
    for line in sys.stdin:
        match line.split():
            case ["go", "action", time]:
                game.time_bank = int(time)
                orders = Orders()
                bot.update(game, orders)
                game.refused = []
                print(orders.text(), flush=True)
            case words:
                _hear(game, words)


def _hear(game: Game, words: list[str]) -> None:
    match words:
        case ["settings", key, *values]:
            _set(game, key, values)
        case ["round", number]:
            game.round = int(number)
        case ["update_map", "soldiers", *words]:
            game.soldiers = {}
            for id, owner, x, y, hp, state, immune in _sevens(words):
                soldier = Soldier(int(id), owner, float(x), float(y), int(hp), state, immune == "1")
                game.soldiers[soldier.id] = soldier
        case ["update_map", "towers", *words]:
            game.towers = {}
            for id, owner, x, y, hp, level, base in _sevens(words):
                tower = Tower(int(id), owner, float(x), float(y), int(hp), int(level), base == "1")
                game.towers[tower.id] = tower
        case ["update_map", "territory", *rows]:
            game.territory = rows
        case ["result", number, "illegal", why]:
            game.refused.append((int(number), why))
        case ["game_over", rank, _points]:
            game.rank = int(rank)


def _set(game: Game, key: str, values: list[str]) -> None:
    game.settings[key] = " ".join(values)
    if key == "your_bot":
        game.me = values[0]
    elif key == "tower_costs":
        game.tower_costs = list(map(int, values))
    elif key in ("money", "tile_size", "max_towers", "max_level"):
        setattr(game, key, int(values[0]))


def _decimal(number: float) -> str:
    """At most three places, as the arena wants it."""
    return f"{number:.3f}".rstrip("0").rstrip(".")


def _sevens(words: list[str]) -> list[list[str]]:
    return [words[i : i + 7] for i in range(0, len(words), 7)]
