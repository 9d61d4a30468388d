"""Show a match on pages while it is played: pacing, and the messages to each page."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from io import BytesIO

import msgspec
import trio

from arena.core.listener import Listener
from arena.core.registry import find_game
from arena.core.replies import TimedReply
from arena.core.steps import Ask, Frame, Outcome, Show, Step
from arena.core.view import find_view
from arena.record.format import Header, Record
from arena.record.reader import Match
from arena.record.source import as_header, decode
from arena.view.page import page_of
from arena.web.desk import Notifier, PageDesk
from arena.web.story import Known, LiveSeatStory, LiveStory, Messages

PACE = 0.15
"""Minimum seconds between two rounds, so that eyes can follow. No clock runs meanwhile."""


class LiveMatch(Listener):
    """Reads the record of a match as it grows, and sends its story to all open pages.

    The match begins after `gather`, proceeds at a visible pace, and stops between two rounds while
    `paused`. The pages of people receive only what their seats know.
    """

    def __init__(self, record: BytesIO) -> None:
        self._record = record
        self._read = 0
        self._chapter: list[Record] = []
        self._story: LiveStory | None = None
        self._watched = trio.Event()
        self._goes_on = trio.Event()
        self._goes_on.set()
        self._open: set[int] = set()
        self._asked: list[int] = []
        self._outcome: Outcome | None = None
        self.news = Notifier()
        self.desks: dict[int, PageDesk] = {}
        """Desks of the people who play on pages, by seat. Filled before the match begins."""
        self._tales: dict[int, LiveSeatStory] = {}
        self.over = False
        self._spectators = 0
        """Pages of spectators who follow the match, or have yet to load the whole of it."""

    # -- the match ---------------------------------------------------------------------------

    @property
    def paused(self) -> bool:
        """Whether the match waits between two rounds."""
        return not self._goes_on.is_set()

    def pause(self) -> None:
        """Stop the match at the end of this round."""
        if not self.paused:  # waiting tasks keep waiting for the current event
            self._goes_on = trio.Event()

    def go_on(self) -> None:
        """Let a paused match continue."""
        self._goes_on.set()

    async def gather(self) -> None:
        """Wait until each person has opened a page or, without any, until a spectator has. Then the
        match and its clocks begin."""
        for desk in self.desks.values():
            await desk.here.wait()
        if not self.desks:
            await self._watched.wait()

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        """Note which seats are asked, and the outcome."""
        for step in steps:
            if isinstance(step, Ask):
                self._open.add(step.seat)
            elif isinstance(step, Outcome):
                self._outcome = step

    def replied(self, seat: int, timed: TimedReply, bank_ms: int) -> None:
        """The seat has replied and is no longer asked."""
        self._open.discard(seat)

    def flush(self) -> None:
        """The match waits for the asked seats. (A further request in a row to the same seats is not
        reported: their number may be hidden.)"""
        if self._story is None:  # people may be asked before the first frame
            self._take()
        if (asked := sorted(self._open)) != self._asked:
            self._asked = asked
            self.news.tell()

    async def shown(self, frame: Frame) -> None:
        """Send the round to the pages, and give people time to see it."""
        self._take()
        self.news.tell()
        await trio.sleep(PACE)
        while self.paused:
            await self._goes_on.wait()

    def end(self) -> None:
        """The match is over and its record is complete."""
        self.over = True
        self.news.tell()

    async def give_whole(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Send the page of the whole match, if it has ended."""
        if self.over:
            page = await trio.to_thread.run_sync(self._whole)
            try:
                await send(page.encode())
            finally:
                self._leave()

    def _whole(self) -> str:
        return page_of(Match.parse(self._record.getvalue()), "")

    @contextmanager
    def shown_to_spectator(self) -> Iterator[None]:
        """Count a page as one that follows the match within the block. If it follows to the end, it
        still loads the whole match."""
        self._spectators += 1
        try:
            yield
        finally:
            if not self.over:
                self._leave()

    def _leave(self) -> None:
        self._spectators -= 1
        self.news.tell()

    async def closed(self) -> None:
        """Wait, after the end, until each page has the whole match or is closed."""
        while self._spectators > 0 or any(desk.pages for desk in self.desks.values()):
            await self.news.next.wait()

    # -- messages to pages -------------------------------------------------------------------

    async def messages(self) -> AsyncGenerator[bytes]:
        """Messages to a spectator page: the head of the story, its parts as they come, the end."""
        self._watched.set()
        sent, begun = 0, False
        while True:
            news, story = self.news.next, self._story
            if story and not begun:
                begun = True
                yield msgspec.json.encode({"story": story.head})
            for part in story.parts[sent:] if story else ():
                sent += 1
                yield msgspec.json.encode({"part": part})
            if self.over:
                yield b'{"over":true}'
                return
            await news.wait()

    async def seat_messages(self, seat: int) -> AsyncGenerator[bytes]:
        """Messages to a person's page: the absent people, what the seat knows of the story, the
        seats that the match waits for, the open request, and the end."""
        page = Messages()
        with self.desks[seat].open_page():
            while True:
                news = self.news.next
                for message in page.news(self._known(seat)):
                    yield msgspec.json.encode(message)
                if self.over:
                    yield msgspec.json.encode({"over": True, "outcome": self._outcome})
                    return
                await news.wait()

    def _known(self, seat: int) -> Known:
        absent = [one.name for one in self.desks.values() if not one.pages]
        desk = self.desks[seat]
        return Known(
            absent=absent,
            story=self._tales.get(seat),
            asked=self._asked,
            question=desk.question,
            held=desk.held,
        )

    # -- the record --------------------------------------------------------------------------

    def _take(self) -> None:
        """Read the records written since the last frame."""
        with self._record.getbuffer() as written:
            new = bytes(written[self._read :])
        self._read += len(new)
        for line in new.splitlines():
            record = decode(line, "the record")
            if self._story is None:
                self._begin(as_header(record, "the record"))
                continue
            self._chapter.append(record)
            if isinstance(record, Show):
                self._add(self._story)

    def _begin(self, header: Header) -> None:
        game = find_game(header.game)
        self._story = story = LiveStory(game, header)
        for seat in self.desks:
            self._tales[seat] = LiveSeatStory(seat, find_view(game), story.head)

    def _add(self, story: LiveStory) -> None:
        story.add(self._chapter)
        self._chapter = []
        for seat, tale in self._tales.items():
            tale.add(story.parts[-1], story.views[seat])
