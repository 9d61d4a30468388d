"""The desk of a person who plays on a page: the open request, help, and the reply.

Several pages may show one desk; the first reply counts. Without a page, the desk waits, and the
next page continues with the same request.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Annotated, Any, TypeAlias, TypeVar

import anyio
import msgspec
import trio
from msgspec import Meta, Struct

from arena.core.jsontext import decode_json
from arena.core.offers import NO_MOVES, Offer
from arena.core.steps import Frame
from arena.core.view import Sign
from arena.players.human import SURRENDER, Helper, Turn

# Waking tasks that wait for news.


class Notifier:
    """A recurring event that many tasks can wait for."""

    def __init__(self) -> None:
        self._next = anyio.Event()

    @property
    def next(self) -> anyio.Event:
        """The event that is set at the next news. Get it before you look at the current state."""
        return self._next

    def tell(self) -> None:
        """Wake all waiting tasks."""
        told, self._next = self._next, anyio.Event()
        told.set()


# Messages from the page of a person. Each names the request that it is about.

MAX_LINE = 70_000
"""Maximum characters of a line: a little more than a reply may have, so that the error can be
explained."""

NOT_READ = {"refused": ["The arena cannot read it: it is too long, or not text."]}
"""The answer to an invalid message."""

Line: TypeAlias = Annotated[str, Meta(max_length=MAX_LINE)]


class PersonMessage(Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """Base of all messages."""

    turn: int


class Pick(PersonMessage, frozen=True, tag="pick"):
    """Ask what can be picked next, given the held orders."""

    held: Line
    picks: Annotated[list[Line], Meta(max_length=10)]


class Complete(PersonMessage, frozen=True, tag="complete"):
    """Ask which words may come next."""

    typed: Line


class Help(PersonMessage, frozen=True, tag="help"):
    """Ask what a reply may be."""


class Give(PersonMessage, frozen=True, tag="give"):
    """Give the reply."""

    line: Line


class Leave(PersonMessage, frozen=True, tag="leave"):
    """Give up the match."""


Wish: TypeAlias = Pick | Complete | Help | Give | Leave
_DECODER: msgspec.json.Decoder[Wish] = msgspec.json.Decoder(Wish)


def read_wish(text: str) -> Wish | None:
    """Decode a message; None for an invalid one."""
    try:
        return decode_json(text, _DECODER)
    except ValueError:
        return None


T = TypeVar("T")
Reply: TypeAlias = dict[str, Any]
"""A JSON object for the page that asked."""

MISSED = 2
"""Requests in a row without an answer by their limit after which a person has given up."""
LAST = 0.3
"""Seconds before the deadline at which the held orders are given as the reply."""
EXAMPLES = 5
PROBLEMS = 10
"""Maximum problems of a wrong reply that are listed. (A line has room for 16,000.)"""


class Question(Struct, frozen=True):
    """A request to a person, as a page shows it."""

    number: int
    request: str
    lines: tuple[str, ...]
    """What the seat was told since its last request."""
    frame: Frame | None
    picture: str
    """The board as text."""
    deadline: float | None
    """In Trio's time; None without a clock."""
    seconds: float | None
    """The time for the whole answer, of which a page that opens late shows what is left."""
    surrender: bool
    """Whether the game supports surrender."""


class PageDesk:
    """One person's desk (a `Desk` of `arena.players.human`)."""

    def __init__(self, name: str, news: Notifier, limit: float | None = None) -> None:
        """`limit`: seconds for each answer in a seat without a clock. Who lets one pass without a
        page that is open, or `MISSED` in a row, gives up."""
        self.name = name
        self.question: Question | None = None
        """The open request."""
        self.here = trio.Event()
        """Set when the first page has opened."""
        self.pages = 0
        """Number of pages that show the desk now."""
        self.held = ""
        """Orders that a page holds for the open request."""
        self._news = news
        self._helper: Helper | None = None
        self._busy = trio.Lock()
        """Held while the helper reads the game: the match must not move on."""
        self._number = 0
        self._line: str | None = None
        self._given = trio.Event()
        self._surrenders: bool | None = None
        self._limit = limit
        self._missed = 0

    @contextmanager
    def open_page(self) -> Iterator[None]:
        """Count a page as open within the block."""
        self.pages += 1
        self.here.set()
        self._news.tell()
        try:
            yield
        finally:
            self.pages -= 1
            self._news.tell()

    async def answer(self, turn: Turn) -> str | None:
        """See `Desk`. Shortly before the deadline, the held orders are given if they are valid."""
        seconds = self._limit if turn.seconds is None else turn.seconds
        deadline = None if seconds is None else trio.current_time() + seconds
        async with self._busy:
            self.question = await trio.to_thread.run_sync(self._ask, turn, deadline, seconds)
        self._news.tell()
        try:
            with trio.move_on_after(_patience(seconds)):
                await self._given.wait()
                return self._said()
            if self.held and (await self._try(self._number, self.held)) == ():
                return self.held
            with trio.move_on_at(deadline if turn.seconds is None and deadline else math.inf):
                await self._given.wait()
                return self._said()
            return self._at_limit()
        finally:
            with trio.CancelScope(shield=True):
                async with self._busy:
                    self.question = self._helper = None
            self._news.tell()

    def _said(self) -> str | None:
        self._missed = 0
        return self._line

    def _at_limit(self) -> str | None:
        """The answer of a person who gave none by the limit: a pass of one who is there."""
        self._missed += 1
        if self.pages and self._missed < MISSED:
            return NO_MOVES
        return SURRENDER if self._surrenders else None

    def _ask(self, turn: Turn, deadline: float | None, seconds: float | None) -> Question:
        """Begin a request. In some games, the helper takes a while."""
        self._helper = helper = turn.helper
        if self._surrenders is None:
            self._surrenders = helper.surrender() is not None
        self._number += 1
        self.held, self._line, self._given = "", None, trio.Event()
        return Question(
            number=self._number,
            request=turn.request,
            lines=turn.lines,
            frame=helper.frame(),
            picture=helper.picture(),
            deadline=deadline,
            seconds=seconds,
            surrender=self._surrenders,
        )

    async def dismiss(self, name: str, lines: tuple[str, ...]) -> None:
        """See `Desk`. The match tells the page how it ended."""

    # -- what a page wants -------------------------------------------------------------------

    async def hear(self, wish: Wish) -> Reply:
        """Handle a message of a page and return the answer."""
        match wish:
            case Pick(turn=turn, held=held, picks=picks):
                return await self._offer(turn, held, picks)
            case Complete(turn=turn, typed=typed):
                words = await self._with(turn, lambda helper: helper.completions(typed))
                return {"words": words or [], "typed": typed}
            case Help(turn=turn):
                examples = await self._with(turn, lambda helper: helper.examples(EXAMPLES))
                return {"examples": examples or []}
            case Give(turn=turn, line=line):
                return await self._give(turn, line)
            case Leave(turn=turn):
                return await self._leave(turn)

    async def _offer(self, number: int, held: str, picks: list[str]) -> Reply:
        def look(helper: Helper) -> tuple[tuple[Offer, list[str]] | None, list[Sign]]:
            return helper.offer(held, picks), helper.signs(held)

        found = await self._with(number, look)
        if found is None:
            return {"late": number}
        self.held = held
        offered, signs = found
        offer, taken = offered or (None, [])
        return {"offer": offer, "picks": taken, "signs": signs, "held": held, "wanted": picks}

    async def _give(self, number: int, line: str) -> Reply:
        problems = await self._try(number, line)
        if problems is None:
            return {"late": number}
        if problems:
            return {"refused": [*problems[:PROBLEMS], *_and_more(problems[PROBLEMS:])]}
        return self._end(number, line)

    async def _leave(self, number: int) -> Reply:
        word = await self._with(number, lambda helper: (helper.surrender(),))
        if word is None:
            return {"late": number}
        return self._end(number, word[0])

    def _end(self, number: int, line: str | None) -> Reply:
        """Take the reply of a request; the first one counts."""
        if number != self._number or self._given.is_set():
            return {"late": number}
        self._line = line
        self._given.set()
        return {"given": number}

    async def _try(self, number: int, line: str) -> tuple[str, ...] | None:
        return await self._with(number, lambda helper: helper.trial(line).problems)

    async def _with(self, number: int, work: Callable[[Helper], T]) -> T | None:
        """Run `work` with the helper of a request; None when the request is no longer open."""
        async with self._busy:
            if self._helper is None or number != self._number or self._given.is_set():
                return None
            return await trio.to_thread.run_sync(work, self._helper)


def _and_more(problems: tuple[str, ...]) -> list[str]:
    return [f"and {len(problems)} more"] if problems else []


def _patience(seconds: float | None) -> float:
    """Seconds to wait before the held orders are given."""
    return float("inf") if seconds is None else max(seconds - LAST, 0.75 * seconds)


# Noticing that a person has closed the page that the match waits for.

AWAY = 2.0
"""Seconds without a page before a person is reported as away: a page that is reloaded, or whose
connection broke, is back sooner."""


async def watch(desk: PageDesk, news: Notifier, tell: Callable[[bool], None]) -> None:
    """Report each time that a person has closed the page (False) or is back (True)."""
    await desk.here.wait()
    while True:
        await _until(lambda: desk.pages == 0, news)
        with trio.move_on_after(AWAY) as patience:
            await _until(lambda: desk.pages > 0, news)
        if patience.cancelled_caught:
            tell(False)
            await _until(lambda: desk.pages > 0, news)
            tell(True)


async def _until(holds: Callable[[], bool], news: Notifier) -> None:
    while not holds():
        await news.next.wait()
