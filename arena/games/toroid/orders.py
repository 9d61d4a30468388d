"""What a bot may ask for, and how its lines are read."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import Struct

from arena.games.common import is_no_moves, quote, read_integer

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
    """One unit more at the end of the turn."""


class Skip(Struct, frozen=True, gc=False):
    """Nothing."""


Order: TypeAlias = Attack | Scout | Transfer | Build | Skip


class Illegal(Struct, frozen=True, gc=False):
    """An answer that is no action: a reason code, and why, for its author."""

    code: str
    why: str


SIDES: dict[str, Side] = {"left": "left", "right": "right"}
FORMS = (
    "give one action: attack SIDE UNITS, scout SIDE, transfer SIDE UNITS, build or No moves, "
    "with 1 unit at least"
)


def read_order(text: str) -> Order | Illegal:
    """The action that a line asks for."""
    if is_no_moves(text):
        return Skip()
    match text.split(" "):
        case ["build"]:
            return Build()
        case ["scout", word] if word.isalpha():
            side = SIDES.get(word)
            return Scout(side) if side else _no_side(word)
        case ["attack" | "transfer" as verb, word, number] if word.isalpha():
            units, side = read_integer(number), SIDES.get(word)
            if units is None or units < 1:
                return Illegal("syntax", FORMS)
            if side is None:
                return _no_side(word)
            return Attack(side, units) if verb == "attack" else Transfer(side, units)
    return Illegal("syntax", FORMS)


def _no_side(word: str) -> Illegal:
    return Illegal("direction", f"{quote(word)} is neither left nor right")
