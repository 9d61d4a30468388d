"""Fog: a seat sees its own regions and their neighbours.

All code that decides what a line may reveal uses this module.
"""

from __future__ import annotations

from bisect import insort
from itertools import chain

from arena.games.warlight.board import Board


class Sight:
    """The current sight of one seat. The caller reports every region won or lost."""

    __slots__ = ("_board", "_own", "_view", "count")

    def __init__(self, board: Board) -> None:
        self._board = board
        self._own: list[int] = []
        """The regions of the seat, ascending."""
        self.count = [0] * len(board.super_of)
        """For each region, how many of it and its neighbours the seat owns: visible unless 0."""
        self._view: list[int] | None = None

    def change(self, region: int, step: int) -> None:
        """Update after the seat has won (1) or lost (−1) a region."""
        if step > 0:
            insort(self._own, region)
        else:
            self._own.remove(region)
        count = self.count
        count[region] += step
        for near in self._board.neighbors[region]:
            count[near] += step
        self._view = None

    def view(self) -> list[int]:
        """All visible regions in `update_map` order: own ones, ascending, then for each own one the
        neighbours not yet listed. Do not change the list."""
        if self._view is None:
            near = map(self._board.neighbors.__getitem__, self._own)
            # dict keys keep their first position
            self._view = list(dict.fromkeys(chain(self._own, chain.from_iterable(near))))
        return self._view

    def copy(self) -> Sight:
        """An independent copy."""
        twin = Sight.__new__(Sight)
        twin._board, twin._view = self._board, self._view
        twin._own, twin.count = self._own[:], self.count[:]
        return twin
