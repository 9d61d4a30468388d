"""Frames and pictures for spectators.

A frame::

    round, rounds   0 is the set-up; the maximum
    owner           the owner of each cell: a seat, or -1 for neutral
    units           the units in each cell
    auto            the target of each cell's auto-move: a cell, or -1
    moves           what marched in this round, each a list: [seat, from, to, units]
    fate            "survived" for each seat that is in, "eliminated", "surrendered" or "removed"
    position        the position of each seat that is out, 0 of one that is in
    survived        the rounds that each seat has survived
    missed          the rounds in a row that each seat has missed

and in the first frame also `board`::

    cells           each a list: [q, r, type]
    neighbors       the neighbours of each cell
"""

from __future__ import annotations

from typing import Any

from arena.core import Ask, Fate, Frame
from arena.games.hextrategic.board import TYPES
from arena.games.hextrategic.world import NOWHERE, HexWorld
from arena.games.kit import counted, held, letter, player_names


def frame(world: HexWorld) -> Frame:
    """The world at the end of a round."""
    return {
        "round": world.round,
        "rounds": world.settings.max_rounds,
        "owner": world.owner[:],
        "units": world.units[:],
        "auto": world.auto[:],
        "moves": [list(march) for march in world.moves],
        "fate": [fate.value for fate in world.fate],
        "position": world.position[:],
        "survived": world.survived[:],
        "missed": world.missed[:],
    }


def opening_frame(world: HexWorld) -> Frame:
    """The world before the first round, with the board."""
    board = world.board
    cells = [[q, r, TYPES[kind]] for (q, r), kind in zip(board.cells, board.types, strict=True)]
    neighbors = [list(near) for near in board.neighbors]
    return frame(world) | {"board": {"cells": cells, "neighbors": neighbors}}


def headline(frame: Frame) -> str:
    """``player1 23 cells 145 units · player2 12 cells 30 units · player3 out``"""
    names = player_names(len(frame["fate"]))
    return " · ".join([f"{name} {_standing(frame, seat)}" for seat, name in enumerate(names)])


def _standing(frame: Frame, seat: int) -> str:
    if frame["fate"][seat] != Fate.SURVIVED:
        return "out"
    units = held(frame["owner"], frame["units"], seat)
    return f"{counted(len(units), 'cell')} {counted(sum(units), 'unit')}"


# -- the picture ---------------------------------------------------------------------------

COLUMNS = 100
"""Maximum columns of a picture; wider ones are cut off."""
MARKS = {"normal": "", "bronze": "'", "silver": '"', "gold": "*"}
PITCHES = {6: 3, 4: 2, 2: 0}
"""Columns from one cell to the next in its row, and how many of them are for its units. The widest
that fits is taken."""


def picture(board: Any, frame: Frame) -> str:
    """The board as text, one row of cells a line. A cell is its owner (A is player1, B player2, …,
    neutral a dot), its units and the mark of its type; a large board has the owners alone.

    `board` is what the first frame carries; without it the cells stand in the order of their
    numbers.
    """
    cells = board["cells"] if board else _grid(len(frame["owner"]))
    columns = [2 * q + r for q, r, _ in cells]
    left, width = min(columns), max(columns) - min(columns) + 2
    pitch = next((pitch for pitch in PITCHES if width * pitch <= 2 * COLUMNS), min(PITCHES))
    rows: dict[int, list[tuple[int, str]]] = {}
    for (q, r, kind), owner, units in zip(cells, frame["owner"], frame["units"], strict=True):
        column = (2 * q + r - left) * pitch // 2
        rows.setdefault(r, []).append((column, _cell_text(owner, units, kind, PITCHES[pitch])))
    return "\n".join([*[_row_text(rows[r]) for r in sorted(rows)], "", *_legend(frame)])


def _grid(count: int) -> list[tuple[int, int, str]]:
    """Places for cells without known coordinates, 16 in a row."""
    return [(id_ % 16 - id_ // 16 // 2, id_ // 16, "normal") for id_ in range(count)]


def _cell_text(owner: int, units: int, kind: str, room: int) -> str:
    sign = letter(owner)
    return sign + _short(units, room) + MARKS[kind] * (room > 2) if room else sign


def _short(units: int, room: int) -> str:
    """A number in `room` columns: in thousands, or a plus, if it is too long."""
    return next((text for text in (str(units), f"{units // 1000}k") if len(text) <= room), "+")


def _row_text(row: list[tuple[int, str]]) -> str:
    line = ""
    for column, text in sorted(row):
        line = line.ljust(column) + text
    return line[:COLUMNS]


def _legend(frame: Frame) -> tuple[str, str]:
    names = player_names(len(frame["fate"]))
    players = [f"{letter(seat)} {name}" for seat, name in enumerate(names)]
    marks = [f"{mark} {kind}" for kind, mark in MARKS.items() if mark]
    return "  ".join(players), "  ".join([". neutral", *marks])


# The board for a human player: nothing is hidden, and the cells have their numbers.

PITCH = 4
"""Columns for half a cell."""
WIDTH = 120
"""Maximum columns of a drawn board; the cells of a wider one are listed."""


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
