"""The complete state of a match.

Seats are counted from 0, as everywhere in the arena; bots know them as player1, player2, … Lists
about cells are indexed by their number.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TypeAlias

from arena.core import Fate, SettingError, Setup, Stream, UsageError
from arena.games.hextrategic.board import CORNERS, Board, Start, draw_start, load_start
from arena.games.hextrategic.settings import HexSettings
from arena.games.kit import player_names

NAME = "hextrategic"
NOWHERE = -1
"""The target of a cell without an auto-move."""


March: TypeAlias = tuple[int, int, int, int]
"""Units of a seat that went from a cell to its neighbour in one update: seat, source, target,
units."""


@dataclass(slots=True, eq=False)
class HexWorld:
    """The state of one match at one moment."""

    # constant
    settings: HexSettings
    board: Board
    names: tuple[str, ...]
    """The seats as bots know them."""
    position_points: tuple[int, ...]
    """Points for position 1, 2, …"""
    # changing
    owner: list[int]
    """A seat, or NEUTRAL, for each cell."""
    units: list[int]
    """At least 0 in each cell."""
    auto: list[int] = field(init=False)
    """The target of each cell's auto-move: a neighbour, or NOWHERE."""
    fate: list[Fate] = field(init=False)
    """SURVIVED as long as the seat is in."""
    position: list[int] = field(init=False)
    """The position of a seat that is out, 0 of one that is in."""
    missed: list[int] = field(init=False)
    """Rounds in a row without an answer in time."""
    survived: list[int] = field(init=False)
    """Rounds survived."""
    round: int = 0
    """The current or next round; 0 before the set-up."""
    moves: list[March] = field(default_factory=list)
    """The marches of the last update, sorted by seat, source, target."""

    def __post_init__(self) -> None:
        seats = len(self.names)
        self.auto = [NOWHERE] * len(self.owner)
        self.fate = [Fate.SURVIVED] * seats
        self.position, self.missed, self.survived = [0] * seats, [0] * seats, [0] * seats

    def playing(self) -> list[int]:
        """The seats that are in, ascending."""
        return [seat for seat, fate in enumerate(self.fate) if fate is Fate.SURVIVED]

    def copy(self) -> HexWorld:
        """An independent copy of the world."""
        twin = copy.copy(self)
        twin.owner, twin.units, twin.auto = self.owner[:], self.units[:], self.auto[:]
        twin.fate, twin.position = self.fate[:], self.position[:]
        twin.missed, twin.survived = self.missed[:], self.survived[:]
        twin.moves = self.moves[:]
        return twin


def new_world(setup: Setup[HexSettings]) -> HexWorld:
    """A match before its first line. Raises UsageError, MapError or SettingError."""
    start = _start(setup)
    return HexWorld(
        settings=setup.settings,
        board=start.board,
        names=player_names(setup.seats),
        position_points=_position_points(setup.settings, setup.seats),
        owner=start.owner,
        units=start.units,
    )


def _start(setup: Setup[HexSettings]) -> Start:
    if setup.map is not None:
        return load_start(setup.map, setup.seats)
    if setup.seats not in CORNERS:
        raise UsageError(
            f"no board treats {setup.seats} players alike: play with 2, 3, 4 or 6 bots, or give a "
            "map file that does"
        )
    return draw_start(setup.settings, setup.seats, Stream(setup.seed, "setup"))


def _position_points(settings: HexSettings, seats: int) -> tuple[int, ...]:
    points = settings.position_points or tuple(range(10 * (seats - 1), -1, -10))
    if len(points) != seats:
        raise SettingError(
            f"position_points has {len(points)} numbers for {seats} players: give one for each "
            "position, the first first"
        )
    return points
