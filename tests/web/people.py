"""People at pages, without a browser; and rivals who answer at random."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import trio

from arena.core import Stream, Table, find_game
from arena.core.replies import FREE, Answer, TimedReply
from arena.core.settings import parse
from arena.match.play import play_match
from arena.match.spec import MatchSpec
from arena.players.entrant import Entrant, HumanEntrant
from arena.players.player import Player
from arena.players.terms import PlayerTerms
from arena.web.desk import Give, Help, PageDesk, Pick
from arena.web.live import LiveMatch


class RandomPlayer(Player):
    """Answers at random, and otherwise from its answer number `turned` on; now and then it says
    something of its own."""

    def __init__(self, turned: int, said: list[str], own: str) -> None:
        super().__init__("rival")
        self._turned, self._said, self._own = turned, said, own

    def sit(self, table: Table[Any], seat: int) -> None:
        self._table, self._seat = table, seat

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Nothing to read: it looks at the table."""

    def poll(self) -> TimedReply:
        ask = next(ask for ask in self._table.asked if ask.seat == self._seat)
        number = len(self._said)
        stream = Stream(f"{number}", "here" if number < self._turned else "there")
        answer = self._table.game.random_answer(self._table.world, ask, stream)
        self._said.append(self._own if self._own and number % 2 else answer)
        return TimedReply(Answer(self._said[-1]), FREE)


@dataclass(frozen=True)
class RandomEntrant:
    """Of such a player. What it has said is kept in `said`."""

    turned: int
    said: list[str]
    name: str = "rival"
    own: str = ""
    command = "rival"
    is_program = untimed = False

    def require_countable(self) -> None:
        """Never asked."""

    def recipe(self, terms: PlayerTerms, keeper: Any) -> None:
        """Nothing to prepare."""

    @asynccontextmanager
    async def open(self, terms: PlayerTerms, children: Any) -> AsyncIterator[Player]:
        yield RandomPlayer(self.turned, self.said, self.own)


class Watched:
    """A live match, and all that went over the wire to each person's page, in order."""

    def __init__(
        self, game: str, people: tuple[int, ...], *others: Entrant, **changes: Any
    ) -> None:
        self.live = LiveMatch(BytesIO())
        self.wire: dict[int, list[bytes]] = {seat: [] for seat in people}
        self.all: list[bytes] = []
        """What spectators would be told."""
        rivals, entrants = iter(others), list[Entrant]()
        for seat in range(len(people) + len(others)):
            if seat in people:
                self.live.desks[seat] = desk = PageDesk(f"person{seat}", self.live.news)
                entrants.append(HumanEntrant(desk.name, desk))
            else:
                entrants.append(next(rivals))
        settings = parse(find_game(game).settings, changes)
        self.spec = MatchSpec(game, tuple(entrants), "a-secret-seed", settings)

    async def play(self, turns: int) -> None:
        """Let each person give so many answers, and then break off."""
        async with trio.open_nursery() as nursery:
            for seat in self.wire:
                nursery.start_soon(self._sit, seat, turns, nursery.cancel_scope)
            nursery.start_soon(self._look)
            await self.live.gather()
            await play_match(self.spec, None, [self.live], record=self.live._record)
            self.live.end()

    async def _look(self) -> None:
        async with aclosing(self.live.messages()) as messages:
            async for message in messages:
                self.all.append(message)

    async def _sit(self, seat: int, turns: int, scope: trio.CancelScope) -> None:
        desk, given = self.live.desks[seat], 0
        async with aclosing(self.live.seat_messages(seat)) as messages:
            async for message in messages:
                self.wire[seat].append(message)
                if not (turn := json.loads(message).get("turn")):
                    continue
                number = turn["number"]
                offer = await desk.hear(Pick(number, "", []))
                self.wire[seat].append(repr(offer).encode())
                [example, *_] = (await desk.hear(Help(number)))["examples"]
                if given == turns:
                    scope.cancel()
                    return
                given += 1
                assert await desk.hear(Give(number, example)) == {"given": number}
