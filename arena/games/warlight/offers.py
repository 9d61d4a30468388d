"""What can be chosen in an answer: a region to start in, armies to place, attacks and transfers."""

from __future__ import annotations

from collections import Counter

from arena.core import Ask, Number, Offer, Picks
from arena.games.kit import counted
from arena.games.warlight.orders import Move, Order, Place, new_notes, read_orders
from arena.games.warlight.words import PICK, PLACE
from arena.games.warlight.world import NAMES, WarlightWorld


def offers(world: WarlightWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """Offer a region; a region and a number; or two regions and a number."""
    if ask.head == PICK:
        return _start(ask, picked)
    orders = read_orders(held, NAMES[ask.seat], world.board, new_notes(ask.seat))
    most = world.settings.max_orders
    if most and held and held.count(",") + 1 >= most:
        return Offer(f"There are no more than {counted(most, 'order')} in a turn: end it.")
    own = [region for region in world.board.regions if world.owner[region] == ask.seat]
    if ask.head == PLACE:
        return _place(world, ask.seat, own, orders, picked)
    return _move(world, ask.seat, own, orders, picked)


def _start(ask: Ask, picked: Picks) -> Offer:
    match picked:
        case [region]:
            return Offer("", order=region, alone=True)
    return Offer("Pick a region to start in.", tuple(ask.tail.split()), alone=True)


def _place(
    world: WarlightWorld, seat: int, own: list[int], orders: list[Order], picked: Picks
) -> Offer:
    placed = sum(order.armies for order in orders if isinstance(order, Place))
    left = max(0, world.income[seat] - placed)
    match picked:
        case [region, armies]:
            return Offer("", order=f"{NAMES[seat]} place_armies {region} {armies}")
        case [region]:
            return Offer(f"How many armies for region {region}?", number=Number(1, left, left))
    if not left:
        return Offer(f"All {world.income[seat]} armies are placed: end the turn.")
    text = f"Place armies, {left} left: pick one of your regions."
    return Offer(text, tuple(map(str, own)))


def _move(
    world: WarlightWorld, seat: int, own: list[int], orders: list[Order], picked: Picks
) -> Offer:
    moves = [order for order in orders if isinstance(order, Move)]
    sent = Counter[int]()
    for order in moves:
        sent[order.source] += max(0, order.armies)
    free = {region: world.armies[region] - 1 - sent[region] for region in own}
    taken = {(order.source, order.target) for order in moves}
    targets = {
        region: [near for near in world.board.neighbors[region] if (region, near) not in taken]
        for region in own
        if free[region] > 0
    }
    match picked:
        case [source, target, armies]:
            return Offer("", order=f"{NAMES[seat]} attack/transfer {source} {target} {armies}")
        case [source, target]:
            verb = "go" if world.owner[int(target)] == seat else "attack"
            most = free[int(source)]
            text = f"How many armies {verb} from {source} to {target}?"
            return Offer(text, number=Number(1, most, most))
        case [source]:
            armies = counted(free[int(source)], "army is", "armies are")
            text = f"From region {source}, where {armies} free: pick a neighbour."
            return Offer(text, tuple(map(str, targets[int(source)])))
    places = tuple(str(region) for region, near in targets.items() if near)
    if not places:
        return Offer("No army is free to leave: end the turn.")
    return Offer("Attack or move: pick the region that sends armies.", places)
