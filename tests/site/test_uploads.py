"""Uploads and their reports."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
import trio

from arena.errors import UsageError
from arena.league.bots import hand_in
from arena.site import (
    accounts,
    deeds,
    examining,
    moments,
    settings,
    uploads,
    versions,
    workers,
)
from arena.site.workers import clear_drafts
from tests.league.making import passes
from tests.site.browsing import Site, visited

BOT = b"import sys\nfor line in sys.stdin:\n    if 'go' in line: print(1, flush=True)\n"


async def test_a_bot_is_uploaded_and_examined(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "hand_in_each", _hand_in_each)
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        answer = await browser.upload("nina", "../my bot.py", BOT)
        assert answer.headers["location"] == "/spring-cup/uploads/1"
        waiting = await browser.get("uploads/1")
        assert "queued" in waiting.text
        assert waiting.headers["refresh"] == "3"
        examining.examine_upload(league_file, 1)
        over = await browser.get("uploads/1")
        assert "nina, version 1" in over.text
        assert "plays" in over.text
        assert "refresh" not in over.headers
        assert "my_bot.py" in (await browser.get("account")).text
        examining.examine_upload(league_file, 1)  # it is over: nothing more happens
        assert site.league.count("submission") == 4
        site.league.check_rows()


def _hand_in_each(league: object, bots: list[Path], name: str, *, tell: object) -> object:
    yield hand_in(league, bots[0], name, test=passes)  # type: ignore[arg-type]  # as in tests.league


@pytest.mark.parametrize("path", ["upload", "api/bots/nina/versions?file=bot.py"])
async def test_half_uploads_count_before_their_bodies_are_read(
    league_file: Path, path: str
) -> None:
    """A body that comes in pieces holds its place; one that is refused is not read."""
    read: list[str] = []
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        headers = {"Content-Length": "1000", "Content-Type": "multipart/form-data; boundary=x"}
        if "api" in path:
            secret = accounts.add_token(site.league, 1, "upload", "t").secret
            browser.cookies.clear()
            headers |= {"Authorization": f"Bearer {secret}", "Content-Type": "text/plain"}
        both, ends = trio.Event(), trio.Event()

        async def body(name: str) -> AsyncIterator[bytes]:
            read.append(name)
            if len(read) == 2:
                both.set()
            yield b"--x\r\n"
            await ends.wait()

        async def send(name: str) -> None:
            await browser.post(path, content=body(name), headers=headers)

        async with trio.open_nursery() as nursery:
            for name in ("first", "second"):
                nursery.start_soon(send, name)
            await both.wait()
            answer = await browser.post(path, content=body("third"), headers=headers)
            assert answer.status_code in (400, 409)
            assert "on their way" in answer.text
            assert "third" not in read
            ends.set()
        assert not +site.contest.receiving._teams  # they hold no place any more


async def test_what_a_team_has_on_the_disk_is_bounded(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        settings.change(site.league, None, settings.TEAM_SIZE, "1")
        assert (await browser.upload("nina", "bot.py", b"#" * 800_000)).status_code == 303
        uploads.end(site.league, 1, "refused")
        answer = await browser.upload("nina", "bot.py", b"#" * 300_000)
        assert "no room for another: ask an organiser" in answer.text
        assert (await browser.upload("nina", "bot.py", BOT)).status_code == 303  # that has room
        settings.change(site.league, None, settings.TEAM_SIZE, "2")
        assert (await browser.upload("nina", "bot.py", b"#" * 300_000)).status_code == 303


async def test_uploads_stop_while_there_is_room_for_results(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        free = 600 << 20
        monkeypatch.setattr(shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
        assert (await browser.upload("nina", "bot.py", BOT)).status_code == 303
        free = 511 << 20
        assert "nearly full" in (await browser.upload("nina", "bot.py", BOT)).text
        settings.change(site.league, None, settings.FREE_SIZE, "100")
        assert (await browser.upload("nina", "bot.py", BOT)).status_code == 303


async def test_files_of_refused_uploads_go_and_hashes_stay(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "hand_in_each", _hand_in_each)
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        await browser.upload("nina", "bot.py", BOT)
        examining.examine_upload(league_file, 1)  # it plays
        await browser.upload("nina", "bot.py", BOT + b"#")
        uploads.end(site.league, 2, "refused")
        await browser.upload("nina", "bot.py", BOT + b"##")  # it waits
        kept = [uploads.path_of(site.league, number, "bot.py") for number in (1, 2, 3)]
        uploads.remove_refused(site.league)
        assert all(path.exists() for path in kept)
        settings.change(site.league, None, settings.REFUSED_DAYS, "0")
        uploads.remove_refused(site.league)
        assert [path.exists() for path in kept] == [True, False, True]
        (sha256,) = site.league.store.one("SELECT sha256 FROM upload WHERE number = 2") or ("",)
        assert sha256 == hashlib.sha256(BOT + b"#").hexdigest()
        assert "refused" in (await browser.get("uploads/2")).text
        site.league.check_rows()


def _examined(site: Site, number: int, seconds: int) -> None:
    """An upload whose examiner took so long, until now."""
    with site.league.store.changing() as change:
        at = (datetime.now(UTC) - timedelta(seconds=seconds)).strftime("%Y-%m-%d %H:%M:%S")
        change.add("progress", upload=number, step="taken from the queue", at=at)
    uploads.end(site.league, number, "refused")


async def test_teams_take_turns_at_the_examiner(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as nina, site.browser() as tom:
        await nina.join("Nina")
        await tom.join("Tom")
        await nina.upload("slow", "bot.py", BOT)
        _examined(site, 1, 150)
        for _ in range(2):
            assert (await nina.upload("slow", "bot.py", BOT)).status_code == 303
        await tom.upload("quick", "bot.py", BOT)
        assert uploads.next_waiting(site.league) == 4
        assert uploads.next_waiting(site.league, [4]) == 2
        _examined(site, 4, 5)
        assert uploads.next_waiting(site.league) == 2


async def test_a_team_has_the_examiner_for_a_time_in_an_hour(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as nina:
        await nina.join("Nina")
        await nina.upload("slow", "bot.py", BOT)
        _examined(site, 1, 19 * 60)
        await nina.upload("slow", "bot.py", BOT)
        assert uploads.next_waiting(site.league) == 2  # 20 minutes by default
        _examined(site, 2, 2 * 60)
        await nina.upload("slow", "bot.py", BOT)
        assert uploads.next_waiting(site.league) is None
        assert "has had the examiner for long" in (await nina.get("uploads/3")).text
        settings.change(site.league, None, settings.EXAMINER_MINUTES, "30")
        assert uploads.next_waiting(site.league) == 3
        settings.change(site.league, None, settings.EXAMINER_MINUTES, "1")
        moments.begin(site.league, None, "close", None, "the deadline")
        assert uploads.next_waiting(site.league) == 3  # what came before plays


async def test_what_cannot_be_taken_in_has_a_report(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        await browser.upload("nina", "bot.zip", b"PK\x03\x04 and no more")
        examining.examine_upload(league_file, 1)
        text = (await browser.get("uploads/1")).text
        assert "refused" in text
        assert "takes the files" in text
        assert str(league_file.parent) not in text


async def test_uploads_are_examined_at_once_but_those_of_one_bot_in_their_order(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[int] = []
    may_end = {number: trio.Event() for number in range(1, 6)}

    class Examiner:
        """Ends an upload when it may; at upload 3 it dies."""

        def __init__(self, module: str, file: str, number: str) -> None:
            self.number = int(number)

        async def ended(self) -> tuple[int, str]:
            begun.append(self.number)
            await may_end[self.number].wait()
            if self.number != 3:
                await site.contest.ask(uploads.end, self.number, "")
            return 1, "alas"

    async def until(*numbers: int) -> None:
        with trio.fail_after(20):
            while begun != [*numbers]:  # noqa: ASYNC110  # what is awaited has no event
                await trio.sleep(0.01)

    monkeypatch.setattr(workers, "Process", Examiner)
    monkeypatch.setattr(workers, "LOOK", 0.01)
    monkeypatch.setattr(uploads, "WAITING", 5)
    told: list[str] = []
    async with (
        visited(league_file) as site,
        site.browser() as browser,
        trio.open_nursery() as tasks,
    ):
        await browser.join("Nina")
        settings.change(site.league, None, settings.TEAM_BOTS, "3")
        for name in ("nina", "nina", "other", "third", "third"):
            await browser.upload(name, "bot.py", BOT)
        tasks.start_soon(workers.examine_all, site.contest, 2, told.append)
        await until(1, 3)  # not 2, which is a later version of 1
        assert site.contest.doing["examiner"] == "examines uploads 1, 3"
        may_end[1].set()
        await until(1, 3, 2)
        may_end[3].set()
        await until(1, 3, 2, 3, 3, 4)  # 5 waits for 4
        report = await site.contest.ask(uploads.upload, 3)
        assert report is not None
        assert report.problem == workers.KILLED
        assert told == ["upload 3: its examiner ended with status 1: alas"] * 3
        tasks.cancel_scope.cancel()


async def test_reports_are_for_their_team_and_organisers(league_file: Path) -> None:
    async with (
        visited(league_file) as site,
        site.browser() as nina,
        site.browser() as tom,
        site.browser() as olga,
    ):
        await nina.join("Nina")
        await tom.join("Tom")
        await olga.join("Olga", accounts.ORGANISER)
        await nina.upload("nina", "bot.py", BOT)
        assert (await nina.get("uploads/1")).status_code == 200
        assert (await tom.get("uploads/1")).status_code == 404
        assert (await tom.get("uploads/2")).text == (await tom.get("uploads/1")).text
        assert (await olga.get("uploads/1")).status_code == 200


@pytest.mark.parametrize(
    ("bot", "why"),
    [("bot1", "called &#39;bot1&#39; already"), ("", "name your bot"), ("x" * 65, "1 to 64")],
)
async def test_names_of_others_and_none(league_file: Path, bot: str, why: str) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        answer = await browser.upload(bot, "bot.py", BOT)
        assert answer.status_code == 400
        assert why.lower() in answer.text.lower()
        assert site.league.count("upload") == 0


async def test_another_teams_name(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as nina, site.browser() as tom:
        await nina.join("Nina")
        await tom.join("Tom")
        await nina.upload("best", "bot.py", BOT)
        assert "Another team" in (await tom.upload("best", "bot.py", BOT)).text


async def test_limits_of_a_team(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        for _ in range(uploads.WAITING):
            assert (await browser.upload("nina", "bot.py", BOT)).status_code == 303
        assert "are already waiting" in (await browser.upload("nina", "bot.py", BOT)).text
        for number in range(1, uploads.HOURLY + 1):
            uploads.end(site.league, number, "no") if number <= 2 else _ended(site, number)
        answer = await browser.upload("nina", "bot.py", BOT)
        assert "20 times in an hour" in answer.text


def _ended(site: Site, number: int) -> None:
    with site.league.store.changing() as change:
        values = {"bot": "nina", "team": 1, "account": 1, "file": "f", "size": 1, "sha256": "0"}
        change.add("outcome", upload=change.add("upload", **values), submission=None, problem="no")


@pytest.mark.parametrize("content", [b""])
async def test_an_empty_file(league_file: Path, content: bytes) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        assert "not empty" in (await browser.upload("nina", "bot.py", content)).text
        assert not list(uploads.folder_of(site.league).iterdir())


async def test_a_file_that_is_too_large(league_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(uploads, "LARGEST", 1000)
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        assert "larger than" in (await browser.upload("nina", "bot.py", b"#" * 2000)).text
        assert (await browser.upload("nina", "bot.py", b"#" * 200_000)).status_code == 413
        assert not list(uploads.folder_of(site.league).iterdir())


async def test_after_the_deadline(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        with site.league.store.changing() as change:
            change.add("moment", kind="close", due="2020-01-01 00:00:00", account=None, reason="")
        assert "closed since" in (await browser.get("account")).text
        answer = await browser.upload("nina", "bot.py", BOT)
        assert "Uploads are closed since 2020-01-01 00:00:00 UTC" in answer.text


async def test_a_visitor_uploads_nothing(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        assert (await browser.upload("x", "bot.py", BOT)).status_code == 401
        assert site.league.count("upload") == 0


async def test_half_an_upload_leaves_nothing(league_file: Path) -> None:
    async with visited(league_file) as site:
        folder = uploads.folder_of(site.league)
        folder.mkdir()
        (folder / "draft-1-0a").write_bytes(b"half")
        clear_drafts(league_file)
        assert not list(folder.iterdir())


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\bots\\a b.zip", "a_b.zip"),
        ("...", "bot"),
        ("", "bot"),
        ("é\n<x>.py", "_______.py"),
        ("x" * 300 + ".py", "x" * 97 + ".py"),
    ],
)
def test_names_of_files_are_never_paths(given: str, kept: str) -> None:
    found = uploads.base_name(given)
    assert "/" not in found
    assert len(found) <= 100
    assert found.endswith(kept[-3:])


def test_only_authors_upload(league_file: Path) -> None:
    from arena.league.league import League

    with League(league_file) as league:
        league.store.add_site()
        who = accounts.Participant(1, "Eve", accounts.BANNED, 1, "Eve")
        with pytest.raises(UsageError, match="may not upload"):
            uploads.allow(league, who, "eve")


async def test_a_team_has_one_bot_unless_organisers_allow_more(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(examining, "hand_in_each", _hand_in_each)
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        await browser.upload("nina", "bot.py", BOT)
        why = "our team has 1 bot in this league already"
        assert why in (await browser.upload("other", "bot.py", BOT + b"#")).text  # it waits
        examining.examine_upload(league_file, 1)
        assert why in (await browser.upload("other", "bot.py", BOT + b"#")).text
        await browser.upload("nina", "bot.py", BOT + b"#")  # a further version
        examining.examine_upload(league_file, 2)
        settings.change(site.league, None, settings.TEAM_BOTS, "2")
        await browser.upload("other", "bot.py", BOT + b"#")
        examining.examine_upload(league_file, 3)
        settings.change(site.league, None, settings.TEAM_BOTS, "1")
        answer = await browser.upload("other", "bot.py", BOT + b"##")  # it plays, and may go on
        assert "in this league already" not in answer.text
        answer = await browser.upload("third", "bot.py", BOT + b"##")
        assert "our team has 2 bots in this league already" in answer.text
        examining.examine_upload(league_file, 4)
        assert len(site.league.players()) == 5
        teams = site.league.teams(site.league.players())
        assert teams == ["bot1", "bot2", "bot3", teams[3], teams[3]]
        nina = await site.contest.ask(accounts.required, 1)
        deeds.withdraw_bot(site.league, None, "other", "tried out")
        other = versions.own_bot(site.league, versions.number_of(site.league, "other") or 0)
        assert other is not None
        with pytest.raises(UsageError, match=why):
            versions.activate(site.league, nina, other, 1)
        assert len(site.league.players()) == 4
