"""The rules of a round: elimination, orders, the update, the points. Functions on a world."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from msgspec import Struct

from arena.core import Fate, Outcome
from arena.games.hextrategic.board import NEUTRAL
from arena.games.hextrategic.orders import Halt, Move, Order
from arena.games.hextrategic.world import NOWHERE, HexWorld
from arena.games.kit import Refusal, counted, held, joined, ranks


class Plan(Struct, frozen=True):
    """The units that the orders of one round commit."""

    left: list[int]
    """The uncommitted units of each cell."""
    flows: defaultdict[tuple[int, int], int]
    """The committed units, by source and target."""


def new_plan(world: HexWorld) -> Plan:
    """An empty plan."""
    return Plan(world.units[:], defaultdict(int))


# -- orders --------------------------------------------------------------------------------


def obey(world: HexWorld, plan: Plan, seat: int, order: Order) -> Refusal | None:
    """Take an order of a seat into the plan (or into the auto-moves), unless it is illegal."""
    source = order.source
    if not (0 <= source < len(world.owner) and world.owner[source] == seat):
        return Refusal("not_own", f"cell {source} is not yours")
    if isinstance(order, Halt):
        world.auto[source] = NOWHERE
        return None
    target = order.target
    if target not in world.board.neighbors[source]:
        return Refusal("not_adjacent", f"cell {target} is no neighbour of cell {source}")
    if isinstance(order, Move):
        return _promise(plan, source, target, order.units)
    world.auto[source] = target
    return None


def _promise(plan: Plan, source: int, target: int, units: int) -> Refusal | None:
    left = plan.left[source]
    if units > left:
        return Refusal("too_many", f"cell {source} has {counted(left, 'unit')} left to promise")
    plan.left[source] = left - units
    plan.flows[source, target] += units
    return None


# -- the update ----------------------------------------------------------------------------


def update(world: HexWorld, plan: Plan) -> list[int]:
    """Apply moves, battles, eliminations and rewards. Returns the eliminated seats."""
    march(world, plan)
    fight(world)
    fallen = [seat for seat in world.playing() if seat not in world.owner]
    if fallen:
        put_out(world, dict.fromkeys(fallen, Fate.ELIMINATED))
    reward(world)
    for seat in world.playing():
        world.survived[seat] += 1
    return fallen


def march(world: HexWorld, plan: Plan) -> None:
    """Move all units at once: committed ones, then the rest of each cell with an auto-move."""
    left, flows, owner = plan.left, plan.flows, world.owner
    for source, target in enumerate(world.auto):
        if target != NOWHERE and left[source]:
            flows[source, target] += left[source]
            left[source] = 0
    world.units = left
    world.moves = sorted(
        [(owner[source], source, target, units) for (source, target), units in flows.items()]
    )


def fight(world: HexWorld) -> None:
    """Let all moving units arrive; every cell goes to its strongest side."""
    owner, units = world.owner, world.units
    attackers: dict[int, dict[int, int]] = {}
    for seat, _, target, count in world.moves:
        if owner[target] == seat:
            units[target] += count
        else:
            sides = attackers.setdefault(target, {})
            sides[seat] = sides.get(seat, 0) + count
    for cell, sides in attackers.items():
        winner, units[cell] = battle({owner[cell]: units[cell], **sides})
        if winner != owner[cell]:
            owner[cell], world.auto[cell] = winner, NOWHERE


def battle(sides: Mapping[int, int]) -> tuple[int, int]:
    """The new owner of a cell and its units. `sides` has the units of each side there, at least 1
    in total."""
    *others, (first, winner) = sorted([(units, side) for side, units in sides.items()])
    second = others[-1][0] if others else 0
    return (NEUTRAL, 0) if first == second else (winner, first - second)


def reward(world: HexWorld) -> None:
    """Every cell of a player gains its income."""
    income, types = world.settings.income, world.board.types
    world.units = [
        units if owner == NEUTRAL else units + income[kind]
        for owner, units, kind in zip(world.owner, world.units, types, strict=True)
    ]


# -- going out and the end -----------------------------------------------------------------


def remove(world: HexWorld, fates: Mapping[int, Fate]) -> None:
    """Remove seats before anything moves; their cells become neutral."""
    put_out(world, fates)
    for cell, owner in enumerate(world.owner):
        if owner in fates:
            world.owner[cell], world.auto[cell] = NEUTRAL, NOWHERE


def put_out(world: HexWorld, fates: Mapping[int, Fate]) -> None:
    """Eliminate seats at the same moment; they share their position."""
    for seat, fate in fates.items():
        world.fate[seat] = fate
    position = 1 + len(world.playing())
    for seat in fates:
        world.position[seat] = position


def is_over(world: HexWorld) -> bool:
    """Whether the match has ended, at the start of a round or after the removals of one."""
    return world.fate.count(Fate.SURVIVED) <= 1 or world.round > world.settings.max_rounds


def positions(world: HexWorld) -> tuple[int, ...]:
    """The position of every seat. Seats still in are compared by cells, then units."""
    playing = world.playing()
    standing = ranks([strength(world, seat) for seat in playing])
    found = world.position[:]
    for seat, position in zip(playing, standing, strict=True):
        found[seat] = position
    return tuple(found)


def strength(world: HexWorld, seat: int) -> tuple[int, int]:
    """The number of cells and of units of a seat."""
    units = held(world.owner, world.units, seat)
    return len(units), sum(units)


def points(world: HexWorld) -> tuple[float, ...]:
    """The points of every seat for its position and rounds."""
    each = world.settings.round_point
    return tuple(
        float(world.position_points[position - 1] + each * survived)
        for position, survived in zip(positions(world), world.survived, strict=True)
    )


def outcome(world: HexWorld) -> Outcome:
    """The outcome, at the start of the round that is no longer played."""
    places = positions(world)
    best = [name for name, place in zip(world.names, places, strict=True) if place == 1]
    ended = len(world.playing()) <= 1
    return Outcome(
        ranks=places,
        points=points(world),
        fates=tuple(world.fate),
        reason="last_standing" if ended else "max_rounds",
        sentence=_last_sentence(world, best) if ended else _limit_sentence(world, best),
    )


def _last_sentence(world: HexWorld, best: list[str]) -> str:
    round_ = world.round - 1
    if not world.playing():
        return f"A draw in round {round_}: {joined(best)} went out together."
    return f"{best[0]} won in round {round_}: nobody else is left."


def _limit_sentence(world: HexWorld, best: list[str]) -> str:
    cells, units = strength(world, world.names.index(best[0]))
    rounds = world.settings.max_rounds
    has = f"{counted(cells, 'cell')} and {counted(units, 'unit')}"
    if len(best) > 1:
        return f"A draw after {counted(rounds, 'round')}: {joined(best)} have {has} each."
    return f"{best[0]} won after {counted(rounds, 'round')} with {has}."
