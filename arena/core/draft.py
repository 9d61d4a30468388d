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

from typing import Any

from msgspec import Struct

from arena.core.game import AnyGame
from arena.core.offers import NO_MOVES, Offer, Picks, draw_answer
from arena.core.rng import Stream
from arena.core.steps import Ask


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

    def random_answer(self, stream: Stream) -> str:
        """A random answer that begins with this draft."""
        return self.held if self.done else draw_answer(self._offer, stream, self.held, self.picked)

    def _offer(self, held: str, picked: Picks) -> Offer:
        assert self.game.offers is not None
        return self.game.offers(self.world, self.ask, held, picked)
