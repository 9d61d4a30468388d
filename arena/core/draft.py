"""An answer in the making, choice by choice::

    >>> from arena.core import Setup, Table, find_game
    >>> game = find_game("toroid")
    >>> draft = Table(game, Setup("1", 2, game.settings())).draft(0)
    >>> [word.pick for word in draft.offer.words]
    ['build', 'No moves']
    >>> draft.pick("build").answer
    'build'

What can be chosen, the game says (`arena.core.offers`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from arena.core.game import AnyGame
from arena.core.offers import NO_MOVES, Offer, Picks, draw_answer
from arena.core.rng import Stream
from arena.core.steps import Ask

SPELLING_TRIES = 400
"""Picks that are tried to make one answer."""
FEW_PICKS = 12
"""Of so many picks all are tried; of more, those whose words the order has."""
ORDER_WORDS = re.compile(r"\w+")


class Choice(Struct, frozen=True):
    """A pick, and what it was picked from."""

    offer: Offer
    pick: str
    """Empty: nothing is picked, and the answer ends."""
    may_end: bool
    """Whether the answer could have ended here."""


class Draft(Struct, frozen=True):
    """An answer in the making. `Table.draft` begins one."""

    game: AnyGame
    world: Any
    """As the asked seat knows it. Drafts read it and never change it."""
    ask: Ask
    offer: Offer
    """What can be picked next. Nothing more when the answer is `done`."""
    held: str = ""
    """The orders so far, separated by commas."""
    picked: tuple[str, ...] = ()
    """The picks since the last order."""
    done: bool = False
    """Whether nothing can be added."""

    @classmethod
    def begin(cls, game: AnyGame, world: Any, ask: Ask) -> Draft:
        """A draft without picks. Raises ValueError for a game without offers."""
        if game.offers is None:
            raise ValueError(f"{game.name} does not say what can be answered: it has no offers")
        return cls(game, world, ask, game.offers(world, ask, "", ()))

    @property
    def answer(self) -> str | None:
        """The answer as it is; None while an order is not complete, or has to be given."""
        if self.done:
            return self.held
        return None if self.picked or self.offer.alone else self.held or NO_MOVES

    def pick(self, pick: str) -> Draft:
        """The draft after one more pick. Raises ValueError for one that is not offered."""
        if self.done or not self.offer.takes(pick):
            raise ValueError(f"{pick!r} is not offered: {self.offer.text or 'the answer is whole'}")
        picked = (*self.picked, pick)
        offer = self._offer(self.held, picked)
        if not offer.order:
            return Draft(self.game, self.world, self.ask, offer, self.held, picked)
        held = f"{self.held}, {offer.order}" if self.held else offer.order
        if offer.alone:
            return Draft(self.game, self.world, self.ask, Offer(""), held, done=True)
        return Draft(self.game, self.world, self.ask, self._offer(held, ()), held)

    def spell(self, answer: str) -> list[Choice] | None:
        """The choices that make an answer, the last of which ends it unless it is whole by then.
        None for an answer that no picks make as it is written, which is an illegal one, or one in
        another spelling or sequence; and where too many would have to be tried, as in
        codecharacter, whose orders name soldiers and whose picks name tiles::

            >>> from arena.core import Setup, Table, find_game
            >>> game = find_game("hextrategic")
            >>> draft = Table(game, Setup("1", 2, game.settings())).draft(0)
            >>> [choice.pick for choice in draft.spell("No moves")]
            ['']
        """
        return _Speller(answer).spell(self)

    def random_answer(self, stream: Stream) -> str:
        """A random answer that begins with this draft."""
        return self.held if self.done else draw_answer(self._offer, stream, self.held, self.picked)

    def _offer(self, held: str, picked: Picks) -> Offer:
        assert self.game.offers is not None
        return self.game.offers(self.world, self.ask, held, picked)


class _Speller:
    """Looks for the picks that make an answer: depth first, likely picks first."""

    def __init__(self, answer: str) -> None:
        orders = [" ".join(order.split()) for order in answer.split(",")]
        self._orders = [order for order in orders if order and order != NO_MOVES]
        self._words = [set(ORDER_WORDS.findall(order)) for order in self._orders]
        self._is_empty_answer = not self._orders
        self._tries = SPELLING_TRIES

    def spell(self, draft: Draft) -> list[Choice] | None:
        """The choices from this draft on."""
        held = [" ".join(order.split()) for order in draft.held.split(",") if order]
        if held == self._orders or (draft.done and held == [NO_MOVES] and self._is_empty_answer):
            end = [] if draft.done else [Choice(draft.offer, "", may_end=True)]
            if not draft.picked and draft.answer is not None:
                return end
        elif draft.done or held != self._orders[: len(held)]:
            return None
        words = (*self._words, set(ORDER_WORDS.findall(NO_MOVES)))[len(held)]
        for pick in _likely(draft.offer, words):
            self._tries -= 1
            if self._tries < 0:
                return None
            rest = self.spell(draft.pick(pick))
            if rest is not None:
                return [Choice(draft.offer, pick, draft.answer is not None), *rest]
        return None


def _likely(offer: Offer, words: set[str]) -> Iterator[str]:
    """The picks of an offer whose words the order has, then the others unless they are many."""
    named = [*offer.places, *(word.pick for word in offer.words)]
    likely = [pick for pick in named if words.issuperset(ORDER_WORDS.findall(pick))]
    yield from likely
    yield from (word for word in sorted(words) if word not in named and offer.takes(word))
    if len(named) <= FEW_PICKS:
        yield from (pick for pick in named if pick not in likely)
