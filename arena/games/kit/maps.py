"""Maps of linked places. `neighbors` lists the neighbours of each place, by number."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, count
from operator import ne
from typing import TypeAlias

Neighbors: TypeAlias = Sequence[Sequence[int]]

Cell: TypeAlias = tuple[int, int]
"""A hexagon, as axial coordinates q and r."""


def around(cell: Cell) -> list[Cell]:
    """The six neighbours of a hexagon."""
    q, r = cell
    east, west, south, north = q + 1, q - 1, r + 1, r - 1
    return [(east, r), (q, south), (west, south), (west, r), (q, north), (east, north)]


def links_text(neighbors: Neighbors) -> str:
    """Each link once, listed under its lower place: ``" 1 2,3 2 3"``."""
    return "".join(_links(neighbors))


def _links(neighbors: Neighbors) -> Iterator[str]:
    for place, near in enumerate(neighbors):
        higher = [str(other) for other in near if other > place]
        if higher:
            yield f" {place} {','.join(higher)}"


def reachable(neighbors: Neighbors, start: int) -> set[int]:
    """All places reachable from `start`, including `start`."""
    reached, edge = {start}, [start]
    while edge:
        fresh = set(neighbors[edge.pop()]) - reached
        reached |= fresh
        edge += fresh
    return reached


def held(owner: Sequence[int], counts: Sequence[int], seat: int) -> list[int]:
    """The counts of the places that belong to `seat`."""
    return [count for holder, count in zip(owner, counts, strict=True) if holder == seat]


# The `update_map` lines of a match, cached from round to round.


class MapTexts:
    """Each place of a map as ``PLACE OWNER COUNT``.

    Few places change in a round. `renew` compares the texts with the map, so the caller need not
    say what has changed.
    """

    def __init__(self, names: Sequence[str], owner: Sequence[int], counts: Sequence[int]) -> None:
        """`names` are the names of the owners: ``names[-1]`` belongs to -1."""
        self._heads = [[f"{place} {name} " for place in range(len(owner))] for name in names]
        """The text up to the count, by owner and place: a third of the work of formatting."""
        self._owner, self._counts = list(owner), list(counts)
        self._texts = [""] * len(self._owner)
        self._write(range(len(self._owner)))

    def renew(self, owner: Sequence[int], counts: Sequence[int]) -> bool:
        """Update the texts of places whose owner or count has changed. Returns whether there are
        any."""
        if self._owner == owner and self._counts == counts:
            return False
        for kept, now in (self._owner, owner), (self._counts, counts):
            if kept != now:
                changed = list(compress(count(), map(ne, kept, now)))
                kept[:] = now
                self._write(changed)
        return True

    def _write(self, places: Iterable[int]) -> None:
        heads, owner, counts, texts = self._heads, self._owner, self._counts, self._texts
        for place in places:
            texts[place] = f"{heads[owner[place]][place]}{counts[place]}"

    def line(self, places: Iterable[int] | None = None) -> str:
        """The line with these places, in the given order; None means all."""
        texts = self._texts
        told = texts if places is None else [texts[place] for place in places]
        return " ".join(["update_map", *told])
