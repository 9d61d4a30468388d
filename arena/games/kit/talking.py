"""Common steps of scripts, refusals of orders, and random streams of a world."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import lru_cache

from msgspec import Struct

from arena.core.replies import Answer, Reply
from arena.core.rng import Stream
from arena.core.steps import Ask, Asks, Note, Tell
from arena.text import quote


def tell(seat: int, lines: Iterable[str]) -> list[Tell]:
    """Send all lines to one seat: ``yield from tell(0, opening_lines(world, 0))``."""
    return [Tell(seat, line) for line in lines]


def tell_each(seats: Iterable[int], lines: Callable[[int], Iterable[str]]) -> list[Tell]:
    """Send each seat its own `lines`, one seat after the other."""
    return [Tell(seat, line) for seat in seats for line in lines(seat)]


@lru_cache(maxsize=64)
def ask_each(seats: tuple[int, ...], head: str, patience: int = 1) -> Asks:
    """The same request to each seat, all open at once. The same seats get the same object again, so
    that a table checks it only once."""
    return tuple([Ask(seat, head, patience=patience) for seat in seats])


def answer_text(reply: Reply) -> str:
    """The text of the answer; empty for silence."""
    return reply.text if isinstance(reply, Answer) else ""


# Refusals of answers and orders, and how their authors learn of them.


class Refusal(Struct, frozen=True, gc=False):
    """Why an answer, or one of its orders, does not count::

    Refusal("too_many", "cell 7 has 2 units left")
    """

    code: str
    """One word, for the bot."""
    why: str
    """Reason for its author, to follow a colon; not a full sentence."""
    fault: bool = True
    """False if the bot could not have known better: noted, but not counted."""

    def note(self, seat: int, text: str) -> Note:
        """The note to the author of the bot that wrote `text`."""
        return Note(seat, self.code, f"{quote(text)}: {self.why}", self.fault)

    def tell(self, seat: int, number: int | None = None) -> Tell:
        """The line to the bot: ``result 3 illegal too_many`` for order 3."""
        which = "" if number is None else f" {number}"
        return Tell(seat, f"result{which} illegal {self.code}")


ONLY_ALONE = Refusal("syntax", "it counts only alone")
"""Refusal of ``No moves`` beside other orders."""


MOST_NOTES = 250
"""Refusals per answer that get a note each: real bots send up to 206 orders in a line."""


class CappedNotes:
    """The refusals of one answer as notes: one each for the first `most`, then a single remark with
    the number of the rest. A hostile line could cause 30,000."""

    __slots__ = ("_ending", "_most", "_notes", "count", "seat")

    def __init__(self, seat: int, ending: str, most: int = MOST_NOTES) -> None:
        """`ending` is the predicate of the remark: ``were dropped``."""
        self.seat = seat
        self.count = 0
        """Refusals so far."""
        self._ending = ending
        self._most = most
        self._notes: list[Note] = []

    def add(self, text: str, refusal: Refusal) -> None:
        """Add the refusal of `text`."""
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


# Text of headlines, pictures and outcomes.


def letter(owner: int) -> str:
    """An owner's letter in a picture: A for player1, B for player2, …, a dot for none (below 0)."""
    return chr(ord("A") + owner) if owner >= 0 else "."


# The randomness of a world.


class Streams:
    """Streams of one seed by name, cheap to copy: ``world.chance["combat"].below(6)``.

    Copying a stream costs 30 µs, and most copies of a world never draw. So a copy shares the
    streams until one side draws.
    """

    __slots__ = ("_made", "_shared", "seed")

    def __init__(self, seed: str, **made: Stream) -> None:
        """`made` are initial streams, which tests use to fix the randomness."""
        self.seed = seed
        self._made: dict[str, Stream] = made
        self._shared: set[str] = set()
        """Streams shared with other worlds."""

    def __getitem__(self, name: str) -> Stream:
        """The stream of that name. Draw from it at once: the world may be copied later."""
        if name not in self._made:
            self._made[name] = Stream(self.seed, name)
        elif name in self._shared:
            self._made[name] = self._made[name].copy()
            self._shared.discard(name)
        return self._made[name]

    def __setitem__(self, name: str, stream: Stream) -> None:
        """Replace the stream of that name."""
        self._made[name] = stream
        self._shared.discard(name)

    def copy(self) -> Streams:
        """An independent copy with the same state."""
        twin = Streams(self.seed, **self._made)
        self._shared.update(self._made)
        twin._shared.update(self._made)
        return twin

    def renewed(self, seed: str) -> Streams:
        """The streams of another seed, from their beginning."""
        return Streams(seed)
