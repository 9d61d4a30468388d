"""Random legal answers, and changes that a seat cannot see: for checks and tests."""

from __future__ import annotations

from arena.core import Ask, Stream
from arena.games.kit import NO_MOVES
from arena.games.toroid import rules
from arena.games.toroid.orders import SIDES, Attack, Build, Order, Scout, Transfer
from arena.games.toroid.world import ToroidWorld


def random_answer(world: ToroidWorld, ask: Ask, stream: Stream) -> str:
    """A random legal answer to the current request: the first of three tries that the rules
    allow."""
    country = int(ask.tail)
    for _ in range(3):
        order, text = _any_order(world, country, stream)
        if rules.objection(world, country, order) is None:
            return text
    return NO_MOVES


def _any_order(world: ToroidWorld, country: int, stream: Stream) -> tuple[Order, str]:
    """Any order, mostly attacks and builds."""
    side = SIDES["left" if stream.below(2) else "right"]
    kind = stream.below(8)
    if kind == 0:
        return Scout(side), f"scout {side}"
    if kind < 3:
        return Build(), "build"
    units = 1 + stream.below(max(1, world.units[country] - 1))
    if kind == 3:
        return Transfer(side, units), f"transfer {side} {units}"
    return Attack(side, units), f"attack {side} {units}"


def perturb_hidden(world: ToroidWorld, seat: int, stream: Stream) -> bool:
    """Change the units of another owner's country, and swap the owners of two unseen countries;
    false if the seat sees or knows all units."""
    most = world.settings.max_resident_units
    others = [country for country, owner in enumerate(world.owner) if owner != seat]
    if world.settings.visibility == "all" or most == 1 or not others:
        return False
    country = stream.choice(others)
    world.units[country] = 1 + (world.units[country] + stream.below(most - 1)) % most
    _swap(world, [country for country in others if _hidden(world, country, seat)], stream)
    return True


def _hidden(world: ToroidWorld, country: int, seat: int) -> bool:
    """Whether the seat does not see the owner, and the current turn does not depend on it."""
    beside = [rules.neighbour(world, country, side) for side in SIDES.values()]
    near = any(world.owner[other] == seat for other in beside)
    everything = world.settings.visibility != "neighbours"
    return not (near or everything or country in world.todo or country in world.builds)


def _swap(world: ToroidWorld, hidden: list[int], stream: Stream) -> None:
    stream.shuffle(hidden)
    if len(hidden) > 1:
        one, other, *_ = hidden
        world.owner[one], world.owner[other] = world.owner[other], world.owner[one]


def vary_start(world: ToroidWorld, seat: int, stream: Stream) -> bool:
    """Before the first turn, swap what stands in two countries that are not the seat's, or draw the
    units of one neutral anew; false if the match has begun, or the seat is told all units. (What a
    seat has scouted of a neutral is certain, and stays: `Table.determinize` compares.)"""
    others = [country for country, owner in enumerate(world.owner) if owner != seat]
    neutrals = [country for country in others if world.owner[country] < 0]
    settings = world.settings
    if world.round or settings.visibility == "all" or not others:
        return False
    if neutrals and stream.below(2):
        least, most = settings.neutral_units_min, settings.neutral_units_max
        world.units[stream.choice(neutrals)] = stream.between(least, most)
        return True
    stream.shuffle(others)
    if len(others) > 1:
        one, other, *_ = others
        for place in (world.owner, world.units):
            place[one], place[other] = place[other], place[one]
    return len(others) > 1
