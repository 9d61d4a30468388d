"""Steps that most scripts are made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from msgspec import Struct

from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.steps import Ask, Asks, Note, Tell
from arena.text import quote


def tell(seat: int, lines: Iterable[str]) -> list[Tell]:
    """All lines to one seat: ``yield from tell(0, opening_lines(world, 0))``."""
    return [Tell(seat, line) for line in lines]


def tell_each(seats: Iterable[int], lines: Callable[[int], Iterable[str]]) -> list[Tell]:
    """To each seat the lines that `lines` gives for it, one seat after the other."""
    return [Tell(seat, line) for seat in seats for line in lines(seat)]


@lru_cache(maxsize=64)
def ask_each(seats: tuple[int, ...], head: str, patience: int = 1) -> Asks:
    """The same request to each seat, all open at once. The same seats get the same object again: a
    table checks it only the first time."""
    return tuple([Ask(seat, head, patience=patience) for seat in seats])


def answer_text(reply: Reply) -> str:
    """What was answered; empty for silence."""
    return reply.text if isinstance(reply, Answer) else ""


# What does not count: an answer or an order, why, and how its author learns of it.


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


# Words of headlines, pictures and outcomes.


def letter(owner: int) -> str:
    """An owner in a picture: A for player1, B for player2, …, a dot for none (below 0)."""
    return chr(ord("A") + owner) if owner >= 0 else "."


# The chance of a world.


class Streams:
    """Streams of one seed by name, cheap to copy: ``world.chance["combat"].below(6)``.

    A copy of a stream costs 30 µs, and most copies of a world draw from none. So both go on with
    the same streams until one of them draws.
    """

    __slots__ = ("_made", "_shared", "seed")

    def __init__(self, seed: str, **made: Stream) -> None:
        """`made` are streams to begin with; tests say chance beforehand with them."""
        self.seed = seed
        self._made: dict[str, Stream] = made
        self._shared: set[str] = set()
        """Streams that other worlds hold too."""

    def __getitem__(self, name: str) -> Stream:
        """The stream of that name, to draw from it at once: a copy of the world may follow."""
        if name not in self._made:
            self._made[name] = Stream(self.seed, name)
        elif name in self._shared:
            self._made[name] = self._made[name].copy()
            self._shared.discard(name)
        return self._made[name]

    def __setitem__(self, name: str, stream: Stream) -> None:
        """Draw from this stream from now on."""
        self._made[name] = stream
        self._shared.discard(name)

    def copy(self) -> Streams:
        """Independent of these, and where these stand."""
        twin = Streams(self.seed, **self._made)
        self._shared.update(self._made)
        twin._shared.update(self._made)
        return twin
