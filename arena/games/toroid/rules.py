"""The rules: requirements and effects of actions, and the end of a match. Functions on a world."""

from __future__ import annotations

from typing import TypeVar

from arena.core import Fate, Outcome
from arena.games.kit import Refusal, counted, joined, ranks
from arena.games.toroid.orders import Attack, Build, Order, Scout, Side, Transfer
from arena.games.toroid.world import (
    Act,
    Attacked,
    Built,
    Contact,
    Result,
    Scouted,
    ToroidWorld,
    Transferred,
)

# -- the course of a match -------------------------------------------------------------------


def begin_turn(world: ToroidWorld, seat: int) -> None:
    """Start a turn: the seat's current countries will be asked, in ascending order."""
    world.todo = [country for country, owner in enumerate(world.owner) if owner == seat]


def end_turn(world: ToroidWorld, seat: int) -> None:
    """Carry out the builds; one in a country that is now full is lost."""
    for country in world.builds:
        if world.units[country] < world.settings.max_resident_units:
            world.units[country] += 1
            world.acts.append(Built(seat, country))
    world.builds = []
    world.news[seat] = []


def begin_round(world: ToroidWorld) -> None:
    """Start the next game turn."""
    world.round += 1
    world.place = 0
    world.acts = []
    world.heard = [[] for _ in world.countries]


def occupied(world: ToroidWorld) -> bool:
    """Whether one seat holds every country."""
    return len(world.owner) in world.countries


def over(world: ToroidWorld) -> bool:
    """Whether the match has ended."""
    return world.round > world.rounds or occupied(world)


# -- actions ---------------------------------------------------------------------------------


def neighbour(world: ToroidWorld, country: int, side: Side) -> int:
    """The country on that side: right means the next number, and the last is next to the first."""
    return (country + (1 if side == "right" else -1)) % len(world.owner)


def objection(world: ToroidWorld, country: int, order: Order) -> Refusal | None:
    """The first reason why the country cannot carry out the order, in the order of the codes."""
    settings = world.settings
    match order:
        case Attack(side, units):
            target = neighbour(world, country, side)
            if world.owner[target] == world.owner[country]:
                return Refusal("own_target", f"country {target} is yours")
            return _wrong_number(world, country, units, settings.max_attack_units)
        case Transfer(side, units):
            target = neighbour(world, country, side)
            if settings.unfriendly_transfer == "off" and (
                world.owner[target] != world.owner[country]
            ):
                return Refusal("not_own", f"country {target} is not yours")
            return _wrong_number(world, country, units, settings.max_transfer_units) or _no_room(
                world, target, units
            )
        case Build():
            return _no_room(world, country, 1)
    return None


def _wrong_number(world: ToroidWorld, country: int, units: int, most: int) -> Refusal | None:
    present = world.units[country]
    if units > present - 1:
        return Refusal("few_units", f"country {country} has {present}, and one must stay")
    if units > most:
        return Refusal("too_many", f"{most} at a time are the most")
    return None


def _no_room(world: ToroidWorld, country: int, units: int) -> Refusal | None:
    most = world.settings.max_resident_units
    if world.units[country] + units > most:
        return Refusal("resident_limit", f"country {country} cannot hold more than {most}")
    return None


def carry_out(world: ToroidWorld, country: int, order: Order) -> Act | None:
    """Carry out an order without `objection`; None if there is no visible effect yet."""
    match order:
        case Attack(side, units):
            return attack(world, country, neighbour(world, country, side), units)
        case Transfer(side, units):
            return _transfer(world, country, neighbour(world, country, side), units)
        case Scout(side):
            return _scout(world, country, neighbour(world, country, side))
        case Build():
            world.builds.append(country)
    return None


def attack(world: ToroidWorld, source: int, target: int, units: int) -> Attacked:
    """Attack with `units`; up to as many defenders are engaged."""
    seat, rival, defenders = world.owner[source], world.owner[target], world.units[target]
    result: Result = "conquer"
    if not wins(world, units, min(units, defenders)):
        world.units[source] -= units
        result = "defeat"
    elif units < defenders:
        world.units[target] -= units
        result = "victory"
    else:
        world.units[source] -= units
        world.units[target] = units
        _hand_over(world, target, seat)
    return _meet(
        world, rival, Attacked(seat=seat, source=source, target=target, units=units, result=result)
    )


def wins(world: ToroidWorld, attackers: int, defenders: int) -> bool:
    """Throw the die of the match for the engaged units."""
    match world.settings.die:
        case "proportional":
            return world.chance["die"].below(attackers + defenders) < attackers
        case "sum6":
            return _roll(world, attackers) > _roll(world, defenders)
    return True


def _roll(world: ToroidWorld, count: int) -> int:
    below = world.chance["die"].below
    return count + sum([below(6) for _ in range(count)])


def _hand_over(world: ToroidWorld, country: int, seat: int) -> None:
    """Give the country to the seat. If the seat now holds the whole ring, its turn is over."""
    rival, world.owner[country] = world.owner[country], seat
    world.countries[seat] += 1
    if rival >= 0:
        world.countries[rival] -= 1
        if not world.countries[rival]:
            world.fallen.append(rival)
    if occupied(world):
        world.todo, world.builds = [], []


def _transfer(world: ToroidWorld, source: int, target: int, units: int) -> Transferred:
    world.units[source] -= units
    world.units[target] += units
    seat = world.owner[source]
    return _meet(world, world.owner[target], Transferred(seat, source, target, units))


def _scout(world: ToroidWorld, source: int, target: int) -> Scouted:
    act = Scouted(world.owner[source], source, target, world.units[target])
    world.acts.append(act)
    return act


C = TypeVar("C", bound=Contact)


def _meet(world: ToroidWorld, rival: int, act: C) -> C:
    """Record an act; the owner of its target will be told, if that is another player."""
    world.acts.append(act)
    if rival >= 0 and rival != act.seat:
        world.news[rival].append(act)
    return act


# -- the end ---------------------------------------------------------------------------------


def points(world: ToroidWorld) -> tuple[float, ...]:
    """The points of each seat if the match ends now."""
    most = max(world.countries)
    settings = world.settings
    win = settings.occupation_win if occupied(world) else settings.domination_win
    return tuple([float(win * (count == most)) for count in world.countries])


def standing(world: ToroidWorld) -> tuple[int, ...]:
    """The rank of each seat if the match ends now: by points, countries, later elimination.

    The rank of a seat without countries is final: all seats that still have one stay ahead of it.
    """
    seats = range(len(world.countries))
    fell = {seat: moment for moment, seat in enumerate(world.fallen)}
    scored = points(world)
    return ranks([(scored[seat], world.countries[seat], fell.get(seat, 0)) for seat in seats])


def outcome(world: ToroidWorld) -> Outcome:
    """The outcome of a finished match."""
    fates = [Fate.SURVIVED if count else Fate.ELIMINATED for count in world.countries]
    reason = "occupation" if occupied(world) else "domination"
    return Outcome(
        ranks=standing(world),
        points=points(world),
        fates=tuple(fates),
        reason=reason,
        sentence=_sentence(world),
    )


def _sentence(world: ToroidWorld) -> str:
    most, size = max(world.countries), len(world.owner)
    best = [world.names[seat] for seat, count in enumerate(world.countries) if count == most]
    if occupied(world):
        return f"{best[0]} won in game turn {world.round - 1}: it holds all {most} countries."
    held = f"{most} of {size} countries after {counted(world.rounds, 'game turn')}"
    if len(best) > 1:
        return f"{joined(best)} share the win: each holds {held}."
    return f"{best[0]} won: it holds {held}, more than any other player."
