"""Trying a silent bot out beside its match, with further processes of the same program (*twins*).

A twin is told all that the bot was told, and its input is closed: answers that come then were held
back. A second one is asked the same thousands of times with its input left open: when that lets
answers go, or when it is busy with them, it is only a buffer that holds them; when it takes all of
it and says nothing, it waits for the end of its input. A third is offered the other games.
"""

from __future__ import annotations

from contextlib import suppress

import trio
from msgspec import Struct

from arena.core.game import Setup
from arena.core.registry import find_game, game_names
from arena.core.table import Table
from arena.errors import ArenaError
from arena.match.witness import PASSES, Witness, is_right
from arena.players.entrant import Entrant
from arena.players.probe import Heard, child_of, listen
from arena.players.terms import Terms
from arena.sandbox.children import Children

FLOOD = 1 << 15
"""How often a twin is asked the same: answers of 2 bytes fill any usual buffer."""
FIRST_ANSWER = 1.5
"""Seconds for a first answer in another game."""


class Finding(Struct, frozen=True):
    """What twins showed."""

    held_back: str = ""
    """The answer that came when the input was closed."""
    comes_when_full: bool = False
    """Whether further requests let answers go, or kept it busy."""
    unfinished: str = ""
    """What came without a newline."""
    other_game: str = ""
    """The game in which it answers."""

    def __bool__(self) -> bool:
        return self != NOTHING


NOTHING = Finding()


class Twins(Struct, frozen=True):
    """Where twins of a bot come from."""

    entrant: Entrant
    terms: Terms
    children: Children
    game: str

    async def find(self, witness: Witness, within: float) -> Finding:
        """What keeps the answer to the last request back; `within` seconds for a first answer."""
        text, skip = witness.text, witness.answers
        start = trio.current_time()
        heard = await self._hear(text, within, skip=skip, close=True)
        if held_back := _first(heard):
            took = trio.current_time() - start
            await trio.sleep(took)  # the bot itself has had more than twice as long
            flood = text + f"{witness.lines[-1]}\n" * FLOOD
            full = await self._hear(flood, max(1.0, 2 * took), skip=skip)
            return Finding(held_back, bool(full.lines or not full.took))
        if heard.rest and not skip:
            return Finding(unfinished=heard.rest)
        return Finding(other_game=await self.other_game())

    async def other_game(self) -> str:
        """The first other game in which it gives a right answer; empty when there is none."""
        for name in game_names():
            with suppress(ArenaError):
                if name != self.game and await self._plays(name):
                    return name
        return ""

    async def _plays(self, name: str) -> bool:
        """Whether its first answer in that game is right, and more than a pass."""
        game = find_game(name)
        table = Table(game, Setup("check", game.seats[0], game.settings()))
        seat = table.asked[0].seat
        text = "".join(f"{line}\n" for line in table.lines(seat))
        answer = _first(await self._hear(text, FIRST_ANSWER, close=True))
        return answer.lower() not in PASSES and is_right(table, seat, answer)

    async def _hear(self, text: str, within: float, *, skip: int = 0, close: bool = False) -> Heard:
        async with self.entrant.open(self.terms, self.children) as twin:
            child = child_of(twin)
            assert child is not None
            return await listen(child, text, within, skip=skip, close=close)


def _first(heard: Heard) -> str:
    return next((line for line in heard.lines if line), "")
