"""What can be chosen in an answer: source, target and number, or an auto-move."""

from __future__ import annotations

from arena.core import Ask, Number, Offer, Picks, Word
from arena.games.hextrategic import rules
from arena.games.hextrategic.orders import order_pieces, read_order
from arena.games.hextrategic.world import NOWHERE, HexWorld
from arena.games.kit import counted

AUTO = Word("auto", "In every round, all that is left")


def offers(world: HexWorld, ask: Ask, held: str, picked: Picks) -> Offer:
    """Two cells and a number or ``auto``; or a cell and ``stop``."""
    seat = ask.seat
    world, left = _after(world, seat, held)
    match picked:
        case [source, "stop"]:
            return Offer("", order=f"stop {source}")
        case [source, target, "auto"]:
            return Offer("", order=f"auto {source} {target}")
        case [source, target, units]:
            return Offer("", order=f"move {source} {target} {units}")
        case [source, target]:
            return _how_many(int(source), int(target), left[int(source)])
        case [source]:
            return _where(world, int(source), left[int(source)])
    own = tuple(str(cell) for cell, owner in enumerate(world.owner) if owner == seat)
    return Offer("Move units: pick the cell that sends them.", own)


def _after(world: HexWorld, seat: int, held: str) -> tuple[HexWorld, list[int]]:
    """The world with the auto-moves of these orders, and the units left in each cell."""
    world = world.copy()
    plan = rules.new_plan(world)
    for piece in order_pieces(held):
        if order := read_order(piece):
            rules.obey(world, plan, seat, order)
    return world, plan.left


def _where(world: HexWorld, source: int, left: int) -> Offer:
    target = world.auto[source]
    stop = Word("stop", f"Stop the auto-move to {target}")
    text = f"From cell {source}, with {counted(left, 'unit')} left: pick a neighbour."
    near = tuple(map(str, world.board.neighbors[source]))
    return Offer(text, near, () if target == NOWHERE else (stop,))


def _how_many(source: int, target: int, left: int) -> Offer:
    number = Number(1, left, left) if left else None
    return Offer(f"How many units go from {source} to {target}?", (), (AUTO,), number)
