"""The whole state of a match.

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
"""How an attack went: the attackers are lost; so many defenders are; the country is taken."""


class Attacked(Struct, frozen=True, gc=False, array_like=True, tag="attack"):
    """`seat` sent units against the country of another."""

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
    """At the end of the turn of `seat`, a country got one unit more."""

    seat: int
    country: int


Act: TypeAlias = Attacked | Transferred | Scouted | Built
"""Something that was carried out. As JSON it is a list that begins with what it is."""
Contact: TypeAlias = Attacked | Transferred
"""What the owner of the target is told of."""


@dataclass(slots=True, eq=False)
class ToroidWorld:
    """One match at one moment. Owners change in `rules.attack` alone."""

    # what never changes
    settings: ToroidSettings
    names: tuple[str, ...]
    """Owners as bots know them: first the seats, last neutral1 (−1 counts from the end)."""
    turn_order: tuple[int, ...]
    """The seats in the order of their turns, the same in every game turn."""
    rounds: int
    """How many game turns there are."""
    # what does
    owner: list[int]
    units: list[int]
    """From 1 to max_resident_units in each country."""
    countries: list[int]
    """How many countries each seat has."""
    chance: Streams
    round: int = 0
    """The game turn that is played or comes next; 0 until the match has been shown."""
    place: int = 0
    """Whose turn it is: a place in `turn_order`."""
    todo: list[int] = field(default_factory=list)
    """The countries that are still asked in this turn; empty before it."""
    tries: int = 0
    """Illegal answers so far for the first of them."""
    builds: list[int] = field(default_factory=list)
    """The countries that get a unit when this turn ends."""
    acts: list[Act] = field(default_factory=list)
    """What was carried out in this game turn."""
    news: list[list[Contact]] = field(init=False)
    """For each seat, what others did to its countries since the end of its last turn."""
    heard: list[list[Contact]] = field(init=False)
    """For each seat, the news that it was told in this game turn."""
    maps: list[tuple[str, int]] = field(init=False)
    """For each seat, the last `update_map` that it was told, and how many `acts` came before."""
    fallen: list[int] = field(default_factory=list)
    """The seats without a country, in the order in which they lost their last."""

    def __post_init__(self) -> None:
        self.news = [[] for _ in self.countries]
        self.heard = [[] for _ in self.countries]
        self.maps = [("", 0) for _ in self.countries]

    def copy(self) -> ToroidWorld:
        """An independent world."""
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
