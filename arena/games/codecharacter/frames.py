"""Frames and pictures for spectators.

A frame::

    round, rounds   0 is the set-up; the maximum
    money, tiles    of each seat
    soldiers        [id, seat, x, y, hp, state, immune, dead, order] for each, by id; `immune` and
                    `dead` count turns; an order is ["move", x, y], ["attack", id] or []
    towers          [id, seat, tile x, tile y, hp, level, base] for each, by id; base is 0 or 1

and in the first frame also `board`::

    map_size, tile_size        in tiles; in units
    soldier_hp, tower_hp       full hp; full hp by level
    tower_ranges               number of tiles that a tower controls to each side, by level

Positions are in thousandths of a unit, as player1 sees them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from arena.core import Ask, Frame
from arena.games.codecharacter.words import mirrored
from arena.games.codecharacter.world import (
    NAMES,
    SEATS,
    UNIT,
    CodecharacterWorld,
    Soldier,
    Tower,
    square,
)
from arena.games.kit import counted, letter, thousandths


def frame(world: CodecharacterWorld) -> Frame:
    """The world at the end of a turn."""
    return {
        "round": world.round,
        "rounds": world.settings.num_turns,
        "money": world.money[:],
        "tiles": world.tiles(),
        "soldiers": [_soldier(soldier) for soldier in world.soldiers],
        "towers": [_tower(tower) for tower in world.towers.values()],
    }


def opening_frame(world: CodecharacterWorld) -> Frame:
    """The world before the first turn, with the board."""
    settings = world.settings
    board = {
        "map_size": settings.map_size,
        "tile_size": settings.tile_size,
        "soldier_hp": settings.soldier_hp,
        "tower_hp": list(settings.tower_hp),
        "tower_ranges": list(settings.tower_ranges),
    }
    return frame(world) | {"board": board}


def _soldier(one: Soldier) -> list[Any]:
    order: list[Any] = []
    if one.destination is not None:
        order = ["move", *one.destination]
    elif one.target is not None:
        order = ["attack", one.target]
    return [
        one.id, one.seat, one.x, one.y, one.hp, one.state, one.immune, one.dead, order
    ]  # fmt: skip


def _tower(one: Tower) -> list[int]:
    return [one.id, one.seat, *one.tile, one.hp, one.level, int(one.base)]


def headline(frame: Frame) -> str:
    """``player1 25 tiles 18 soldiers 300 money · player2 …``"""
    return " · ".join([_standing(frame, seat) for seat in SEATS])


def _standing(frame: Frame, seat: int) -> str:
    alive = sum(one[1] == seat and one[5] != "dead" for one in frame["soldiers"])
    tiles = counted(frame["tiles"][seat], "tile")
    return f"{NAMES[seat]} {tiles} {counted(alive, 'soldier')} {frame['money'][seat]} money"


# -- picture ---------------------------------------------------------------------------------

GROUND = ".-=#"
"""Characters for tiles of no player, of player1, of player2, of both."""
LEGEND = (
    "A B: towers; a b: how many soldiers, * ten or more, ab some of both; of player1, player2",
    "- = #: land of player1, of player2, of both",
)
TOWERS_IN_A_LINE = 3
WIDE_CELLS = 32
"""The largest map drawn with three characters per tile; larger ones have one."""


def picture(board: Any, frame: Frame) -> str:
    """The match as text: the map, then a list of the towers. Without a board (from the first frame)
    there is no map."""
    lines = [*map_lines(board, frame), *LEGEND] if board else []
    for seat in SEATS:
        lines += [f"{letter(seat)} {_standing(frame, seat)}", *tower_lines(frame, seat)]
    return "\n".join(lines)


def map_lines(board: Any, frame: Frame) -> Iterator[str]:
    """The map, a line for each row of tiles."""
    tiles = range(board["map_size"])
    ground, crowds = _ground(board, frame), _crowds(board, frame)
    wide = len(tiles) <= WIDE_CELLS
    if wide:
        yield f"   {''.join(f'{x:<3}' for x in tiles)}".rstrip()
    for y in tiles:
        cells = [ground[x, y] + _crowd_text(*crowds.get((x, y), (0, 0))) for x in tiles]
        if not wide:  # soldiers hide the ground, and are not counted
            cells = [cell.rstrip()[:2][-1] for cell in cells]
        yield f"{y:<3}{''.join(cells)}".rstrip()


def _ground(board: Any, frame: Frame) -> dict[tuple[int, int], str]:
    """The character of each tile, without soldiers."""
    size, masks = board["map_size"], [0, 0]
    for _, seat, x, y, _, level, _ in frame["towers"]:
        masks[seat] |= square((x, y), board["tower_ranges"][level - 1], size)
    ground = {
        (i % size, i // size): GROUND[(masks[0] >> i & 1) + 2 * (masks[1] >> i & 1)]
        for i in range(size * size)
    }
    return ground | {(x, y): letter(seat) for _, seat, x, y, *_ in frame["towers"]}


def _crowds(board: Any, frame: Frame) -> dict[tuple[int, int], list[int]]:
    """The number of living soldiers of each seat on each tile."""
    crowds: dict[tuple[int, int], list[int]] = {}
    last, width = board["map_size"] - 1, board["tile_size"] * UNIT
    for _, seat, x, y, _, state, *_ in frame["soldiers"]:
        if state != "dead":
            tile = min(x // width, last), min(y // width, last)
            crowds.setdefault(tile, [0, 0])[seat] += 1
    return crowds


def _crowd_text(ones: int, twos: int) -> str:
    if ones and twos:
        return "ab"
    count = ones or twos
    return f"{'a' if ones else 'b'}{count if count < 10 else '*'}" if count else "  "


def tower_lines(frame: Frame, seat: int) -> Iterator[str]:
    """The towers of a seat."""
    texts = [
        f"{id}{' base' if base else ''} at {x},{y} level {level} hp {hp}"
        for id, owner, x, y, hp, level, base in frame["towers"]
        if owner == seat
    ]
    for start in range(0, len(texts), TOWERS_IN_A_LINE):
        yield f"  {'; '.join(texts[start : start + TOWERS_IN_A_LINE])}"


# The board for a human player: from the seat's corner, with ids, without the enemy's money.

SOLDIERS_IN_A_LINE = 2


def seat_picture(world: CodecharacterWorld, ask: Ask) -> str:
    """The map, all towers, and the soldiers of both sides, as in the seat's lines."""
    seen = _as_seen(world, ask.seat)
    lines = [*map_lines(seen["board"], seen), *LEGEND, f"your money: {world.money[ask.seat]}"]
    for side in SEATS:
        yours = ", you" if side == ask.seat else ""
        lines += [f"{letter(side)} {NAMES[side]}{yours}", *tower_lines(seen, side)]
        lines += _soldier_lines(seen, side)
    return "\n".join(lines)


def _as_seen(world: CodecharacterWorld, seat: int) -> Frame:
    """The frame with all positions as the seat sees them."""
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
