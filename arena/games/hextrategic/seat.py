"""The board for a person at a seat: nothing is hidden, and the cells have their numbers."""

from __future__ import annotations

from arena.core import Ask
from arena.games.hextrategic.board import TYPES
from arena.games.hextrategic.frames import MARKS
from arena.games.hextrategic.world import NOWHERE, HexWorld
from arena.games.kit import letter

PITCH = 4
"""Columns for half a cell."""
WIDTH = 120
"""Columns of a drawn board, at most; the cells of a wider one are listed."""


def seat_picture(world: HexWorld, ask: Ask) -> str:
    """``7:A10'`` is cell 7, bronze, held by A (player1) with 10 units."""
    players = "  ".join(f"{letter(i)} {name}" for i, name in enumerate(world.names))
    marks = "  ".join(f"{mark} {kind}" for kind, mark in MARKS.items() if mark)
    lines = [*_rows(world), "", f"{players}  . neutral  {marks}"]
    autos = [
        f"{cell} to {target}"
        for cell, target in enumerate(world.auto)
        if target != NOWHERE and world.owner[cell] == ask.seat
    ]
    return "\n".join([*lines, *([f"your automatic moves: {', '.join(autos)}"] if autos else [])])


def _rows(world: HexWorld) -> list[str]:
    cells = world.board.cells
    left = min(2 * q + r for q, r in cells)
    right = max(2 * q + r for q, r in cells)
    drawn = (right - left + 2) * PITCH <= WIDTH
    rows: dict[int, str] = {}
    for cell, (q, r) in sorted(enumerate(cells), key=lambda item: (item[1][1], item[1][0])):
        column = (2 * q + r - left) * PITCH if drawn else 0
        row = rows.get(r, "")
        text = f"{cell}:{letter(world.owner[cell])}{world.units[cell]}"
        mark = MARKS[TYPES[world.board.types[cell]]]
        rows[r] = row.ljust(column) + (" " if row and not drawn else "") + text + mark
    return [rows[r] for r in sorted(rows)]
