"""A turn after the check of its orders, and the end of a match. Functions on a world."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from arena.core import Fate, Outcome
from arena.games.codecharacter.action import Action
from arena.games.codecharacter.orders import Attack, Plan
from arena.games.codecharacter.world import NAMES, SEATS, CodecharacterWorld, Tower
from arena.games.kit import counted, joined, ranks

REFUNDS = (150, 250, 400)
"""Refunds of the setting ``suicide_refund=table``, by level."""


def play(world: CodecharacterWorld, plans: Sequence[Plan]) -> None:
    """Carry out one turn: phases B to E."""
    change_towers(world, plans)
    for plan in plans:
        give_orders(world, plan)
    Action(world).run()


def change_towers(world: CodecharacterWorld, plans: Sequence[Plan]) -> None:
    """Phase B: build, upgrade and give up towers; all were paid for when accepted."""
    for plan in plans:
        world.money[plan.seat] = plan.money
        for tile in plan.builds:
            world.add_tower(plan.seat, tile)
    for plan in plans:
        for id in plan.upgrades:
            tower = world.towers[id]
            tower.hp = world.settings.tower_hp[tower.level]
            tower.level += 1
        for id in plan.suicides:
            world.earn(plan.seat, refund(world, world.towers.pop(id)))
    if any(plan.builds or plan.upgrades or plan.suicides for plan in plans):
        world.survey()


def refund(world: CodecharacterWorld, tower: Tower) -> int:
    """The refund for a tower that is given up."""
    if world.settings.suicide_refund == "table":
        return REFUNDS[tower.level - 1]
    return sum(world.settings.tower_costs[: tower.level]) // 3


def give_orders(world: CodecharacterWorld, plan: Plan) -> None:
    """Phase C: replace old orders by new ones; soldiers without a new order continue."""
    for order in plan.soldiers:
        soldier = world.soldiers[order.soldier]
        if isinstance(order, Attack):
            soldier.target, soldier.destination = order.target, None
        else:
            soldier.target, soldier.destination = None, (order.x, order.y)


def outcome(world: CodecharacterWorld, gone: Collection[int]) -> Outcome:
    """The outcome: the seats in `gone` gave no answer, or the last turn is over."""
    if gone:
        here = [int(seat not in gone) for seat in SEATS]
        fates = [Fate.SURVIVED if seat else Fate.REMOVED for seat in here]
        why = f"no answer of {joined([NAMES[seat] for seat in gone])}"
        return _outcome(here, fates, "game_limit", f"in turn {world.round}: {why}")
    tiles, turns = world.tiles(), world.settings.num_turns
    count = f"{max(tiles)} tiles against {min(tiles)}"
    return _outcome(
        tiles, [Fate.SURVIVED] * 2, "num_turns", f"after {counted(turns, 'turn')}: {count}"
    )


def _outcome(standings: Sequence[int], fates: Sequence[Fate], reason: str, ending: str) -> Outcome:
    """The outcome for these standings, where more is better."""
    places = ranks(standings)
    if places == (1, 1):
        points, verdict = (0.5, 0.5), "A draw"
    else:
        points, verdict = (2.0 - places[0], 2.0 - places[1]), f"{NAMES[places.index(1)]} won"
    return Outcome(
        ranks=places,
        points=points,
        fates=tuple(fates),
        reason=reason,
        sentence=f"{verdict} {ending}.",
    )
