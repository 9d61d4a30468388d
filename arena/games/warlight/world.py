"""The complete state of a match.

Seats are 0 and 1, as everywhere in the arena; bots know them as player1 and player2. Lists of
regions are indexed by region id, from 1: entry 0 is unused.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TypeAlias

from msgspec import Struct

from arena.core import Setup, Stream
from arena.games.kit import Streams
from arena.games.warlight.board import Board, load_board
from arena.games.warlight.fog import Sight
from arena.games.warlight.generator import Opening, draw_opening, generate
from arena.games.warlight.settings import WarlightSettings

NEUTRAL = -1
"""The owner of a region that belongs to no seat."""
NAMES = ("player1", "player2", "neutral")
"""Owners' names for bots, by seat. NEUTRAL (-1) indexes the last one."""


class Picked(Struct, frozen=True, gc=False, array_like=True, tag="pick"):
    """`seat` picked `region`."""

    seat: int
    region: int


class Placed(Struct, frozen=True, gc=False, array_like=True, tag="place"):
    """`seat` placed armies."""

    seat: int
    region: int
    armies: int


class Transferred(Struct, frozen=True, gc=False, array_like=True, tag="transfer"):
    """`seat` moved armies between its own regions."""

    seat: int
    source: int
    target: int
    armies: int


class Attacked(Struct, frozen=True, gc=False, array_like=True, tag="attack"):
    """`seat` attacked: `lost` of its armies and `killed` defenders are gone."""

    seat: int
    source: int
    target: int
    armies: int
    lost: int
    killed: int
    conquered: bool


Act: TypeAlias = Picked | Placed | Transferred | Attacked
"""A completed action. In JSON it is a list that begins with its kind."""


@dataclass(slots=True, eq=False)
class WarlightWorld:
    """The state of one match at one moment. Change owners only through `hand_over`."""

    # constant
    settings: WarlightSettings
    board: Board
    opening: Opening
    max_rounds: int
    # changing
    owner: list[int]
    """A seat, or NEUTRAL."""
    armies: list[int]
    """At least 1 in each region."""
    chance: Streams
    round: int = 0
    """The current or next round; 0 until the picks are made."""
    acts: list[Act] = field(default_factory=list)
    """The acts since the start of the last round played (or in the set-up)."""
    witnessed: tuple[list[Act], list[Act]] = field(default_factory=lambda: ([], []))
    """For each seat, the opponent's acts of the last round played that it has seen."""
    timeouts: list[int] = field(default_factory=lambda: [0, 0])
    # derived from the owners
    regions: list[int] = field(init=False)
    """The number of regions of each seat."""
    income: list[int] = field(init=False)
    """The armies that each seat gets for a round."""
    held: tuple[list[int], list[int]] = field(init=False)
    """For each seat, the number of its regions in each super region."""
    sight: tuple[Sight, Sight] = field(init=False)

    def __post_init__(self) -> None:
        board = self.board
        self.regions = [0, 0]
        self.income = [self.settings.starting_armies] * 2
        self.held = [0] * len(board.bonus), [0] * len(board.bonus)
        self.sight = Sight(board), Sight(board)
        for region, seat in enumerate(self.owner):
            if seat != NEUTRAL:
                self._count(seat, region, 1)

    def hand_over(self, region: int, to: int) -> None:
        """Give the region to `to` (a seat, or NEUTRAL)."""
        was, self.owner[region] = self.owner[region], to
        if was != NEUTRAL:
            self._count(was, region, -1)
        if to != NEUTRAL:
            self._count(to, region, 1)

    def _count(self, seat: int, region: int, step: int) -> None:
        """Update the derived fields after `seat` has won (1) or lost (−1) the region."""
        board, held = self.board, self.held[seat]
        zone = board.super_of[region]
        before, held[zone] = held[zone], held[zone] + step
        if len(board.members[zone]) in (before, held[zone]):
            self.income[seat] += step * board.bonus[zone]
        self.regions[seat] += step
        self.sight[seat].change(region, step)

    def copy(self) -> WarlightWorld:
        """An independent copy of the world."""
        twin = copy.copy(self)
        twin.owner, twin.armies = self.owner[:], self.armies[:]
        twin.acts = self.acts[:]
        twin.witnessed = self.witnessed[0][:], self.witnessed[1][:]
        twin.timeouts, twin.regions = self.timeouts[:], self.regions[:]
        twin.income = self.income[:]
        twin.held = self.held[0][:], self.held[1][:]
        twin.sight = self.sight[0].copy(), self.sight[1].copy()
        twin.chance = self.chance.copy()
        return twin


def new_world(setup: Setup[WarlightSettings]) -> WarlightWorld:
    """A match before its first line. Raises MapError or SettingError."""
    settings = setup.settings
    board = _generated(settings, setup.seed) if setup.map is None else load_board(setup.map)
    opening = draw_opening(board, settings, Stream(setup.seed, "setup"))
    armies = [0] + [settings.neutral_armies] * len(board.regions)
    for region in opening.wastelands:
        armies[region] = settings.wasteland_armies
    return WarlightWorld(
        settings=settings,
        board=board,
        opening=opening,
        max_rounds=settings.max_rounds or _derived_rounds(settings, len(board.regions)),
        owner=[NEUTRAL] * len(armies),
        armies=armies,
        chance=Streams(setup.seed),
    )


@lru_cache(maxsize=1)
def _generated(settings: WarlightSettings, seed: str) -> Board:
    """The map of a seed. It is immutable and cached for the next match: in a series, matches of the
    same bots in other seats share a seed, and generating it takes a tenth of a short match."""
    return generate(settings, Stream(seed, "map"))


def _derived_rounds(settings: WarlightSettings, regions: int) -> int:
    rounds = 5 * regions // 2
    return max(60, rounds) if settings.max_rounds_rule == "source" else rounds
