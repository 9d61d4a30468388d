"""Frames and pictures for spectators.

A frame::

    round, rounds   the game turn, 0 for the set-up; the maximum
    owner           the owner of each country: a seat, or -K for neutral K
    units           the units of each country
    countries       the number of countries of each seat
    moves           the moves carried out in this game turn, in order, each a list:
                    ["attack", seat, from, to, units, "defeat" | "victory" | "conquer"]
                    ["transfer", seat, from, to, units]
                    ["scout", seat, from, to, units counted]
                    ["build", seat, country], at the end of the seat's turn

and in the first frame also `board`::

    neutrals        the number of neutrals
    turn_order      the seats in the order of their turns
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from arena.core import Ask, Frame
from arena.games.kit import held, letter, player_names
from arena.games.toroid.words import map_line
from arena.games.toroid.world import ToroidWorld

WIDTH = 96
"""Maximum columns of a picture."""


def frame(world: ToroidWorld) -> Frame:
    """The world at the end of a game turn."""
    return {
        "round": world.round,
        "rounds": world.rounds,
        "owner": world.owner[:],
        "units": world.units[:],
        "countries": world.countries[:],
        "moves": msgspec.to_builtins(world.acts),
    }


def opening_frame(world: ToroidWorld) -> Frame:
    """The world before the first turn, with its constants."""
    neutrals = len(world.names) - len(world.countries)
    board = {"neutrals": neutrals, "turn_order": list(world.turn_order)}
    return frame(world) | {"board": board}


def headline(frame: Frame) -> str:
    """A line like ``countries (units): player1 5 (12) · player2 out · neutral 2 (7)``."""
    parts = [_standing(frame, seat, name) for seat, name in _players(frame)]
    neutral = [units for owner, units in _cells(frame) if owner < 0]
    parts += [f"neutral {len(neutral)} ({sum(neutral)})"] if neutral else []
    return f"countries (units): {' · '.join(parts)}"


def _standing(frame: Frame, seat: int, name: str) -> str:
    mine = held(frame["owner"], frame["units"], seat)
    return f"{name} {len(mine)} ({sum(mine)})" if mine else f"{name} out"


def _players(frame: Frame) -> enumerate[str]:
    return enumerate(player_names(len(frame["countries"])))


def _cells(frame: Frame) -> zip[tuple[int, int]]:
    return zip(frame["owner"], frame["units"], strict=True)


def picture(board: Any, frame: Frame) -> str:
    """The ring as a rectangle, clockwise from the upper left: ``7:A12`` is country 7, held by A
    with 12 units. `board` is not needed."""
    cells = [f"{country}:{letter(o)}{n}" for country, (o, n) in enumerate(_cells(frame))]
    signs = [f"{letter(seat)} {name}" for seat, name in _players(frame)]
    return "\n".join([*ring_lines(cells), "", "  ".join([*signs, ". neutral"])])


def ring_lines(cells: Sequence[str]) -> list[str]:
    """Lay out the texts of all countries around a rectangle."""
    usual = f"{len(cells) - 1}:A20"  # so that the picture does not jump when numbers grow
    wide = 2 + max(map(len, [usual, *cells]))
    at = dict(zip(_clockwise(len(cells), WIDTH // wide), cells, strict=True))
    columns, rows = (1 + max(place[axis] for place in at) for axis in (0, 1))
    return [
        "".join([at.get((x, y), "").ljust(wide) for x in range(columns)]).rstrip()
        for y in range(rows)
    ]


def _clockwise(count: int, most_columns: int) -> list[tuple[int, int]]:
    """Positions (x, y) of `count` cells around a rectangle that is as flat as possible."""
    columns = min((count + 1) // 2, most_columns)
    right = max(0, (count - 2 * columns + 1) // 2)
    top = [(x, 0) for x in range(columns)]
    down = [(columns - 1, y) for y in range(1, right + 1)]
    back = [(x, right + 1) for x in reversed(range(columns))]
    up = [(0, y) for y in range(right, 0, -1)]
    return [*top, *down, *back, *up][:count]


# The board for a human player: the contents of the seat's `update_map`, as a ring.


def seat_picture(world: ToroidWorld, ask: Ask) -> str:
    """The ring: ``7:A12`` is country 7, held by A (player1) with 12 units; ``7:B`` hides the units,
    ``7:?`` everything."""
    cells = [f"{country}:?" for country in range(len(world.owner))]
    seats = world.names[: len(world.countries)]
    words = map_line(world, ask.seat).split()[1:]
    for country, name, units in zip(words[::3], words[1::3], words[2::3], strict=True):
        owner = letter(seats.index(name) if name in seats else -1)
        cells[int(country)] = f"{country}:{owner}{'' if units == '-1' else units}"
    signs = [f"{letter(i)} {name}" for i, name in enumerate(seats)]
    return "\n".join([*ring_lines(cells), "", "  ".join([*signs, ". neutral", "? not seen"])])
