"""Toroid Wars as typed state. `play` reads the lines of the protocol and asks your bot.

You need not change this file. Lines that it does not know are ignored: a later arena may send more.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

UNKNOWN = -1
"""The units of a country that you do not see."""


@dataclass
class Country:
    """A country of the ring. `owner` and `units` are as last told; "" means never told."""

    id: int
    owner: str = ""
    units: int = UNKNOWN
    visible: bool = False


class Deed(NamedTuple):
    """What an opponent did to one of your countries: `kind` is attack or transfer."""

    player: str
    kind: str
    source: Country
    target: Country
    units: int
    outcome: str
    """Of an attack: conquer, victory or defeat."""


@dataclass
class Game:
    """Everything that your bot was told so far."""

    settings: dict[str, str] = field(default_factory=dict)
    """Every setting by its name, as it came: ``settings["visibility"]``."""
    me: str = "player1"
    players: list[str] = field(default_factory=list)
    turn_order: list[str] = field(default_factory=list)
    max_game_turns: int = 40
    max_attack_units: int = 10
    max_transfer_units: int = 10
    max_resident_units: int = 20
    round: int = 0
    """The game turn, from 1."""
    time_bank: int = 0
    """Your time bank for this request, in milliseconds."""
    ring: list[Country] = field(default_factory=list)
    """All countries, by their number; the last and the first are neighbours."""
    opponents_did: list[Deed] = field(default_factory=list)
    """What was done to your countries since your last turn."""
    result: list[str] = field(default_factory=list)
    """The words of the last answer's result: ``["2", "illegal", "few_units"]``."""
    rank: int = 0
    """Your rank, once the match is over."""

    def left(self, country: Country) -> Country:
        """The neighbour with the next lower number."""
        return self.ring[country.id - 1]

    def right(self, country: Country) -> Country:
        """The neighbour with the next higher number."""
        return self.ring[(country.id + 1) % len(self.ring)]

    def mine(self) -> list[Country]:
        """Your countries, ascending."""
        return [country for country in self.ring if country.owner == self.me]


class Bot(Protocol):
    """What your bot answers."""

    def act(self, game: Game, country: Country) -> str:
        """What `country`, which is yours, does: made by `attack`, `scout`, `transfer`, `build` or
        `wait`. After an illegal answer the same country is asked once more."""


def attack(side: str, units: int) -> str:
    """Attack the neighbour on `side`, left or right. One unit must stay at home."""
    return f"attack {side} {units}"


def scout(side: str) -> str:
    """Learn whose the neighbour is, and how many units it has."""
    return f"scout {side}"


def transfer(side: str, units: int) -> str:
    """Send units to your own neighbour."""
    return f"transfer {side} {units}"


def build() -> str:
    """One more unit at the end of your turn."""
    return "build"


def wait() -> str:
    """Do nothing."""
    return "No moves"


def play(bot: Bot) -> None:
    """Play one match, until the input ends."""
    game = Game()
    for line in sys.stdin:
        match line.split():
            case ["go", "action", time, country]:
                game.time_bank = int(time)
                print(bot.act(game, game.ring[int(country)]), flush=True)
            case words:
                _hear(game, words)


def _hear(game: Game, words: list[str]) -> None:
    match words:
        case ["settings", key, *values]:
            _set(game, key, values)
        case ["setup_map", "ring", *ids]:
            game.ring = [Country(int(id)) for id in ids]
        case ["round", number]:
            game.round = int(number)
        case ["update_map", *triples]:
            _see(game, triples)
        case ["opponent_moves", *moves]:
            game.opponents_did = _deeds(game, moves)
        case ["result", *result]:
            _learn(game, result)
        case ["game_over", rank, _points]:
            game.rank = int(rank)


def _set(game: Game, key: str, values: list[str]) -> None:
    game.settings[key] = " ".join(values)
    if key == "your_bot":
        game.me = values[0]
    elif key in ("players", "turn_order"):
        setattr(game, key, values)
    elif key in ("max_game_turns", "max_attack_units", "max_transfer_units", "max_resident_units"):
        setattr(game, key, int(values[0]))


def _see(game: Game, triples: list[str]) -> None:
    for country in game.ring:
        country.visible = False
        if country.owner == game.me:
            country.owner = ""  # unless it is told now, it was lost
    for i in range(0, len(triples), 3):
        country = game.ring[int(triples[i])]
        country.owner, country.units, country.visible = triples[i + 1], int(triples[i + 2]), True


def _deeds(game: Game, words: list[str]) -> list[Deed]:
    found, rest = [], iter(words)
    for player in rest:
        kind, source, target = next(rest), game.ring[int(next(rest))], game.ring[int(next(rest))]
        units = int(next(rest))
        found.append(
            Deed(player, kind, source, target, units, next(rest) if kind == "attack" else "")
        )
    return found


def _learn(game: Game, result: list[str]) -> None:
    game.result = result
    match result:
        case [_, "scout", _side, country, units]:
            game.ring[int(country)].units = int(units)
