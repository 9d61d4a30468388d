"""The vocabulary between a game and the arena: steps, requests and outcomes.

A game is a *script*: a plain generator that yields steps and is sent replies. It has no access to
processes, clocks or files.

=============  =====================================================  ======================
yielded        meaning                                                sent back
=============  =====================================================  ======================
``Tell``       one line to one seat, no answer                        nothing
``(Ask, …)``   requests, all open at once; each is owed one line      a ``Reply`` for each,
                                                                      in the same order
``Show``       what spectators see now; closes a round                nothing
``Note``       a player's fault, or a remark, for its author          nothing
``Stop``       the rules end this seat's program; from now on it      nothing
               answers with silence
=============  =====================================================  ======================

A script returns an ``Outcome``. A player's fault is a value (``Silence``, or an ``Answer`` that the
rules refuse), never an exception: an exception from a script is a bug of the game.

The steps are msgspec structs, because a match makes thousands of them (a frozen dataclass costs
five times as much to build) and because they are written to the replay unchanged.
"""

from __future__ import annotations

from collections.abc import Generator
from enum import StrEnum
from typing import Any, TypeAlias, TypeVar

from msgspec import Struct

from arena.core.replies import Reply

Frame: TypeAlias = dict[str, Any]
"""A JSON object for spectators. The first frame shows the set-up, as round 0. Every frame has
`round` and `rounds` (the maximum) and the whole changing state, never a difference; what never
changes appears once, under `board` of the first frame."""


class Tell(Struct, frozen=True, gc=False, tag="tell"):
    """One line to `seat`, without a request."""

    seat: int
    line: str


class Ask(Struct, frozen=True, gc=False, tag="ask", omit_defaults=True):
    """One request to `seat`: the line ``head TIMEBANK tail``, owed exactly one line.

    An answer after the time bank is late. The arena waits no longer than one bank, unless
    `patience` sets a higher number of banks: a line that comes within them is late and charged; if
    none comes, the answer is absent.
    """

    seat: int
    head: str
    tail: str = ""
    patience: int = 1

    def line(self, bank_ms: int) -> str:
        """The request as the bot reads it, with its remaining time bank in milliseconds."""
        if self.tail:
            return f"{self.head} {bank_ms} {self.tail}"
        return f"{self.head} {bank_ms}"


class Show(Struct, frozen=True, tag="show"):
    """What spectators see at the end of a round."""

    frame: Frame


class Note(Struct, frozen=True, gc=False, tag="note", omit_defaults=True):
    """Something the author of `seat`'s bot should know. `code` is one word, counted in the
    result; `fault=False` makes the note a remark, which is recorded but not counted."""

    seat: int
    code: str
    detail: str
    fault: bool = True


class Stop(Struct, frozen=True, gc=False, tag="stop"):
    """The rules end the program of `seat` (`why` as in the result: ``timeouts``)."""

    seat: int
    why: str


class Fate(StrEnum):
    """What became of a seat under the rules."""

    SURVIVED = "survived"
    ELIMINATED = "eliminated"
    SURRENDERED = "surrendered"
    REMOVED = "removed"


class Outcome(Struct, frozen=True, tag="outcome"):
    """The end of a match: one entry per seat in each list.

    `ranks` start at 1 and ties share the better rank (1 1 3); `reason` is one word for programs,
    `sentence` the same for people.
    """

    ranks: tuple[int, ...]
    points: tuple[float, ...]
    fates: tuple[Fate, ...]
    reason: str
    sentence: str


Step: TypeAlias = Tell | Show | Note | Stop
Asks: TypeAlias = tuple[Ask, ...]
T = TypeVar("T")
Part: TypeAlias = Generator[Step | Asks, tuple[Reply, ...], T]
"""A part of a script that returns a T."""
Script: TypeAlias = Part[Outcome]
Scene: TypeAlias = Part[None]
"""A part of a script that returns nothing: one phase, one round."""


def ask(seat: int, head: str, tail: str = "") -> Part[Reply]:
    """Ask one seat and return its reply: ``reply = yield from ask(0, "go action")``."""
    replies = yield (Ask(seat, head, tail),)
    return replies[0]


def ask_all(asks: Asks) -> Part[tuple[Reply, ...]]:
    """Open all requests at once and return the replies in the order of `asks`."""
    return (yield asks)
