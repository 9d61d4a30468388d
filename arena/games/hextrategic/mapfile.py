"""A board and its start from a map file, and the proof that it favours no player.

A map file is JSON::

    {"cells": [{"q": 0, "r": 0, "type": "normal", "owner": "player1", "units": 10}, …],
     "symmetries": [[0, 1, 2, …], …]}

Cells are numbered from 0 in the order of the file, and touch as their coordinates say.
`symmetries` has one list for each seat: entry C of list K is the cell to which cell C is carried
by a symmetry of the map that carries what is player1's to what is player(K + 1)'s.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from arena.core import MapError
from arena.games.hextrategic.board import NEUTRAL, TYPES, Board, Start, make_board
from arena.games.kit import player_names, reachable

MOST_CELLS = 10_000
"""Cells of a map file, at most."""

Coordinate = Annotated[int, Meta(ge=-1000, le=1000)]


class _Cell(Struct):
    q: Coordinate
    r: Coordinate
    type: Literal["normal", "bronze", "silver", "gold"]
    owner: str
    units: Annotated[int, Meta(ge=0, le=1_000_000)]


class _MapFile(Struct):
    cells: list[_Cell]
    symmetries: list[list[int]]


def load_start(data: Any, seats: int) -> Start:
    """The start of a match on a map file, given as parsed JSON. Raises MapError."""
    try:
        file = msgspec.convert(data, _MapFile)
    except msgspec.ValidationError as error:
        raise MapError(
            f"the map file has not the right form: {error}. Give an object with cells (q, r, type, "
            "owner, units) and symmetries (a list of cell numbers for each seat)"
        ) from None
    _check_cells(file.cells)
    board = make_board(
        [(cell.q, cell.r) for cell in file.cells], [TYPES.index(cell.type) for cell in file.cells]
    )
    _check_connected(board)
    owner = _owners(file.cells, player_names(seats))
    start = Start(board, owner, [cell.units for cell in file.cells])
    _check_symmetries(start, file.symmetries, seats)
    return start


def _check_cells(cells: Sequence[_Cell]) -> None:
    if not 2 <= len(cells) <= MOST_CELLS:
        raise MapError(f"the map has {len(cells)} cells: give at least 2 and at most {MOST_CELLS}")
    places: dict[tuple[int, int], int] = {}
    for id_, cell in enumerate(cells):
        first = places.setdefault((cell.q, cell.r), id_)
        if first != id_:
            raise MapError(
                f"cells {first} and {id_} both lie at q = {cell.q}, r = {cell.r}: give every cell "
                "a place of its own"
            )


def _check_connected(board: Board) -> None:
    lost = set(range(len(board.cells))) - reachable(board.neighbors, 0)
    if lost:
        raise MapError(f"cell {min(lost)} cannot be reached from cell 0: join the parts of the map")


def _owners(cells: Sequence[_Cell], names: Sequence[str]) -> list[int]:
    """The owner of each cell. A name that is no player, or a player without a cell, is a
    mistake."""
    seat_of = {name: seat for seat, name in enumerate(names)} | {"neutral": NEUTRAL}
    for id_, cell in enumerate(cells):
        if cell.owner not in seat_of:
            raise MapError(
                f"cell {id_} belongs to {cell.owner!r}: give one of {', '.join(seat_of)}, or play "
                "with as many bots as the map is for"
            )
    owner = [seat_of[cell.owner] for cell in cells]
    for seat, name in enumerate(names):
        if seat not in owner:
            raise MapError(f"no cell belongs to {name}: give every player a cell to start with")
    return owner


def _check_symmetries(start: Start, symmetries: Sequence[Sequence[int]], seats: int) -> None:
    if len(symmetries) != seats:
        raise MapError(
            f"the map has {len(symmetries)} symmetries for {seats} players: give one list for each"
        )
    for seat, images in enumerate(symmetries):
        wrong = _flaw(start, images, seat)
        if wrong:
            raise MapError(
                f"symmetry {seat + 1} of the map is none, since {wrong}: correct the list, or make "
                "the map the same for all players"
            )


def _flaw(start: Start, images: Sequence[int], seat: int) -> str | None:
    """Why the images of the cells are no symmetry that carries seat 0 to `seat`."""
    board, count = start.board, len(start.board.cells)
    if sorted(images) != list(range(count)):
        return f"it does not name each of the {count} cells once"
    carried = {NEUTRAL: NEUTRAL, 0: seat}
    for cell, image in enumerate(images):
        if (board.types[cell], start.units[cell]) != (board.types[image], start.units[image]):
            return f"cells {cell} and {image} differ in type or units"
        if carried.setdefault(start.owner[cell], start.owner[image]) != start.owner[image]:
            return f"the owners of cells {cell} and {image} do not go together"
        if {images[near] for near in board.neighbors[cell]} != set(board.neighbors[image]):
            return f"the neighbours of cell {cell} are not carried to those of cell {image}"
    return None
