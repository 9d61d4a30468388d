from __future__ import annotations

import json
from io import BytesIO

import pytest
import trio
import trio.testing

from arena.core.registry import find_game
from arena.core.settings import parse
from arena.match.play import play_match
from arena.match.spec import MatchSpec
from arena.record.reader import Match
from arena.web.live import PACE, LiveMatch
from tests.view.records import record
from tests.web.people import RandomEntrant

LINES = record("warlight").splitlines(keepends=True)
SHOWS = [number for number, line in enumerate(LINES) if b'"show"' in line[:30]]


class Played:
    """A live match whose record is written by hand."""

    def __init__(self) -> None:
        self.written = BytesIO()
        self.live = LiveMatch(self.written)
        self._lines = 0

    async def round(self, number: int) -> None:
        """Write the record up to the frame of that number, and show it."""
        self.written.write(b"".join(LINES[self._lines : SHOWS[number] + 1]))
        self._lines = SHOWS[number] + 1
        await self.live.shown({"round": number, "rounds": 99})

    async def to_the_end(self) -> None:
        self.written.write(b"".join(LINES[self._lines :]))
        self.live.end()


async def read(live: LiveMatch, heard: list[str]) -> None:
    """Be a page: keep what kinds of messages come."""
    async for message in live.messages():
        heard.extend(json.loads(message))


async def test_the_match_begins_when_a_page_looks_on(
    autojump_clock: trio.testing.MockClock,
) -> None:
    """Its time, too: it has none that passes before."""
    live, heard, late = LiveMatch(BytesIO()), list[str](), 60
    rivals = tuple(RandomEntrant(99, [], name) for name in ("Ann", "Bob"))
    settings = parse(find_game("hextrategic").settings, {"max_rounds": 2, "radius": 2})

    async def look() -> None:
        await trio.sleep(late)
        await read(live, heard)

    async with trio.open_nursery() as nursery:
        began = trio.current_time()
        nursery.start_soon(look)
        await live.gather()
        assert trio.current_time() - began == pytest.approx(late)
        spec = MatchSpec("hextrategic", rivals, "4", settings)
        report = await play_match(spec, None, [live], record=live._record)
        live.end()
    parts = heard.count("part")
    assert heard == ["story", *["part"] * parts, "over"]
    assert report.wall_ms == pytest.approx(parts * PACE * 1000)


async def test_a_page_that_comes_late_hears_all(autojump_clock: trio.testing.MockClock) -> None:
    played, first, late = Played(), list[str](), list[str]()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read, played.live, first)
        for number in range(3):
            await played.round(number)
        nursery.start_soon(read, played.live, late)
        await trio.testing.wait_all_tasks_blocked()
        await played.to_the_end()
    assert first == late == ["story", "part", "part", "part", "over"]


async def test_a_pause_holds_the_match_between_two_rounds(
    autojump_clock: trio.testing.MockClock,
) -> None:
    played, heard = Played(), list[str]()
    async with trio.open_nursery() as nursery:
        nursery.start_soon(read, played.live, heard)
        await played.round(0)
        played.live.pause()
        with trio.move_on_after(3600) as waiting:
            await played.round(1)
        assert waiting.cancelled_caught
        assert played.live.paused
        played.live.go_on()
        await played.round(2)
        await played.to_the_end()
    assert heard == ["story", "part", "part", "part", "over"]


async def test_two_pages_may_ask_for_the_same_pause(
    autojump_clock: trio.testing.MockClock,
) -> None:
    played, shown = Played(), trio.Event()

    async def show() -> None:
        await played.round(1)
        shown.set()

    async with trio.open_nursery() as nursery:
        nursery.start_soon(read, played.live, [])
        await played.round(0)
        played.live.pause()
        nursery.start_soon(show)
        await trio.sleep(60)
        played.live.pause()
        played.live.go_on()
        with trio.fail_after(60):
            await shown.wait()
        await played.to_the_end()


async def test_a_match_that_fails_at_once_ends_its_pages() -> None:
    live, heard = LiveMatch(BytesIO()), list[str]()
    live.end()
    await read(live, heard)
    assert heard == ["over"]


async def test_the_page_of_the_whole_match() -> None:
    live, pages = LiveMatch(BytesIO(b"".join(LINES))), list[bytes]()

    async def send(page: bytes) -> None:
        pages.append(page)

    await live.give_whole(send)
    assert not pages  # it is not over
    live.end()
    with live.shown_to_spectator():
        pass
    await live.give_whole(send)
    [page] = pages
    assert Match.parse(b"".join(LINES)).header.seed in page.decode()
    assert b"story-0" in page
    await live.closed()
