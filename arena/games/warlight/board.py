"""The immutable map of a match, and the reader for map files.

A map file is JSON in the form of the old engine::

    {"Regions": [{"id": 1, "superRegion": 1, "neighbors": [2, 3]}, …],
     "SuperRegions": [{"id": 1, "bonus": 5}, …]}

Ids run from 1. Such files list each link once, under either of its regions; files that list every
link under both are fine, too. A file that mixes both has probably forgotten a link, and is refused.
Unknown keys are ignored: real files have some.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from arena.core import MapError
from arena.games.kit import reachable

MOST_REGIONS = 1000
"""Maximum number of regions in a map file."""
MOST_BONUS = 1000
"""Maximum bonus armies of a super region."""

Link = tuple[int, int]
"""Two regions that touch, the lower id first."""
Point = tuple[int, int]


class Board(Struct, frozen=True):
    """Regions, super regions and links, all indexed by id; entry 0 is unused."""

    super_of: tuple[int, ...]
    """The super region of each region."""
    neighbors: tuple[tuple[int, ...], ...]
    """The neighbours of each region, ascending."""
    bonus: tuple[int, ...]
    """The bonus armies of each super region."""
    members: tuple[tuple[int, ...], ...]
    """The regions of each super region, ascending."""
    xy: tuple[Point, ...] | None
    """The position of each region, for generated maps only: integers; neighbours differ by (2, 0),
    (1, 1) or (1, −1), and one step of y is √3 times as long as one of x."""
    ids: dict[str, int]
    """Regions by their written ids, in the only accepted spelling."""
    heads: defaultdict[str, dict[str, tuple[int, ...]]]
    """Cache for each player: heads of orders read so far, and the regions that they name. Bots
    repeat them round after round, and parsing takes twice as long as a lookup. Only orders to
    neighbours are kept, which bounds the size."""

    @property
    def regions(self) -> range:
        """All region ids."""
        return range(1, len(self.super_of))

    @property
    def supers(self) -> range:
        """All super region ids."""
        return range(1, len(self.bonus))


def make_board(
    supers: Sequence[int],
    bonus: Sequence[int],
    links: Iterable[Link],
    xy: Sequence[Point] | None = None,
) -> Board:
    """Create a board from the super region of each region and the bonus of each super region, both
    from id 1 on. Checks nothing."""
    near: list[set[int]] = [set() for _ in range(len(supers) + 1)]
    for one, other in links:
        near[one].add(other)
        near[other].add(one)
    members: list[list[int]] = [[] for _ in range(len(bonus) + 1)]
    for region, zone in enumerate(supers, start=1):
        members[zone].append(region)
    return Board(
        super_of=(0, *supers),
        neighbors=tuple(tuple(sorted(others)) for others in near),
        bonus=(0, *bonus),
        members=tuple(tuple(regions) for regions in members),
        xy=None if xy is None else ((0, 0), *xy),
        ids={str(region): region for region in range(1, len(supers) + 1)},
        heads=defaultdict(dict),
    )


class _Region(Struct, frozen=True, rename="camel"):
    id: int
    super_region: int
    neighbors: list[int]


class _SuperRegion(Struct, frozen=True):
    id: int
    bonus: int


class _MapFile(Struct, frozen=True, rename="pascal"):
    regions: list[_Region]
    super_regions: list[_SuperRegion]


def load_board(data: Any) -> Board:
    """Read the board from the parsed JSON of a map file. Raises MapError."""
    try:
        file = msgspec.convert(data, _MapFile)
    except msgspec.ValidationError as error:
        raise MapError(
            f"the map file has not the right form: {error}. Give an object with Regions "
            "(id, superRegion, neighbors) and SuperRegions (id, bonus), all whole numbers"
        ) from None
    _check_ids("region", [region.id for region in file.regions])
    _check_ids("super region", [zone.id for zone in file.super_regions])
    regions = sorted(file.regions, key=lambda region: region.id)
    zones = sorted(file.super_regions, key=lambda zone: zone.id)
    _check_super_regions(regions, zones)
    board = make_board(
        [region.super_region for region in regions],
        [zone.bonus for zone in zones],
        _read_links(regions),
    )
    _check_connected(board)
    return board


def _check_ids(what: str, ids: list[int]) -> None:
    """Check that the ids are exactly 1, 2, 3, …, at least two."""
    if not 2 <= len(ids) <= MOST_REGIONS:
        raise MapError(
            f"the map has {len(ids)} {what}s: give at least 2 and at most {MOST_REGIONS}"
        )
    twice = sorted(id_ for id_, count in Counter(ids).items() if count > 1)
    if twice:
        raise MapError(f"{what} {twice[0]} is there twice: give every {what} an id of its own")
    odd = sorted(set(ids) - set(range(1, len(ids) + 1)))
    if odd:
        raise MapError(
            f"there is a {what} {odd[0]}: number the {len(ids)} {what}s from 1 to {len(ids)}, "
            "without a gap"
        )


def _check_super_regions(regions: list[_Region], zones: list[_SuperRegion]) -> None:
    for region in regions:
        if not 1 <= region.super_region <= len(zones):
            raise MapError(
                f"region {region.id} is in super region {region.super_region}, which is not "
                "listed: add it to SuperRegions, or correct superRegion"
            )
    used = {region.super_region for region in regions}
    for zone in zones:
        if zone.id not in used:
            raise MapError(
                f"super region {zone.id} has no regions: remove it, or put a region into it"
            )
        if not 0 <= zone.bonus <= MOST_BONUS:
            raise MapError(
                f"super region {zone.id} has bonus {zone.bonus}: give a whole number from 0 "
                f"to {MOST_BONUS}"
            )


def _read_links(regions: list[_Region]) -> list[Link]:
    """Read all links from a file that lists each of them once or each on both sides."""
    listed: dict[Link, None] = {}
    for region in regions:
        mentions = Counter(region.neighbors)
        for other in region.neighbors:
            _check_mention(region, other, len(regions), mentions[other])
            listed[region.id, other] = None
    one_sided = [(one, other) for one, other in listed if (other, one) not in listed]
    if one_sided and len(one_sided) < len(listed):
        one, other = one_sided[0]
        both = next((one, other) for one, other in listed if (other, one) in listed)
        raise MapError(
            f"region {one} lists {other} as a neighbour but {other} does not list {one} "
            f"(this file lists other links, such as {both[0]}-{both[1]}, on both sides): "
            f"add {one} to the neighbors of {other}, or list every link once"
        )
    return list(listed)


def _check_mention(region: _Region, other: int, count: int, mentions: int) -> None:
    if other == region.id:
        raise MapError(f"region {other} lists itself as a neighbour: remove it")
    if not 1 <= other <= count:
        raise MapError(
            f"region {region.id} lists {other} as a neighbour, and there is no region {other}: "
            "remove it, or add the region"
        )
    if mentions > 1:
        raise MapError(f"region {region.id} lists {other} twice as a neighbour: list it once")


def _check_connected(board: Board) -> None:
    lost = set(board.regions) - reachable(board.neighbors, 1)
    if lost:
        raise MapError(
            f"region {min(lost)} cannot be reached from region 1: link the parts of the map"
        )
