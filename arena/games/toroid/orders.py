"""Orders of bots, and the parser for their lines."""

from __future__ import annotations

import re
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.games.kit import Refusal, is_no_moves, quote, read_integer

Side: TypeAlias = Literal["left", "right"]


class Attack(Struct, frozen=True, gc=False):
    """Send units against a neighbour of another owner."""

    side: Side
    units: int


class Scout(Struct, frozen=True, gc=False):
    """Count the units of a neighbour."""

    side: Side


class Transfer(Struct, frozen=True, gc=False):
    """Move units to a neighbour."""

    side: Side
    units: int


class Build(Struct, frozen=True, gc=False):
    """Get one more unit at the end of the turn."""


class Skip(Struct, frozen=True, gc=False):
    """Do nothing."""


Order: TypeAlias = Attack | Scout | Transfer | Build | Skip


SIDES: dict[str, Side] = {"left": "left", "right": "right"}
NUMBER = re.compile(r"[+-]?[\d.]*\d[\d.]*")
"""A word meant as a number, well-formed or not."""
FORMS = (
    "give one action: attack SIDE UNITS, scout SIDE, transfer SIDE UNITS, build or No moves, "
    "with 1 unit at least"
)


def read_order(text: str) -> Order | Refusal:
    """Read the action that a line asks for."""
    if is_no_moves(text):
        return Skip()
    match text.split(" ") if "," not in text else []:
        case ["build"]:
            return Build()
        case ["scout", word] if _is_word(word):
            side = SIDES.get(word)
            return Scout(side) if side else _no_side(word)
        case ["attack" | "transfer" as verb, word, number] if _is_word(word):
            units, side = read_integer(number), SIDES.get(word)
            if units is None or units < 1:
                return Refusal("syntax", FORMS)
            if side is None:
                return _no_side(word)
            return Attack(side, units) if verb == "attack" else Transfer(side, units)
    return Refusal("syntax", FORMS)


def _is_word(text: str) -> bool:
    """Whether `text` may be meant as a direction: it is neither empty nor a number."""
    return text != "" and not NUMBER.fullmatch(text)


def _no_side(word: str) -> Refusal:
    return Refusal("direction", f"{quote(word)} is neither left nor right")
