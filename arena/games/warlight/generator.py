"""Random generation of a map, and of the opening of a match.

Regions are cells of a hexagonal lattice, named by axial coordinates (q, r). Super regions grow
one after the other, cell by cell, beside existing cells, and prefer enclosed places. Cells
that touch are neighbours, so every map is planar and connected, and the ids of a super region
are contiguous.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from arena.core import MapError, SettingError, Stream
from arena.games.kit import Cell, around
from arena.games.warlight.board import Board, Link, Point, make_board
from arena.games.warlight.settings import WarlightSettings

SIZES = ((5, 2), (24, 3), (53, 4), (75, 5), (90, 6), (100, 7))
"""Sizes of super regions, as (bound, cells): the first bound above a draw below 100 applies."""


def generate(settings: WarlightSettings, stream: Stream) -> Board:
    """A new map, drawn from the stream ``map``."""
    count = stream.between(settings.min_supers, settings.max_supers)
    lattice = _Lattice(stream)
    for zone in range(1, count + 1):
        lattice.grow(zone, _size(stream))
    return make_board(
        list(lattice.zone_of.values()),
        [lattice.bonus(zone) for zone in range(1, count + 1)],
        lattice.links(),
        [_point(cell) for cell in lattice.zone_of],
    )


def _size(stream: Stream) -> int:
    draw = stream.below(100)
    return next(size for bound, size in SIZES if draw < bound)


def _point(cell: Cell) -> Point:
    q, r = cell
    return 2 * q + r, r


class _Lattice:
    """The cells in use, and their random growth."""

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self.zone_of: dict[Cell, int] = {}
        """The super region of each cell in use, in the order of the region ids."""
        self._beside: set[Cell] = set()
        """The free cells that touch one in use."""

    def grow(self, zone: int, size: int) -> None:
        """Add a super region; it stays smaller if it is enclosed."""
        beside: set[Cell] = set()
        self._use(self._draw(self._beside) if self._beside else (0, 0), zone, beside)
        for _ in range(size - 1):
            if beside:
                self._use(self._draw(beside), zone, beside)

    def _use(self, cell: Cell, zone: int, beside: set[Cell]) -> None:
        """Add a cell to a super region; `beside` are the free cells that touch this one."""
        self.zone_of[cell] = zone
        free = [other for other in around(cell) if other not in self.zone_of]
        for edge in (beside, self._beside):
            edge.discard(cell)
            edge.update(free)

    def _draw(self, candidates: set[Cell]) -> Cell:
        """Draw two cells; return the one with more used neighbours, the first if they tie."""
        ordered = sorted(candidates)
        first, second = self._stream.choice(ordered), self._stream.choice(ordered)
        return second if self._crowd(second) > self._crowd(first) else first

    def _crowd(self, cell: Cell) -> int:
        return len(self.zone_of.keys() & around(cell))

    def bonus(self, zone: int) -> int:
        """The bonus of a super region: more for many cells, less for a short border."""
        cells = [cell for cell, mine in self.zone_of.items() if mine == zone]
        size, border = len(cells), sum(map(self._is_border, cells))
        if size <= 2:
            return self._stream.below(2)
        sheltered = 2 * border <= size
        return max(0, size - 2 + self._stream.below(3) - sheltered)

    def _is_border(self, cell: Cell) -> bool:
        zone = self.zone_of[cell]
        return any(self.zone_of.get(other, zone) != zone for other in around(cell))

    def links(self) -> Iterator[Link]:
        """Every pair of region ids whose cells touch."""
        region_of = {cell: region for region, cell in enumerate(self.zone_of, start=1)}
        for cell, region in region_of.items():
            for other in around(cell):
                if region_of.get(other, 0) > region:
                    yield region, region_of[other]


# Draws before the first pick: wastelands, the regions to pick from, the number of picks.


class Opening(Struct, frozen=True):
    """The immutable start of a match."""

    wastelands: tuple[int, ...]
    """Ascending."""
    pickable: tuple[int, ...]
    """One region of each super region, in the order of the super regions."""
    picks: int
    """Total number of picks of both players: an even number."""


def draw_opening(board: Board, settings: WarlightSettings, stream: Stream) -> Opening:
    """All draws of the stream ``setup``, in their order.

    Raises SettingError for too many wastelands, MapError if nothing is left to pick.
    """
    wastelands = _draw_wastelands(board, settings, stream)
    pickable = _draw_pickable(board, wastelands, stream)
    if len(pickable) < 2:
        raise MapError(
            "the wastelands leave fewer than two regions to pick from: give another map or seed, "
            "fewer wastelands, or wasteland_rule=strict"
        )
    picks = _draw_picks(len(pickable), settings, stream)
    return Opening(tuple(sorted(wastelands)), pickable, picks)


def _draw_wastelands(board: Board, settings: WarlightSettings, stream: Stream) -> set[int]:
    count = settings.wastelands
    wanted = len(board.supers) // 2 if count is None else count
    room = len(board.regions) - len(board.supers)
    if settings.wasteland_rule == "source":
        return _source_wastelands(board, wanted, stream)
    if count is not None and count > room:
        raise SettingError(
            f"wastelands={count} is not allowed on this map: give at most {room}, so that every "
            "super region keeps an ordinary region"
        )
    return _strict_wastelands(board, min(wanted, room), stream)


def _strict_wastelands(board: Board, count: int, stream: Stream) -> set[int]:
    """Draw wastelands so that every super region keeps at least one ordinary region."""
    drawn: set[int] = set()
    normal = [len(members) for members in board.members]
    candidates = [region for region in board.regions if normal[board.super_of[region]] > 1]
    for _ in range(count):
        region = stream.choice(candidates)
        zone = board.super_of[region]
        drawn.add(region)
        candidates.remove(region)
        normal[zone] -= 1
        if normal[zone] == 1:
            candidates.remove(next(last for last in board.members[zone] if last not in drawn))
    return drawn


def _source_wastelands(board: Board, count: int, stream: Stream) -> set[int]:
    """As the old engine: a wasteland drawn again counts while its super region has two ordinary
    regions, and is drawn anew when it has fewer."""
    drawn: set[int] = set()
    normal = [len(members) for members in board.members]
    for _ in range(count):
        region = 1 + stream.below(len(board.regions))
        while region in drawn and normal[board.super_of[region]] < 2:
            if len(drawn) == len(board.regions):
                return drawn  # otherwise it would draw forever
            region = 1 + stream.below(len(board.regions))
        if region not in drawn:
            drawn.add(region)
            normal[board.super_of[region]] -= 1
    return drawn


def _draw_pickable(board: Board, wastelands: set[int], stream: Stream) -> tuple[int, ...]:
    """One ordinary region of each super region that has any."""
    pickable = []
    for zone in board.supers:
        normal = [region for region in board.members[zone] if region not in wastelands]
        if normal:
            pickable.append(stream.choice(normal))
    return tuple(pickable)


def _draw_picks(pickable: int, settings: WarlightSettings, stream: Stream) -> int:
    most = pickable - pickable % 2
    pairs = max(0, most - settings.min_picks) // 2
    return most - 2 * sum([stream.permille(settings.pick_drop) for _ in range(pairs)])
