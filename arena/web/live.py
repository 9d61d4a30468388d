"""A match on a page while it is played. The page may make it wait between two rounds."""

from __future__ import annotations

from collections.abc import AsyncIterator
from io import BytesIO

import msgspec
import trio

from arena.core.listener import Listener
from arena.core.registry import find_game
from arena.core.steps import Frame, Show
from arena.record.decode import as_header, decode
from arena.record.format import Record
from arena.record.reader import Match
from arena.view.make import page_of
from arena.web.story import LiveStory

PACE = 0.15
"""Seconds between two rounds at least: what eyes can follow. No clock runs meanwhile."""


class LiveMatch(Listener):
    """Reads the record of a match as it grows, and tells its story to all pages that look on.

    The match begins when the first page does, goes on at the pace of eyes, and stands still
    between two rounds while `paused`.
    """

    def __init__(self, record: BytesIO) -> None:
        self._record = record
        self._read = 0
        self._chapter: list[Record] = []
        self._story: LiveStory | None = None
        self._news = trio.Event()
        self._watched = trio.Event()
        self._goes_on = trio.Event()
        self._goes_on.set()
        self.over = False

    @property
    def paused(self) -> bool:
        """Whether the match waits between two rounds."""
        return not self._goes_on.is_set()

    def pause(self) -> None:
        """Wait at the end of this round."""
        self._goes_on = trio.Event()

    def go_on(self) -> None:
        """Wait no longer."""
        self._goes_on.set()

    async def shown(self, frame: Frame) -> None:
        """Tell the round, and let people look at it."""
        self._take()
        self._tell()
        await self._watched.wait()
        await trio.sleep(PACE)
        while self.paused:
            await self._goes_on.wait()

    def end(self) -> None:
        """The match is over, and its record complete."""
        self.over = True
        self._tell()

    def page(self) -> str:
        """The page of the whole match, once it is over."""
        return page_of(Match.parse(self._record.getvalue()), "")

    async def messages(self) -> AsyncIterator[bytes]:
        """What a page is sent: the head of the story, its parts as they come, and the end."""
        self._watched.set()
        while self._story is None and not self.over:
            await self._news.wait()
        if self._story is not None:
            yield msgspec.json.encode({"story": self._story.head})
        sent = 0
        while True:
            news = self._news
            for part in self._story.parts[sent:] if self._story else ():
                sent += 1
                yield msgspec.json.encode({"part": part})
            if self.over:
                yield b'{"over":true}'
                return
            await news.wait()

    def _tell(self) -> None:
        news, self._news = self._news, trio.Event()
        news.set()

    def _take(self) -> None:
        """Read what was written to the record since the last frame."""
        with self._record.getbuffer() as written:
            new = bytes(written[self._read :])
        self._read += len(new)
        for line in new.splitlines():
            record = decode(line, "the record")
            if self._story is None:
                header = as_header(record, "the record")
                self._story = LiveStory(find_game(header.game), header)
                continue
            self._chapter.append(record)
            if isinstance(record, Show):
                self._story.add(self._chapter)
                self._chapter = []
