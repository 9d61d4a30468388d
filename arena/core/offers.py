"""What can be chosen next in an answer: places of the board, words, a number.

A game with `Game.offers` says what can follow what was chosen so far. Some choices make an *order*,
and orders make an answer. So whatever answers a request needs no rules of its own: the page on
which a person plays, answers at random, a search, a mask. `Table.draft` goes along the offers.

Each legal answer can be reached in this form, but for surrender, up to what makes no difference:
the sequence of orders that do not depend on each other, another spelling of an order, orders that
change nothing, and orders for more than there is, which the rules cut down.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Generic, NamedTuple, TypeAlias, TypeVar

from msgspec import Struct

from arena.core.rng import Stream
from arena.core.steps import Ask

W = TypeVar("W")


NO_MOVES = "No moves"
"""The answer without orders, in words that every game understands."""
ENDS = 4
"""A random answer that is whole ends with a chance of one in this many."""


class Word(NamedTuple):
    """A button beside the board."""

    pick: str
    """The pick that the button makes."""
    label: str
    """The text on the button."""


class Number(NamedTuple):
    """A field for a whole number. The text of the number is the pick."""

    least: int
    most: int
    preset: int


class Offer(Struct, frozen=True, omit_defaults=True):
    """What can be picked next, or the completed order."""

    text: str
    """What to do, as a sentence."""
    places: tuple[str, ...] = ()
    """Places that can be picked, named as on the board."""
    words: tuple[Word, ...] = ()
    number: Number | None = None
    order: str = ""
    """The order that the completed picks make, or several separated by commas."""
    alone: bool = False
    """Whether the order is a whole answer, to which nothing can be added, and without which there
    is none."""

    def takes(self, pick: str) -> bool:
        """Whether `pick` can be picked."""
        if self.number and pick.isascii() and pick.isdecimal() and len(pick) < 10:
            return self.number.least <= int(pick) <= self.number.most
        return pick in self.places or any(pick == word.pick for word in self.words)

    def choices(self) -> Iterator[str]:
        """All that can be picked, numbers last: there may be very many."""
        yield from self.places
        yield from (word.pick for word in self.words)
        if self.number:
            yield from map(str, range(self.number.least, self.number.most + 1))

    def random_pick(self, stream: Stream) -> str | None:
        """A random pick; None if there is none. A number is one choice beside the others."""
        named = [*self.places, *(word.pick for word in self.words)]
        at = stream.below(len(named) + (self.number is not None)) if named or self.number else -1
        if self.number and at == len(named):
            return str(stream.between(self.number.least, self.number.most))
        return named[at] if named else None


Picks: TypeAlias = Sequence[str]


def follow(offer: Callable[[Picks], Offer], picks: Picks) -> tuple[Offer, list[str]]:
    """The offer after the valid picks, up to the first that was not offered, and those picks."""
    now, taken = offer(()), list[str]()
    for pick in picks:
        if now.order or not now.takes(pick):
            break
        taken.append(pick)
        now = offer(tuple(taken))
    return now, taken


def draw_answer(
    say: Callable[[str, Picks], Offer], stream: Stream, held: str = "", picked: Picks = ()
) -> str:
    """A random answer that begins with these orders and picks. `say` gives the offer for both."""
    while True:
        offer = say(held, picked)
        if offer.order:
            held, picked = f"{held}, {offer.order}" if held else offer.order, ()
            if offer.alone:
                return held
            continue
        may_end = not (picked or offer.alone)
        pick = None if may_end and stream.below(ENDS) == 0 else offer.random_pick(stream)
        if pick is None:
            assert may_end, f"nothing is offered after {picked}"
            return held or NO_MOVES
        picked = (*picked, pick)


class RandomByOffers(Generic[W]):
    """Random answers made of the offers of a game: `Game.random_answer` unless it has its own."""

    def __init__(self, offers: Callable[[W, Ask, str, Picks], Offer]) -> None:
        self._offers = offers

    def __call__(self, world: W, ask: Ask, stream: Stream) -> str:
        """A random legal answer."""
        return draw_answer(partial(self._offers, world, ask), stream)
