"""What spectators see.

A frame::

    round, rounds   0 is the set-up; the maximum
    owner           the owner of each region, from region 1: a seat, or -1 for neutral
    armies          the armies of each region
    moves           what was carried out in this round, in order, each a list:
                    ["pick", seat, region]
                    ["place", seat, region, armies]
                    ["transfer", seat, from, to, armies]
                    ["attack", seat, from, to, armies, attackers lost, defenders lost, conquered]

and in the first also `board`::

    regions         the super region of each region
    neighbors       the neighbours of each region
    bonus           the bonus of each super region
    wastelands      region ids
    xy              where each region lies on the lattice (see `Board.xy`), null for a map file

Regions and super regions are named by their ids, as bots know them, which run from 1.
"""

from __future__ import annotations

from typing import Any

import msgspec

from arena.games.warlight.world import NAMES, WarlightWorld
from arena.steps import Frame


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


def headline(frame: Frame) -> str:
    """``player1 23 regions 45 armies · player2 12 regions 30 armies``"""
    return " · ".join([_standing(frame, seat) for seat in (0, 1)])


def _standing(frame: Frame, seat: int) -> str:
    armies = [
        armies
        for owner, armies in zip(frame["owner"], frame["armies"], strict=True)
        if owner == seat
    ]
    regions, total = len(armies), sum(armies)
    return (
        f"{NAMES[seat]} {regions} region{'s' * (regions != 1)} "
        f"{total} arm{'y' if total == 1 else 'ies'}"
    )
