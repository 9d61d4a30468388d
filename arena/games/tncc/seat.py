"""The board for a person at a seat: all that it shows is public."""

from __future__ import annotations

from arena.core import Ask
from arena.games.kit import letter
from arena.games.tncc.world import RESOURCES, TnccWorld


def seat_picture(world: TnccWorld, ask: Ask) -> str:
    """What every country has; the seat's own has a mark."""
    heads = "".join([f"{name:>11}" for name in RESOURCES])
    rows = [_row(world, other, own=other == ask.seat) for other in range(len(world.names))]
    return "\n".join([f"{'':12}{heads}", *rows])


def _row(world: TnccWorld, seat: int, *, own: bool) -> str:
    country = world.countries[seat]
    numbers = "".join([f"{country[name]:>11}" for name in RESOURCES])
    mark = "*" if own else " "
    dead = "" if world.alive[seat] else "  dead"
    return f"{mark}{letter(seat)} {world.names[seat]:9}{numbers}{dead}"
