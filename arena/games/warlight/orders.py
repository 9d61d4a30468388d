"""Reading answers: text in, orders out, and a note for everything that is none.

Each order between commas stands or falls alone. One that is not in form, names the wrong player
or an unknown region is void: it is dropped here and never reaches the rules.
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from arena.games.common import is_no_moves, quote, read_integer
from arena.games.warlight.board import Board
from arena.games.warlight.faults import Faults


class Place(Struct, frozen=True, gc=False):
    """An order to place armies. `text` is what the bot wrote."""

    region: int
    armies: int
    text: str


class Move(Struct, frozen=True, gc=False):
    """An order to attack or to transfer."""

    source: int
    target: int
    armies: int
    text: str


Order: TypeAlias = Place | Move


def read_orders(
    text: str, name: str, board: Board, faults: Faults, max_orders: int = 0
) -> list[Order]:
    """The orders of the player `name` in one answer, in their order; `max_orders` 0 reads all."""
    orders = []
    for piece in _pieces(text, faults, max_orders):
        order = _read(piece, name, board.ids)
        if order is None:
            code, why = _diagnose(piece, name, board.ids)
            faults.add(code, piece, why)
        else:
            orders.append(order)
    return orders


def _pieces(text: str, faults: Faults, max_orders: int) -> list[str]:
    """What stands between the commas and is not empty."""
    parts = text.split(",")
    if max_orders and len(parts) > max_orders:
        dropped = [part for part in parts[max_orders:] if part.strip()]
        if dropped:
            why = f"{len(dropped)} orders from here on are beyond the first {max_orders}"
            faults.add("order_cap", dropped[0].strip(), why)
        del parts[max_orders:]
    pieces = [piece for part in parts if (piece := part.strip())]
    return [] if len(pieces) == 1 and is_no_moves(pieces[0]) else pieces


def _read(piece: str, name: str, ids: dict[str, int]) -> Order | None:
    """The order, or None when anything at all is wrong with it: `_diagnose` says what."""
    match piece.split(" "):
        case [player, "attack/transfer", source_id, target_id, number]:
            source, target, armies = ids.get(source_id), ids.get(target_id), read_integer(number)
            if player == name and source and target and armies is not None:
                return Move(source, target, armies, piece)
        case [player, "place_armies", region_id, number]:
            region, armies = ids.get(region_id), read_integer(number)
            if player == name and region and armies is not None:
                return Place(region, armies, piece)
    return None


def _diagnose(piece: str, name: str, ids: dict[str, int]) -> tuple[str, str]:
    """The code and the explanation of a piece that is no order."""
    match piece.split(" "):
        case [player, "attack/transfer", _, _, _] | [player, "place_armies", _, _]:
            numbers = piece.split(" ")[2:]
        case _ if is_no_moves(piece):
            return "syntax", "it counts only alone"
        case _:
            return "syntax", (
                f"give '{name} place_armies REGION ARMIES' or '{name} attack/transfer FROM TO "
                "ARMIES', one blank between the words"
            )
    for number in numbers:
        if read_integer(number) is None:
            return "syntax", f"{quote(number)} is no plain whole number of at most 9 digits"
    if player != name:
        return "name", f"your name is {name}"
    return "region", "there is no region " + next(id_ for id_ in numbers if id_ not in ids)
