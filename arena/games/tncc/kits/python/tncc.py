"""Trade and War (TNCC) as typed state. `play` reads the lines of the protocol and asks your bot.

You need not change this file. Lines that it does not know are ignored: a later arena may send more.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

RESOURCES = ("gold", "food", "population", "military", "land")


@dataclass
class Country:
    """What a player has. Nothing is hidden."""

    name: str
    gold: int = 0
    food: int = 0
    population: int = 0
    military: int = 0
    land: int = 0
    alive: bool = True

    def amount(self, resource: str) -> int:
        """How much it has of one of the `RESOURCES`."""
        return int(getattr(self, resource))


class Offer(NamedTuple):
    """A trade that another country proposes: you get the first amount, and give the second."""

    country: Country
    you_get: str
    get_amount: int
    you_give: str
    give_amount: int


class Flanks(NamedTuple):
    """The soldiers on the three flanks of a war."""

    left: int
    middle: int
    right: int


@dataclass
class Game:
    """Everything that your bot was told so far."""

    settings: dict[str, str] = field(default_factory=dict)
    """Every setting by its name, as it came: ``settings["max_cycles"]``."""
    me: str = "player1"
    countries: dict[str, Country] = field(default_factory=dict)
    """All countries by their names, in the order of their turns."""
    gold_for_war: int = 1600
    round: int = 0
    """The cycle, from 1."""
    time_bank: int = 0
    """Your time bank for this request, in milliseconds."""
    news: list[list[str]] = field(default_factory=list)
    """What others did since your last request: ``["player1", "recruit", "100"]``."""
    chronicle: list[tuple[int, list[str]]] = field(default_factory=list)
    """All news of the match, each with its cycle."""
    result: list[str] = field(default_factory=list)
    """The words of your last result: ``["trade", "yes"]``, ``["illegal", "funds"]``."""
    rank: int = 0
    """Your rank, once the match is over for you."""

    def mine(self) -> Country:
        """Your country."""
        return self.countries[self.me]

    def others(self) -> list[Country]:
        """The countries that still live, but for yours."""
        return [one for one in self.countries.values() if one.alive and one.name != self.me]


class Bot(Protocol):
    """What your bot answers."""

    def act(self, game: Game) -> str:
        """Your action of this cycle: made by `wait`, `recruit`, `trade` or `war`."""

    def accept(self, game: Game, offer: Offer) -> bool:
        """Whether you take the offer of another country."""

    def defend(self, game: Game, attacker: Country, soldiers: int) -> Flanks:
        """How your soldiers stand when `attacker` comes with so many in all."""


def wait() -> str:
    """Do nothing."""
    return "wait"


def recruit(citizens: int) -> str:
    """Make soldiers of citizens; a negative number makes citizens of soldiers."""
    return f"recruit {citizens}"


def trade(country: Country, give: str, amount: int, take: str, price: int) -> str:
    """Offer `amount` of the resource `give` for `price` of `take`; one of the two is gold."""
    return f"trade {country.name} {give} {amount} {take} {price}"


def war(country: Country, flanks: Flanks) -> str:
    """Attack a country. It costs `game.gold_for_war`."""
    return f"war {country.name} {flanks.left} {flanks.middle} {flanks.right}"


def thirds(soldiers: int) -> Flanks:
    """As many soldiers on each flank, the rest in the middle and on the right."""
    return Flanks(soldiers // 3, (soldiers + 1) // 3, (soldiers + 2) // 3)


def play(bot: Bot) -> None:
    """Play one match, until the input ends."""
    game = Game()
    for line in sys.stdin:
        words = line.split()
        if words[:1] != ["go"]:
            _hear(game, words)
            continue
        game.time_bank = int(words[2])
        match words[1], words[3:]:
            case "action", _:
                answer = bot.act(game)
            case "trade", [name, get, amount, give, price]:
                offer = Offer(game.countries[name], get, int(amount), give, int(price))
                answer = "yes" if bot.accept(game, offer) else "no"
            case "war", [name, soldiers]:
                flanks = bot.defend(game, game.countries[name], int(soldiers))
                answer = f"{flanks.left} {flanks.middle} {flanks.right}"
            case _:
                answer = "No moves"
        print(answer, flush=True)


def _hear(game: Game, words: list[str]) -> None:
    match words:
        case ["settings", key, *values]:
            _set(game, key, values)
        case ["round", number]:
            game.round = int(number)
        case ["update_map", *words]:
            for i in range(0, len(words), 7):
                _see(game.countries[words[i]], words[i + 1 : i + 7])
        case ["opponent_moves", *words]:
            game.news = _sentences(game, words)
            game.chronicle += [(game.round, sentence) for sentence in game.news]
        case ["result", *result]:
            game.result = result
        case ["game_over", rank, _points]:
            game.rank = int(rank)


def _set(game: Game, key: str, values: list[str]) -> None:
    game.settings[key] = " ".join(values)
    if key == "your_bot":
        game.me = values[0]
    elif key == "players":
        game.countries = {name: Country(name) for name in values}
    elif key == "gold_for_war":
        game.gold_for_war = int(float(values[0]))


def _see(country: Country, words: list[str]) -> None:
    for resource, amount in zip(RESOURCES, words, strict=False):
        setattr(country, resource, int(amount))
    country.alive = words[5] == "alive"


def _sentences(game: Game, words: list[str]) -> list[list[str]]:
    """The words cut where an action begins: at a name behind which one of the four verbs stands."""
    starts = [
        i
        for i, word in enumerate(words[:-1])
        if word in game.countries and words[i + 1] in ("wait", "recruit", "trade", "war")
    ]
    return [words[i:j] for i, j in zip(starts, [*starts[1:], len(words)], strict=False)]
