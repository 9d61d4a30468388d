"""The complete state of a match.

Seats are 0, 1, …; bots know them as player1, player2, …
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.core import Setup
from arena.games.kit import player_names
from arena.games.tncc.settings import TnccSettings

Resource: TypeAlias = Literal["gold", "food", "population", "military", "land"]
RESOURCES: tuple[Resource, ...] = ("gold", "food", "population", "military", "land")
"""Resources in the order in which they are reported, set and looted."""
Country: TypeAlias = dict[Resource, int]
"""A player's resources: each non-negative between actions, and after its death."""
Flanks: TypeAlias = tuple[int, int, int]
"""Soldiers in the left, the middle and the right flank."""
NONE: Flanks = (0, 0, 0)
Victor: TypeAlias = Literal["attacker", "defender", "tie"]


class Wait(Struct, frozen=True, gc=False, array_like=True, tag="wait"):
    """`seat` does nothing."""

    seat: int


class Recruit(Struct, frozen=True, gc=False, array_like=True, tag="recruit"):
    """`seat` makes soldiers of citizens, or citizens of soldiers when `people` is negative."""

    seat: int
    people: int


class Trade(Struct, frozen=True, gc=False, array_like=True, tag="trade"):
    """`seat` offers an amount of one resource for an amount (the price) of another."""

    seat: int
    partner: int
    give: Resource
    amount: int
    take: Resource
    price: int
    agreed: bool = False
    """Whether the partner agreed; false until it answers."""


class War(Struct, frozen=True, array_like=True, tag="war"):
    """`seat` attacks. The fields after `flanks` hold the result, once the war is fought."""

    seat: int
    target: int
    flanks: Flanks
    defence: Flanks = NONE
    victor: Victor = "tie"
    survivors: int = 0
    """Soldiers of the victor who return home."""


Act: TypeAlias = Wait | Recruit | Trade | War
"""An action of `seat`. In JSON it is a list that begins with its kind."""
Proposal: TypeAlias = Trade | War
"""An action that the other side answers on the spot."""


@dataclass(slots=True, eq=False)
class TnccWorld:
    """The state of one match at one moment."""

    # constant
    settings: TnccSettings
    names: tuple[str, ...]
    # changing
    countries: list[Country]
    alive: list[bool]
    ranks: list[int]
    """Ranks: 1 for the living; those of the dead are final."""
    news: list[list[Act]]
    """For each seat, others' acts since its last request."""
    told: list[int]
    """For each seat, the last cycle whose start was reported to it."""
    round: int = 0
    """The current or next cycle; 0 until the opening was shown."""
    turn: int = 0
    """Whose turn it is."""
    proposal: Proposal | None = None
    """The trade or war of the current seat that the other side has not answered yet."""
    acts: list[Act] = field(default_factory=list)
    """The acts carried out in this cycle."""

    def copy(self) -> TnccWorld:
        """An independent copy of the world."""
        twin = copy.copy(self)
        twin.countries = [country.copy() for country in self.countries]
        twin.alive, twin.ranks = self.alive[:], self.ranks[:]
        twin.news = [news[:] for news in self.news]
        twin.told, twin.acts = self.told[:], self.acts[:]
        return twin


def new_world(setup: Setup[TnccSettings]) -> TnccWorld:
    """A match before its first line."""
    settings, seats = setup.settings, range(setup.seats)
    return TnccWorld(
        settings=settings,
        names=player_names(setup.seats),
        countries=[dict(zip(RESOURCES, settings.start, strict=True)) for _ in seats],
        alive=[True for _ in seats],
        ranks=[1 for _ in seats],
        news=[[] for _ in seats],
        told=[0 for _ in seats],
    )
