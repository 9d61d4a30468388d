"""A player that is a person. Where the person sits, at a terminal or at a page, a `Desk` knows."""

from __future__ import annotations

from typing import Any, Protocol

import trio
from msgspec import Struct

from arena.core.replies import FREE, Answer, Cost, Silence, TimedReply, Why
from arena.core.table import Table
from arena.players.helper import Helper
from arena.players.player import Player, Stopped


class Turn(Struct, frozen=True):
    """One request to a person."""

    name: str
    """The person's."""
    player: str
    """The name of the seat in the lines: ``player1``."""
    lines: tuple[str, ...]
    """What the seat was told since its last request."""
    request: str
    helper: Helper
    seconds: float | None
    """What is left to answer in; None for no clock."""


class Desk(Protocol):
    """Where a person sits. Several may sit at one."""

    async def answer(self, turn: Turn) -> str | None:
        """The line that the person gives; None when the person gives up. It is cancelled when the
        time is over."""

    async def dismiss(self, name: str, lines: tuple[str, ...]) -> None:
        """The match is over for that person: the last lines."""


class HumanPlayer(Player):
    """A person at a desk. A person who gives up has left, as a program that ends."""

    def __init__(self, name: str, desk: Desk, *, timed: bool) -> None:
        super().__init__(name)
        self._desk = desk
        self._timed = timed
        self._told: list[str] = []
        self._bank = 0
        self._table: Table[Any] | None = None
        self._seat = 0

    def sit(self, table: Table[Any], seat: int) -> None:
        """A person looks at the table through a `Helper`."""
        self._table, self._seat = table, seat

    def tell(self, text: str) -> None:
        """Keep the lines for the next request."""
        self._told += text.splitlines()

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Keep the lines; `reply` shows them."""
        self.tell(text)
        self._bank = bank

    def poll(self) -> None:
        """A person has never decided yet."""

    async def reply(self) -> TimedReply:
        """Let the person answer, until the time is over."""
        began = trio.current_time()
        *lines, request = self._told
        self._told = []
        text, answered = None, False
        with trio.move_on_after(self._bank / 1e9):
            text = await self._desk.answer(self._turn(lines, request))
            answered = True
        took = round((trio.current_time() - began) * 1e9)
        if not answered or took >= self._bank:
            return TimedReply(Silence(Why.LATE), Cost(self._bank, took))
        if text is None:
            self.mark_stopped(Stopped.EXITED, "gave up")
            return TimedReply(Silence(Why.DEAD), FREE)
        return TimedReply(Answer(text.strip()), Cost(took, took))

    def _turn(self, lines: list[str], request: str) -> Turn:
        assert self._table is not None, "the referee seats a player before it asks"
        helper = Helper(self._table, self._seat)
        seconds = self._bank / 1e9 if self._timed else None
        return Turn(self.name, f"player{self._seat + 1}", tuple(lines), request, helper, seconds)

    async def finish(self, text: str) -> None:
        """Show the last lines."""
        self.tell(text)
        if self.stopped is None:
            await self._desk.dismiss(self.name, tuple(self._told))
