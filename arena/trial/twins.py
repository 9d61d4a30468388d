"""Examination of a silent bot with additional processes of the same program (*twins*).

A twin gets the same input as the bot, and then end of file: an answer that comes then was held
back. A second twin's input stays open, and it must keep its answer and wait for input; otherwise
the bot just hangs at random and holds nothing back. Both are tried `AGREE` times. Other input that
releases the answer shows why it was held back: one more request and lines that ask for nothing, if
the bot reads ahead; thousands of requests, if its answers must fill a buffer (or keep it busy);
neither, if it waits for the end of its input.
"""

from __future__ import annotations

from contextlib import suppress

import trio
from msgspec import Struct

from arena.core.game import Setup
from arena.core.registry import find_game, game_names
from arena.core.table import Table
from arena.errors import ArenaError
from arena.games.kit.wire import is_no_moves
from arena.players.entrant import Entrant
from arena.players.probe import Heard, listen
from arena.players.terms import PlayerTerms
from arena.sandbox.children import Children
from arena.trial.diagnosis import Release
from arena.trial.witness import Witness, is_legal

AGREE = 3
"""How many times twins must show the same behaviour."""
FLOOD = 1 << 15
"""How many times a twin gets the same input: answers of 2 bytes then fill any usual buffer."""
SILENT_FOR = 0.2
"""Minimum seconds of silence before a twin counts as silent."""
UNTIL_IT_WAITS = 10.0
"""Seconds for a twin to read more input and answer, or wait for still more input."""
FIRST_ANSWER = 1.5
"""Seconds for a first answer in another game."""


class Shown(Struct, frozen=True):
    """The findings of twins."""

    held_back: str = ""
    """The answer that came only after the input was closed."""
    release: Release = Release.END
    """Other input that released it."""
    unfinished: str = ""
    """Output without a newline."""
    other_game: str = ""
    """The game in which it answers."""


NOTHING_SHOWN = Shown()


class Twins(Struct, frozen=True):
    """The source of a bot's twins."""

    entrant: Entrant
    terms: PlayerTerms
    children: Children
    game: str

    async def ask(self, witness: Witness, within: float) -> Shown:
        """Find out what holds back the last answer; `within` seconds for a first answer."""
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
                return NOTHING_SHOWN if answer else Shown(other_game=await self.other_game())
            if not (await self._hear(text, took, skip=skip)).waits_in_silence:
                return NOTHING_SHOWN
        return Shown(answer, await self._release(witness))

    async def _release(self, witness: Witness) -> Release:
        """Find the input, other than its end, that releases the answers."""
        text, skip, request = witness.text, witness.answers, f"{witness.lines[-1]}\n"
        if witness.tell:
            more = text + request + f"{witness.tell}\n" * FLOOD
            if (await self._hear(more, UNTIL_IT_WAITS, skip=skip, until_it_waits=True)).lines:
                return Release.MORE_INPUT
        flood = text + request * FLOOD
        full = await self._hear(flood, UNTIL_IT_WAITS, skip=skip, until_it_waits=True)
        return Release.MORE_REQUESTS if full.lines or not full.took else Release.END

    async def other_game(self) -> str:
        """The first other game in which the bot gives a legal answer; empty if none."""
        for name in game_names():
            with suppress(ArenaError):
                if name != self.game and await self._plays(name):
                    return name
        return ""

    async def _plays(self, name: str) -> bool:
        """Whether the bot's first answer in that game is legal, and not just a pass."""
        game = find_game(name)
        table = Table(game, Setup("check", game.seats[0], game.settings()))
        seat = table.asked[0].seat
        text = "".join(f"{line}\n" for line in table.lines(seat))
        answer = _first(await self._hear(text, FIRST_ANSWER, close=True))
        return not is_no_moves(answer) and is_legal(table, seat, answer)

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
