"""Data for pages besides the frames: chart, events, orders, and the views of seats."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.core import Ask, Event, Fate, Frame, GameView, Sign
from arena.games.hextrategic.board import NEUTRAL
from arena.games.hextrategic.orders import order_pieces
from arena.games.hextrategic.world import HexWorld
from arena.games.kit import counted, joined, player_names


def signs(world: HexWorld, ask: Ask, held: str) -> Iterator[Sign]:
    """An arrow for each move; auto-moves have a sign of their own."""
    for piece in order_pieces(held):
        match piece.split():
            case ["move", source, target, units]:
                yield Sign((source, target), units)
            case ["auto", source, target]:
                yield Sign((source, target), "auto")
            case ["stop", source]:
                yield Sign((source,), "stop")


COLOURS = ("#d70a03", "#0d6fe5", "#56c58d", "#f48402", "#db92eb", "#8a6353")
"""Red, blue, green, orange, purple, brown.

Of colours with these names, each with a contrast of at least 3 to the dark page and 2 to the light
one, a search took the six that differ most for all eyes: ΔE2000 is at least 15.5 between any two,
for normal sight and for full protanopia, deuteranopia and tritanopia. (The nearest of Okabe and
Ito, with a brown, reach 10.9.) Patterns and letters stand beside them."""
RAID = 3
"""Minimum number of others' cells taken by a seat in one round that gets a mark."""
RAID_PART = 30
"""On a large board, one in this many of all cells. (Otherwise nearly every round has a mark.)"""


def standing(frame: Frame) -> list[float | None]:
    """The cells of each seat."""
    owner, seats = frame["owner"], range(len(frame["fate"]))
    return [None if owner[0] is None else float(owner.count(seat)) for seat in seats]


def forces(frame: Frame) -> list[float | None]:
    """The units of each seat."""
    held = list(zip(frame["owner"], frame["units"], strict=True))
    seats = range(len(frame["fate"]))
    return [sum(units for owner, units in held if owner == seat) for seat in seats]


def orders(frame: Frame) -> list[str]:
    """One sentence for each move, in the order of the frame."""
    names = player_names(len(frame["fate"]))
    return [
        f"{names[seat]} moves {counted(units, 'unit')} from cell {source} to {target}."
        for seat, source, target, units in frame["moves"]
    ]


# -- events --------------------------------------------------------------------------------


def events(board: Any, before: Frame | None, frame: Frame) -> list[Event]:
    """Eliminations, captures of rich cells, and large raids."""
    if before is None:
        return []
    return [*_exits(before, frame), *_captures(board, before, frame)]


OUT = {
    Fate.ELIMINATED: "has lost its last cell",
    Fate.SURRENDERED: "surrenders",
    Fate.REMOVED: "has missed too many rounds",
}


def _exits(before: Frame, frame: Frame) -> Iterator[Event]:
    names = player_names(len(frame["fate"]))
    for seat, name in enumerate(names):
        fate = frame["fate"][seat]
        if fate in OUT and fate != before["fate"][seat]:
            yield Event("elimination", f"{name} {OUT[fate]}.", (seat,))


def _captures(board: Any, before: Frame, frame: Frame) -> Iterator[Event]:
    """The cells that a seat has won in this round: those of gold, and many."""
    kinds = [kind for _, _, kind in board["cells"]] if board else []
    raid = max(RAID, len(frame["owner"]) // RAID_PART)
    for seat, name in enumerate(player_names(len(frame["fate"]))):
        won = [
            cell
            for cell, (was, is_) in enumerate(zip(before["owner"], frame["owner"], strict=True))
            if was != is_ == seat
        ]
        gold = [cell for cell in won if kinds and kinds[cell] == "gold"]
        taken = sum(before["owner"][cell] >= 0 for cell in won)
        if gold:
            cells = joined([f"cell {cell}" for cell in gold])
            yield Event("capture", f"{name} takes gold: {cells}.", (seat,))
        if taken >= raid:
            yield Event("battle", f"{name} takes {taken} cells of others.", (seat,))


# -- what a seat sees ----------------------------------------------------------------------


def seen(world: HexWorld, seat: int, frame: Frame) -> Frame:
    """Everything except others' auto-moves, missed rounds and reasons for elimination. Nothing once
    the seat receives no more lines."""
    shown = dict(frame) if _is_told(world, seat) else _blank(frame)
    shown["auto"] = [
        target if owner in (seat, NEUTRAL) else None
        for owner, target in zip(shown["owner"], frame["auto"], strict=True)
    ]
    for key in ("missed", "fate"):
        shown[key] = [value if one == seat else None for one, value in enumerate(frame[key])]
    if shown["owner"] is frame["owner"]:
        for one in world.playing():
            shown["fate"][one] = Fate.SURVIVED
    return shown


def _is_told(world: HexWorld, seat: int) -> bool:
    """Whether the seat receives the state at the end of this round. Seats eliminated in the round
    get their last lines at that moment: before the update, unless they lost everything in it."""
    if world.fate[seat] is Fate.SURVIVED:
        return True
    goes_now = world.survived[seat] == world.round - 1
    return goes_now and (world.fate[seat] is Fate.ELIMINATED or not _updated(world))


def _updated(world: HexWorld) -> bool:
    """Whether this round had an update: some seat survived it, or lost everything in it."""
    return any(
        survived == world.round - (fate is Fate.ELIMINATED)
        for survived, fate in zip(world.survived, world.fate, strict=True)
    )


def _blank(frame: Frame) -> Frame:
    """A frame with everything unknown."""
    cells, seats = len(frame["owner"]), len(frame["fate"])
    nothing = {"owner": [None] * cells, "units": [None] * cells, "moves": []}
    return frame | nothing | {"position": [None] * seats, "survived": [None] * seats}


VIEW = GameView(
    standing=standing,
    unit="cell",
    units="cells",
    events=events,
    orders=orders,
    seen=seen,
    forces=forces,
    colours=COLOURS,
    patterns=True,
    signs=signs,
)
