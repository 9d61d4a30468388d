"""Hextrategic as typed state. `play` reads the lines of the protocol and asks your bot.

You need not change this file. Lines that it does not know are ignored: a later arena may send more.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

NEUTRAL = "neutral"
KINDS = ("normal", "bronze", "silver", "gold")


@dataclass
class Cell:
    """A hexagon of the board, at `q` and `r`. Nothing is hidden: `owner` and `units` are exact."""

    id: int
    q: int
    r: int
    kind: str
    """normal, bronze, silver or gold."""
    neighbours: list[Cell] = field(default_factory=list)
    owner: str = NEUTRAL
    units: int = 0
    auto: Cell | None = None
    """Where your standing order sends all units of this cell."""


class Move(NamedTuple):
    """What another player's units did in the last round."""

    player: str
    source: Cell
    target: Cell
    units: int


@dataclass
class Game:
    """Everything that your bot was told so far."""

    settings: dict[str, str] = field(default_factory=dict)
    """Every setting by its name, as it came: ``settings["max_rounds"]``."""
    me: str = "player1"
    players: list[str] = field(default_factory=list)
    income: dict[str, int] = field(default_factory=dict)
    """The units that a cell earns in a round, by its kind."""
    round: int = 0
    """From 1."""
    time_bank: int = 0
    """Your time bank for this request, in milliseconds."""
    cells: list[Cell] = field(default_factory=list)
    """All cells, by their number."""
    opponent_moves: list[Move] = field(default_factory=list)
    dropped: list[tuple[int, str]] = field(default_factory=list)
    """Of your last answer: the orders that were dropped, by number from 1, and why."""
    rank: int = 0
    """Your position, once the match is over for you."""

    def mine(self) -> list[Cell]:
        """Your cells, ascending."""
        return [cell for cell in self.cells if cell.owner == self.me]

    def foreign(self, cell: Cell) -> list[Cell]:
        """The neighbours of `cell` that are not yours."""
        return [other for other in cell.neighbours if other.owner != self.me]


class Orders:
    """The orders of one round, in the order in which you give them."""

    def __init__(self) -> None:
        self._lines: list[str] = []

    def move(self, source: Cell, target: Cell, units: int) -> None:
        """Send units to a neighbour, in this round."""
        self._lines.append(f"move {source.id} {target.id} {units}")

    def auto(self, source: Cell, target: Cell) -> None:
        """From now on, send what is left in `source` to a neighbour in every round."""
        source.auto = target
        self._lines.append(f"auto {source.id} {target.id}")

    def stop(self, source: Cell) -> None:
        """End the standing order of `source`."""
        source.auto = None
        self._lines.append(f"stop {source.id}")

    def surrender(self) -> None:
        """Leave the match."""
        self._lines.append("surrender")

    def text(self) -> str:
        """The line to send."""
        return ", ".join(self._lines) or "No moves"


class Bot(Protocol):
    """What your bot answers."""

    def act(self, game: Game, orders: Orders) -> None:
        """Give the orders of this round."""


def play(bot: Bot) -> None:
    """Play one match, until the input ends."""
    game = Game()
    for line in sys.stdin:
        match line.split():
            case ["go", "action", time]:
                game.time_bank = int(time)
                orders = Orders()
                bot.act(game, orders)
                game.dropped = []
                print(orders.text(), flush=True)
            case words:
                _hear(game, words)


def _hear(game: Game, words: list[str]) -> None:
    match words:
        case ["settings", key, *values]:
            _set(game, key, values)
        case ["setup_map", "cells", *words]:
            for id, q, r, kind in _tuples(words, 4):
                game.cells.append(Cell(int(id), int(q), int(r), kind))
        case ["setup_map", "neighbors", *pairs]:  # each link once: add it on both sides
            for id, others in _tuples(pairs, 2):
                for other in others.split(","):
                    game.cells[int(id)].neighbours.append(game.cells[int(other)])
                    game.cells[int(other)].neighbours.append(game.cells[int(id)])
        case ["round", number]:
            game.round = int(number)
        case ["update_map", *triples]:
            for id, owner, units in _tuples(triples, 3):
                _see(game, game.cells[int(id)], owner, int(units))
        case ["opponent_moves", *moves]:
            game.opponent_moves = [
                Move(player, game.cells[int(source)], game.cells[int(target)], int(units))
                for player, _, source, target, units in _tuples(moves, 5)
            ]
        case ["result", number, "illegal", why]:
            game.dropped.append((int(number), why))
        case ["game_over", rank, _points]:
            game.rank = int(rank)


def _set(game: Game, key: str, values: list[str]) -> None:
    game.settings[key] = " ".join(values)
    if key == "your_bot":
        game.me = values[0]
    elif key == "players":
        game.players = values
    elif key == "income":
        game.income = dict(zip(KINDS, map(int, values), strict=True))


def _see(game: Game, cell: Cell, owner: str, units: int) -> None:
    cell.owner, cell.units = owner, units
    if owner != game.me:
        cell.auto = None  # a standing order ends with the loss of its cell


def _tuples(words: list[str], size: int) -> list[list[str]]:
    return [words[i : i + size] for i in range(0, len(words), size)]
