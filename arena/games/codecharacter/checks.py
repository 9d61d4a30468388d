"""Phase A of a turn: which orders count, judged by the state before the turn.

Mutually exclusive orders are all void. Of several reasons against an order, the first counts,
in this sequence:

``syntax``          not in the form of an order, or a number that is not one
``multiple_tasks``  another order of the line is for the same soldier, or the same tower
``not_own``         the soldier or tower is not the player's, or does not exist
``dead_soldier``    the soldier is dead
``position``        outside the map
``target_invalid``  no soldier or tower of the enemy
``target_dead``     a soldier that is dead
``target_base``     the enemy's base
``target_razed``    a tower that its owner gives up in this turn
``territory``       not a free tile that only the player controls
``funds``           not enough money left
``max_level``       the tower cannot grow any more
``suicide_base``    the base cannot be given up
``max_towers``      too many towers
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from arena.games.codecharacter.orders import (
    Attack,
    Build,
    Move,
    Orders,
    Plan,
    Suicide,
    Upgrade,
    Void,
)
from arena.games.codecharacter.world import SEATS, CodecharacterWorld
from arena.games.kit import Refusal

TWO_FOR_TOWER = Refusal("multiple_tasks", "the line has another upgrade or suicide of this tower")
TWO_FOR_SOLDIER = Refusal("multiple_tasks", "the line has another order for this soldier")


def check(world: CodecharacterWorld, given: Sequence[Orders]) -> tuple[Plan, Plan]:
    """The valid orders of both seats. They are independent of each other, except for towers that
    are given up."""
    plans = Plan(0, world.money[0]), Plan(1, world.money[1])
    for seat in SEATS:
        _check_towers(world, plans[seat], given[seat].towers)
    razed = [*plans[0].suicides, *plans[1].suicides]
    for seat in SEATS:
        plan, orders = plans[seat], given[seat]
        _check_soldiers(world, plan, orders.soldiers, razed)
        _check_builds(world, plan, orders.builds)
        plan.void += orders.void
        plan.void.sort(key=lambda void: void.number)
    return plans


def _repeated(ids: list[int]) -> Collection[int]:
    """The ids that occur more than once: rarely any."""
    if len(set(ids)) == len(ids):
        return ()
    return {id for id, count in Counter(ids).items() if count > 1}


def _refuse(plan: Plan, order: Move | Attack | Build | Upgrade | Suicide, why: Refusal) -> None:
    plan.void.append(Void(order.number, order.text, why))


def _check_towers(
    world: CodecharacterWorld, plan: Plan, orders: Sequence[Upgrade | Suicide]
) -> None:
    twice = _repeated([order.tower for order in orders])
    for order in orders:
        refusal = TWO_FOR_TOWER if order.tower in twice else against_task(world, plan, order)
        if refusal:
            _refuse(plan, order, refusal)
        elif isinstance(order, Suicide):
            plan.suicides.append(order.tower)
        else:
            plan.upgrades.append(order.tower)
            plan.money -= world.settings.tower_costs[world.towers[order.tower].level]


def against_task(world: CodecharacterWorld, plan: Plan, order: Upgrade | Suicide) -> Refusal | None:
    """Why the plan cannot also include that order, for a tower without a task; None if it can."""
    settings, tower = world.settings, world.towers.get(order.tower)
    if tower is None or tower.seat != plan.seat:
        return Refusal("not_own", f"you have no tower {order.tower}")
    if isinstance(order, Suicide):
        return Refusal("suicide_base", "the base cannot be given up") if tower.base else None
    if tower.level == settings.max_level:  # no next level that could be too expensive
        return Refusal("max_level", f"the highest level is {settings.max_level}")
    if settings.tower_costs[tower.level] > plan.money:
        return _too_dear(plan, settings.tower_costs[tower.level])
    return None


def _too_dear(plan: Plan, cost: int) -> Refusal:
    return Refusal("funds", f"it costs {cost}, and {plan.money} is left")


def _check_soldiers(
    world: CodecharacterWorld,
    plan: Plan,
    orders: Sequence[Move | Attack],
    razed: Collection[int],
) -> None:
    twice = _repeated([order.soldier for order in orders])
    for order in orders:
        if order.soldier in twice:
            _refuse(plan, order, TWO_FOR_SOLDIER)
        elif refusal := _against_soldier(world, plan.seat, order, razed):
            _refuse(plan, order, refusal)
        else:
            plan.soldiers.append(order)


def _against_soldier(
    world: CodecharacterWorld, seat: int, order: Move | Attack, razed: Collection[int]
) -> Refusal | None:
    first = seat * world.settings.num_soldiers
    if not first <= order.soldier < first + world.settings.num_soldiers:
        return Refusal("not_own", f"you have no soldier {order.soldier}")
    if world.soldiers[order.soldier].state == "dead":
        return Refusal("dead_soldier", f"soldier {order.soldier} is dead")
    if isinstance(order, Attack):
        return _against_target(world, seat, order.target, razed)
    if not (0 <= order.x <= world.edge and 0 <= order.y <= world.edge):
        return Refusal("position", "it is outside the map")
    return None


def _against_target(
    world: CodecharacterWorld, seat: int, target: int, razed: Collection[int]
) -> Refusal | None:
    if 0 <= target < len(world.soldiers):
        soldier = world.soldiers[target]
        if soldier.seat != seat:
            dead = soldier.state == "dead"
            return Refusal("target_dead", f"soldier {target} is dead") if dead else None
    elif (tower := world.towers.get(target)) and tower.seat != seat:
        if tower.base:
            return Refusal("target_base", "a base cannot be attacked")
        if target in razed:
            return Refusal("target_razed", f"tower {target} is given up in this turn")
        return None
    return Refusal("target_invalid", f"{target} is no soldier or tower of the enemy")


def _check_builds(world: CodecharacterWorld, plan: Plan, orders: Sequence[Build]) -> None:
    for order in orders:
        if refusal := against_build(world, plan, *order.tile):
            _refuse(plan, order, refusal)
        else:
            plan.builds.append(order.tile)
            plan.money -= world.settings.tower_costs[0]


def against_build(world: CodecharacterWorld, plan: Plan, x: int, y: int) -> Refusal | None:
    """Why the plan cannot also include a tower on that tile; None if it can."""
    return against_land(world, plan, x, y) or against_another_tower(world, plan)


def against_land(world: CodecharacterWorld, plan: Plan, x: int, y: int) -> Refusal | None:
    """What is wrong with a tile for a tower of the plan's seat; None if nothing is."""
    settings, seat = world.settings, plan.seat
    if not (0 <= x < settings.map_size and 0 <= y < settings.map_size):
        return Refusal("position", "there is no such tile")
    if not world.controls(seat, x, y):
        return Refusal("territory", "you do not control the tile")
    if world.controls(1 - seat, x, y):
        return Refusal("territory", "the enemy controls the tile too")
    if (x, y) in plan.builds or any(tower.tile == (x, y) for tower in world.towers.values()):
        return Refusal("territory", "there is a tower on the tile")
    return None


def against_another_tower(world: CodecharacterWorld, plan: Plan) -> Refusal | None:
    """Why the plan cannot include a further tower wherever it is; None if it can."""
    settings = world.settings
    if settings.tower_costs[0] > plan.money:
        return _too_dear(plan, settings.tower_costs[0])
    if _towers_after(world, plan) >= settings.max_towers:
        return Refusal("max_towers", f"you may have {settings.max_towers} towers")
    return None


def _towers_after(world: CodecharacterWorld, plan: Plan) -> int:
    """The number of the seat's towers after this turn, as counted for the cap."""
    own = sum(tower.seat == plan.seat for tower in world.towers.values())
    gone = len(plan.suicides) if world.settings.tower_cap_rule == "final" else 0
    return own - gone + len(plan.builds)
