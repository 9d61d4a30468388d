"""Maps of places that are linked. `neighbors` has the neighbours of each place, by its number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeAlias

Neighbors: TypeAlias = Sequence[Sequence[int]]

Cell: TypeAlias = tuple[int, int]
"""A hexagon: its axial coordinates q and r."""


def around(cell: Cell) -> list[Cell]:
    """The six hexagons that touch one."""
    q, r = cell
    east, west, south, north = q + 1, q - 1, r + 1, r - 1
    return [(east, r), (q, south), (west, south), (west, r), (q, north), (east, north)]


def links_text(neighbors: Neighbors) -> str:
    """Each link once, under its lower place: ``" 1 2,3 2 3"``."""
    return "".join(_links(neighbors))


def _links(neighbors: Neighbors) -> Iterator[str]:
    for place, near in enumerate(neighbors):
        higher = [str(other) for other in near if other > place]
        if higher:
            yield f" {place} {','.join(higher)}"


def reachable(neighbors: Neighbors, start: int) -> set[int]:
    """All places that links join to `start`, itself included."""
    reached, edge = {start}, [start]
    while edge:
        fresh = set(neighbors[edge.pop()]) - reached
        reached |= fresh
        edge += fresh
    return reached


def held(owner: Sequence[int], counts: Sequence[int], seat: int) -> list[int]:
    """Of the places that belong to `seat`, what each of them has."""
    return [count for holder, count in zip(owner, counts, strict=True) if holder == seat]
