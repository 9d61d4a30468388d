"""What can be chosen in an answer: a neighbour, an action and a number of units."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from arena.core import Ask, Number, Offer, Picks, Word
from arena.games.kit import counted
from arena.games.toroid import rules
from arena.games.toroid.orders import SIDES, Attack, Build, Order, Side, Transfer
from arena.games.toroid.world import ToroidWorld

BUILD = Word("build", "Build a unit")
NOTHING = Word("No moves", "Do nothing")
SCOUT = Word("scout", "Scout: count its units")
GIFT = Word("transfer", "Send units as a gift")


def offers(world: ToroidWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """Offer a neighbour, and a number or a word; or a word alone."""
    return replace(_offer(world, ask, picked), alone=True)


def _offer(world: ToroidWorld, ask: Ask, picked: Picks) -> Offer:
    country = int(ask.tail)
    match picked:
        case [("build" | "No moves") as word]:
            return _done(word)
        case [place, *more]:
            return _near(world, country, _side(world, country, int(place)), more)
    return _first_offer(world, country)


def _done(order: str) -> Offer:
    return Offer("", order=order)


def _side(world: ToroidWorld, country: int, place: int) -> Side:
    return next(side for side in SIDES.values() if rules.neighbour(world, country, side) == place)


def _first_offer(world: ToroidWorld, country: int) -> Offer:
    near = tuple(str(rules.neighbour(world, country, side)) for side in SIDES.values())
    units = counted(world.units[country], "unit")
    text = f"Country {country} acts, with {units}: pick a neighbour, or say what it does."
    builds = rules.objection(world, country, Build()) is None
    return Offer(text, near, (BUILD, NOTHING) if builds else (NOTHING,))


def _is_rival(world: ToroidWorld, country: int, side: Side) -> bool:
    return world.owner[rules.neighbour(world, country, side)] != world.owner[country]


def _near(world: ToroidWorld, country: int, side: Side, picked: Picks) -> Offer:
    place, rival = rules.neighbour(world, country, side), _is_rival(world, country, side)
    match picked:
        case ["scout"]:
            return _done(f"scout {side}")
        case ["transfer"]:
            return _gift(world, country, place)
        case ["transfer", units]:
            return _done(f"transfer {side} {units}")
        case [units]:
            return _done(f"{'attack' if rival else 'transfer'} {side} {units}")
    most = _most(world, country, side, Attack if rival else Transfer)
    number = Number(1, most, most) if most else None
    if not rival:
        text = f"How many units go to country {place}, or scout it?"
        return Offer(text if number else f"Scout country {place}?", (), (SCOUT,), number)
    gifts = world.settings.unfriendly_transfer == "on" and world.units[country] > 1
    words = (SCOUT, GIFT) if gifts else (SCOUT,)
    text = f"Attack country {place} with how many units, or scout it?"
    return Offer(text if number else f"Scout country {place}?", (), words, number)


def _gift(world: ToroidWorld, country: int, place: int) -> Offer:
    """Offer all units that can leave: the free room in another owner's country is hidden."""
    most = min(world.units[country] - 1, world.settings.max_transfer_units)
    return Offer(f"How many units go to country {place}?", number=Number(1, most, 1))


def _most(world: ToroidWorld, country: int, side: Side, order: Callable[[Side, int], Order]) -> int:
    """The maximum units with which the order is legal; 0 if it never is."""
    numbers = range(world.units[country] - 1, 0, -1)
    legal = (n for n in numbers if rules.objection(world, country, order(side, n)) is None)
    return next(legal, 0)
