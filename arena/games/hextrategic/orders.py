"""Parser for answers: text in, orders out. Each piece between commas is judged alone."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from arena.games.kit import ONLY_ALONE, Refusal, is_no_moves, only_orders, pieces, read_integer

SURRENDER = "surrender"


class Move(Struct, frozen=True, gc=False):
    """``move SOURCE TARGET UNITS``, at least 1 unit."""

    source: int
    target: int
    units: int


class Auto(Struct, frozen=True, gc=False):
    """``auto SOURCE TARGET``: from now on, all that is left in the source goes to the target."""

    source: int
    target: int


class Halt(Struct, frozen=True, gc=False):
    """``stop SOURCE``: cancel the auto-move."""

    source: int


Order: TypeAlias = Move | Auto | Halt


def surrenders(text: str) -> bool:
    """Whether an answer gives up, alone or beside orders."""
    return SURRENDER in text and SURRENDER in pieces(text)


def order_pieces(text: str) -> list[str]:
    """The pieces of an answer that are meant as orders: none if it only says ``No moves``."""
    return only_orders(pieces(text))


def read_order(piece: str) -> Order | None:
    """Read an order; None if it is malformed: `explain` says why."""
    match piece.split(" "):
        case ["move", one, other, many]:
            source, target, units = read_integer(one), read_integer(other), read_integer(many)
            if source is not None and target is not None and units is not None and units >= 1:
                return Move(source, target, units)
        case ["auto", one, other]:
            source, target = read_integer(one), read_integer(other)
            if source is not None and target is not None:
                return Auto(source, target)
        case ["stop", one]:
            source = read_integer(one)
            if source is not None:
                return Halt(source)
    return None


def explain(piece: str) -> Refusal:
    """Why a piece is not an order."""
    word, *rest = piece.split(" ")
    if is_no_moves(piece):
        return ONLY_ALONE
    if FORMS.get(word) != len(rest):
        return BAD_FORM
    if None in map(read_integer, rest):
        return BAD_NUMBER
    return Refusal("syntax", "move at least one unit")


BAD_FORM = Refusal(
    "syntax",
    "give 'move FROM TO UNITS', 'auto FROM TO' or 'stop FROM', one blank between the words",
)
BAD_NUMBER = Refusal("syntax", "cells and units are plain whole numbers of at most 9 digits")
FORMS = {"move": 3, "auto": 2, "stop": 1}
"""How many numbers each order has."""
