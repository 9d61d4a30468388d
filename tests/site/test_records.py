"""What viewers see of records."""

from __future__ import annotations

import base64
import gzip
import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from arena.league.bots import hand_in
from arena.league.league import League
from arena.record.format import Stderr
from arena.record.reader import Match, save
from arena.record.verify import verify
from arena.site import accounts, records
from tests.league.making import ANSWERS, lay_out, opened, passes, play
from tests.site.browsing import visited
from tests.site.test_accounts import joined


@pytest.fixture
def league(league_file: Path) -> Iterator[League]:
    with League(league_file) as league:
        league.store.add_site()
        yield league


def crash(league: League) -> int:
    """A match in which bot3 wrote to stderr."""
    return next(
        one.fixture.number
        for one in league.results()
        if "bot3" in [league.copy_of(bot)[0] for bot in one.fixture.seats]
    )


def owned(league: League, name: str, *bots: str) -> accounts.Participant:
    who = joined(league, name)
    with league.store.changing() as change:
        for bot in bots:
            change.add("owner", bot=bot, team=who.team)
    return who


def said(league: League, viewer: accounts.Participant | None) -> list[str]:
    """What this viewer reads of stderr in that match."""
    sight = records.sight_of(league, crash(league), viewer)
    assert sight is not None
    return [one.text for one in records.match_for(sight).records if isinstance(one, Stderr)]


def test_stderr_is_for_its_own_team(league: League) -> None:
    nina, tom = owned(league, "Nina", "bot3"), owned(league, "Tom", "bot1", "bot2")
    assert any("alas" in text for text in said(league, nina))
    assert said(league, tom) == said(league, None) == []
    assert said(league, joined(league, "Olga", "organiser")) == said(league, nina)


def test_an_organiser_shows_and_hides_what_rivals_say(league: League) -> None:
    for kind, sees in (("show", True), ("hide", False)):
        with league.store.changing() as change:
            due = "2020-01-01 00:00:00"
            change.add("moment", kind=kind, due=due, account=None, reason="")
        assert bool(said(league, None)) is sees


def test_each_view_verifies_and_has_its_own_tag(league: League, tmp_path: Path) -> None:
    number = crash(league)
    viewers = (None, owned(league, "Nina", "bot3"), joined(league, "Olga", "organiser"))
    sights = [records.sight_of(league, number, viewer) for viewer in viewers]
    assert len({sight.etag for sight in sights if sight}) == 3
    stored = league.record(number)
    for sight in sights:
        assert sight is not None
        copy = tmp_path / "copy.jsonl.gz"
        copy.write_bytes(records.packed_for(sight))
        assert verify(copy).ok
        assert Match.read(copy).digest == Match.read(stored).digest
    assert copy.read_bytes() == stored.read_bytes()  # that of the organiser: as stored
    assert sight is not None
    assert sight.sha256 == hashlib.sha256(stored.read_bytes()).hexdigest()


def test_who_left_a_team_sees_no_more(league: League) -> None:
    nina, tom = owned(league, "Nina", "bot3"), joined(league, "Tom")
    for team, is_in in ((tom.team, 0), (nina.team, 1)):
        with league.store.changing() as change:
            change.add("member", team=team, account=tom.number, joined=is_in)
    assert said(league, accounts.participant(league, tom.number))
    with league.store.changing() as change:
        change.add("member", team=nina.team, account=tom.number, joined=0)
        change.add("member", team=tom.team, account=tom.number, joined=1)
    assert not said(league, accounts.participant(league, tom.number))


@pytest.fixture
def named(tmp_path: Path) -> Path:
    """A league whose bots have other names than their files, that played a round."""
    path = tmp_path / "names.league"
    with opened(path) as league:
        for number, name in enumerate(("wandabot", "ottobot", "wandabot"), 1):
            bot = lay_out(tmp_path, f"nina{number}", ANSWERS.format(answer=number))
            hand_in(league, bot, test=passes, name=name)
        play(league)
        league.store.add_site()
    return path


def story_of(page: httpx.Response) -> bytes:
    """What a page shows: the page itself, and what is packed in it."""
    blocks = re.findall(r"H4sI[A-Za-z0-9+/=]*", page.text)
    assert blocks
    return page.content + b"".join(gzip.decompress(base64.b64decode(one)) for one in blocks)


async def test_records_and_replays_call_bots_as_the_site_does(named: Path) -> None:
    async with visited(named) as site, site.browser() as browser:
        record = gzip.decompress((await browser.get("matches/1/record")).content)
        assert Match.parse(record).players == ("wandabot v2", "ottobot v1")
        assert b"nina" not in record
        page = story_of(await browser.get("matches/1/replay"))
        assert b"wandabot v2" in page
        assert b"nina" not in page


async def test_a_replay_of_an_earlier_release_does_too(named: Path) -> None:
    """It had the names of files in its records."""
    with League(named) as league:
        record = league.record(1)
    match = Match.read(record)
    save(Match(replace(match.header, players=["nina1", "nina2"]), match.records), record)
    async with visited(named) as site, site.browser() as browser:
        page = story_of(await browser.get("matches/1/replay"))
        assert b"wandabot v2" in page
        assert b"nina" not in page


def test_a_match_without_a_result(league: League) -> None:
    assert records.sight_of(league, 999, None) is None
    number = crash(league)
    league.annul([number], "the machine was busy")
    assert records.sight_of(league, number, None) is None
