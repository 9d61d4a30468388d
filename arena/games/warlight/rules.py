"""The rules outside the attack phase: picking, placing, the end. Pure functions on a world."""

from __future__ import annotations

from collections.abc import Sequence

from arena.core import Fate, Outcome
from arena.games.kit import CappedNotes, Refusal, counted
from arena.games.warlight.orders import Order, Place
from arena.games.warlight.world import NAMES, Act, Picked, Placed, WarlightWorld


def picker(turn: int) -> int:
    """The seat that picks in a turn, from turn 0 on: 0 1 1 0 0 1 1 0 …"""
    return 0 if turn % 4 in (0, 3) else 1


def free_to_pick(world: WarlightWorld) -> list[int]:
    """The starting regions not picked yet."""
    taken = set(picked(world))
    return [region for region in world.opening.pickable if region not in taken]


def picked(world: WarlightWorld, seat: int | None = None) -> list[int]:
    """The regions picked so far (by `seat`), in order."""
    return [
        act.region
        for act in world.acts
        if isinstance(act, Picked) and (seat is None or act.seat == seat)
    ]


def pick(world: WarlightWorld, seat: int, region: int) -> None:
    """Give the region to the seat, with the armies there."""
    world.hand_over(region, seat)
    world.acts.append(Picked(seat, region))


def begin_round(world: WarlightWorld) -> None:
    """Forget the acts of the previous round."""
    world.acts = []
    world.witnessed = ([], [])


def witness(world: WarlightWorld, seat: int, act: Act, seen: bool) -> None:
    """Record an act of `seat`; the opponent will be told if it has seen the act."""
    world.acts.append(act)
    if seen:
        world.witnessed[1 - seat].append(act)


def place(world: WarlightWorld, seat: int, orders: Sequence[Order], notes: CappedNotes) -> None:
    """Carry out placements in order; armies not placed are lost."""
    left, owner = world.income[seat], world.owner
    sight = world.sight[1 - seat].count
    for order in orders:
        if left and isinstance(order, Place) and owner[order.region] == seat and order.armies > 0:
            region, armies = order.region, min(order.armies, left)
            left -= armies
            world.armies[region] += armies
            witness(world, seat, Placed(seat, region, armies), sight[region] > 0)
        else:
            notes.add(order.text, _diagnose(world, seat, order))


def _diagnose(world: WarlightWorld, seat: int, order: Order) -> Refusal:
    """Why a placement is not carried out."""
    if not isinstance(order, Place):
        return Refusal("phase", "this request is for placing armies")
    if world.owner[order.region] != seat:
        return Refusal("not_owned", f"region {order.region} is not yours")
    if order.armies < 1:
        return Refusal("amount", "place at least one army")
    return Refusal("no_armies", f"your {world.income[seat]} armies are placed")


def outcome(world: WarlightWorld) -> Outcome | None:
    """The outcome, checked at the start of a round; None while the match goes on."""
    if not world.regions[0]:
        return _won(world, 1)
    if not world.regions[1]:
        return _won(world, 0)
    if world.round > world.max_rounds:
        return _draw(world)
    return None


def _won(world: WarlightWorld, winner: int) -> Outcome:
    ranks, points = (1, 2), (1.0, 0.0)
    fates = (Fate.SURVIVED, Fate.ELIMINATED)
    step = 1 if winner == 0 else -1
    return Outcome(
        ranks=ranks[::step],
        points=points[::step],
        fates=fates[::step],
        reason="elimination",
        sentence=f"{NAMES[winner]} won in round {world.round - 1}: "
        f"{NAMES[1 - winner]} has no regions left.",
    )


def _draw(world: WarlightWorld) -> Outcome:
    return Outcome(
        ranks=(1, 1),
        points=(0.5, 0.5),
        fates=(Fate.SURVIVED, Fate.SURVIVED),
        reason="max_rounds",
        sentence=f"A draw: both still stand after {counted(world.max_rounds, 'round')}.",
    )
