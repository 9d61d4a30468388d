"""Parser for answers: text in, orders out, and a note for each piece that is not an order.

Each order between commas is judged alone. One that is malformed, names the wrong player
or an unknown region is void: it is dropped here and never reaches the rules.

The codes of refusals, in the order of the checks:

``syntax``       not in the form of an order, or a number that is not one
``name``         it begins with another name than the player's
``region``       there is no such region
``phase``        an order of the other phase
``not_owned``    a region that is not the player's own
``not_adjacent`` from and to are not neighbours
``amount``       fewer than one army
``no_armies``    a placement with nothing left to place
``lost``         from was lost before the order's turn came: no fault of the bot
``repeated``     the second order of a round with the same from and to
``frozen``       no army is free to leave; no fault of the bot when an attack took them
``order_cap``    orders beyond the setting max_orders
``pick``         a starting region that is not on the list
``more``         a remark: there were more faults than are noted one by one
"""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from arena.games.kit import (
    BLANKS,
    ONLY_ALONE,
    CappedNotes,
    Refusal,
    is_no_moves,
    only_orders,
    quote,
    read_integer,
    trim,
)
from arena.games.warlight.board import Board


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


def new_notes(seat: int) -> CappedNotes:
    """Notes for the refused orders of one answer, or of a phase."""
    return CappedNotes(seat, "came to nothing")


def read_orders(
    text: str, name: str, board: Board, notes: CappedNotes, max_orders: int = 0
) -> list[Order]:
    """The orders of the player `name` in one answer, in their order; `max_orders` 0 reads all."""
    orders: list[Order] = []
    heads = board.heads[name]
    for piece in _pieces(text, notes, max_orders):
        head, _, number = piece.rpartition(" ")
        named, armies = heads.get(head) or _named(head, name, board), read_integer(number)
        if named is None or armies is None:
            notes.add(piece, _diagnose(piece, name, board.ids))
        elif len(named) == 1:
            orders.append(Place(named[0], armies, piece))
        else:
            orders.append(Move(named[0], named[1], armies, piece))
    return orders


def _pieces(text: str, notes: CappedNotes, max_orders: int) -> list[str]:
    """The non-empty pieces between commas."""
    parts = trim(text).split(",")  # records of earlier releases have carriage returns there
    if max_orders and len(parts) > max_orders:
        dropped = [piece for part in parts[max_orders:] if (piece := part.strip(BLANKS))]
        if dropped:
            why = f"{len(dropped)} orders from here on are beyond the first {max_orders}"
            notes.add(dropped[0], Refusal("order_cap", why))
        del parts[max_orders:]
    return only_orders([piece for part in parts if (piece := part.strip(BLANKS))])


def _named(head: str, name: str, board: Board) -> tuple[int, ...] | None:
    """The regions named by the head of an order (everything but the number of armies): a region, or
    source and target. None if anything is wrong with it: `_diagnose` says what."""
    words = head.split(" ")
    match words:
        case [player, "attack/transfer", _, _] | [player, "place_armies", _]:
            ids = words[2:]
        case _:
            return None
    if player != name or not all(id_ in board.ids for id_ in ids):
        return None
    named = tuple([board.ids[id_] for id_ in ids])
    if len(named) == 1 or named[1] in board.neighbors[named[0]]:
        board.heads[name][head] = named
    return named


def _diagnose(piece: str, name: str, ids: dict[str, int]) -> Refusal:
    """Why a piece is not an order."""
    match piece.split(" "):
        case [player, "attack/transfer", _, _, _] | [player, "place_armies", _, _]:
            numbers = piece.split(" ")[2:]
        case _ if is_no_moves(piece):
            return ONLY_ALONE
        case _:
            return Refusal(
                "syntax",
                f"give '{name} place_armies REGION ARMIES' or '{name} attack/transfer FROM TO "
                "ARMIES', one blank between the words",
            )
    for number in numbers:
        if read_integer(number) is None:
            why = f"{quote(number)} is no plain whole number of at most 9 digits"
            return Refusal("syntax", why)
    if player != name:
        return Refusal("name", f"your name is {name}")
    unknown = next(id_ for id_ in numbers if id_ not in ids)
    return Refusal("region", f"there is no region {unknown}")
