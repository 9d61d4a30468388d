"""The complete state of a match.

Seats are 0, 1, …; bots know them as player1, player2, …. Countries are 0 to N − 1, in a ring: the
right neighbour of the last is the first. An owner is a seat, or −K for neutral K.
"""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from msgspec import Struct

from arena.core import SettingError, Setup, Stream
from arena.games.kit import Streams, player_names
from arena.games.toroid.settings import ToroidSettings

Result: TypeAlias = Literal["defeat", "victory", "conquer"]
"""Result of an attack: attackers lost; as many defenders lost; country taken."""


class Attacked(Struct, frozen=True, gc=False, array_like=True, tag="attack"):
    """`seat` attacked a country of another owner."""

    seat: int
    source: int
    target: int
    units: int
    result: Result


class Transferred(Struct, frozen=True, gc=False, array_like=True, tag="transfer"):
    """`seat` moved units."""

    seat: int
    source: int
    target: int
    units: int


class Scouted(Struct, frozen=True, gc=False, array_like=True, tag="scout"):
    """`seat` counted the units of a neighbour."""

    seat: int
    source: int
    target: int
    units: int


class Built(Struct, frozen=True, gc=False, array_like=True, tag="build"):
    """A country got one more unit at the end of the turn of `seat`."""

    seat: int
    country: int


Act: TypeAlias = Attacked | Transferred | Scouted | Built
"""A completed action. In JSON it is a list that begins with its kind."""
Contact: TypeAlias = Attacked | Transferred
"""An act that the owner of the target is told about."""


@dataclass(slots=True, eq=False)
class ToroidWorld:
    """The state of one match at one moment. Only `rules.attack` changes owners."""

    # constant
    settings: ToroidSettings
    names: tuple[str, ...]
    """Owners' names for bots: first the seats, last neutral1 (index −1)."""
    turn_order: tuple[int, ...]
    """The seats in the order of their turns, the same in every game turn."""
    rounds: int
    """The number of game turns."""
    # changing
    owner: list[int]
    units: list[int]
    """From 1 to max_resident_units in each country."""
    countries: list[int]
    """The number of countries of each seat."""
    chance: Streams
    round: int = 0
    """The current or next game turn; 0 until the opening was shown."""
    place: int = 0
    """Whose turn it is, as an index into `turn_order`."""
    todo: list[int] = field(default_factory=list)
    """The countries still to be asked in this turn; empty before the turn."""
    tries: int = 0
    """Illegal answers so far for the first country in `todo`."""
    builds: list[int] = field(default_factory=list)
    """The countries that get a unit at the end of this turn."""
    acts: list[Act] = field(default_factory=list)
    """The acts carried out in this game turn."""
    news: list[list[Contact]] = field(init=False)
    """For each seat, others' acts on its countries since the end of its last turn."""
    heard: list[list[Contact]] = field(init=False)
    """For each seat, the news sent to it in this game turn."""
    maps: list[tuple[str, int]] = field(init=False)
    """For each seat, the last `update_map` sent to it, and the number of `acts` before."""
    fallen: list[int] = field(default_factory=list)
    """The eliminated seats, in the order in which they lost their last country."""

    def __post_init__(self) -> None:
        self.news = [[] for _ in self.countries]
        self.heard = [[] for _ in self.countries]
        self.maps = [("", 0) for _ in self.countries]

    def copy(self) -> ToroidWorld:
        """An independent copy of the world."""
        twin = copy.copy(self)
        twin.chance = self.chance.copy()
        twin.owner, twin.units = self.owner[:], self.units[:]
        twin.countries, twin.fallen = self.countries[:], self.fallen[:]
        twin.todo, twin.builds = self.todo[:], self.builds[:]
        twin.acts, twin.news = self.acts[:], [news[:] for news in self.news]
        twin.heard, twin.maps = self.heard[:], self.maps[:]
        return twin


def new_world(setup: Setup[ToroidSettings]) -> ToroidWorld:
    """A match before its first line. Raises SettingError."""
    settings, seats = setup.settings, setup.seats
    neutrals = 2 * seats if settings.neutrals is None else settings.neutrals
    _check_ring(settings, seats, neutrals)
    chance = Stream(setup.seed, "setup")
    owner = [seat for seat in range(seats) for _ in range(settings.countries_per_player)]
    owner += range(-1, -1 - neutrals, -1)
    chance.shuffle(owner)
    garrison = settings.neutral_units_min, settings.neutral_units_max
    units = [settings.start_units if seat >= 0 else chance.between(*garrison) for seat in owner]
    turn_order = list(range(seats))
    chance.shuffle(turn_order)
    return ToroidWorld(
        settings=settings,
        names=(*player_names(seats), *(f"neutral{k}" for k in range(neutrals, 0, -1))),
        turn_order=tuple(turn_order),
        rounds=settings.normal_game_turn_per_player * seats,
        owner=owner,
        units=units,
        countries=[settings.countries_per_player] * seats,
        chance=Streams(setup.seed),
    )


def _check_ring(settings: ToroidSettings, seats: int, neutrals: int) -> None:
    size = seats * settings.countries_per_player + neutrals
    if size < 3:
        raise SettingError(
            f"{seats} players with countries_per_player={settings.countries_per_player} and "
            f"neutrals={neutrals} make a ring of {size} countries: raise one, it needs 3"
        )
