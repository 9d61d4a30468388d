"""A person as a player, at a terminal or a web page (a `Desk`), and the help that a person gets."""

from __future__ import annotations

from typing import Any, Protocol

import trio
from msgspec import Struct

from arena.core.lines import trim
from arena.core.offers import Offer, Picks, follow
from arena.core.replies import FREE, Answer, Cost, Silence, TimedReply, Why
from arena.core.rng import Stream
from arena.core.steps import Ask, Frame
from arena.core.table import AnswerTrial, Table
from arena.core.view import Sign, find_view
from arena.players.player import Player, Stopped

# Help for a person: the board as the seat sees it, what an answer would do, examples.
#
# All of it is pure: no terminal, no page, no clock. The table says what can be answered, and what
# is wrong with an answer.

SURRENDER = "surrender"
"""The word that gives up, in games that have it."""
SAMPLES = 100
"""Number of legal answers sampled for word completion."""


class Helper:
    """Helps one seat of a match at its open request."""

    def __init__(self, table: Table[Any], seat: int) -> None:
        """The table must stay at the request as long as the helper is in use."""
        self._table = table
        self._seat = seat
        self._view = find_view(table.game)
        self._samples: list[list[list[str]]] | None = None

    @property
    def table(self) -> Table[Any]:
        """The match, for a player in the arena's own process."""
        return self._table

    def picture(self) -> str:
        """The board as the seat may see it; empty if the game draws no board."""
        draw = self._table.game.seat_picture
        return draw(self._table.world, self._request) if draw else ""

    def frame(self) -> Frame | None:
        """The frame as the seat may see it now; None if unchanged since the seat last saw it."""
        look = self._view.asked if self._view else None
        return look(self._table.world, self._request) if look else None

    def offer(self, held: str, picks: Picks) -> tuple[Offer, list[str]] | None:
        """What can be picked next, given the held orders, and which of `picks` are still valid;
        None in a game without offers."""
        offers = self._table.game.offers
        if offers is None:
            return None
        world, request = self._table.known_to(self._seat).world, self._request
        return follow(lambda picked: offers(world, request, held, picked), picks)

    def signs(self, held: str) -> list[Sign]:
        """The held orders, as drawn on the board."""
        draw = self._view.signs if self._view else None
        return list(draw(self._table.world, self._request, held)) if draw else []

    def trial(self, text: str) -> AnswerTrial:
        """Try an answer. Its effect also depends on the other seats, so a trial only tells whether
        the rules accept the answer."""
        return self._table.try_answer(self._seat, text)

    def surrender(self) -> str | None:
        """The answer that gives up, in games that have one."""
        return None if self.trial(SURRENDER).problems else SURRENDER

    def examples(self, count: int = 3) -> list[str]:
        """Up to `count` different legal answers to the request."""
        drawn = dict[str, None]()
        for stream in self._streams(10 * count):
            drawn[self._draw(stream)] = None
            if len(drawn) == count:
                break
        return list(drawn)

    def completions(self, typed: str) -> list[str]:
        """Completions of the last, unfinished word of `typed`, taken from legal answers that begin
        with the same words."""
        *words, begun = typed.rpartition(",")[2].lstrip(" ").split(" ")
        found = {
            order[len(words)]
            for order in self._orders()
            if order[: len(words)] == words and len(order) > len(words)
        }
        return sorted(word for word in found if word.startswith(begun) and "." not in word)

    def _orders(self) -> list[list[str]]:
        """The orders of many legal answers, each split into words."""
        if self._samples is None:
            texts = dict.fromkeys(self._draw(stream) for stream in self._streams(SAMPLES))
            self._samples = [[order.split() for order in text.split(",")] for text in texts]
        return [order for orders in self._samples for order in orders]

    def _streams(self, count: int) -> list[Stream]:
        return [Stream(f"{self._request.line(0)} {i}", "examples") for i in range(count)]

    def _draw(self, stream: Stream) -> str:
        world = self._table.known_to(self._seat).world
        return self._table.game.random_answer(world, self._request, stream)

    @property
    def _request(self) -> Ask:
        return self._table.request(self._seat)


class Turn(Struct, frozen=True):
    """One request to a person."""

    name: str
    """The name of the person."""
    player: str
    """The name of the seat in the lines: ``player1``."""
    lines: tuple[str, ...]
    """What the seat was told since its last request."""
    request: str
    helper: Helper
    seconds: float | None
    """Time left for the answer; None without a clock."""


class Desk(Protocol):
    """Where a person sits, at a terminal or a page. Several people may share a desk."""

    async def answer(self, turn: Turn) -> str | None:
        """The line that the person enters; None when the person gives up. Cancelled when the time
        is over."""

    async def dismiss(self, name: str, lines: tuple[str, ...]) -> None:
        """End the match for that person and show the last lines."""


class HumanPlayer(Player):
    """A person at a desk. Giving up counts as leaving, like a program that exits."""

    def __init__(self, name: str, desk: Desk, *, timed: bool) -> None:
        super().__init__(name)
        self._desk = desk
        self._timed = timed
        self._told: list[str] = []
        self._bank = 0
        self._table: Table[Any] | None = None
        self._seat = 0

    @property
    def is_asked_again(self) -> bool:
        """False: a person looks at the board."""
        return False

    def sit(self, table: Table[Any], seat: int) -> None:
        """Keep the table, for the `Helper` of each request."""
        self._table, self._seat = table, seat

    def tell(self, text: str) -> None:
        """Keep the lines for the next request."""
        self._told += text.splitlines()

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Keep the lines; `reply` shows them."""
        self.tell(text)
        self._bank = bank

    def poll(self) -> None:
        """None: a person never answers at once."""

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
        return TimedReply(Answer(trim(text)), Cost(took, took))

    def _turn(self, lines: list[str], request: str) -> Turn:
        assert self._table is not None, "the referee seats a player before it asks"
        helper = Helper(self._table, self._seat)
        seconds = self._bank / 1e9 if self._timed else None
        return Turn(
            name=self.name,
            player=f"player{self._seat + 1}",
            lines=tuple(lines),
            request=request,
            helper=helper,
            seconds=seconds,
        )

    async def finish(self, text: str) -> None:
        """Show the last lines."""
        self.tell(text)
        if self.stopped is None:
            await self._desk.dismiss(self.name, tuple(self._told))
