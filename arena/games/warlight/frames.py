"""Frames and pictures for spectators.

A frame::

    round, rounds   0 is the set-up; the maximum
    owner           the owner of each region, from region 1: a seat, or -1 for neutral
    armies          the armies of each region
    moves           the moves carried out in this round, in order, each a list:
                    ["pick", seat, region]
                    ["place", seat, region, armies]
                    ["transfer", seat, from, to, armies]
                    ["attack", seat, from, to, armies, attackers lost, defenders lost, conquered]

and in the first frame also `board`::

    regions         the super region of each region
    neighbors       the neighbours of each region
    bonus           the bonus of each super region
    wastelands      region ids
    xy              position of each region on the lattice (see `Board.xy`), null for a map file

Regions and super regions are named by the ids that bots use, which run from 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from arena.core import Ask, Frame
from arena.games.kit import counted, held, letter
from arena.games.warlight.words import ATTACK
from arena.games.warlight.world import NAMES, Placed, WarlightWorld

PICTURE_WIDTH = 100
"""Columns of a picture, at most."""


def frame(world: WarlightWorld) -> Frame:
    """The world at the end of a round."""
    return {
        "round": world.round,
        "rounds": world.max_rounds,
        "owner": world.owner[1:],
        "armies": world.armies[1:],
        "moves": msgspec.to_builtins(world.acts),
    }


def opening_frame(world: WarlightWorld) -> Frame:
    """The world after the picks, with the board."""
    return frame(world) | {"board": _board(world)}


def _board(world: WarlightWorld) -> dict[str, Any]:
    board = world.board
    return {
        "regions": list(board.super_of[1:]),
        "neighbors": [list(others) for others in board.neighbors[1:]],
        "bonus": list(board.bonus[1:]),
        "wastelands": list(world.opening.wastelands),
        "xy": None if board.xy is None else [list(point) for point in board.xy[1:]],
    }


def picture(board: dict[str, Any], frame: Frame) -> str:
    """The map as text: each region as its owner and armies, A for player1, B for player2, a dot for
    neutral. A generated map is drawn to its layout; a map file is listed by super region."""
    regions = [
        f"{letter(owner)}{armies}"
        for owner, armies in zip(frame["owner"], frame["armies"], strict=True)
    ]
    return _lattice(board["xy"], regions) if board["xy"] else _list(board, regions)


def _lattice(places: list[list[int]], regions: list[str]) -> str:
    left, top = min(x for x, _ in places), min(y for _, y in places)
    right = max(x for x, _ in places)
    step = max(2, len(max(regions, key=len)) // 2 + 1)  # from 100 armies on, texts would touch
    if step * (right - left + 2) > PICTURE_WIDTH:
        step = 2
    rows = [[" "] * PICTURE_WIDTH for _ in range(max(y for _, y in places) - top + 1)]
    for (x, y), text in zip(places, regions, strict=True):
        start = step * (x - left)
        rows[y - top][start : start + 2 * step] = text.ljust(2 * step)[: 2 * step]
    return "\n".join("".join(row)[:PICTURE_WIDTH].rstrip() for row in rows)


def _list(board: dict[str, Any], regions: list[str]) -> str:
    lines = []
    for zone, bonus in enumerate(board["bonus"], 1):
        inside = [
            f"{region}:{text}"
            for region, (home, text) in enumerate(zip(board["regions"], regions, strict=True), 1)
            if home == zone
        ]
        lines.append(f"super region {zone} (+{bonus}): {' '.join(inside)}"[:PICTURE_WIDTH])
    return "\n".join(lines)


def headline(frame: Frame) -> str:
    """A line like ``player1 23 regions 45 armies · player2 12 regions 30 armies``."""
    return " · ".join([_standing(frame, seat) for seat in (0, 1)])


def _standing(frame: Frame, seat: int) -> str:
    armies = held(frame["owner"], frame["armies"], seat)
    total = counted(sum(armies), "army", "armies")
    return f"{NAMES[seat]} {counted(len(armies), 'region')} {total}"


# The board for a human player: the contents of the seat's lines, as a picture with region ids.

PITCH = 4
"""Columns per lattice step: regions of a row are two steps apart."""
WIDTH = 110
"""Maximum columns of a drawn map; the regions of a wider one are only listed."""


def seat_picture(world: WarlightWorld, ask: Ask) -> str:
    """The board: ``7:A5`` is region 7, held by A (player1) with 5 armies; ``7:?`` is unseen."""
    texts = _texts(world, ask.seat, known_armies(world, ask))
    lines = [*_seat_lattice(world, texts), *_supers(world, texts)]
    return "\n".join([*lines, "A player1  B player2  . neutral  ? not seen  ! wasteland, not seen"])


def known_armies(world: WarlightWorld, ask: Ask) -> list[int]:
    """The armies of each region, without those that the opponent has placed in this round, which
    are revealed when the round is over."""
    armies = world.armies[:]
    for act in world.acts if ask.head == ATTACK else ():
        if isinstance(act, Placed) and act.seat != ask.seat:
            armies[act.region] -= act.armies
    return armies


def _texts(world: WarlightWorld, seat: int, armies: list[int]) -> dict[int, str]:
    """Each region as the seat sees it."""
    seen, wastelands = world.sight[seat].count, world.opening.wastelands
    return {
        region: f"{region}:{letter(world.owner[region])}{armies[region]}"
        if seen[region]
        else f"{region}:{'!' if region in wastelands else '?'}"
        for region in world.board.regions
    }


def _seat_lattice(world: WarlightWorld, texts: dict[int, str]) -> Iterator[str]:
    if world.board.xy is None:
        return
    places = {region: world.board.xy[region] for region in texts}
    left, top = (min(place[axis] for place in places.values()) for axis in (0, 1))
    if (max(x for x, _ in places.values()) - left + 2) * PITCH > WIDTH:
        return
    rows: dict[int, str] = {}
    for region, (x, y) in sorted(places.items(), key=lambda item: item[1]):
        rows[y - top] = rows.get(y - top, "").ljust((x - left) * PITCH) + texts[region]
    yield from (rows.get(y, "") for y in range(max(rows) + 1))
    yield ""


def _supers(world: WarlightWorld, texts: dict[int, str]) -> Iterator[str]:
    """Each super region: its bonus and its regions, each with its neighbours."""
    board = world.board
    for zone in board.supers:
        regions = [
            f"{texts[region]} ({' '.join(map(str, board.neighbors[region]))})"
            for region in board.members[zone]
        ]
        yield f"super region {zone}, +{board.bonus[zone]}: {'  '.join(regions)}"
