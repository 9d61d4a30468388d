"""Matches of the judge, watched while they are played.

The judge is another process, and writes the record of a match as it plays it. So whoever watches
costs the match nothing: the site reads what is in the file, once for all who watch, and sends on
what a spectator of ``arena play --live`` is shown. Nothing more can be seen than in the record of a
finished match by a stranger: what bots write to stderr and draw is in no part of a live story.

What is hidden from a rival (fog, hands) is in the story, as it is in the public record afterwards.
That is fair as long as no bot can learn of it during its match. So only matches behind walls
without a network are shown, others once they are over. Walls do not keep every signal out, so a
game that hides something is shown late, as the setting ``live-delay`` says. A match that *people*
play has no spectators, since any of them could look over a rival's shoulder.

An attempt can end without a result: its draft is begun anew or removed when the match is void, and
stays as it is when the judge is killed. Either way the page says so.
"""

from __future__ import annotations

import math
import os
import zlib
from bisect import bisect_right
from collections import Counter
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path
from typing import cast

import anyio
import msgspec
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.types import Send

from arena.core.registry import find_game
from arena.core.steps import Show
from arena.errors import ReplayError
from arena.league.league import League
from arena.league.lock import has_judge
from arena.record.format import Header, Record, RecordConditions, Seal
from arena.record.source import as_header, decode
from arena.sandbox.levels import Level
from arena.site import results, settings
from arena.site.accounts import Participant
from arena.site.contest import Contest, Threads
from arena.web.story import LiveStory

LOOK_AGAIN = 0.3
"""Seconds between two looks at the record of a match that is watched."""
DRAFT_STALLED = 5.0
"""Seconds without news after which the site looks whether there is still a judge, and sends a
comment, so that no proxy ends the stream."""
DRAFT_PIECE = 1 << 18
"""Bytes of a record that are read at a time: the story of more would keep others waiting."""
KEPT_OF_A_MATCH = 24 << 20
"""Bytes of messages that are kept of a match, for whoever comes later."""
WATCHERS, WATCHERS_OF_ONE = 200, 4
"""Streams that are open at a time: of all visitors, and of one account."""
READING_DRAFTS = Threads("reading drafts", 1)
WALLED = (Level.SANDBOX, Level.CGROUP)

ATTEMPT_OVER = "over"
BROKEN_OFF = (
    "This attempt was broken off and does not count: the match is played again from its beginning."
)
NO_JUDGE = "The judge has stopped. The match is played again from its beginning when matches go on."
LATER = (
    "This game hides things from its players: a match is shown here once it is over, as a replay."
)
NOT_NOW = "This match is shown once it is over: its bots have no walls, and could look here."
LIVE_TOO_LONG = "This match is too long to be followed here: its replay comes when it is over."
TOO_MANY = "Too many watch matches now: try again in some minutes."
LIVE_FROZEN = "The table is frozen: what is played now is shown when it thaws."
LIVE_NOT_READ = "This match cannot be followed here: its replay comes when it is over."


class GrowingRecord:
    """The record of a match that another process is writing."""

    def __init__(self, path: Path) -> None:
        """Raises OSError when there is none."""
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        self._read = 0
        self._unpacker = zlib.decompressobj(31)
        self._rest = b""

    def close(self) -> None:
        """Read no more."""
        os.close(self._file)

    @property
    def is_gone(self) -> bool:
        """Whether the file was removed, or begun anew. (One that was finished has moved to its
        place, which is no end.)"""
        found = os.fstat(self._file)
        return found.st_nlink == 0 or found.st_size < self._read

    def lines(self) -> list[bytes]:
        """Whole lines that were written since the last call, but not too many at once. Raises
        zlib.error when the file was begun anew."""
        data = os.pread(self._file, DRAFT_PIECE, self._read)
        self._read += len(data)
        *lines, self._rest = (self._rest + self._unpacker.decompress(data)).split(b"\n")
        return lines


class Watched:
    """A match that is played and watched: its messages so far, for all pages that show it."""

    def __init__(self, contest: Contest, number: int) -> None:
        """Raises OSError when the match is not played now."""
        self.number = number
        self._folder = contest.folder.path
        self._draft = GrowingRecord(contest.folder.draft(number))
        self._header: Header | None = None
        self._story: LiveStory | None = None
        self._chapter: list[Record] = []
        self._one = anyio.Lock()
        self._looked = self._heard = -DRAFT_STALLED
        self.watchers = 0
        self.messages: list[bytes] = []
        """JSON, in order: the head of the story, and its parts."""
        self.times: list[float] = []
        """When each was first seen here."""
        self.size = 0
        self.is_walled = False
        """Whether its bots cannot read what is shown here."""
        self.ending = ""
        """Why there are no further messages; `ATTEMPT_OVER` when the match is over."""

    def close(self) -> None:
        """Read no more."""
        self._draft.close()

    async def look(self) -> None:
        """Read what is new, unless somebody else has just done so."""
        async with self._one:
            now = anyio.current_time()
            if self.ending or now - self._looked < LOOK_AGAIN / 2:
                return
            count = len(self.messages)
            try:
                await READING_DRAFTS.run(self._take)
            except (zlib.error, OSError):
                self.ending = BROKEN_OFF
            except (ReplayError, StopIteration):
                self.ending = LIVE_NOT_READ
            self._looked = anyio.current_time()
            self.times += [self._looked] * (len(self.messages) - count)
            if len(self.messages) > count:
                self._heard = self._looked
            elif self._looked - self._heard > DRAFT_STALLED and not self.ending:
                self._heard = self._looked
                if not has_judge(self._folder):
                    self.ending = NO_JUDGE

    def ripe(self, delay: float) -> int:
        """The number of messages that may be sent: those of `delay` seconds ago, or all of a match
        that is over."""
        if self.ending == ATTEMPT_OVER:
            return len(self.messages)
        return bisect_right(self.times, anyio.current_time() - delay)

    def _take(self) -> None:
        for line in self._draft.lines():
            self._add(decode(line, "the record"))
        if not self.ending and self._draft.is_gone:
            self.ending = BROKEN_OFF

    def _add(self, record: Record) -> None:
        if self._header is None:
            self._header = as_header(record, "the record")
        elif self._story is None and isinstance(record, RecordConditions):
            self.is_walled = record.means.sandbox in WALLED
            self._story = LiveStory(find_game(self._header.game), self._header)
            self._keep({"story": self._story.head})
        elif isinstance(record, Seal):
            self.ending = ATTEMPT_OVER
        elif self._story is not None:
            self._chapter.append(record)
            if isinstance(record, Show):
                self._story.add(self._chapter)
                self._chapter = []
                self._keep({"part": self._story.parts[-1]})

    def _keep(self, message: object) -> None:
        self.messages.append(msgspec.json.encode(message))
        self.size += len(self.messages[-1])
        if self.size > KEPT_OF_A_MATCH:
            self.ending = LIVE_TOO_LONG


_WATCHED_NOW: dict[tuple[Path, int], Watched] = {}
"""The matches that are watched now, by league and number."""
_WATCHERS_NOW = Counter[tuple[Path, int | None]]()
"""Streams that are open, by league and account; None: of strangers."""


def followed(
    contest: Contest, number: int, viewer: Participant | None, request: Request
) -> StreamingResponse:
    """What `follow` gives, as the answer to a request. ``Last-Event-ID`` says where it goes on."""
    last = request.headers.get("last-event-id", "0")
    sent = int(last) if last.isascii() and last.isdigit() and len(last) < 10 else 0
    return _EventStream(
        follow(contest, number, viewer, sent),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store"},
    )


class _EventStream(StreamingResponse):
    """A stream that ends at once when its reader has gone."""

    async def stream_response(self, send: Send) -> None:
        """See `StreamingResponse`."""
        async with aclosing(cast(AsyncGenerator[bytes], self.body_iterator)):
            await super().stream_response(send)


async def follow(
    contest: Contest, number: int, viewer: Participant | None, sent: int
) -> AsyncGenerator[bytes]:
    """The match as server-sent events, from message `sent` on, until the attempt has ended.

    The data of each is what a live page hears: ``story``, ``part``, and at the end ``over``, or
    ``ended`` with the reason."""
    watcher = contest.path, viewer.number if viewer is not None else None
    if _WATCHERS_NOW[watcher] >= (WATCHERS if viewer is None else WATCHERS_OF_ONE):
        yield event({"ended": TOO_MANY})
        return
    try:
        watched = _WATCHED_NOW.get((contest.path, number)) or Watched(contest, number)
    except OSError:
        yield event({"over": True})
        return
    _WATCHED_NOW[contest.path, number] = watched
    _WATCHERS_NOW[watcher] += 1
    watched.watchers += 1
    try:
        async with aclosing(_messages(contest, watched, viewer, sent)) as messages:
            async for message in messages:
                yield message
    finally:
        _WATCHERS_NOW[watcher] -= 1
        watched.watchers -= 1
        if not watched.watchers:
            del _WATCHED_NOW[contest.path, number]
            watched.close()


def lateness(league: League, viewer: Participant | None) -> float:
    """Seconds by which a viewer sees a match late; infinite: once it is over."""
    if (viewer is not None and viewer.may("organise")) or not find_game(league.terms.game).hides:
        return 0.0
    seconds = settings.value(league, settings.LIVE_DELAY)
    return math.inf if seconds is None else float(seconds)


async def _messages(
    contest: Contest, watched: Watched, viewer: Participant | None, sent: int
) -> AsyncGenerator[bytes]:
    organises = viewer is not None and viewer.may("organise")
    spoke = anyio.current_time()
    while True:
        await watched.look()
        if (await contest.recent(results.sight, viewer)).until != results.NEVER:
            yield event({"ended": LIVE_FROZEN})
            return
        if watched.messages and not (watched.is_walled or organises):
            yield event({"ended": NOT_NOW})
            return
        delay = await contest.recent(lateness, viewer)
        if delay == math.inf and watched.ending != ATTEMPT_OVER:
            yield event({"ended": LATER})
            return
        ripe = watched.ripe(delay)
        if sent < ripe:
            spoke = anyio.current_time()
        while sent < ripe:
            sent += 1
            yield b"id: %d\ndata: %s\n\n" % (sent, watched.messages[sent - 1])
        if watched.ending == ATTEMPT_OVER:
            await _result(contest, watched.number)
            yield event({"over": True})
            return
        if watched.ending:
            yield event({"ended": watched.ending})
            return
        if anyio.current_time() - spoke > DRAFT_STALLED:
            spoke = anyio.current_time()
            yield b":\n\n"
        await anyio.sleep(LOOK_AGAIN)


async def _result(contest: Contest, number: int) -> None:
    """Wait until the result of a match that is over is in the league, if it comes."""
    for _ in range(round(DRAFT_STALLED / LOOK_AGAIN)):
        if await contest.ask(_has_result, number):
            return
        await anyio.sleep(LOOK_AGAIN)


def _has_result(league: League, number: int) -> bool:
    return league.store.one("SELECT 1 FROM valid WHERE fixture = ?", (number,)) is not None


def event(data: object) -> bytes:
    """One server-sent event. JSON has no line ends of its own."""
    return b"data: %s\n\n" % msgspec.json.encode(data)
