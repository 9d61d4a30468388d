"""Deadlines, the freeze with what could leak through it, finals."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from arena.errors import UsageError
from arena.league.audit import audit
from arena.league.export import table_csv
from arena.league.final import final, final_stages, final_table, finals, wrong_finals
from arena.league.league import League
from arena.league.plan import Meetings
from arena.league.table import league_table
from arena.league.types import PlannedMatch, block_of, bot_id, seed_hash
from arena.site import accounts, deeds, moments, uploads
from tests.league.making import play
from tests.site.browsing import Browser, Site, visited

PAST, FUTURE = "2020-01-01 00:00:00", "2030-01-01 00:00:00"


@pytest.fixture
def league(league_file: Path) -> Iterator[League]:
    with League(league_file) as league:
        league.store.add_site()
        yield league


def moment(league: League, kind: str, due: str) -> None:
    """A moment of any time, as no deed makes it."""
    with league.store.changing() as change:
        change.add("moment", kind=kind, due=due, account=None, reason="")


def author(league: League, name: str = "Nina", role: str = "author") -> accounts.Participant:
    return accounts.accept(league, deeds.invite(league, None, role).secret, name)[0]


# -- what holds ------------------------------------------------------------------------------------


def test_a_second_freeze_moves_nothing(league: League) -> None:
    moment(league, "freeze", "2021-01-01 00:00:00")
    moment(league, "freeze", "2022-01-01 00:00:00")  # it would show a year more
    assert moments.since(league, "freeze") == "2021-01-01 00:00:00"
    moment(league, "thaw", "2023-01-01 00:00:00")
    assert moments.since(league, "freeze") is None
    moment(league, "freeze", "2024-01-01 00:00:00")
    assert moments.since(league, "freeze") == "2024-01-01 00:00:00"
    assert moments.visible_until(league, author(league)) == "2024-01-01 00:00:00"
    assert moments.visible_until(league, author(league, "Olga", "organiser")) is None


def test_a_deadline_is_planned_moved_and_called_off(league: League) -> None:
    moments.begin(league, None, "close", "2030-01-01 18:00", "as announced")
    assert [(one.kind, one.due) for one in moments.planned(league)] == [
        ("close", "2030-01-01 18:00:00")
    ]
    moments.begin(league, None, "close", "2030-02-01T18:00", "a week more")
    assert [one.due for one in moments.planned(league)] == ["2030-02-01 18:00:00"]
    moments.end(league, None, "close", "no deadline")
    assert moments.planned(league) == []
    with pytest.raises(UsageError, match="uploads are open already"):
        moments.end(league, None, "close", "again")
    moments.begin(league, None, "close", None, "at once")
    assert uploads.closed_since(league) is not None
    with pytest.raises(UsageError, match="closed since"):
        moments.begin(league, None, "close", None, "again")
    moments.begin(league, None, "close", "2030-02-01 18:00", "longer")  # until then it is open
    assert uploads.closed_since(league) is None
    assert [one.kind for one in moments.planned(league)] == ["close"]


@pytest.mark.parametrize(
    ("due", "why"),
    [
        ("tomorrow", "is no moment"),
        ("2030-02-30 10:00", "is no moment"),
        ("2030-01-01 25:00", "is no moment"),
        ("2020-01-01 00:00", "has passed"),
        ("2300-01-01 00:00", "years ahead"),
        ("", "is no moment"),
    ],
)
def test_moments_that_are_none(league: League, due: str, why: str) -> None:
    with pytest.raises(UsageError, match=why):
        moments.begin(league, None, "freeze", due, "why")
    with pytest.raises(UsageError, match="reason"):
        moments.begin(league, None, "freeze", None, " \n")
    assert league.count("moment") == 0
    assert league.count("deed") == 0


class _Slow(io.BytesIO):
    """A file that arrives while the deadline passes."""

    def __init__(self, league: League) -> None:
        super().__init__(b"bot")
        self._league = league

    def read(self, size: int | None = -1, /) -> bytes:
        if self._league.count("moment") == 0:
            moments.begin(self._league, None, "close", None, "now")
        return super().read(size)


def test_an_upload_that_is_under_way_at_the_deadline(league: League) -> None:
    who = author(league)
    with pytest.raises(UsageError, match="uploads are closed"):
        uploads.receive(league, who, "nina", "bot.py", _Slow(league))
    assert league.count("upload") == 0
    assert not list(uploads.folder_of(league).iterdir())


# -- the freeze ------------------------------------------------------------------------------------


def frozen_then_played(league: League) -> set[str]:
    """Freeze a league, play on, and return the seals of the later results. (Its earlier results
    came in before the freeze, which is a second later.)"""
    (last,) = league.store.one("SELECT max(at) FROM result") or ("",)
    (due,) = league.store.one("SELECT datetime(?, '+1 second')", (last,)) or ("",)
    while (league.store.one("SELECT CURRENT_TIMESTAMP > ?", (due,)) or (0,))[0] == 0:
        pass
    moment(league, "freeze", due)
    before = league.count("result")
    play(league, Meetings(2))
    found = league.store.all("SELECT seal FROM result WHERE number > ?", (before,))
    assert found
    return {seal for (seal,) in found}


def test_the_frozen_table_is_that_of_then(league: League) -> None:
    then = league_table(league)
    frozen_then_played(league)
    until = moments.visible_until(league)
    assert until is not None
    league.annul([1], "after the freeze")
    league.withdraw(league.players()[0], "after the freeze")
    assert league_table(league, until) == then
    assert league_table(league).table != then.table


def test_a_frozen_connection_sees_nothing_later(league_file: Path, league: League) -> None:
    before = [one.number for one in league.results()]
    later = frozen_then_played(league)
    with League(league_file) as past:
        past.store.show_before(moments.visible_until(league))
        for table in ("result", "valid"):
            seals = {seal for (seal,) in past.store.all(f"SELECT seal FROM {table}")}
            assert len(seals) == len(before)
            assert not seals & later
        assert past.count("seat") == past.count("counted") == 2 * len(before)
        assert [one.number for one in past.results()] == before
        assert past.result(league.count("fixture")) is None
        past.store.show_before(None)
        assert past.count("result") == league.count("result")
    with League(league_file) as past, pytest.raises(ValueError, match="no moment"):
        past.store.show_before("'; DROP TABLE result; --")


SKIPPED = ("/rules", "/protocol", "/kits/", "/samples/", "/-/")


async def crawl(browser: Browser, most: int = 300) -> dict[str, str]:
    """All pages that links of this site lead to."""
    found: dict[str, str] = {}
    ways = ["", "standings", "standings.csv", "finals", "account", "now", "matches", "bots"]
    ways += [f"{kind}/{number}" for kind in ("matches", "bots", "records") for number in range(20)]
    ways += [f"api/{kind}" for kind in ("matches", "standings", "bots")]
    root = f"/{browser.site.contest.slug}/"
    queue = [root + way for way in ways]
    while queue and len(found) < most:
        path = queue.pop(0)
        if path in found or any(skipped in path for skipped in SKIPPED):
            continue
        answer = await browser.get(path.removeprefix(root))  # httpx puts the rest behind its base
        found[path] = answer.text if answer.status_code == 200 else ""
        links = map(unescape, re.findall(r'href="([^"#]+)', found[path]))
        queue += [link for link in links if link.startswith(root)]
    return found


async def test_no_page_tells_the_seed_of_what_is_planned(league_file: Path) -> None:
    with League(league_file) as league:
        bots = [player.bot for player in league.players()][:2]
        league.plan(block_of(league.origin, "league", 1, bots, 1))
        planned, (secret, _) = league.unplayed(), league._seed()
        played = league.fixture(1).seed
    async with visited(league_file) as site, site.browser() as browser:
        pages = await crawl(browser)
        assert sum(map(bool, pages.values())) > 20
        hidden = [secret, *(match.seed for match in planned)]
        for path, text in pages.items():
            assert not [seed for seed in hidden if seed in text], path
        assert seed_hash(secret) in (await browser.get("")).text
        assert played in (await browser.get("matches/1")).text
        site.league.withdraw(site.league.players()[0], "it plays no more")
        assert site.league.end() == secret
    async with visited(league_file) as site, site.browser() as browser:
        assert secret in (await browser.get("")).text


@pytest.fixture
def frozen_file(league: League) -> Path:
    """A league that was frozen after six matches, and played six more."""
    frozen_then_played(league)
    assert league.count("result") == 12
    return league.path


@pytest.mark.parametrize("role", ["visitor", "author"])
async def test_no_page_tells_what_came_after_the_freeze(
    frozen_file: Path, league: League, role: str
) -> None:
    until = moments.visible_until(league)
    query = "SELECT seal, sha256 FROM result WHERE at >= ?"  # bots that repeat themselves have
    later = {one for row in league.store.all(query, (until,)) for one in row}  # equal digests
    assert len(later) == 12
    async with visited(frozen_file) as site, site.browser() as browser:
        if role == "author":
            await browser.join("Nina")
            (team,) = site.league.store.one("SELECT max(number) FROM team") or (0,)
            with site.league.store.changing() as change:
                change.add("owner", bot="bot1", team=team)  # its own bot's later results, too
        pages = await crawl(browser)
        assert sum(map(bool, pages.values())) > 20
        for path, text in pages.items():
            assert not [one for one in later if one in text], path
        shown = (await browser.get("standings.csv")).text
        assert shown == table_csv(league_table(league, until).table)
        assert shown != table_csv(league_table(league).table)
        answer = await browser.get("standings?whole=yes")
        assert "6 matches played" in answer.text
        assert "frozen" in answer.text
        for path in ("organise/results.csv", "organise/matches/7", "organise/grades.csv"):
            assert (await browser.get(path)).status_code in (401, 403)


async def test_whatever_a_page_asks_is_of_before(frozen_file: Path, league: League) -> None:
    nina, olga = author(league), author(league, "Olga", "organiser")
    async with visited(frozen_file) as site:
        for viewer, count in ((None, 6), (nina, 6), (olga, 12), (nina, 6)):
            assert await site.contest.ask_for(viewer, League.count, "valid") == count
        assert await site.contest.ask_for(None, moments.is_visible, 1)
        assert not await site.contest.ask(moments.is_visible, 12, nina)
        moments.end(league, None, "freeze", "it is over")
        assert await site.contest.ask_for(None, League.count, "valid") == 12


async def test_organisers_see_behind_the_freeze(frozen_file: Path) -> None:
    async with visited(frozen_file) as site, site.browser() as browser:
        await browser.join("Olga", "organiser")
        assert "12 matches" in (await browser.get("standings?whole=yes")).text
        assert "6 matches" in (await browser.get("standings")).text
        assert (await browser.get("organise/results.csv")).text.count("\n") == 1 + 2 * 12
        assert (await browser.get("organise/matches/12")).status_code == 200
        moments.end(site.league, None, "freeze", "it is over")
    async with visited(frozen_file) as site, site.browser() as visitor:
        assert "12 matches played" in (await visitor.get("standings")).text


async def test_uploads_go_on_in_the_freeze(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        moment(site.league, "freeze", PAST)
        assert (await browser.upload("nina", "bot.py", b"x = 1\n")).status_code == 303
        assert "queued" in (await browser.get("uploads/1")).text
        site.league.check_rows()


# -- finals ----------------------------------------------------------------------------------------


def declared(league: League, rounds: int = 2, source: str = "") -> moments.Declared:
    """What came in within the second of the moment is not before it."""
    _wait(league, "SELECT CURRENT_TIMESTAMP > max(at) FROM submission")
    made = moments.declare_final(league, None, None, rounds, "the end of term", source)
    _wait(league, "SELECT CURRENT_TIMESTAMP > due FROM final ORDER BY number DESC")
    return made


def _wait(league: League, query: str) -> None:
    while (league.store.one(query) or (0,))[0] == 0:
        pass


def test_a_final_from_its_hash_to_its_table(league: League) -> None:
    before = league_table(league)
    made = declared(league)
    assert seed_hash(made.seed) == made.hash == final(league, 1).hash
    assert made.seed.encode() not in league.path.read_bytes()
    with pytest.raises(UsageError, match="not the seed"):
        moments.start_final(league, None, 1, made.seed + "x")
    found = moments.start_final(league, None, 1, made.seed)
    assert len(found.bots) == 3
    play(league, Meetings(1))
    assert final_table(league, found).table.games == 12
    assert final_table(league, found).pending == 0
    assert league_table(league) == before  # of its own event alone
    assert audit(league).ok
    with pytest.raises(UsageError, match="has started"):
        moments.start_final(league, None, 1, made.seed)


@pytest.mark.dear
def test_later_versions_and_testers_are_not_in_a_final(league: League) -> None:
    tester = author(league, "Tess", "tester")
    with league.store.changing() as change:
        change.add("owner", bot="bot1", team=tester.team)
    made = declared(league)
    columns = ("name", "bot", "content", "entry", "passed", "report")
    row = league.store.one(f"SELECT {', '.join(columns)} FROM submission WHERE name = 'bot2'")
    assert row is not None
    with league.store.changing() as change:
        change.add("submission", **dict(zip(columns, row, strict=True)) | {"bot": "f" * 16})
    found = moments.start_final(league, None, 1, made.seed)
    names = [league.copy_of(bot)[0] for bot in found.bots]
    assert names == ["bot2", "bot3"]
    assert "f" * 16 not in found.bots
    assert list(wrong_finals(league)) == []


@pytest.mark.dear
def test_a_final_waits_for_its_moment_and_for_uploads(league: League) -> None:
    who = author(league)
    uploads.receive(league, who, "nina", "bot.py", io.BytesIO(b"x"))
    made = moments.declare_final(league, None, FUTURE[:16], 1, "later")
    with pytest.raises(UsageError, match="versions change until"):
        moments.start_final(league, None, 1, made.seed)
    with league.store.changing() as change:
        number = change.add("final", hash=made.hash, due="2029-01-01 00:00:00", rounds=1)
    assert number == 2
    (now,) = league.store.one("SELECT datetime('now', '+1 second')") or ("",)
    with league.store.changing() as change:
        change.add("final", hash=made.hash, due=now, rounds=1)
    while (league.store.one("SELECT CURRENT_TIMESTAMP >= ?", (now,)) or (0,))[0] == 0:
        pass
    with pytest.raises(UsageError, match="1 upload from before wait"):
        moments.start_final(league, None, 3, made.seed)


@pytest.mark.dear
@pytest.mark.parametrize(
    ("seed", "bots", "why"),
    [
        ("another", None, "whose hash was published"),
        (None, '["0123456789abcdef"]', "was not the last version"),
    ],
)
def test_a_forged_start_is_found(
    league: League, seed: str | None, bots: str | None, why: str
) -> None:
    made = declared(league)
    with league.store.changing() as change:
        change.add("final_start", final=1, seed=seed or made.seed, bots=bots or "[]")
    assert why in audit(league).changed[0]


@pytest.mark.dear
def test_a_match_that_the_seed_does_not_give(league: League) -> None:
    made = declared(league)
    found = moments.start_final(league, None, 1, made.seed)
    league.plan(block_of("another seed", "final 1", 0, found.bots[:2], 0))
    assert "does not follow from the seed" in " ".join(audit(league).changed)
    league.plan(block_of("x", "final 2", 0, found.bots[:2], 0))
    assert "had not started" in " ".join(audit(league).changed)


def test_nobody_knows_the_matches_of_a_final_before_it_starts(league: League) -> None:
    """Not the declarer, who has the seed; not who reads the file, and so the secret; and with a
    public value, not both of them."""
    made = declared(league, source="beacon of round 7")
    found = final(league, 1)
    assert found.secret
    assert found.secret_hash == seed_hash(found.secret)
    assert made.seed.encode() not in league.path.read_bytes()
    with pytest.raises(UsageError, match="give the public value: beacon of round 7"):
        moments.start_final(league, None, 1, made.seed)
    started = moments.start_final(league, None, 1, made.seed, " 4af1 ")
    assert started.beacon == "4af1"
    others = [
        replace(started, seed="another"),
        replace(started, secret="another"),
        replace(started, beacon="4af2"),
        replace(started, versions=(*started.versions[:-1], "f" * 16)),  # one with other content
        replace(started, versions=started.versions[:-1]),
    ]
    assert len({one.draw for one in (started, *others)}) == 6
    play(league, Meetings(1))
    seeds = {seed for (seed,) in league.store.all("SELECT seed FROM fixture WHERE event GLOB 'f*'")}
    assert len(seeds) == 6
    assert all(len(seed) == 32 for seed in seeds)
    assert audit(league).ok
    match = block_of(found.draw, "final 1", 0, started.bots[:2], 0)[0]
    league.plan([replace(match, seed="chosen")])
    assert "does not follow from the seed" in " ".join(audit(league).changed)


def test_nobody_chooses_the_matches_of_a_final_once_its_public_value_is_known(
    league: League,
) -> None:
    """By taking bots out, or by writing the value in another way."""
    made = declared(league, source="closing number of the index")
    before = final(league, 1)
    bot = league.player("bot3")
    assert bot is not None
    league.withdraw(bot, "it suits somebody")
    for value in ("", " .,", "42\u0661", "4\u0430f1"):
        with pytest.raises(UsageError, match="give the public value"):
            moments.start_final(league, None, 1, made.seed, value)
    started = moments.start_final(league, None, 1, made.seed, "42,123.4 EUR")
    assert len(started.bots) == 2
    ways = ["42123.4 eur", "42\u202f123,4\u200bEUR ", "\uff14\uff12,123.4 EUR"]
    draws = {replace(before, seed=made.seed, beacon=way).draw for way in ways}
    assert draws == {started.draw}
    assert audit(league).ok


def test_bots_of_a_team_do_not_meet_in_a_final(league: League) -> None:
    """A team could let some of its bots lose to another one."""
    nina = author(league)
    with league.store.changing() as change:
        for bot in ("bot1", "bot2"):
            change.add("owner", bot=bot, team=nina.team)
    made = declared(league)
    moments.start_final(league, None, 1, made.seed)
    (stage,) = final_stages(league)
    pairs = {tuple(sorted(one.seats)) for turn in stage.rounds for one in turn}
    assert len(pairs) == 2


@pytest.mark.dear
def test_a_start_that_leaves_a_bot_out_is_found(league: League) -> None:
    made = declared(league)
    bots = msgspec.json.encode([player.bot for player in league.players()[:2]]).decode()
    with league.store.changing() as change:
        change.add("final_start", final=1, seed=made.seed, bots=bots)
    (left_out,) = audit(league).changed
    assert left_out.endswith("was left out")


@pytest.mark.dear
def test_a_final_whose_secret_its_declarer_left_out_is_found(league: League) -> None:
    with league.store.changing() as change:
        change.add("final", hash="0" * 64, due=FUTURE, rounds=1)
    assert audit(league).changed == ["final 1: it has no secret, so its declarer knew its matches"]


def test_one_final_is_open_and_those_never_started_are_named(league: League) -> None:
    nina = author(league, role="organiser")
    moments.declare_final(league, nina.number, FUTURE[:16], 1, "as announced")
    with pytest.raises(UsageError, match="final 1 is open: start it, or call it off"):
        moments.declare_final(league, None, None, 1, "another that suits me")
    assert audit(league).notes == [f"final 1, declared by Nina for {FUTURE} UTC, has not started"]
    moments.call_off_final(league, None, 1, "the seed is lost")
    with pytest.raises(UsageError, match="was called off"):
        moments.call_off_final(league, None, 1, "again")
    made = declared(league)
    with pytest.raises(UsageError, match="or was called off"):
        moments.start_final(league, None, 1, made.seed)
    moments.start_final(league, None, 2, made.seed)
    proof = audit(league)
    assert proof.ok
    assert proof.notes == [
        f"final 1, declared by Nina for {FUTURE} UTC, was called off: the seed is lost"
    ]


def test_the_last_of_several_versions_is_in_the_final(league: League) -> None:
    columns = ("name", "bot", "content", "entry", "passed", "report")
    for bot in ("e" * 16, bot_id("bot2", "")):
        row = league.store.one(f"SELECT {', '.join(columns)} FROM submission WHERE name = 'bot2'")
        assert row is not None
        values = dict(zip(columns, row, strict=True)) | {"bot": bot, "content": ""}
        with league.store.changing() as change:
            change.add("submission", **values)
    query = "SELECT CURRENT_TIMESTAMP > max(at) FROM submission"
    while (league.store.one(query) or (0,))[0] == 0:
        pass
    found = moments.start_final(league, None, 1, declared(league).seed)
    assert bot_id("bot2", "") in found.bots
    assert list(wrong_finals(league)) == []


@pytest.mark.dear
async def test_everybody_sees_the_hash_before_and_the_seed_after(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        made = declared(site.league)
        text = (await browser.get("finals")).text
        assert made.hash in text
        secret = final(site.league, 1).secret
        assert secret is not None
        assert seed_hash(secret) in text
        assert secret not in text
        assert made.seed not in text
        moments.start_final(site.league, None, 1, made.seed)
        text = (await browser.get("finals/1")).text
        assert made.seed in text
        assert secret in text
        assert "the command line" in text
        assert (await browser.get("finals/2")).status_code == 404
        assert len(finals(site.league)) == 1


async def test_pairings_of_a_freeze_are_not_public(league_file: Path) -> None:
    """Of Swiss rounds they would tell who has won."""
    async with visited(league_file) as site, site.browser() as browser, site.browser() as org:
        await org.join("Olga", accounts.ORGANISER)
        before, later = (
            site.league.plan([PlannedMatch(0, name, name, 0, name, "1", seats)])[0].number
            for name, seats in (("x", _seats(site)), ("y", _seats(site)))
        )
        with site.league.store.changing() as change:
            change.add("moment", kind="freeze", due="2020-01-01 00:00:00", account=None, reason="")
        site.contest._recent.clear()
        for number in (before, later):
            assert f"matches/{number}" not in (await browser.get("now")).text
            assert (await browser.get(f"matches/{number}")).status_code == 404
            assert (await browser.get(f"api/matches/{number}/events")).status_code == 404
            assert (await org.get(f"matches/{number}")).status_code == 200
        with site.league.store.changing() as change:
            change.add("moment", kind="thaw", due="2021-01-01 00:00:00", account=None, reason="")
        site.contest._recent.clear()
        assert f"matches/{later}" in (await browser.get("now")).text


def _seats(site: Site) -> tuple[str, ...]:
    return tuple([player.bot for player in site.league.players()[:2]])
