"""What clicks on the ring mean: which neighbour, what to do to it, with how many units."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from arena.core import Ask, Number, Offer, Picks, Sign, Word
from arena.games.kit import counted
from arena.games.toroid import rules
from arena.games.toroid.orders import SIDES, Attack, Build, Order, Side, Transfer
from arena.games.toroid.world import ToroidWorld

BUILD = Word("build", "Build a unit")
NOTHING = Word("No moves", "Do nothing")
SCOUT = Word("scout", "Scout: count its units")
GIFT = Word("transfer", "Send units as a gift")


def picks(world: ToroidWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """A neighbour, and a number or a word; or a word alone."""
    return replace(_offer(world, ask, picked), alone=True)


def _offer(world: ToroidWorld, ask: Ask, picked: Picks) -> Offer:
    country = int(ask.tail)
    match picked:
        case [("build" | "No moves") as word]:
            return _done(word)
        case [place, *more]:
            return _near(world, country, _side(world, country, int(place)), more)
    return _first(world, country)


def signs(world: ToroidWorld, ask: Ask, held: str) -> Iterator[Sign]:
    """An arrow to the neighbour, or a word at the country that acts."""
    country, (verb, *rest) = int(ask.tail), held.split() or [""]
    if rest and rest[0] in SIDES:
        target = rules.neighbour(world, country, SIDES[rest[0]])
        yield Sign((str(country), str(target)), " ".join(rest[1:]) or verb)
    elif verb == "build":
        yield Sign((str(country),), "+1")


def _done(order: str) -> Offer:
    return Offer("", order=order)


def _side(world: ToroidWorld, country: int, place: int) -> Side:
    return next(side for side in SIDES.values() if rules.neighbour(world, country, side) == place)


def _first(world: ToroidWorld, country: int) -> Offer:
    near = [str(rules.neighbour(world, country, side)) for side in SIDES.values()]
    offered = tuple(
        place
        for place, side in zip(near, SIDES.values(), strict=True)
        if _is_rival(world, country, side) or _most(world, country, side, Transfer)
    )
    units = counted(world.units[country], "unit")
    text = f"Country {country} acts, with {units}: pick a neighbour, or say what it does."
    builds = rules.objection(world, country, Build()) is None
    return Offer(text, offered, (BUILD, NOTHING) if builds else (NOTHING,))


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
        return Offer(f"How many units go to country {place}?", number=number)
    gifts = world.settings.unfriendly_transfer == "on" and world.units[country] > 1
    words = (SCOUT, GIFT) if gifts else (SCOUT,)
    text = f"Attack country {place} with how many units, or scout it?"
    return Offer(text if number else f"Scout country {place}?", (), words, number)


def _gift(world: ToroidWorld, country: int, place: int) -> Offer:
    """As many as can leave: what the country of another has room for is hidden."""
    most = min(world.units[country] - 1, world.settings.max_transfer_units)
    return Offer(f"How many units go to country {place}?", number=Number(1, most, 1))


def _most(world: ToroidWorld, country: int, side: Side, order: Callable[[Side, int], Order]) -> int:
    """The most units with which the order is legal; 0 when it never is."""
    numbers = range(world.units[country] - 1, 0, -1)
    legal = (n for n in numbers if rules.objection(world, country, order(side, n)) is None)
    return next(legal, 0)
