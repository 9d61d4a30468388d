"""How a person at a page says an order without typing: by picking, one thing after the other.

A game offers what can be picked next, given what was picked so far, until an order is complete. So
the page knows no rules: it shows places, words and numbers, and tells what was taken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from msgspec import Struct


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
