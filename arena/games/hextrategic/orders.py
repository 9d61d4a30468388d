"""Reading answers: text in, orders out. Each piece between commas stands or falls alone."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from arena.games.common import is_no_moves, pieces, read_integer

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
    """``stop SOURCE``: no auto-move any more."""

    source: int


Order: TypeAlias = Move | Auto | Halt


def surrenders(text: str) -> bool:
    """Whether an answer gives up, alone or beside orders."""
    return SURRENDER in text and SURRENDER in pieces(text)


def order_pieces(text: str) -> list[str]:
    """The pieces of an answer that want to be orders: none when it says ``No moves`` alone."""
    found = pieces(text)
    return [] if len(found) == 1 and is_no_moves(found[0]) else found


def read_order(piece: str) -> Order | None:
    """The order, or None when it has not the form of one: `explain` says what is wrong."""
    word, *rest = piece.split(" ")
    numbers = [read_integer(text) for text in rest]
    match word, numbers:
        case "move", [int(source), int(target), int(units)] if units >= 1:
            return Move(source, target, units)
        case "auto", [int(source), int(target)]:
            return Auto(source, target)
        case "stop", [int(source)]:
            return Halt(source)
    return None


def explain(piece: str) -> str:
    """What is wrong with a piece that is no order."""
    word, *rest = piece.split(" ")
    if is_no_moves(piece):
        return "it counts only alone"
    if FORMS.get(word) != len(rest):
        return (
            "give 'move FROM TO UNITS', 'auto FROM TO' or 'stop FROM', one blank between the words"
        )
    if None in map(read_integer, rest):
        return "cells and units are plain whole numbers of at most 9 digits"
    return "move at least one unit"


FORMS = {"move": 3, "auto": 2, "stop": 1}
"""How many numbers each order has."""
