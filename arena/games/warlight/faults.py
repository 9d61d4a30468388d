"""Collecting what is wrong with one answer, for its author.

The codes, in the order in which an order is looked at:

``syntax``       not in the form of an order, or a number that is not one
``name``         it begins with another name than the player's
``region``       there is no such region
``phase``        an order of the other phase
``not_owned``    a region that is not the player's own
``not_adjacent`` from and to are not neighbours
``amount``       fewer than one army
``no_armies``    a placement with nothing left to place
``lost``         from was lost before the order's turn came: nobody's fault
``repeated``     the second order of a round with the same from and to
``frozen``       no army is free to leave; nobody's fault when an attack took them
``order_cap``    orders beyond the setting max_orders
``pick``         a starting region that is not on the list
``more``         a remark: there were more faults than are noted one by one
"""

from __future__ import annotations

from arena.games.common import quote
from arena.steps import Note

MOST_NOTES = 250
"""Faults of one answer that are noted one by one. Real bots send up to 206 orders in a line; a
hostile line could hold 30,000."""


class Faults:
    """The faults of one seat in one phase."""

    __slots__ = ("_notes", "count", "seat")

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.count = 0
        self._notes: list[Note] = []

    def add(self, code: str, order: str, why: str, fault: bool = True) -> None:
        """Note that `order` came to nothing."""
        self.count += 1
        if self.count <= MOST_NOTES:
            self._notes.append(Note(self.seat, code, f"{quote(order)}: {why}", fault))

    def notes(self) -> list[Note]:
        """What to tell the author."""
        if self.count <= MOST_NOTES:
            return self._notes
        more = f"and {self.count - MOST_NOTES} more orders of this answer came to nothing"
        return [*self._notes, Note(self.seat, "more", more, fault=False)]
