"""What does not count: an answer or an order, why, and how its author learns of it."""

from __future__ import annotations

from msgspec import Struct

from arena.core.steps import Note, Tell
from arena.text import quote


class Refusal(Struct, frozen=True, gc=False):
    """Why an answer, or one of its orders, does not count::

    Refusal("too_many", "cell 7 has 2 units left")
    """

    code: str
    """One word, for the bot."""
    why: str
    """For its author: what follows the colon, no sentence."""
    fault: bool = True
    """False when the bot could not know better: noted, and not counted."""

    def note(self, seat: int, text: str) -> Note:
        """The note to the author of the bot that wrote `text`."""
        return Note(seat, self.code, f"{quote(text)}: {self.why}", self.fault)

    def tell(self, seat: int, number: int | None = None) -> Tell:
        """The line to the bot: ``result 3 illegal too_many`` for what is numbered 3."""
        which = "" if number is None else f" {number}"
        return Tell(seat, f"result{which} illegal {self.code}")


ONLY_ALONE = Refusal("syntax", "it counts only alone")
"""For ``No moves`` beside other orders."""


MOST_NOTES = 250
"""Refusals of one answer that are noted one by one: real bots send up to 206 orders in a line."""


class CappedNotes:
    """The refusals of one answer as notes, of which a hostile line could make 30,000: the first
    `most` one by one, all further ones as one remark with their number."""

    __slots__ = ("_ending", "_most", "_notes", "count", "seat")

    def __init__(self, seat: int, ending: str, most: int = MOST_NOTES) -> None:
        """`ending` is what the remark says of the orders: ``were dropped``."""
        self.seat = seat
        self.count = 0
        """Refusals so far."""
        self._ending = ending
        self._most = most
        self._notes: list[Note] = []

    def add(self, text: str, refusal: Refusal) -> None:
        """Note that what the bot wrote does not count."""
        self.count += 1
        if self.count <= self._most:
            self._notes.append(refusal.note(self.seat, text))

    def take(self) -> list[Note]:
        """The notes since the last call."""
        notes, self._notes = self._notes, []
        return notes

    def close(self) -> list[Note]:
        """The notes since the last call, and the remark."""
        rest = self.count - self._most
        if rest <= 0:
            return self.take()
        more = f"and {rest} more orders of this answer {self._ending}"
        return [*self.take(), Note(self.seat, "more", more, fault=False)]
