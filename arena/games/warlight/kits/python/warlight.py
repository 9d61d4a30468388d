"""Warlight as typed state. `play` reads the lines of the protocol and asks your bot.

You need not change this file. Lines that it does not know are ignored: a later arena may send more.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

NEUTRAL = "neutral"


@dataclass
class SuperRegion:
    """Regions that earn `bonus` armies a round for the player that has all of them."""

    id: int
    bonus: int
    regions: list[Region] = field(default_factory=list)


@dataclass
class Region:
    """A region of the map. `owner` and `armies` are as you last saw them; "" means never seen."""

    id: int
    super_region: SuperRegion
    neighbours: list[Region] = field(default_factory=list)
    wasteland: bool = False
    owner: str = ""
    armies: int = 0
    visible: bool = False


class Placement(NamedTuple):
    """New armies for a region of yours."""

    region: Region
    armies: int


class Move(NamedTuple):
    """Armies that attack a neighbour, or join it when it is yours. One army stays at home."""

    source: Region
    target: Region
    armies: int


@dataclass
class Game:
    """Everything that your bot was told so far."""

    settings: dict[str, str] = field(default_factory=dict)
    """Every setting by its name, as it came: ``settings["max_rounds"]``."""
    me: str = "player1"
    opponent: str = "player2"
    new_armies: int = 5
    """The armies that you may place in this round."""
    round: int = 0
    """From 1; 0 while regions are picked."""
    time_bank: int = 0
    """Your time bank for this request, in milliseconds."""
    super_regions: dict[int, SuperRegion] = field(default_factory=dict)
    regions: dict[int, Region] = field(default_factory=dict)
    opponent_picks: list[Region] = field(default_factory=list)
    opponent_placed: list[Placement] = field(default_factory=list)
    """What you saw of the opponent's last round."""
    opponent_moved: list[Move] = field(default_factory=list)

    def mine(self) -> list[Region]:
        """Your regions."""
        return [region for region in self.regions.values() if region.owner == self.me]

    def foreign(self, region: Region) -> list[Region]:
        """The neighbours of `region` that are not yours."""
        return [other for other in region.neighbours if other.owner != self.me]


class Bot(Protocol):
    """What your bot answers."""

    def pick(self, game: Game, choices: list[Region]) -> Region:
        """A region to start from."""

    def place(self, game: Game) -> list[Placement]:
        """Where the new armies go, `game.new_armies` in all."""

    def move(self, game: Game) -> list[Move]:
        """Attacks and transfers, in the order in which they are to happen."""


def play(bot: Bot) -> None:
    """Play one match, until the input ends."""
    game = Game()
    for line in sys.stdin:
        match line.split():
            case ["pick_starting_region", time, *ids]:
                game.time_bank = int(time)
                print(bot.pick(game, [game.regions[int(id)] for id in ids]).id, flush=True)
            case ["go", "place_armies", time]:
                game.time_bank = int(time)
                placed = bot.place(game)
                for region, armies in placed:  # your move will find them there
                    region.armies += armies
                _answer(f"{game.me} place_armies {one.region.id} {one.armies}" for one in placed)
            case ["go", "attack/transfer", time]:
                game.time_bank = int(time)
                _answer(
                    f"{game.me} attack/transfer {one.source.id} {one.target.id} {one.armies}"
                    for one in bot.move(game)
                )
            case words:
                _hear(game, words)


def _answer(orders: Iterable[str]) -> None:
    print(", ".join(orders) or "No moves", flush=True)


def _hear(game: Game, words: list[str]) -> None:
    match words:
        case ["settings", key, *values]:
            _set(game, key, " ".join(values))
        case ["setup_map", "super_regions", *pairs]:
            for id, bonus in _tuples(pairs, 2):
                game.super_regions[int(id)] = SuperRegion(int(id), int(bonus))
        case ["setup_map", "regions", *pairs]:
            for id, home in _tuples(pairs, 2):
                region = Region(int(id), game.super_regions[int(home)])
                game.regions[int(id)] = region
                region.super_region.regions.append(region)
        case ["setup_map", "neighbors", *pairs]:  # each link once: add it on both sides
            for id, others in _tuples(pairs, 2):
                for other in others.split(","):
                    game.regions[int(id)].neighbours.append(game.regions[int(other)])
                    game.regions[int(other)].neighbours.append(game.regions[int(id)])
        case ["setup_map", "wastelands", *ids]:
            for id in ids:
                game.regions[int(id)].wasteland = True
        case ["setup_map", "opponent_starting_regions", *ids]:
            game.opponent_picks = [game.regions[int(id)] for id in ids]
        case ["update_map", *triples]:
            _see(game, triples)
        case ["opponent_moves", *moves]:
            _remember(game, moves)


def _set(game: Game, key: str, value: str) -> None:
    game.settings[key] = value
    if key == "your_bot":
        game.me = value
    elif key == "opponent_bot":
        game.opponent = value
    elif key == "starting_armies":  # the first line of a round
        game.new_armies = int(value)
        game.round += 1


def _see(game: Game, triples: list[str]) -> None:
    for region in game.regions.values():
        region.visible = False
        if region.owner == game.me:
            region.owner = game.opponent  # unless it is told now, it was lost
    for id, owner, armies in _tuples(triples, 3):
        region = game.regions[int(id)]
        region.owner, region.armies, region.visible = owner, int(armies), True


def _remember(game: Game, words: list[str]) -> None:
    game.opponent_placed, game.opponent_moved = [], []
    rest = iter(words)
    for _name in rest:
        kind, region, other = next(rest), game.regions[int(next(rest))], next(rest)
        if kind == "place_armies":
            game.opponent_placed.append(Placement(region, int(other)))
        else:
            target = game.regions[int(other)]
            game.opponent_moved.append(Move(region, target, int(next(rest))))


def _tuples(words: list[str], size: int) -> list[list[str]]:
    return [words[i : i + size] for i in range(0, len(words), size)]
