"""Random legal answers, and changes that a seat cannot see: for checks and tests."""

from __future__ import annotations

from arena.core import Ask, Stream
from arena.games.hextrategic.board import NEUTRAL
from arena.games.hextrategic.orders import order_pieces, read_order
from arena.games.hextrategic.rules import new_plan, obey
from arena.games.hextrategic.world import NOWHERE, HexWorld
from arena.games.kit import NO_MOVES


def random_answer(world: HexWorld, ask: Ask, stream: Stream) -> str:
    """Orders for about half of the seat's cells: mostly moves, and auto-moves set and cleared."""
    orders = []
    for cell, owner in enumerate(world.owner):
        if owner == ask.seat and stream.permille(500):
            orders += _orders(world, cell, stream)
    return ", ".join(orders) or NO_MOVES


def _orders(world: HexWorld, cell: int, stream: Stream) -> list[str]:
    near, units, kind = world.board.neighbors[cell], world.units[cell], stream.below(20)
    if kind == 0:
        return [f"auto {cell} {stream.choice(near)}"]
    if kind == 1 or world.auto[cell] != NOWHERE:
        return [f"stop {cell}"]
    if not units:
        return []
    part = 1 + stream.below(units)
    orders = [f"move {cell} {stream.choice(near)} {part}"]
    if kind < 6 and units > part:
        orders.append(f"move {cell} {stream.choice(near)} {units - part}")
    return orders


def perturb_hidden(world: HexWorld, seat: int, stream: Stream) -> bool:
    """Change the auto-move of another seat's cell; false if no other seat has a cell."""
    foreign = [cell for cell, owner in enumerate(world.owner) if owner not in (seat, NEUTRAL)]
    if not foreign:
        return False
    cell = stream.choice(foreign)
    near = (NOWHERE, *world.board.neighbors[cell])
    world.auto[cell] = stream.choice([target for target in near if target != world.auto[cell]])
    return True


def disguise(world: HexWorld, ask: Ask, text: str, stream: Stream) -> str:
    """The orders with other auto-moves that send the same units now: others see only these. An
    auto-move that sends something becomes a move; a cell that sends all it has by moves may have
    any auto-move, or none."""
    after, given = world.copy(), order_pieces(text)
    plan = new_plan(after)
    for piece in given:
        if (order := read_order(piece)) is not None:
            obey(after, plan, ask.seat, order)
    others = dict[int, list[str]]()
    for cell, owner in enumerate(after.owner):
        target, left = after.auto[cell], plan.left[cell]
        if owner == ask.seat and left == 0:
            near = [one for one in (NOWHERE, *after.board.neighbors[cell]) if one != target]
            new = stream.choice(near)
            others[cell] = [f"stop {cell}" if new == NOWHERE else f"auto {cell} {new}"]
        elif owner == ask.seat and target != NOWHERE:
            others[cell] = [f"move {cell} {target} {left}", f"stop {cell}"]
    if not others:
        return text
    chosen = [cell for cell in others if stream.below(2)] or [stream.choice([*others])]
    return ", ".join([*given, *[order for cell in chosen for order in others[cell]]])
