"""Data for pages besides the frames: chart, events, orders, and the views of seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from arena.core import Ask, Event, Frame, GameView, Sign
from arena.games.codecharacter.world import (
    NAMES,
    SEATS,
    UNIT,
    CodecharacterWorld,
)
from arena.games.kit import counted, pieces, read_thousandths, thousandths


def signs(world: CodecharacterWorld, ask: Ask, held: str) -> Iterator[Sign]:
    """Mark where soldiers go or attack, and the orders to towers."""
    width = world.settings.tile_size * UNIT
    for piece in pieces(held):
        match piece.split():
            case ["attack", soldier, target]:
                yield Sign((f"#{soldier}", f"#{target}"), "")
            case ["build", x, y]:
                yield Sign((f"{x},{y}",), "")
            case ["upgrade" | "suicide", tower]:
                yield Sign((f"#{tower}",), "")
            case ["move", soldier, *to]:
                numbers = [number // width for one in to if (number := read_thousandths(one))]
                yield Sign((f"#{soldier}", ",".join(map(str, numbers))), "")


MASSACRE = 4
"""One in this many soldiers of an army must die in one turn for a mark."""
NAMED = 8
"""Maximum number of soldiers of an order that are named individually."""


def standing(frame: Frame) -> list[float | None]:
    """The tiles of each seat, which decide the match."""
    return [float(tiles) for tiles in frame["tiles"]]


def forces(frame: Frame) -> Sequence[float | None]:
    """The hit points of the soldiers of each seat."""
    return [sum(one[4] for one in frame["soldiers"] if one[1] == seat) for seat in (0, 1)]


# -- orders --------------------------------------------------------------------------------


def orders(frame: Frame) -> list[str]:
    """One sentence per group of a seat's soldiers with the same order, sorted by first soldier. A
    turn may have hundreds of single orders; `groups` in board.js makes the same groups."""
    groups: dict[tuple[int, str, tuple[Any, ...] | None], list[int]] = {}
    for id_, seat, _, _, _, state, _, _, order in frame["soldiers"]:
        if state not in ("idle", "dead"):
            key = seat, state, None if order is None else tuple(order)
            groups.setdefault(key, []).append(id_)
    count = len(frame["soldiers"])
    return [
        f"{NAMES[seat]}: {_soldiers(ids)} {_deed(state, order, len(ids), count)}."
        for (seat, state, order), ids in groups.items()
    ]


def _soldiers(ids: Sequence[int]) -> str:
    if len(ids) == 1:
        return f"soldier {ids[0]}"
    more = ", …" if len(ids) > NAMED else ""
    return f"{len(ids)} soldiers ({', '.join(map(str, ids[:NAMED]))}{more})"


VERBS = {"move": ("walks", "walk"), "pursuit": ("pursues", "pursue"), "attack": ("hits", "hit")}


def _deed(state: str, order: tuple[Any, ...] | None, many: int, soldiers: int) -> str:
    verb = VERBS[state][many > 1]
    if order is None:
        return f"{verb} (where to is not seen)" if state == "move" else f"{verb} something"
    if state == "move":
        _, x, y = order
        return f"{verb} to {thousandths(x)} {thousandths(y)}"
    _, target = order
    return f"{verb} {'soldier' if target < soldiers else 'tower'} {target}"


# -- events --------------------------------------------------------------------------------


def events(board: Any, before: Frame | None, frame: Frame) -> list[Event]:
    """Towers built and lost, many deaths at once, and a new leader."""
    if before is None:
        return []
    return [*_towers(before, frame), *_deaths(before, frame), *_lead(before, frame)]


def _towers(before: Frame, frame: Frame) -> Iterator[Event]:
    old = {tower[0]: tower for tower in before["towers"]}
    new = {tower[0]: tower for tower in frame["towers"]}
    for id_, (_, seat, x, y, *_) in new.items():
        if id_ not in old:
            yield Event("tower", f"{NAMES[seat]} builds tower {id_} on tile {x},{y}.", (seat,))
    for id_, (_, seat, x, y, _, level, _) in old.items():
        if id_ not in new:
            text = f"{NAMES[seat]} loses tower {id_} of level {level} on tile {x},{y}."
            yield Event("loss", text, (seat,))


def _deaths(before: Frame, frame: Frame) -> Iterator[Event]:
    pairs = list(zip(before["soldiers"], frame["soldiers"], strict=True))
    army = len(pairs) // len(SEATS)
    for seat in SEATS:
        fallen = sum(was[1] == seat and was[5] != "dead" and now[5] == "dead" for was, now in pairs)
        if fallen > 1 and fallen * MASSACRE >= army:
            yield Event("battle", f"{NAMES[seat]} loses {counted(fallen, 'soldier')}.", (seat,))


def _lead(before: Frame, frame: Frame) -> Iterator[Event]:
    """The event that a seat newly has more tiles than the other."""
    for seat in SEATS:
        mine, others = frame["tiles"][seat], frame["tiles"][1 - seat]
        if mine > others and before["tiles"][seat] <= before["tiles"][1 - seat]:
            yield Event("lead", f"{NAMES[seat]} leads, {mine} tiles to {others}.", (seat,))


# -- what a seat sees ----------------------------------------------------------------------

ORDER = 8
"""Index of the order in a frame's list for a soldier."""


def seen(world: CodecharacterWorld, seat: int, frame: Frame) -> Frame:
    """Everything except the enemy's money and orders. The seat's own money is reported at the start
    of the next turn, so not after the last turn."""
    last = world.round == world.settings.num_turns
    return frame | {
        "money": [
            money if one == seat and not last else None for one, money in enumerate(frame["money"])
        ],
        "soldiers": [
            soldier if soldier[1] == seat else [*soldier[:ORDER], None]
            for soldier in frame["soldiers"]
        ],
    }


VIEW = GameView(
    standing=standing,
    unit="tile",
    units="tiles",
    events=events,
    orders=orders,
    seen=seen,
    forces=forces,
    signs=signs,
)
