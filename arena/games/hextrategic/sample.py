"""Legal answers at random, and changes that a seat cannot see: for checks and tests."""

from __future__ import annotations

from collections.abc import Sequence

from arena.games.hextrategic.board import NEUTRAL
from arena.games.hextrategic.world import NOWHERE, HexWorld
from arena.rng import Stream
from arena.steps import Ask


def random_answer(world: HexWorld, ask: Ask, stream: Stream) -> str:
    """Orders for about half of the seat's cells: mostly moves, and auto-moves set and cleared."""
    orders = []
    for cell, owner in enumerate(world.owner):
        if owner == ask.seat and stream.permille(500):
            orders += _orders(world, cell, stream)
    return ", ".join(orders) or "No moves"


def _orders(world: HexWorld, cell: int, stream: Stream) -> list[str]:
    near, units, kind = world.board.neighbors[cell], world.units[cell], stream.below(20)
    if kind == 0:
        return [f"auto {cell} {_any(near, stream)}"]
    if kind == 1 or world.auto[cell] != NOWHERE:
        return [f"stop {cell}"]
    if not units:
        return []
    part = 1 + stream.below(units)
    orders = [f"move {cell} {_any(near, stream)} {part}"]
    if kind < 6 and units > part:
        orders.append(f"move {cell} {_any(near, stream)} {units - part}")
    return orders


def _any(near: Sequence[int], stream: Stream) -> int:
    return near[stream.below(len(near))]


def disturb(world: HexWorld, seat: int, stream: Stream) -> bool:
    """Change the auto-move of a cell of another seat; false when no other has a cell."""
    foreign = [cell for cell, owner in enumerate(world.owner) if owner not in (seat, NEUTRAL)]
    if not foreign:
        return False
    cell = foreign[stream.below(len(foreign))]
    near = (NOWHERE, *world.board.neighbors[cell])
    world.auto[cell] = _any([target for target in near if target != world.auto[cell]], stream)
    return True
