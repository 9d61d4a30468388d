"""The board for a person at a seat: from its own corner, with ids, without the enemy's money."""

from __future__ import annotations

from collections.abc import Iterator

from arena.core import Ask, Frame
from arena.games.codecharacter.frames import LEGEND, map_lines, opening_frame, tower_lines
from arena.games.codecharacter.words import mirrored
from arena.games.codecharacter.world import NAMES, SEATS, CodecharacterWorld
from arena.games.kit import letter, thousandths

SOLDIERS_IN_A_LINE = 2


def seat_picture(world: CodecharacterWorld, ask: Ask) -> str:
    """The map, all towers, and the soldiers of both sides, as the lines of the seat tell them."""
    seen = _as_seen(world, ask.seat)
    lines = [*map_lines(seen["board"], seen), *LEGEND, f"your money: {world.money[ask.seat]}"]
    for side in SEATS:
        yours = ", you" if side == ask.seat else ""
        lines += [f"{letter(side)} {NAMES[side]}{yours}", *tower_lines(seen, side)]
        lines += _soldier_lines(seen, side)
    return "\n".join(lines)


def _as_seen(world: CodecharacterWorld, seat: int) -> Frame:
    """The frame with all places as the seat has them."""
    frame, last = opening_frame(world), world.settings.map_size - 1
    for soldier in frame["soldiers"]:
        soldier[2:4] = [mirrored(seat, place, world.edge) for place in soldier[2:4]]
    for tower in frame["towers"]:
        tower[2:4] = [mirrored(seat, tile, last) for tile in tower[2:4]]
    return frame


def _soldier_lines(seen: Frame, seat: int) -> Iterator[str]:
    texts = [
        f"{id} at {thousandths(x)},{thousandths(y)} hp {hp} {state}"
        for id, owner, x, y, hp, state, *_ in seen["soldiers"]
        if owner == seat and state != "dead"
    ]
    for start in range(0, len(texts), SOLDIERS_IN_A_LINE):
        yield f"  {'; '.join(texts[start : start + SOLDIERS_IN_A_LINE])}"
