"""Matches of the judge that are watched while they are played."""

from __future__ import annotations

import gzip
import json
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import trio
import trio.testing

from arena.league.league import League
from arena.league.types import PlannedMatch
from arena.site import accounts, live, moments, watching
from arena.site.watching import BROKEN_OFF, LIVE_FROZEN, NO_JUDGE, NOT_NOW, TOO_MANY
from tests import tiny
from tests.site.browsing import Site, served, visited
from tests.site.test_public import SECRET, contest_once  # noqa: F401  # a fixture
from tests.support.tabs import Tabs

PATIENCE = 60
"""Seconds: a busy machine."""
ORGANISER = accounts.Participant(1, "Olga", accounts.ORGANISER, 1, "Olga")
WALLS = (b'"sandbox":"off"', b'"sandbox":"sandbox"')


class Running:
    """A match that is played: its draft, which the test writes line by line."""

    def __init__(self, league: League, like: int, *, walled: bool = True) -> None:
        """It goes on as the finished match `like` did."""
        (seats,) = league.store.one("SELECT seats FROM fixture WHERE number = ?", (like,)) or ()
        name = f"running {league.count('fixture')}"
        match = PlannedMatch(
            0, id=name, event=name, round=0, block=name, seed="1", seats=tuple(json.loads(seats))
        )
        [planned] = league.plan([match])
        self.number = planned.number
        self.path = league.folder.draft(self.number)
        content = gzip.decompress(league.record(like).read_bytes())
        self.lines = content.replace(*WALLS if walled else (b"", b"")).splitlines(keepends=True)
        self._file = gzip.GzipFile(self.path, "wb")

    def begin(self) -> None:
        """Write the lines up to the first round."""
        [first, *_] = [at for at, line in enumerate(self.lines, 1) if b'"type":"show"' in line]
        self._write(first)

    def _write(self, count: int) -> None:
        self._file.write(b"".join(self.lines[:count]))
        self._file.flush()
        self.lines = self.lines[count:]

    def finish(self) -> None:
        """Write the others."""
        self._write(len(self.lines))
        self._file.close()

    def begin_anew(self) -> None:
        self._file.close()
        gzip.open(self.path, "wb").close()


def running(site: Site, like: int = 2, *, walled: bool = True) -> Running:
    return Running(site.league, like, walled=walled)


@asynccontextmanager
async def heard(
    site: Site, number: int, viewer: accounts.Participant | None = None, sent: int = 0
) -> AsyncIterator[AsyncIterator[dict[str, Any]]]:
    """What a page hears."""
    async with aclosing(watching.follow(site.contest, number, viewer, sent)) as events:

        async def messages() -> AsyncGenerator[dict[str, Any]]:
            async for event in events:
                data = [line for line in event.split(b"\n") if line.startswith(b"data: ")]
                if data:
                    yield json.loads(data[0][6:])

        with trio.fail_after(PATIENCE):
            async with aclosing(messages()) as made:
                yield made


@pytest.fixture(autouse=True)
def _nothing_is_hidden(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A game that hides something is shown late."""
    if "fog" not in request.fixturenames:
        bare = replace(tiny.TINY, perturb_hidden=None)
        monkeypatch.setattr(watching, "find_game", lambda name: bare)


@pytest.fixture
def fog() -> None:
    """For tests with a game that hides something."""


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watching, "LOOK_AGAIN", 0.01)
    monkeypatch.setattr(watching, "DRAFT_STALLED", 0.2)


@pytest.fixture
def judged(league_file: Path) -> Iterator[None]:
    """Another process would be the judge."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(watching, "has_judge", lambda folder: True)
        yield


async def test_it_is_followed_to_its_end(league_file: Path, quick: None, judged: None) -> None:
    async with visited(league_file) as site:
        match = running(site)
        assert f"matches/{match.number}/live" in (await site.browser().get("now")).text
        match.begin()
        async with heard(site, match.number) as messages:
            story = (await anext(messages))["story"]
            assert [seat["name"] for seat in story["seats"]]
            first = (await anext(messages))["part"]
            match.finish()
            *parts, last = [first, *[one async for one in messages]]
            assert last == {"over": True}
        async with heard(site, match.number, sent=2) as messages:  # the connection broke
            assert [one async for one in messages] == [*parts[1:], last]
        assert not watching._WATCHED_NOW
        assert not +watching._WATCHERS_NOW


async def test_programs_follow_it_by_the_api(league_file: Path, quick: None, judged: None) -> None:
    async with visited(league_file) as site:
        match = running(site)
        match.begin()
        match.finish()
        visitor, path = site.browser(), f"api/matches/{match.number}/events"
        heard = await visitor.get(path)
        assert heard.headers["content-type"].startswith("text/event-stream")
        assert heard.text.startswith('id: 1\ndata: {"story":')
        assert heard.text.endswith('data: {"over":true}\n\n')
        rest = await visitor.get(path, headers={"Last-Event-ID": "1"})
        assert heard.text.endswith(rest.text)
        assert len(rest.text) < len(heard.text)
        for number in (2, 10**6):
            assert (await visitor.get(f"api/matches/{number}/events")).status_code == 404


async def test_attempts_that_do_not_count(league_file: Path, quick: None) -> None:
    """A void match is begun anew or removed; a judge that is killed leaves its draft."""
    async with visited(league_file) as site:
        for end, says in (
            (Running.begin_anew, BROKEN_OFF),
            (lambda match: match.path.unlink(), BROKEN_OFF),
            (lambda match: match.path.write_bytes(b"tea" * 1000), BROKEN_OFF),
            (lambda match: None, NO_JUDGE),
        ):
            match = running(site)
            match.begin()
            async with heard(site, match.number) as messages:
                await anext(messages)
                end(match)
                *_, last = [one async for one in messages]
            assert last == {"ended": says}
        assert not watching._WATCHED_NOW


async def test_a_judge_that_thinks_is_no_judge_that_is_dead(
    league_file: Path, quick: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with visited(league_file) as site:
        match = running(site)
        match.begin()
        asked: list[Path] = []

        def has_judge(folder: Path) -> bool:
            asked.append(folder)
            return True

        monkeypatch.setattr(watching, "has_judge", has_judge)
        async with heard(site, match.number) as messages:
            await anext(messages)
            while len(asked) < 3:
                await trio.sleep(0.01)
                await watching._WATCHED_NOW[site.contest.path, match.number].look()
            match.finish()
            *_, last = [one async for one in messages]
        assert last == {"over": True}


async def test_bots_without_walls_are_not_shown_while_they_play(
    league_file: Path, quick: None, judged: None
) -> None:
    """They could read the page of their own match."""
    async with visited(league_file) as site:
        match = running(site, walled=False)
        match.finish()
        async with heard(site, match.number) as messages:
            assert [one async for one in messages] == [{"ended": NOT_NOW}]
        async with heard(site, match.number, ORGANISER) as messages:
            assert [one async for one in messages][-1] == {"over": True}


async def test_what_a_game_hides_is_shown_once_the_match_is_over(
    league_file: Path, quick: None, judged: None, fog: None
) -> None:
    """On the page, its feed and by the API, to everybody but organisers; nothing links to it."""
    async with visited(league_file) as site, site.browser() as browser, site.browser() as org:
        await browser.join("Nina")
        await org.join("Olga", accounts.ORGANISER)
        match = running(site)
        match.begin()
        for page in ("now", f"matches/{match.number}"):
            assert "Watch it live" not in (await browser.get(page)).text
            assert "Watch it live" in (await org.get(page)).text
        assert "once it is" in (await browser.get(f"matches/{match.number}")).text
        live = await browser.get(f"matches/{match.number}/live")
        assert live.headers["location"].endswith(f"/matches/{match.number}")
        assert (await org.get(f"matches/{match.number}/live")).status_code == 200
        for path in ("live/feed", "../api/matches/{}/events"):
            path = f"matches/{match.number}/{path}" if "api" not in path else path[3:]
            answer = await browser.get(path.format(match.number))
            assert answer.text == f'data: {{"ended":"{watching.LATER}"}}\n\n'
        async with heard(site, match.number, ORGANISER) as messages:
            assert "story" in await anext(messages)
            match.finish()
            assert [one async for one in messages][-1] == {"over": True}
        async with heard(site, match.number) as messages:
            assert "story" in await anext(messages)  # over: everybody may see it


async def test_an_organiser_says_how_late_a_match_is_shown(
    league_file: Path, judged: None, fog: None, still_clock: trio.testing.MockClock
) -> None:
    async with visited(league_file) as site, site.browser() as org:
        await org.join("Olga", accounts.ORGANISER)
        answer = await org.send_form("organise/settings", name="live-delay", value="60")
        assert answer.status_code == 303
        match = running(site)
        match.begin()
        watched = watching.Watched(site.contest, match.number)
        await watched.look()
        assert watched.messages
        assert watched.ripe(60.0) == 0
        still_clock.jump(59)
        assert watched.ripe(60.0) == 0
        still_clock.jump(2)
        assert watched.ripe(60.0) == len(watched.messages)
        match.finish()
        await watched.look()
        assert watched.ripe(60.0) == len(watched.messages)
        watched.close()
        assert watching.lateness(site.league, None) == 60.0
        assert "60 s later" in (await site.browser().get(f"matches/{match.number}")).text


async def test_nothing_is_shown_in_a_freeze(league_file: Path, quick: None, judged: None) -> None:
    async with visited(league_file) as site:
        match = running(site)
        match.begin()
        async with heard(site, match.number) as messages:
            await anext(messages)
            moments.begin(site.league, None, "freeze", None, "the end")
            site.contest._recent.clear()  # two seconds have gone by
            match.finish()
            assert [one async for one in messages][-1] == {"ended": LIVE_FROZEN}
        answer = await site.browser().get(f"matches/{match.number}/live")
        assert answer.status_code == 404  # the table of the freeze knows nothing of it


@pytest.mark.dear
async def test_what_bots_whisper_is_not_in_it(
    contest_once: Path,  # noqa: F811  # the fixture
    tmp_path: Path,
    quick: None,
    judged: None,
) -> None:
    import shutil

    path = tmp_path / contest_once.name
    shutil.copy(contest_once, path)
    shutil.copytree(f"{contest_once}.d", f"{path}.d")
    async with visited(path) as site:
        records = [one for (one,) in site.league.store.all("SELECT fixture FROM valid")]
        whispers = [
            one
            for one in records
            if SECRET.encode() in gzip.decompress(site.league.record(one).read_bytes())
        ]
        match = running(site, whispers[0])
        match.finish()
        async with heard(site, match.number) as messages:
            said = json.dumps([one async for one in messages])
        assert len(said) > 1000
        assert SECRET not in said


async def test_limits(
    league_file: Path, quick: None, judged: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watching, "WATCHERS", 1)
    monkeypatch.setattr(watching, "WATCHERS_OF_ONE", 1)
    nina = accounts.Participant(1, "Nina", accounts.AUTHOR, 1, "Nina")
    async with visited(league_file) as site:
        match = running(site)
        match.begin()
        async with heard(site, match.number) as first, heard(site, match.number, nina) as second:
            for one in (first, second):
                assert "story" in await anext(one)
            for viewer in (None, nina):
                async with heard(site, match.number, viewer) as messages:
                    assert [one async for one in messages] == [{"ended": TOO_MANY}]
        monkeypatch.setattr(watching, "KEPT_OF_A_MATCH", 100)
        async with heard(site, match.number) as messages:
            assert [one async for one in messages][-1] == {"ended": watching.LIVE_TOO_LONG}


async def test_what_is_not_played(league_file: Path) -> None:
    async with visited(league_file) as site:
        browser = site.browser()
        over = await browser.get("matches/2/live")
        assert over.headers["location"].endswith("/matches/2/replay")
        assert "over" in (await browser.get("matches/2/live/feed")).text
        for path in ("matches/999/live", "matches/999/live/feed", "matches/tea/live"):
            assert (await browser.get(path)).status_code == 404
        match = running(site)
        match.path.unlink()
        assert (await browser.get(f"matches/{match.number}/live")).status_code == 303


@pytest.mark.dear
def test_the_page_follows_it(
    league_file: Path, judged: None, tabs: Tabs, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In Chromium: from the list of what is played now, round by round, to why it ended."""
    from playwright.sync_api import expect

    monkeypatch.setattr(live, "LIVING", 10**6)  # else the list may go while its link is pressed
    tab = tabs.open()
    with served(league_file) as url, League(league_file) as league:
        match = Running(league, 2)
        match.begin()
        tab.page.goto(f"{url}now")
        tab.page.get_by_role("link", name="Watch it live").click()
        expect(tab.page.locator(".viewer")).to_be_visible()
        assert tab.page.locator(".live-pause").count() == 0
        expect(tab.page.get_by_role("link", name="The page of this match")).to_be_visible()
        match.begin_anew()
        expect(tab.page.get_by_text(BROKEN_OFF)).to_be_visible()
        match.path.unlink()
        tab.page.reload()
        expect(tab.page.get_by_text("has no result yet")).to_be_visible()
