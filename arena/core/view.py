"""What a game says of its frames to people who watch: in `view.py` beside its script, as `VIEW`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from arena.core.steps import Ask, Frame

# How a person at a page says an order without typing: by picking, one thing after the other.
#
# A game offers what can be picked next, given what was picked so far, until an order is complete.
# So the page knows no rules: it shows places, words and numbers, and tells what was taken.


class Word(NamedTuple):
    """A button beside the board."""

    pick: str
    """What is picked by it."""
    label: str
    """What stands on it."""


class Number(NamedTuple):
    """A whole number is asked for. Its text is the pick."""

    least: int
    most: int
    preset: int


class Offer(Struct, frozen=True, omit_defaults=True):
    """What can be picked next, or the order that is complete."""

    text: str
    """What to do, as a sentence."""
    places: tuple[str, ...] = ()
    """Places that can be picked, named as the board does."""
    words: tuple[Word, ...] = ()
    number: Number | None = None
    order: str = ""
    """The picks are complete, and say this: an order, or several between commas."""
    alone: bool = False
    """The order is a whole answer: there is nothing beside it."""

    def takes(self, pick: str) -> bool:
        """Whether this can be picked."""
        if self.number and pick.isascii() and pick.isdecimal() and len(pick) < 10:
            return self.number.least <= int(pick) <= self.number.most
        return pick in self.places or any(pick == word.pick for word in self.words)


class Sign(NamedTuple):
    """An order that is held, drawn on the board."""

    places: tuple[str, ...]
    """Two: an arrow. One: the text there; a ring, where there is none."""
    text: str


Picks: TypeAlias = Sequence[str]


def follow(offer: Callable[[Picks], Offer], picks: Picks) -> tuple[Offer, list[str]]:
    """The offer after these picks, as far as each of them was offered, and those that were."""
    now, taken = offer(()), list[str]()
    for pick in picks:
        if now.order or not now.takes(pick):
            break
        taken.append(pick)
        now = offer(tuple(taken))
    return now, taken


W = TypeVar("W")


class Event(Struct, frozen=True):
    """Something of a round that is worth a mark on the time line."""

    kind: str
    """One word: ``battle``, ``capture``, ``elimination``, ``trade``, ``war``, ``tower``."""
    text: str
    """The same as a sentence for people."""
    seats: tuple[int, ...] = ()
    """The seats that it concerns."""


@dataclass(frozen=True, slots=True)
class GameView(Generic[W]):
    """What pages show of a game besides its frames. All functions are pure."""

    standing: Callable[[Frame], Sequence[float | None]]
    """One number for each seat: how it stands, for the chart; None where that is not seen."""
    unit: str
    """What `standing` counts, one of it: ``region``."""
    units: str
    """The same in the plural: ``regions``."""
    events: Callable[[Any, Frame | None, Frame], Sequence[Event]]
    """What is worth a mark in a frame, given the `board` of the first frame (None if it has none)
    and the frame before (None for the first)."""
    orders: Callable[[Frame], Sequence[str]]
    """What was carried out in the round of a frame, a sentence for each step that the board
    animates, in that order."""
    seen: Callable[[W, int, Frame], Frame] | None = None
    """The frame as a seat sees it: of the same shape, null where the seat does not see, and with
    the moves alone that the seat is told of. Seats that are told the same lines must see the same:
    what has changed since without their being told is as it was. It is called with the world at the
    very moment of the `Show`, and must not change it. None: the game hides nothing."""
    names: tuple[str, ...] = ()
    """What the game calls its players (``red``), by seat; empty: ``player1``, ``player2``, …"""
    colours: tuple[str, ...] = ()
    """The colour of each seat as ``#rrggbb``; empty: the colours of pages, in their order."""
    asked: Callable[[W, Ask], Frame | None] | None = None
    """The frame for a person at the seat that is asked, of the same shape as `seen` gives it, with
    no more than the lines up to the request tell. None: it is what the seat saw last."""
    picks: Callable[[W, Ask, str, Picks], Offer] | None = None
    """What a person at the seat that is asked can pick next, given the orders that are held (an
    answer so far), and the picks since. It is given those picks alone that it has offered."""
    signs: Callable[[W, Ask, str], Iterable[Sign]] | None = None
    """How the orders of an answer, be they right or wrong, are drawn on the board before they are
    given."""
    patterns: bool = False
    """Whether seats have patterns, too, with any number of players; else from five on."""
