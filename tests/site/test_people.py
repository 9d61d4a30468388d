"""People who play in the browser: pages, feeds, limits, and what strangers try."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest
import trio
from msgspec.structs import replace

from arena.errors import UsageError
from arena.league.audit import audit
from arena.league.league import League
from arena.league.types import settle
from arena.record.format import Stderr
from arena.record.reader import Match
from arena.record.verify import verify
from arena.sandbox.children import open_children
from arena.sandbox.launch import KeeperProcess
from arena.site import accounts, boards, deeds, hosting, people
from arena.site.boards import Sitter
from arena.web.match_process import PAGES, MatchProcess
from arena.web.passing import control_pair
from tests.site.browsing import HOST, URL, Browser, Site, visited
from tests.support.keepers import shared_keeper

ANN, BOB = Sitter("Ann", 1), Sitter("Bob", 2)
KEEPERS: list[KeeperProcess] = []
"""That of the test, if it has one."""
PATIENCE = 60
"""Seconds: a busy machine."""


@pytest.fixture(autouse=True)
def _keeper_is_there() -> Iterator[None]:
    """It cannot be made inside of Trio."""
    with shared_keeper() as keeper:
        KEEPERS.append(keeper)
        yield
        KEEPERS.clear()


@pytest.fixture
def fog(tmp_path: Path) -> Path:
    """A league of Warlight without bots."""
    path = tmp_path / "fog.league"
    settings = {"max_rounds": 2, "min_picks": 4, "pick_drop": 1000}
    terms = settle("warlight", 2, {"seed": "1", "sandbox": "off", "settings": settings})
    with League.begin(path, terms):
        pass
    return path


class Feed:
    """The WebSocket of a board, without a network."""

    def __init__(self, browser: Browser, number: int, headers: dict[str, str]) -> None:
        cookies = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        given = {"host": HOST, "origin": URL, "cookie": cookies, **headers}
        self._scope: dict[str, Any] = {
            "type": "websocket",
            "asgi": {"version": "3.0"},
            "scheme": "ws",
            "path": f"/{browser.site.contest.slug}/play/{number}/feed",
            "raw_path": b"",
            "root_path": "",
            "query_string": b"",
            "headers": [(key.encode(), value.encode()) for key, value in given.items() if value],
            "subprotocols": [],
            "client": ("127.0.0.1", 1),
            "server": None,
            "state": {},
        }
        self._app: Any = browser.site.app
        self._in = trio.open_memory_channel[dict[str, Any]](1)
        self._out = trio.open_memory_channel[dict[str, Any]](0)
        self.is_open = False
        self.heard: list[dict[str, Any]] = []

    async def run(self, nursery: trio.Nursery) -> None:
        nursery.start_soon(self._app, self._scope, self._in[1].receive, self._out[0].send)
        await self._in[0].send({"type": "websocket.connect"})
        message = await self._out[1].receive()
        self.is_open = message["type"] == "websocket.accept"

    async def send(self, text: str) -> None:
        await self._in[0].send({"type": "websocket.receive", "text": text, "bytes": None})

    async def say(self, **wish: Any) -> None:
        await self.send(json.dumps(wish))

    async def hear(self) -> dict[str, Any] | None:
        """The next message; None when the site has closed the feed."""
        with trio.fail_after(PATIENCE):
            message = await self._out[1].receive()
        if message["type"] != "websocket.send":
            return None
        self.heard.append(json.loads(message["text"]))
        return self.heard[-1]

    async def until(self, key: str) -> Any:
        """What the next message that has this key says."""
        while (message := await self.hear()) is not None:
            if message.get(key) is not None:
                return message[key]
        raise AssertionError(f"closed before {key}: {self.heard[-3:]}")

    async def leave(self) -> None:
        await self._in[0].send({"type": "websocket.disconnect", "code": 1001})


@asynccontextmanager
async def fed(browser: Browser, number: int, **headers: str) -> AsyncIterator[Feed]:
    async with trio.open_nursery() as nursery:
        feed = Feed(browser, number, headers)
        await feed.run(nursery)
        yield feed
        nursery.cancel_scope.cancel()


@asynccontextmanager
async def hosted(site: Site, number: int, seconds: float | None = None) -> AsyncIterator[None]:
    """The process of a match, in this one, until it ends."""
    contest = site.contest
    match = boards.people_match(site.league, number, None)
    assert match is not None
    if seconds is not None:
        match = replace(match, seconds=seconds)  # quicker than a minute
    spec = hosting.spec_for(site.league, match)
    keep = partial(hosting.keep_record, contest.path, number)
    ours, theirs = control_pair()
    match_process = contest.hosted[number] = MatchProcess(ours)

    async def run() -> None:
        async with open_children(KEEPERS[0]) as children:
            await hosting.play(spec, match, theirs, keep, children)

    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(run)
            yield
    finally:
        del contest.hosted[number]
        match_process.close()
        theirs.close()


async def begin(
    browser: Browser, *rivals: str, seat: int = 1, seconds: int = 60, **more: str
) -> int:
    """Begin a match by the form. Returns its number."""
    chosen = {f"rival{at}": name for at, name in enumerate(rivals, 1)}
    answer = await browser.send_form("play", seat=f"{seat}", seconds="60", **chosen, **more)
    assert answer.status_code == 303, answer.text
    return int(answer.headers["location"].rpartition("/")[2])


async def link_of(browser: Browser, number: int) -> str:
    answer = await browser.send_form(f"play/{number}/link")
    found = re.search(r'class="secret">([^<]+)<', answer.text)
    assert found, answer.text
    return found[1]


async def two_seated(site: Site) -> tuple[Browser, Browser, int]:
    """Two accounts at one match."""
    ann, bob = site.browser(), site.browser()
    await ann.join("Ann")
    await bob.join("Bob")
    number = await begin(ann, "")
    answer = await bob.send_form("play/join", invitation=await link_of(ann, number))
    assert answer.headers["location"].endswith(f"/play/{number}")
    return ann, bob, number


# -- a match from its form to its replay -----------------------------------------------------------


async def test_a_person_plays_a_bot_and_watches_the_replay(league_file: Path) -> None:
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        before = len(site.league.store.all("SELECT * FROM chain"))
        table = (await ann.get("standings")).text
        number = await begin(ann, "bot1", seat=2)
        assert "prepared" in (page := await ann.get(f"play/{number}")).text
        assert page.headers["refresh"] == "2"
        async with hosted(site, number):
            page = await ann.get(f"play/{number}")
            assert "Open the board" in page.text
            assert "refresh" not in page.headers
            board = await ann.get(f"play/{number}/board")
            assert f"connect-src ws://{HOST}/spring-cup/play/{number}/feed" in board.text
            async with fed(ann, number) as feed:
                assert feed.is_open
                for _ in range(5):
                    turn = await feed.until("turn")
                    assert 55 < turn["seconds"] <= turn["whole"] == 60
                    await feed.say(do="give", turn=turn["number"], line="2")
                await feed.until("over")
                assert await feed.hear() is None
        page = await ann.get(f"play/{number}")
        match = boards.people_match(site.league, number, None)
        assert match
        assert match.sentence in page.text
        assert (await ann.get(f"play/{number}/replay")).text.startswith("<!DOCTYPE html>")
        record = boards.record_of(site.league.folder, number)
        assert verify(record).ok
        assert Match.read(record).players == ("bot1 v1", "Ann")
        kept = league_file.with_name("kept.jsonl")
        kept.write_bytes((await ann.get(f"play/{number}/record")).content)
        assert verify(kept).ok
        assert len(site.league.store.all("SELECT * FROM chain")) == before  # no result, no link
        assert (await ann.get("standings")).text == table
        assert audit(site.league).ok


async def test_what_a_bot_wrote_is_not_for_people(league_file: Path) -> None:
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        number = await begin(ann, "bot3")  # it says alas, and crashes
        async with hosted(site, number), fed(ann, number) as feed:
            while not any(message.get("over") for message in feed.heard):
                message = await feed.hear()
                if message and message.get("turn"):
                    await feed.say(do="give", turn=message["turn"]["number"], line="2")
            assert "alas" not in json.dumps(feed.heard)
        kept = Match.read(boards.record_of(site.league.folder, number)).records
        assert "alas" in "".join(one.text for one in kept if isinstance(one, Stderr))
        assert b"alas" not in (await ann.get(f"play/{number}/record")).content


# -- two people ------------------------------------------------------------------------------------


async def test_two_people_meet_by_a_link_and_each_sees_its_own_seat(fog: Path) -> None:
    async with visited(fog) as site:
        ann, bob, number = await two_seated(site)
        async with hosted(site, number), fed(ann, number) as hers, fed(bob, number) as his:
            assert await hers.until("seat") == 0
            assert await his.until("seat") == 1
            turn = await hers.until("turn")
            await hers.say(do="help", turn=turn["number"])
            [example, *_] = await hers.until("examples")
            await his.say(do="give", turn=turn["number"], line=example)  # it is not his turn
            await his.until("late")
            await hers.say(do="give", turn=turn["number"], line=example)
            await hers.until("given")
            other = await his.until("turn")
            match = boards.people_match(site.league, number, None)
            assert match
            assert match.seed not in json.dumps([*hers.heard, *his.heard])
            await his.say(do="leave", turn=other["number"])
            await his.until("over")
            await hers.until("over")
        assert "over" in (await bob.get(f"play/{number}")).text.lower()


async def test_the_link_is_for_one_other_person(fog: Path) -> None:
    async with visited(fog) as site:
        ann, bob, eve = site.browser(), site.browser(), site.browser()
        for name, browser in (("Ann", ann), ("Bob", bob), ("Eve", eve)):
            await browser.join(name)
        number = await begin(ann, "")
        first, second = await link_of(ann, number), await link_of(ann, number)
        assert (await ann.send_form("play/join", invitation=second)).status_code == 400
        assert (await bob.send_form("play/join", invitation=first)).status_code == 400
        assert (await eve.send_form(f"play/{number}/link")).status_code == 400
        assert (await eve.send_form(f"play/{number}/end")).status_code == 400
        assert (await bob.send_form("play/join", invitation=second)).status_code == 303
        assert (await eve.send_form("play/join", invitation=second)).status_code == 400
        assert (await ann.send_form(f"play/{number}/end")).status_code == 400  # it has begun


async def test_a_match_that_waits_is_taken_back_or_waits_too_long(fog: Path) -> None:
    async with visited(fog) as site:
        ann = site.browser()
        await ann.join("Ann")
        number = await begin(ann, "")
        assert "refresh" in (await ann.get(f"play/{number}")).headers
        link = await link_of(ann, number)
        assert (await ann.send_form(f"play/{number}/end")).status_code == 303
        assert "taken back" in (await ann.get(f"play/{number}")).text
        bob = site.browser()
        await bob.join("Bob")
        assert (await bob.send_form("play/join", invitation=link)).status_code == 400
        late = boards.begin(site.league, ANN, 0, [""], 60)
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(boards, "WAITS", 0)
            assert boards.ready(site.league) == []
        match = boards.people_match(site.league, late, None)
        assert match
        assert match.problem == boards.DID_NOT_COME


# -- who leaves, and what fails --------------------------------------------------------------------


async def test_who_leaves_has_given_up_after_the_limit(league_file: Path) -> None:
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        number = await begin(ann, "bot1")
        async with hosted(site, number, 0.3), fed(ann, number) as feed:
            await feed.until("turn")
            await feed.leave()
        match = boards.people_match(site.league, number, None)
        assert match
        assert match.state == "over"
        totals = Match.read(boards.record_of(site.league.folder, number)).totals(0)
        assert totals
        assert totals.stopped == "exited"


async def test_a_match_whose_people_do_not_come_does_not_begin(
    fog: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting, "COMING", 0.2)
    async with visited(fog) as site:
        ann, _, number = await two_seated(site)
        with pytest.RaisesGroup(
            pytest.RaisesExc(hosting.BrokenOff, match="^Bob did not open"), flatten_subgroups=True
        ):
            async with hosted(site, number, 0.1), fed(ann, number):
                await trio.sleep(PATIENCE)


async def test_a_site_that_begins_ends_what_was_played(fog: Path) -> None:
    async with visited(fog) as site:
        ann, bob, number = await two_seated(site)
        waiting = await begin(ann, "")
        draft = boards.draft_of(site.league.folder, number)
        draft.parent.mkdir(exist_ok=True)
        draft.touch()
        boards.end_broken(site.league)
        assert "started anew" in (await bob.get(f"play/{number}")).text
        assert not draft.exists()
        assert "free" in (await ann.get(f"play/{waiting}")).text
        for path in ("replay", "record"):
            assert (await ann.get(f"play/{number}/{path}")).status_code == 404
        assert (await ann.get(f"play/{number}/board")).headers["location"].endswith(f"{number}")


async def test_a_page_that_fails_ends_only_itself(
    league_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        number = await begin(ann, "bot1")
        async with hosted(site, number):
            async with fed(ann, number) as feed:
                turn = await feed.until("turn")
                with monkeypatch.context() as patched:
                    patched.setattr("arena.web.desk.PageDesk.hear", lambda desk, wish: 1 / 0)
                    await feed.say(do="help", turn=turn["number"])
                    while await feed.hear() is not None:
                        pass
            async with fed(ann, number) as feed:
                for _ in range(5):
                    turn = await feed.until("turn")
                    await feed.say(do="give", turn=turn["number"], line="1")
                await feed.until("over")
    assert "ZeroDivisionError" in capsys.readouterr().err


# -- attacks ---------------------------------------------------------------------------------------


async def test_nobody_else_has_the_board_or_what_was_played(fog: Path) -> None:
    async with visited(fog) as site:
        ann, bob, number = await two_seated(site)
        eve, stranger = site.browser(), site.browser()
        await eve.join("Eve")
        async with hosted(site, number), fed(ann, number) as hers, fed(bob, number) as his:
            for browser in (eve, stranger):
                for path in ("", "/board", "/replay", "/record"):
                    answer = await browser.get(f"play/{number}{path}")
                    assert answer.status_code == 404, path
                async with fed(browser, number) as feed:
                    assert not feed.is_open
            for headers in (
                {"origin": "http://evil.example"},
                {"origin": ""},
                {"host": "evil.example"},
                {"cookie": ""},
                {"cookie": "session=tea; guest=tea"},
            ):
                async with fed(ann, number, **headers) as feed:
                    assert not feed.is_open, headers
            for wrong in (number + 1, 10**14, -1):
                async with fed(ann, wrong) as feed:
                    assert not feed.is_open
            turn = await hers.until("turn")
            await hers.say(do="leave", turn=turn["number"])
            await his.until("over")
        for path in ("", "/replay", "/record"):
            assert (await eve.get(f"play/{number}{path}")).status_code == 404
        for path in ("", "/record"):
            assert (await bob.get(f"play/{number}{path}")).status_code == 200
        assert "nothing to watch" in (await bob.get(f"play/{number}/replay")).text


async def test_forged_messages_are_refused_and_cost_nothing(league_file: Path) -> None:
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        number = await begin(ann, "bot1")
        async with hosted(site, number), fed(ann, number) as feed:
            turn = (await feed.until("turn"))["number"]
            for text in (
                "",
                "tea",
                "\n\n",
                "[]",
                "null",
                '{"do":"give"}',
                '{"do":"give","turn":1,"line":"1","seat":1}',
                '{"do":"give","turn":"1","line":"1"}',
                '{"do":"open","turn":1}',
                '{"do":"pick","turn":1,"held":"","picks":[1]}',
                json.dumps({"do": "give", "turn": turn, "line": "x" * 80_000}),
                "[" * 100_000,
            ):
                await feed.send(text)
                assert "cannot read" in (await feed.until("refused"))[0], text[:80]
            for late in (0, turn + 1, 10**30, -5):
                await feed.say(do="give", turn=late, line="1")
                message = await feed.hear()
                assert message
                assert message.keys() & {"late", "refused"}, late
            await feed.say(do="give", turn=turn, line="1\n1")
            assert await feed.until("refused")
            for _ in range(4):
                await feed.say(do="give", turn=turn, line="1")
                turn = (await feed.until("turn"))["number"]
            await feed.say(do="give", turn=turn, line="1")
            await feed.until("over")


async def test_a_flood_waits_and_pages_of_a_seat_are_few(league_file: Path) -> None:
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        number = await begin(ann, "bot1")
        async with hosted(site, number), trio.open_nursery() as nursery:
            feeds = [Feed(ann, number, {}) for _ in range(PAGES + 1)]
            for feed in feeds:
                await feed.run(nursery)
            assert [feed.is_open for feed in feeds] == [True] * PAGES + [False]
            turn = (await feeds[0].until("turn"))["number"]
            began, text = trio.current_time(), json.dumps({"do": "help", "turn": turn})
            nursery.start_soon(_flood, feeds[0], text * 1)
            for _ in range(20):
                await feeds[0].until("examples")
            assert trio.current_time() - began >= 19 * 0.02
            await feeds[1].say(do="leave", turn=turn)  # who floods holds up only this page
            await feeds[1].until("over")
            nursery.cancel_scope.cancel()


async def _flood(feed: Feed, text: str) -> None:
    while True:
        await feed.send(text)


async def test_who_is_banned_plays_no_more(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(people, "AGAIN", 0.05)
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        number = await begin(ann, "bot1")
        async with hosted(site, number, 1), fed(ann, number) as feed:
            await feed.until("turn")
            with site.league.store.changing() as change:
                change.add("role", account=1, role="banned", giver=None, reason="tea")
            while await feed.hear() is not None:
                pass
            async with fed(ann, number) as again:
                assert not again.is_open


async def test_limits_hold_where_matches_are_begun(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with visited(league_file) as site:
        league = site.league
        for name in ("Ann", "Bob"):
            accounts.accept(league, deeds.invite(league, None, "author").secret, name)
        numbers = [boards.begin(league, ANN, 0, ["bot1"], 60) for _ in range(boards.NOT_OVER)]
        refuses(league, ANN, "are not over")
        boards.end(league, numbers[0])
        monkeypatch.setattr(boards, "PLAYING", 1)
        refuses(league, BOB, "are played now")
        boards.begin(league, BOB, 0, [""], 60)  # this one waits
        monkeypatch.setattr(boards, "OPEN", 1)
        refuses(league, BOB, "wait for people", "")
        monkeypatch.setattr(boards, "PLAYING", 9)
        monkeypatch.setattr(boards, "HOURLY", 2)
        refuses(league, ANN, "within an hour")
        boards.end(league, numbers[1])
        refuses(league, BOB, "between a minute and a day", seconds=59)
        refuses(league, BOB, "between a minute and a day", seconds=10**6)
        refuses(league, BOB, "no bot is called", "bot9")
        for seat, rivals in ((2, ["bot1"]), (-1, ["bot1"]), (0, []), (0, ["bot1", "bot2"])):
            with pytest.raises(UsageError, match="2 in a match"):
                boards.begin(league, BOB, seat, rivals, 60)


def refuses(league: League, who: Sitter, why: str, rival: str = "bot1", seconds: int = 60) -> None:
    """This person may not begin a match."""
    with pytest.raises(UsageError, match=why):
        boards.begin(league, who, 0, [rival], seconds)


async def test_the_limit_holds_for_many_at_once(league_file: Path) -> None:
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        token = re.search(r'form_token" value="(\w+)"', (await ann.get("play")).text)
        assert token
        form = {"form_token": token[1], "seat": "1", "rival1": "bot1", "seconds": "60"}
        statuses: list[int] = []

        async def send() -> None:
            statuses.append((await ann.post("play", data=form)).status_code)

        async with trio.open_nursery() as nursery:
            for _ in range(8):
                nursery.start_soon(send)
        assert sorted(statuses) == [303] * boards.NOT_OVER + [400] * (8 - boards.NOT_OVER)


# -- guests ----------------------------------------------------------------------------------------


async def test_guests_play_where_the_organiser_says_so(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with visited(league_file) as site:
        guest, owner = site.browser(), site.browser()
        await owner.join("Olga", accounts.OWNER)
        form = {"seat": "1", "rival1": "bot1", "seconds": "60", "name": "Ann"}
        assert "Sign in" in (await guest.get("play")).text
        assert (await guest.send_form("play", **form)).status_code == 400
        assert (await guest.send_form("play/who", who=boards.EVERYBODY)).status_code == 401
        assert (await owner.send_form("play/who", who="tea")).status_code == 400
        assert (await owner.send_form("play/who", who=boards.EVERYBODY)).status_code == 303
        number = await begin(guest, "bot1", name="Ann <i>")
        assert "Ann &lt;i&gt; (guest)" in (await guest.get(f"play/{number}")).text
        assert "HttpOnly" in (await guest.send_form("play", **form)).headers["set-cookie"]
        assert (await guest.send_form("play", **form)).status_code == 400  # two are not over
        other = site.browser()
        assert (await other.get(f"play/{number}")).status_code == 404
        monkeypatch.setattr(boards, "GUESTS", 2)
        assert "Guests play" in (await other.send_form("play", **form)).text
        assert (await owner.send_form("play", **form)).status_code == 303
        async with hosted(site, number, 0.3), fed(guest, number) as feed:
            assert (await feed.until("turn"))["number"] == 1
        forged = await guest.post("play", data=form, headers={"Origin": "http://evil.example"})
        assert forged.status_code == 403
        assert (await owner.send_form("play/who", who=boards.NOBODY)).status_code == 303
        for browser in (owner, other):
            assert "does not let people play" in (await browser.get("play")).text
            assert (await browser.send_form("play", **form)).status_code == 400


async def test_wrong_fields_are_explained(league_file: Path) -> None:
    async with visited(league_file) as site:
        ann = site.browser()
        await ann.join("Ann")
        right = {"seat": "1", "rival1": "bot1", "seconds": "60"}
        for wrong in (
            {"seat": ""},
            {"seat": "0"},
            {"seat": "9" * 30},
            {"seconds": "٣"},
            {"seconds": "-60"},
            {"rival1": "../bot1"},
        ):
            answer = await ann.send_form("play", **{**right, **wrong})
            assert answer.status_code == 400, wrong
        for path in ("play/0", "play/tea", "play/9999999999999999999", "play/-1"):
            assert (await ann.get(path)).status_code == 404, path
        assert (await ann.send_form("play/join", invitation="tea")).status_code == 400
        assert (await ann.post("play", data=right)).status_code == 403  # without the form's token


async def test_one_address_does_not_take_all_matches_of_guests(league_file: Path) -> None:
    """Whoever forgets a cookie is another guest."""
    form = {"seat": "1", "rival1": "bot1", "seconds": "60", "name": "Ann"}
    async with visited(league_file) as site:
        olga = site.browser("192.0.2.1")
        await olga.join("Olga", accounts.OWNER)
        await olga.send_form("play/who", who=boards.EVERYBODY)
        statuses: list[int] = []

        async def begin_one() -> None:
            answer = await site.browser("192.0.2.1").send_form("play", **form)
            statuses.append(answer.status_code)

        async with trio.open_nursery() as nursery:
            for _ in range(4):
                nursery.start_soon(begin_one)
        assert sorted(statuses) == [303, 303, 400, 400]
        assert (await olga.send_form("play", **form)).status_code == 303  # no guest
        other = site.browser("192.0.2.2")
        assert (await other.send_form("play", **form)).status_code == 303
        boards.end(site.league, 1)
        assert (await site.browser("192.0.2.1").send_form("play", **form)).status_code == 303
