"""The pages for everybody: bots, pairs, matches, replays, what is played now, announcements."""

from __future__ import annotations

import base64
import gzip
import html
import re
import shutil
from pathlib import Path

import pytest

from arena.league.league import League
from arena.league.plan import PLACEMENT, Meetings
from arena.league.types import settle
from arena.record.verify import verify
from arena.site import accounts, deeds, replays, results, trends
from arena.site import contest as contest_module
from arena.site.results import MatchFilter, Sight
from tests.league.conftest import tiny_known
from tests.league.making import ANSWERS, CRASHES, lay_out, opened, passes, play
from tests.site.browsing import HOST, Site, visited

HOSTILE = '"><script>alert(1)</script>{{7*7}}'
LONG = "W" * 64
SECRET = "a secret of this bot"
WHISPERS = ANSWERS.replace("go*|pick*)", f"go*|pick*) echo {SECRET} >&2;")


@pytest.fixture(scope="session")
def contest_once(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A league of five bots, one of which crashes, one whispers to stderr, and two have names that
    a stranger would choose; 40 matches."""
    from arena.league.bots import hand_in

    path = tmp_path_factory.mktemp("public") / "cup.league"
    with tiny_known(), opened(path, "1", CRASHES, WHISPERS.format(answer=2)) as league:
        for name, answer in ((HOSTILE, 3), (LONG, 4)):
            bot = lay_out(path.parent, f"bot-{answer}", ANSWERS.format(answer=answer))
            hand_in(league, bot, test=passes, name=name)
        play(league, Meetings(2))
        league.store.add_site()
        league.annul([1], "a rival was paused")
        with league.store.changing() as change:
            change.add("announcement", account=None, text=HOSTILE)
    return path


@pytest.fixture
def contest(contest_once: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    path = tmp_path / contest_once.name
    shutil.copy(contest_once, path)
    shutil.copytree(f"{contest_once}.d", f"{path}.d")
    return path


@pytest.fixture
def empty(tmp_path: Path) -> Path:
    """A league without bots."""
    path = tmp_path / "empty.league"
    with League.begin(path, settle("tiny", None, {"seed": "1", "sandbox": "off"})):
        pass
    return path


def bots(site: Site) -> dict[str, int]:
    return results.bot_names(site.league)


def links(text: str) -> set[str]:
    """The paths of all links of a page, within the contest."""
    found = re.findall(r'<a [^>]*href="/[\w-]+/([^"#]*)', text)
    return {html.unescape(one) for one in found}


@pytest.mark.dear
async def test_all_public_pages_are_found_by_links(contest: Path) -> None:
    """From the first page on, and each is whole: nothing of a stranger is markup."""
    async with visited(contest) as site, site.browser() as browser:
        seen, left = set[str](), {""}
        while left:
            path = left.pop()
            seen.add(path)
            answer = await browser.get(path)
            assert answer.status_code == 200, path
            if "html" not in answer.headers["content-type"]:
                continue
            if "replay" not in path:
                assert "<script>alert" not in answer.text
                assert "49" not in re.findall(r"alert\(1\).{0,20}", answer.text)
                assert "style=" not in answer.text
                left |= {one for one in links(answer.text) if "?" not in one} - seen
        kinds = {re.sub(r"\d+", "N", path) for path in seen}
        assert {
            *("standings", "now", "bots/N", "bots/N/against/N", "matches/N"),
            *("matches/N/replay", "matches/N/record"),
        } <= kinds
        assert len([path for path in seen if re.fullmatch(r"bots/\d+", path)]) == 5


@pytest.mark.parametrize("path", ["", "standings", "now", "announcements"])
async def test_pages_of_an_empty_contest(empty: Path, path: str) -> None:
    async with visited(empty) as site, site.browser() as browser:
        assert (await browser.get(path)).status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        *("bots/0", "bots/99", "bots/x", "bots/1/against/1", "bots/1/against/99"),
        *("matches/0", "matches/99999", "matches/1e3", "matches/1/record", "matches/1/replay"),
        *("matches/99999/record", "matches/-1/replay", "bots/9999999999999999999999"),
    ],
)
async def test_what_does_not_exist(contest: Path, path: str) -> None:
    """Match 1 is annulled, so its record is no public one."""
    async with visited(contest) as site, site.browser() as browser:
        assert (await browser.get(path)).status_code == 404


@pytest.mark.parametrize(
    "query", ["outcome=x", "fault='", "rival=99", "version=x", "before=x", "rival=-1"]
)
async def test_filters_that_do_not_exist(contest: Path, query: str) -> None:
    async with visited(contest) as site, site.browser() as browser:
        answer = await browser.get(f"bots/1?{query}")
        assert answer.status_code == 400
        assert "<h1" in answer.text


def listed(league: League, name: str, **wanted: object) -> list[int]:
    """The matches of all parts of a list."""
    chosen, before, found = MatchFilter(**wanted), None, list[int]()  # type: ignore[arg-type]
    while True:
        part = results.matches_of(league, name, chosen, Sight(), before)
        found += [one.match for one in part.matches]
        if part.before is None:
            return found
        before = part.before


def test_filters_and_cursors(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each filter lets through what the results themselves say, in parts without gaps."""
    monkeypatch.setattr(results, "PAGE", 3)
    with League(contest) as league:
        names = results.bot_names(league)
        ids = {player.name: player.bot for player in league.players()}
        played = [one for one in league.results() if ids["bot2"] in one.fixture.seats]
        played.sort(key=lambda one: -one.number)
        assert len(played) in (15, 16)

        def expected(test: object) -> list[int]:
            return [one.fixture.number for one in played if test(one)]  # type: ignore[operator]

        def own(one: object) -> object:
            return one.result.seats[one.fixture.seats.index(ids["bot2"])]  # type: ignore[attr-defined]

        assert listed(league, "bot2") == expected(lambda one: True)
        assert listed(league, "bot2", outcome="lost") == expected(lambda one: own(one).rank == 2)  # type: ignore[attr-defined]
        assert listed(league, "bot2", outcome="won") == []
        crashed = expected(lambda one: own(one).stopped == "crashed")  # type: ignore[attr-defined]
        assert crashed
        assert listed(league, "bot2", fault="crashed") == crashed
        assert set(listed(league, "bot2", fault="any")) >= set(crashed)
        assert listed(league, "bot1", fault="crashed") == []
        rival = expected(lambda one: ids["bot1"] in one.fixture.seats)
        assert listed(league, "bot2", rival=names["bot1"]) == rival
        assert listed(league, "bot2", version=1) == expected(lambda one: True)
        assert listed(league, "bot2", version=2) == []


async def test_the_list_of_matches_goes_on(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PAGE", 5)
    async with visited(contest) as site, site.browser() as browser:
        number = bots(site)["bot2"]
        page = (await browser.get(f"bots/{number}?outcome=lost&fault=crashed")).text
        (older,) = [one for one in links(page) if "before=" in one]
        assert "outcome=lost" in older
        assert "fault=crashed" in older
        further = (await browser.get(older)).text
        shown = [re.findall(r'<th scope="row"><a href="/cup/matches/(\d+)"', one)
                 for one in (page, further)]  # fmt: skip
        assert len(shown[0]) == 5
        assert shown[1]
        assert not set(shown[0]) & set(shown[1])


async def test_a_bot_with_its_rating_and_rivals(contest: Path) -> None:
    async with visited(contest) as site, site.browser() as browser:
        page = (await browser.get(f"bots/{bots(site)[LONG]}")).text
        assert "<polyline" in page
        assert "won both games on" in page
        assert html.escape(HOSTILE, quote=False) in page.replace("&#34;", '"')
        table = await site.contest.table()
        row = next(one for one in table.table.standings if one.name == LONG)
        assert f"± {round(row.error)}" in page


def test_the_last_point_of_a_curve_is_the_rating_of_the_table(contest: Path) -> None:
    from arena.league.table import league_table

    with League(contest) as league:
        table = league_table(league)
        for player in league.players():
            row = next(one for one in table.table.standings if one.name == player.name)
            curve = trends.rating_curve(
                league, table, player.name, [(1, player.bot)], results.NEVER
            )
            assert curve[-1].games == row.games
            assert curve[-1].elo == pytest.approx(row.elo, abs=25)  # the mean of the prior's bot
            assert curve[-1].error == pytest.approx(row.error)
            assert curve[0].error > curve[-1].error


def test_changes_within_a_day(contest: Path) -> None:
    """Nothing was played a day ago."""
    from arena.league.table import league_table

    with League(contest) as league:
        assert trends.changes(league, league_table(league)) == {}


def test_changes_against_a_day_ago(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from datetime import timedelta

    from arena.league.table import league_table

    monkeypatch.setattr(trends, "DAY", timedelta(days=-1))  # all was played "then"
    with League(contest) as league:
        changes = trends.changes(league, league_table(league))
        assert len(changes) == 5
        assert all(abs(change) < 25 for change in changes.values())


async def test_a_match_and_its_record(contest: Path, tmp_path: Path) -> None:
    async with visited(contest) as site, site.browser() as browser:
        page = (await browser.get("matches/2")).text
        assert "arena verify cup-2.jsonl.gz" in page
        answer = await browser.get("matches/2/record")
        assert answer.headers["content-disposition"] == 'attachment; filename="cup-2.jsonl.gz"'
        (tmp_path / "cup-2.jsonl.gz").write_bytes(answer.content)
        assert verify(tmp_path / "cup-2.jsonl.gz").ok
        tag = answer.headers["etag"]
        again = await browser.get("matches/2/record", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")


async def test_annulled_and_void_attempts(contest: Path) -> None:
    """Everybody reads why a match was annulled; what the machine said is for organisers."""
    async with visited(contest) as site, site.browser() as browser, site.browser() as other:
        site.league.void(3, "cannot read /etc/of-this-machine")
        assert "a rival was paused" in (await browser.get("matches/1")).text
        page = (await browser.get("matches/3")).text
        assert "Attempt 2: void" in page
        assert "of-this-machine" not in page
        await other.join("org", accounts.ORGANISER)
        assert "of-this-machine" in (await other.get("matches/3")).text


async def test_nobody_reads_the_lines_of_others(contest: Path) -> None:
    """In a record and in a replay: a visitor and a rival see none, its team and organisers do."""
    async with visited(contest) as site, site.browser() as visitor:
        ids = {player.name: player.bot for player in site.league.players()}
        number = next(
            one.fixture.number
            for one in site.league.results()
            if set(one.fixture.seats) == {ids["bot1"], ids["bot3"]}
        )
        async with site.browser() as rival, site.browser() as owner, site.browser() as organiser:
            for browser, name in ((rival, "one"), (owner, "three")):
                await browser.join(name)
            await organiser.join("org", accounts.ORGANISER)
            with site.league.store.changing() as change:
                for bot, name in (("bot1", "one"), ("bot3", "three")):
                    query = "SELECT team FROM member_now JOIN account ON account.number = account "
                    found = site.league.store.one(f"{query} WHERE name = ?", (name,))
                    assert found is not None
                    change.add("owner", bot=bot, team=found[0])
            for browser, may in (
                (visitor, False),
                (rival, False),
                (owner, True),
                (organiser, True),
            ):
                answer = await browser.get(f"matches/{number}/record")
                assert (SECRET.encode() in gzip.decompress(answer.content)) is may
                page = (await browser.get(f"matches/{number}/replay")).text
                blocks = re.findall(r'<script type="application/octet-stream"[^>]*>([^<]*)<', page)
                texts = b"".join(gzip.decompress(base64.b64decode(one)) for one in blocks)
                assert (SECRET.encode() in texts) is may


async def test_a_replay_has_a_policy_of_its_own(contest: Path) -> None:
    async with visited(contest) as site, site.browser() as browser:
        answer = await browser.get("matches/2/replay")
        policy = answer.headers["content-security-policy"]
        assert "sandbox allow-scripts" in policy
        assert "allow-same-origin" not in policy
        assert "unsafe" not in policy
        assert "connect-src" not in policy
        scripts = re.search(r"script-src ([^;]*);", policy)
        assert scripts is not None
        assert all(one.startswith("'sha256-") for one in scripts[1].split())
        assert answer.headers["cross-origin-opener-policy"] == "unsafe-none"
        assert HOST not in answer.text
        tag = answer.headers["etag"]
        again = await browser.get("matches/2/replay", headers={"If-None-Match": tag})
        assert again.status_code == 304
        assert "<script>alert" not in answer.text


@pytest.mark.parametrize(
    "path", ["matches/2/replay", "matches/2/record", "standings", "api/standings"]
)
async def test_an_answer_that_nothing_changed_changes_no_header(contest: Path, path: str) -> None:
    """Browsers put the header of a 304 in place of the one that came with the page."""
    async with visited(contest) as site, site.browser() as browser:
        first = await browser.get(path)
        again = await browser.get(path, headers={"If-None-Match": first.headers["etag"]})
        assert again.status_code == 304
        assert {**first.headers, **again.headers} == dict(first.headers)


async def test_what_was_played_after_a_freeze_is_not_public(contest: Path) -> None:
    async with visited(contest) as site, site.browser() as browser, site.browser() as organiser:
        await organiser.join("org", accounts.ORGANISER)
        with site.league.store.changing() as change:
            change.add("moment", kind="freeze", due="2020-01-01 00:00:00", account=None, reason="")
        number = bots(site)["bot1"]
        assert (await browser.get("matches/2")).status_code == 404  # it was planned later
        with site.league.store.changing() as change:
            ((seats,),) = site.league.store.all("SELECT seats FROM fixture WHERE number = 2")
            block = {"event": "e", "round": 0, "block": "b", "seed": "1", "seats": seats}
            before = change.add("fixture", id="x", at="2019-01-01 00:00:00", **block)
        page = (await browser.get(f"matches/{before}")).text
        assert "not public yet" in page
        assert "Verify it" not in page
        assert (await browser.get("matches/2/record")).status_code == 404
        assert (await browser.get("matches/2/replay")).status_code == 404
        assert "No match." in (await browser.get(f"bots/{number}")).text
        assert "None yet." in (await browser.get("now")).text
        assert (await organiser.get("matches/2/record")).status_code == 200
        with site.league.store.changing() as change:
            change.add("moment", kind="thaw", due="2021-01-01 00:00:00", account=None, reason="")
        assert (await browser.get("matches/2/record")).status_code == 200


async def test_a_name_whose_versions_were_refused_has_no_page(contest: Path) -> None:
    from arena.league.bots import hand_in
    from tests.league.making import fails

    async with visited(contest) as site, site.browser() as browser:
        bot = lay_out(contest.parent, "refused", CRASHES)
        hand_in(site.league, bot, test=fails, name="refused")
        (number,) = site.league.store.one("SELECT max(number) FROM submission") or (0,)
        assert (await browser.get(f"bots/{number}")).status_code == 404
        hand_in(site.league, bot, test=passes, name="refused")
        page = await browser.get(f"bots/{number}")
        assert page.status_code == 200
        assert "refused</td>" not in page.text  # of the versions only the second is shown


async def test_what_is_played_now(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with visited(contest) as site, site.browser() as browser:
        page = (await browser.get("now")).text
        assert "Match 1" in page  # the annulled one is planned again
        assert "played now" not in page
        site.league.folder.draft(1).write_bytes(b"")
        monkeypatch.setattr(contest_module, "RECENT", 0.0)
        site.contest._recent.clear()
        answer = await browser.get("now")
        assert "played now" in answer.text
        assert answer.headers["refresh"]
        assert f"of {PLACEMENT} matches" in answer.text  # all have 16


async def test_standings_have_a_tag_and_are_made_once(contest: Path) -> None:
    async with visited(contest) as site, site.browser() as browser, site.browser() as member:
        answer = await browser.get("standings")
        tag = answer.headers["etag"]
        again = await browser.get("standings", headers={"If-None-Match": tag})
        assert (again.status_code, again.content) == (304, b"")
        await member.join("one")
        theirs = await member.get("standings", headers={"If-None-Match": tag})
        assert theirs.status_code == 200  # their name stands on it
        site.league.withdraw(site.league.players()[0], "it is old")
        site.contest._whole._until = 0.0
        assert (await browser.get("standings", headers={"If-None-Match": tag})).status_code == 200


async def test_announcements_go_on(contest: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results, "PAGE", 2)
    async with visited(contest) as site, site.browser() as browser:
        with site.league.store.changing() as change:
            for number in range(3):
                change.add("announcement", account=None, text=f"news {number}")
        page = (await browser.get("announcements")).text
        assert "news 2" in page
        assert "news 0" not in page
        (older,) = [one for one in links(page) if "before=" in one]
        page = (await browser.get(older)).text
        assert "news 0" in page
        assert "&lt;script&gt;" in page


async def test_an_announcement_that_was_taken_back_is_on_no_page(contest: Path) -> None:
    async with visited(contest) as site, site.browser() as browser:
        for text in ("the server moves", "the server stays"):
            number = deeds.announce(site.league, None, text)
        deeds.end_announcement(site.league, None, number)
        for path in ("", "announcements"):
            page = (await browser.get(path)).text
            assert "the server moves" in page
            assert "the server stays" not in page


def test_the_policy_of_a_page_is_its_own() -> None:
    text = '<meta http-equiv="Content-Security-Policy" content="default-src &#x27;none&#x27;">'
    assert replays.policy_of(text.encode()) == (
        "default-src 'none'; frame-ancestors 'none'; sandbox allow-scripts"
    )
