"""Trying a silent bot out beside its match, with further processes of the same program (*twins*).

A twin is told all that the bot was told, and its input is closed: an answer that comes then was
held back. Another has its input left open, and must keep its answer, waiting for input: else the
bot hangs by chance, and holds nothing back. Both are tried `AGREE` times. What else lets the answer
go says why it was held back: a further request and lines that ask for nothing, when the bot reads
ahead; thousands of requests, when its answers have to fill a buffer (or keep it busy); nothing of
that, when it waits for the end of its input.
"""

from __future__ import annotations

from contextlib import suppress

import trio
from msgspec import Struct

from arena.core.game import Setup
from arena.core.registry import find_game, game_names
from arena.core.table import Table
from arena.errors import ArenaError
from arena.players.entrant import Entrant
from arena.players.player import PlayerTerms
from arena.players.probe import Heard, listen
from arena.sandbox.children import Children
from arena.trial.diagnosis import Release
from arena.trial.witness import PASSES, Witness, is_legal

AGREE = 3
"""How often twins must show the same."""
FLOOD = 1 << 15
"""How often a twin is asked or told the same: answers of 2 bytes fill any usual buffer."""
SILENT_FOR = 0.2
"""Seconds for which a twin must be silent, at least, to be called so."""
UNTIL_IT_WAITS = 10.0
"""Seconds until a twin must have read more input, and have answered or wait for still more."""
FIRST_ANSWER = 1.5
"""Seconds for a first answer in another game."""


class Shown(Struct, frozen=True):
    """What twins showed."""

    held_back: str = ""
    """The answer that came when the input was closed, and not before."""
    release: Release = Release.END
    """What else let it go."""
    unfinished: str = ""
    """What came without a newline."""
    other_game: str = ""
    """The game in which it answers."""


NOTHING = Shown()


class Twins(Struct, frozen=True):
    """Where twins of a bot come from."""

    entrant: Entrant
    terms: PlayerTerms
    children: Children
    game: str

    async def ask(self, witness: Witness, within: float) -> Shown:
        """What keeps the answer to the last request back; `within` seconds for a first answer."""
        text, skip = witness.text, witness.answers
        answer, took = "", SILENT_FOR
        for _ in range(AGREE):
            start = trio.current_time()
            closed = await self._hear(text, within, skip=skip, close=True)
            took = max(took, 2 * (trio.current_time() - start))
            answer = answer or _first(closed)
            if closed.rest and not skip and not closed.lines:
                return Shown(unfinished=closed.rest)
            if not _first(closed):
                return NOTHING if answer else Shown(other_game=await self.other_game())
            if not (await self._hear(text, took, skip=skip)).waits_in_silence:
                return NOTHING
        return Shown(answer, await self._release(witness))

    async def _release(self, witness: Witness) -> Release:
        """What lets its answers go, but for the end of its input."""
        text, skip, request = witness.text, witness.answers, f"{witness.lines[-1]}\n"
        if witness.tell:
            more = text + request + f"{witness.tell}\n" * FLOOD
            if (await self._hear(more, UNTIL_IT_WAITS, skip=skip, until_it_waits=True)).lines:
                return Release.MORE_INPUT
        flood = text + request * FLOOD
        full = await self._hear(flood, UNTIL_IT_WAITS, skip=skip, until_it_waits=True)
        return Release.MORE_REQUESTS if full.lines or not full.took else Release.END

    async def other_game(self) -> str:
        """The first other game in which it gives a legal answer; empty when there is none."""
        for name in game_names():
            with suppress(ArenaError):
                if name != self.game and await self._plays(name):
                    return name
        return ""

    async def _plays(self, name: str) -> bool:
        """Whether its first answer in that game is legal, and more than a pass."""
        game = find_game(name)
        table = Table(game, Setup("check", game.seats[0], game.settings()))
        seat = table.asked[0].seat
        text = "".join(f"{line}\n" for line in table.lines(seat))
        answer = _first(await self._hear(text, FIRST_ANSWER, close=True))
        return answer.lower() not in PASSES and is_legal(table, seat, answer)

    async def _hear(
        self,
        text: str,
        within: float,
        *,
        skip: int = 0,
        close: bool = False,
        until_it_waits: bool = False,
    ) -> Heard:
        async with self.entrant.open(self.terms, self.children) as twin:
            return await listen(
                twin, text, within, skip=skip, close=close, until_it_waits=until_it_waits
            )


def _first(heard: Heard) -> str:
    return next((line for line in heard.lines if line), "")
