"""Random legal answers, and changes that a seat cannot see: for checks and tests."""

from __future__ import annotations

from arena.core import Ask, Stream
from arena.games.hextrategic.board import NEUTRAL
from arena.games.hextrategic.world import NOWHERE, HexWorld


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
    """The orders and an auto-move more, or one less: others see only the units that it moves."""
    pieces = [piece.strip() for piece in text.split(",")]
    own = [cell for cell, owner in enumerate(world.owner) if owner == ask.seat]
    automatic = [piece for piece in pieces if piece.startswith("auto ")]
    if automatic and stream.below(3) == 0:
        pieces.remove(stream.choice(automatic))
    elif own:
        cell = stream.choice(own)
        pieces.append(f"auto {cell} {stream.choice(world.board.neighbors[cell])}")
    return ", ".join(piece for piece in pieces if piece != "No moves") or "No moves"
