"""Deeds of organisers: from pages and commands, by each role, at the same time, and in the log."""

from __future__ import annotations

import csv
import io
import re
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.cli.main import run
from arena.core.clock import Clock
from arena.core.replies import Answer, Cost, Silence, Why
from arena.errors import ArenaError, UsageError
from arena.league.audit import audit
from arena.league.league import League
from arena.league.table import league_table
from arena.record.reader import GivenReply
from arena.site import accounts, comparing, deeds, moments, overview, uploads
from arena.site.evidence import evidence, verdict_of
from tests.league.making import play
from tests.league.test_copies import ORIGINAL
from tests.league.test_copies import enter as hand_in_copy
from tests.site.browsing import Site, visited

MS = 1_000_000
ROLES = ("visitor", "author", "tester", "organiser", "owner")


@pytest.fixture
def league(league_file: Path) -> Iterator[League]:
    with League(league_file) as league:
        league.store.add_site()
        yield league


def joined(league: League, name: str, role: str = "author") -> accounts.Participant:
    return accounts.accept(league, deeds.invite(league, None, role).secret, name)[0]


def log(league: League) -> list[tuple[str | None, str]]:
    return [(one.account, one.deed) for one in deeds.audit_log(league)]


# -- each deed, from its page, by each role --------------------------------------------------------

WHY = {"reason": "a reason"}
FORMS: dict[str, tuple[str, dict[str, str], str]] = {
    "deadline": ("moments", {"kind": "close", **WHY}, "set the deadline for uploads"),
    "open": ("moments", {"kind": "open", **WHY}, "opened uploads"),
    "freeze": ("moments", {"kind": "freeze", **WHY}, "froze the public table"),
    "thaw": ("moments", {"kind": "thaw", **WHY}, "thawed the public table"),
    "pause": ("moments", {"kind": "pause", **WHY}, "paused matches"),
    "resume": ("moments", {"kind": "resume", **WHY}, "went on with matches"),
    "announce": ("announce", {"text": "Hello"}, "announced"),
    "unannounce": ("announcements/1/end", {}, "took an announcement back"),
    "invite": ("invitations", {"role": "author", "uses": "2"}, "invited"),
    "uninvite": ("invitations/{invitation}/end", {}, "ended an invitation"),
    "register": ("registration", {"open": "yes"}, "opened registration"),
    "unregister": ("registration", {"open": "no"}, "closed registration"),
    "hide": ("names", {"hide": "yes"}, "hid names"),
    "show": ("names", {"hide": "no"}, "showed names"),
    "show lines": ("lines", {"show": "yes"}, "showed what bots write"),
    "hide lines": ("lines", {"show": "no"}, "hid what bots write"),
    "role": ("people/1/role", {"role": "tester", **WHY}, "gave a role"),
    "ban": ("people/1/role", {"role": "ban and withdraw", **WHY}, "banned"),
    "rematch": ("rematch", {"match": "1", **WHY}, "annulled a match, to play it again"),
    "withdraw": ("withdraw", {"bot": "bot3", **WHY}, "withdrew a bot"),
    "declare": ("finals", {"rounds": "1", **WHY}, "declared a final"),
    "start": ("finals/{final}/start", {"seed": "{seed}"}, "started a final"),
    "call off": ("finals/{final}/end", WHY, "called a final off"),
}


def prepared(league: League, deed: str) -> dict[str, str]:
    """What must be so for a deed to be possible, and what its form must name."""
    joined(league, "Nina")
    for begun, kind in (("open", "close"), ("thaw", "freeze"), ("resume", "pause")):
        if deed == begun:
            moments.begin(league, None, kind, None, "before")
    if deed == "unannounce":
        deeds.announce(league, None, "before")
    if deed == "unregister":
        deeds.open_registration(league, None)
    if deed == "hide lines":
        deeds.show_lines(league, None, show=True)
    if deed == "show":
        deeds.hide_names(league, None, hide=True)
    seed = ""
    if deed in ("start", "call off"):
        seed = accounts.new_secret()
        from arena.league.types import seed_hash

        (due,) = league.store.one("SELECT CURRENT_TIMESTAMP") or ("",)
        while (league.store.one("SELECT CURRENT_TIMESTAMP > ?", (due,)) or (0,))[0] == 0:
            pass
        with league.store.changing() as change:
            change.add("final", hash=seed_hash(seed), due=due, rounds=1)
    invitation = deeds.invite(league, None, "author").number if deed == "uninvite" else 0
    return {"invitation": f"{invitation}", "final": "1", "seed": seed}


@pytest.mark.parametrize("deed", FORMS)
async def test_who_may_do_it_from_its_page(league_file: Path, deed: str) -> None:
    path, fields, name = FORMS[deed]
    async with visited(league_file) as site:
        given = prepared(site.league, deed)
        path = f"organise/{path.format(**given)}"
        fields = {key: value.format(**given) for key, value in fields.items()}
        before = deeds.audit_log(site.league)
        chain = site.league.chain()
        for role in ("visitor", "author", "tester"):
            async with site.browser() as browser:
                if role != "visitor":
                    await browser.join(role.title(), role)
                    before, chain = deeds.audit_log(site.league), site.league.chain()
                answer = await browser.send_form(path, **fields)
                assert answer.status_code in (401, 403), (role, answer.text)
                assert site.league.chain() == chain
                assert deeds.audit_log(site.league) == before
        async with site.browser() as browser:
            await browser.join("Olga", "organiser")
            answer = await browser.send_form(path, **fields)
            assert answer.status_code in (200, 303), answer.text
            newest = deeds.audit_log(site.league)[0]
            assert (newest.account, newest.deed) == ("Olga", name)
            assert newest.detail
        site.league.check_rows()


async def test_pages_of_organisers_are_for_them(league_file: Path) -> None:
    pages = ("", "/people", "/matches", "/matches/1", "/finals", "/log", "/grades.csv")
    async with visited(league_file) as site:
        for role in ROLES:
            async with site.browser() as browser:
                if role != "visitor":
                    await browser.join(role.title(), role)
                for page in pages:
                    status = (await browser.get(f"organise{page}")).status_code
                    assert status == {"visitor": 401, "organiser": 200, "owner": 200}.get(role, 403)


async def test_who_was_demoted_meanwhile(league_file: Path) -> None:
    """The role is looked at within the change, whatever it was when the request began."""
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Olga", "organiser")
        await browser.join("Otto", "owner")
        league = site.league
        olga = deeds.person(league, "Olga")
        deeds.give_role(league, None, olga, "author", "she left")
        for work in (
            lambda: deeds.announce(league, olga, "Hello"),
            lambda: moments.begin(league, olga, "freeze", None, "why"),
            lambda: deeds.invite(league, olga, "author"),
            lambda: moments.declare_final(league, olga, None, 1, "why"),
        ):
            with pytest.raises(UsageError, match="role does not allow"):
                work()


# -- roles -----------------------------------------------------------------------------------------


def test_an_organiser_takes_no_role_of_an_owner(league: League) -> None:
    olga, otto = joined(league, "Olga", "organiser"), joined(league, "Otto", "owner")
    for work in (
        lambda: deeds.give_role(league, olga.number, otto.number, "author", "why"),
        lambda: deeds.ban(league, olga.number, otto.number, "why"),
        lambda: deeds.give_role(league, olga.number, olga.number, "owner", "why"),
        lambda: deeds.invite(league, olga.number, "owner"),
    ):
        with pytest.raises(UsageError, match="only an owner"):
            work()
    owners = deeds.invite(league, None, "owner")
    with pytest.raises(UsageError, match="only an owner"):
        deeds.end_invitation(league, olga.number, owners.number)
    deeds.give_role(league, otto.number, olga.number, "owner", "she takes over")
    deeds.give_role(league, olga.number, otto.number, "author", "he plays")
    with pytest.raises(UsageError, match="only owner"):
        deeds.give_role(league, olga.number, olga.number, "author", "nobody would be left")
    with pytest.raises(UsageError, match="only owner"):
        deeds.ban(league, None, olga.number, "nobody would be left")


def test_a_banned_account_with_its_bots(league: League) -> None:
    nina, olga = joined(league, "Nina"), joined(league, "Olga", "organiser")
    with league.store.changing() as change:
        change.add("owner", bot="bot2", team=nina.team)
    uploads.receive(league, nina, "bot2", "bot.py", io.BytesIO(b"x"))
    session = accounts.begin_session(league, nina.number)
    with pytest.raises(UsageError, match="own account"):
        deeds.ban(league, olga.number, olga.number, "why")
    deeds.ban(league, olga.number, nina.number, "two accounts", withdraw=True)
    assert accounts.who(league, session) is None
    assert league.player("bot2") is None
    assert league.count("waiting") == 0
    assert "bot2" in deeds.audit_log(league)[0].detail
    with pytest.raises(UsageError, match="banned already"):
        deeds.ban(league, olga.number, nina.number, "again")
    deeds.give_role(league, olga.number, nina.number, "author", "it was her sister")
    assert accounts.who(league, session) is None  # the ban has ended it
    assert audit(league).ok


def test_a_ban_leaves_bots_unless_they_are_withdrawn(league: League) -> None:
    nina = joined(league, "Nina")
    with league.store.changing() as change:
        change.add("owner", bot="bot2", team=nina.team)
    deeds.ban(league, None, nina.number, "why")
    assert league.player("bot2") is not None


def test_a_tester_is_not_ranked_whatever_team_it_leaves(league: League) -> None:
    tess, nina = joined(league, "Tess", "tester"), joined(league, "Nina")
    uploads.receive(league, tess, "probe", "bot.py", io.BytesIO(b"x"))
    with league.store.changing() as change:  # its bot becomes another team's
        change.add("member", team=tess.team, account=tess.number, joined=0)
        change.add("member", team=nina.team, account=tess.number, joined=1)
        change.add("member", team=nina.team, account=tess.number, joined=0)
        columns = {"content": "", "entry": "probe", "passed": 1, "report": "{}"}
        change.add("submission", name="probe", bot="0123456789abcdef", **columns)
    assert "probe" in [one.name for one in league.players()]
    assert "probe" not in [row.name for row in league_table(league).table.standings]


# -- invitations and registration ------------------------------------------------------------------


def test_invitations_of_organisers(league: League) -> None:
    nina = joined(league, "Nina")
    made = deeds.invite(league, None, "tester", uses=2, team=nina.team, days=1)
    (found,) = [one for one in deeds.invitations(league) if one.number == made.number]
    assert (found.role, found.team, found.uses, found.used) == ("tester", "Nina", 2, 0)
    assert accounts.accept(league, made.secret, "Tom")[0].team == nina.team
    deeds.end_invitation(league, None, made.number)
    with pytest.raises(UsageError, match="no open invitation"):
        deeds.end_invitation(league, None, made.number)
    for wrong in ({"uses": 0}, {"uses": 1001}, {"team": 99}, {"days": 0}):
        with pytest.raises(UsageError):
            deeds.invite(league, None, "author", **wrong)
    for role in ("visitor", "banned", "king", ""):
        with pytest.raises(UsageError, match="no role"):
            deeds.invite(league, None, role)


async def test_open_registration_has_limits(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        assert "Registration is open" not in (await browser.get("join")).text
        deeds.open_registration(site.league, None, most=3, hourly=2)
        page = (await browser.get("join")).text
        found = re.search(r'name="invitation"[^>]* value="([\w-]+)"', page)
        assert found is not None
        for name, status in (("Ann", 200), ("Bob", 200), ("Eve", 400)):
            async with site.browser() as other:
                answer = await other.send_form("join", invitation=found[1], name=name)
                assert answer.status_code == status
        assert "2 people have registered in an hour" in answer.text
        deeds.close_registration(site.league, None)
        assert "Registration is open" not in (await browser.get("join")).text
        answer = await browser.send_form("join", invitation=found[1], name="Eve")
        assert answer.status_code == 400
        roles = [one.role for one in deeds.people(site.league)]
        assert roles == ["author", "author"]


def test_pseudonyms_are_stable_and_for_others(league: League) -> None:
    nina, tom = joined(league, "Nina"), joined(league, "Tom")
    olga = joined(league, "Olga", "organiser")
    assert deeds.shown_team(league, nina.team, tom) == "Nina"
    deeds.hide_names(league, None, hide=True)
    hidden = deeds.shown_team(league, nina.team, tom)
    assert hidden.startswith("Team ")
    assert hidden == deeds.shown_team(league, nina.team)
    assert hidden != deeds.shown_team(league, tom.team)
    assert deeds.shown_team(league, nina.team, nina) == "Nina"
    assert deeds.shown_team(league, nina.team, olga) == "Nina"
    deeds.hide_names(league, None, hide=False)
    deeds.hide_names(league, None, hide=True)
    assert deeds.shown_team(league, nina.team) == hidden


# -- matches ---------------------------------------------------------------------------------------


def test_a_rematch_is_played_by_the_judge(league: League) -> None:
    deeds.rematch(league, None, 1, "the disk was full")
    with pytest.raises(UsageError, match="nothing to annul"):
        deeds.rematch(league, None, 1, "again")
    assert overview.overview(league).rematches == 1
    play(league)
    assert overview.overview(league).rematches == 0
    assert league.result(1) is not None
    (void,) = evidence(league, 1).voids
    assert void.reason == "the disk was full"
    assert audit(league).ok


def test_two_organisers_at_once(league_file: Path, league: League) -> None:
    """Each deed is done once: who comes second is told so, and nothing else happens."""
    joined(league, "Nina")
    works: list[Callable[[League], object]] = [
        lambda one: deeds.rematch(one, None, 1, "why"),
        lambda one: moments.begin(one, None, "freeze", None, "why"),
        lambda one: deeds.ban(one, None, 1, "why"),
        lambda one: deeds.withdraw_bot(one, None, "bot3", "why"),
        lambda one: deeds.hide_names(one, None, hide=True),
    ]
    for work in works:
        errors: list[ArenaError | None] = []
        start = threading.Barrier(3)

        def do(work: Callable[[League], object] = work, start: threading.Barrier = start) -> None:
            with League(league_file) as one:
                start.wait()
                try:
                    work(one)
                    errors.append(None)  # noqa: B023  # the thread ends within the loop
                except ArenaError as error:
                    errors.append(error)  # noqa: B023

        threads = [threading.Thread(target=do) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors.count(None) == 1, errors
        assert all(isinstance(one, UsageError) for one in errors if one is not None), errors
    assert league.count("deed") == len(works) + 1  # the invitation of Nina
    league.check_rows()


def given(reply: Answer | Silence, **cost: int) -> GivenReply:
    times = {key: value * MS for key, value in cost.items()}
    return GivenReply(1, "go move 1000", 1000, reply, Cost(**times))


@pytest.mark.parametrize(
    ("reply", "verdict"),
    [
        (given(Answer("1"), charged=10), "in time"),
        (given(Answer("1"), charged=900, wall=900, cpu=890), "90% of its bank: .* computed"),
        (given(Silence(Why.LATE), charged=1000, wall=1100, cpu=1090), "too late: .*own time"),
        (given(Silence(Why.LATE), charged=1000, wall=9000, cpu=500, delay=8000), "did not run it"),
        (given(Silence(Why.LATE), charged=1000, wall=1500, cpu=5), "neither computed nor"),
        (given(Silence(Why.LATE), charged=1000, wall=1500, cpu=5, stalled=1400), "for a disk"),
        (given(Silence(Why.LATE), charged=1000, wall=1500), "nobody can tell"),
        (given(Silence(Why.DEAD), charged=0), "had ended"),
    ],
)
def test_whose_fault_the_time_was(reply: GivenReply, verdict: str) -> None:
    assert re.search(verdict, verdict_of(reply, Clock.FAIR))


async def test_the_evidence_has_all_on_one_page(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Olga", "organiser")
        found = evidence(site.league, 1)
        assert [len(seat.requests) for seat in found.seats] == [seat.asked for seat in found.seats]
        assert sum(seat.asked for seat in found.seats) > 0
        text = (await browser.get("organise/matches/1")).text
        for seat in found.seats:
            assert seat.name in text
        assert (await browser.get("organise/matches/99")).status_code == 400
        assert (await browser.get("organise/matches?match=1")).status_code == 303
        assert (await browser.get("organise/matches?match=x")).status_code == 400


# -- grades, announcements, several leagues --------------------------------------------------------


def test_no_cell_of_a_csv_is_a_formula(league: League) -> None:
    evil = joined(league, "=cmd|' /C calc'!A0")
    with league.store.changing() as change:
        change.add("owner", bot="@SUM(1)", team=evil.team)
        change.add("owner", bot="bot2", team=evil.team)
    rows = list(csv.reader(io.StringIO("".join(overview.grades_csv(league)))))
    assert rows[0] == list(overview.GRADES_HEAD)
    assert [row[2] for row in rows[1:]] == ["'@SUM(1)", "bot2"]
    assert all(row[0].startswith("'=cmd") and row[1].startswith("'=cmd") for row in rows[1:])
    assert rows[2][3] == "1"  # bot2 is first
    assert rows[1][3:10] == [""] * 7


async def test_texts_of_organisers_are_text(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Olga", "organiser")
        script = "<script>alert(1)</script>"
        await browser.send_form("organise/announce", text=script)
        for page in ("", "organise", "organise/log"):
            text = (await browser.get(page)).text
            assert script not in text
            assert "&lt;script&gt;alert(1)" in text


async def test_an_organiser_of_one_league_is_nobody_in_another(
    league_file: Path, tmp_path: Path
) -> None:
    import shutil

    other = tmp_path / "autumn.league"
    shutil.copy(league_file, other)
    shutil.copytree(f"{league_file}.d", f"{other}.d")
    async with visited(league_file) as spring, visited(other) as autumn:
        async with spring.browser() as browser:
            await browser.join("Olga", "organiser")
            session = browser.cookies["session"]
        async with autumn.browser() as browser:
            answer = await browser.get("organise", headers={"Cookie": f"session={session}"})
            assert answer.status_code == 401


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "close", "reason": ""},
        {"kind": "close", "reason": "x" * 501},
        {"kind": "show", "reason": "why"},
        {"kind": "", "reason": "why"},
        {"kind": "close", "due": "soon", "reason": "why"},
        {"kind": "thaw", "reason": "why"},
    ],
)
async def test_forms_that_are_wrong_change_nothing(
    league_file: Path, fields: dict[str, str]
) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Olga", "organiser")
        before = site.league.chain()
        answer = await browser.send_form("organise/moments", **fields)
        assert answer.status_code == 400
        assert site.league.chain() == before


# -- the same as commands --------------------------------------------------------------------------

REASON = ("--reason", "a reason")
COMMANDS: dict[str, tuple[tuple[str, ...], str]] = {
    "deadline": (("close", "--at", "2030-01-01 18:00", *REASON), "uploads are closed from"),
    "open": (("open", *REASON), "uploads are open"),
    "freeze": (("freeze", *REASON), "the table is frozen"),
    "thaw": (("thaw", *REASON), "the table is not frozen"),
    "pause": (("pause", *REASON), "matches are paused"),
    "resume": (("resume", *REASON), "matches go on"),
    "announce": (("announce", "Hello"), "announcement 1"),
    "unannounce": (("unannounce", "1"), "announcement 1: taken back"),
    "invite": (("invite", "tester", "--team", "Nina"), "/spring-cup/join#"),
    "uninvite": (("uninvite", "{invitation}"), ": ended"),
    "register": (("register", "on", "--most", "5"), "registration is open"),
    "unregister": (("register", "off"), "registration is closed"),
    "hide": (("names", "hide"), "others see pseudonyms"),
    "show": (("names", "show"), "others see names"),
    "show lines": (("lines", "show"), "everybody reads what bots write"),
    "hide lines": (("lines", "hide"), "teams read their own bots"),
    "role": (("role", "Nina", "tester", *REASON), "Nina: tester"),
    "ban": (("ban", "Nina", "--withdraw", *REASON), "Nina: banned"),
    "rematch": (("rematch", "1", *REASON), "match 1: no longer counts"),
    "withdraw": (("withdraw", "bot3", *REASON), "bot3: no longer plays"),
    "declare": (("final", "--rounds", "2", *REASON), "published hash"),
    "start": (("start", "1", "{seed}"), "final 1: 3 bots, 1 rounds"),
    "call off": (("call-off", "1", *REASON), "final 1: called off"),
}


def test_each_form_is_a_command() -> None:
    assert COMMANDS.keys() == FORMS.keys()


@pytest.mark.parametrize("deed", COMMANDS)
def test_the_command_of_a_deed(
    league_file: Path, deed: str, capfd: pytest.CaptureFixture[str]
) -> None:
    words, printed = COMMANDS[deed]
    with League(league_file) as league:
        league.store.add_site()
        values = prepared(league, deed)
    name, *rest = (word.format(**values) for word in words)
    assert run(["site", name, str(league_file), *rest]) == 0
    assert printed in capfd.readouterr().out
    with League(league_file) as league:
        assert log(league)[0] == (None, FORMS[deed][2])
        league.check_rows()


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        (("state",), "uploads are open"),
        (("people",), "Nina"),
        (("log", "--last", "1"), "(command line)"),
        (("grades",), "team,members,bot"),
        (("evidence", "1"), "player1, "),
        (("evidence", "1", "--json"), '"verdict"'),
        (("final-table", "1"), "no matches"),
    ],
)
def test_commands_that_only_look(
    league_file: Path, words: tuple[str, ...], printed: str, capfd: pytest.CaptureFixture[str]
) -> None:
    name, *rest = words
    assert run(["site", name, str(league_file), *rest]) == 2  # nobody has served it
    assert "no site yet" in capfd.readouterr().err
    with League(league_file) as league:
        league.store.add_site()
        values = prepared(league, "start" if name == "final-table" else name)
        if name == "final-table":
            moments.start_final(league, None, 1, values["seed"])
            printed = "bot2"
        before = league.chain()
    assert run(["site", name, str(league_file), *rest]) == 0
    assert printed in capfd.readouterr().out
    with League(league_file) as league:
        assert league.chain() == before


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("role", "Nobody", "author", *REASON), "no account 'Nobody'"),
        (("role", "Nina", "king", *REASON), "king"),
        (("close", "--at", "soon", *REASON), "no moment"),
        (("close",), "reason"),
        (("rematch", "99", *REASON), "no match 99"),
        (("withdraw", "nobody", *REASON), "no bot plays"),
        (("start", "1", "x"), "no final 1"),
        (("invite", "author", "--team", "none"), "no team"),
        (("evidence", "99"), "no match 99"),
    ],
)
def test_commands_that_are_wrong(
    league_file: Path, words: tuple[str, ...], why: str, capfd: pytest.CaptureFixture[str]
) -> None:
    with League(league_file) as league:
        league.store.add_site()
        joined(league, "Nina")
        before = league.chain()
    name, *rest = words
    assert run(["site", name, str(league_file), *rest]) == 2
    assert why in capfd.readouterr().err
    with League(league_file) as league:
        assert league.chain() == before


async def test_the_log_in_pages(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Olga", "organiser")
        _many(site)
        text = (await browser.get("organise/log")).text
        assert "number 119" in text
        assert "number 0<" not in text
        found = re.search(r"organise/log\?before=\d+", text)
        assert found is not None
        assert "number 0<" in (await browser.get(found[0])).text


def _many(site: Site) -> None:
    with site.league.store.changing() as change:
        for number in range(120):
            change.add("deed", account=None, deed="tested", detail=f"number {number}")


# -- copies ----------------------------------------------------------------------------------------


@pytest.mark.dear
async def test_organisers_alone_are_told_of_copies_and_see_both_sources(
    league_file: Path, tmp_path: Path
) -> None:
    with League(league_file) as league:
        league.store.add_site()
        for name in ("nina", "tom"):
            hand_in_copy(league, tmp_path / "sources", name, f"{ORIGINAL}# {name}\n")
            with league.store.changing() as change:
                change.add("owner", bot=name, team=change.add("team", name=name))
        numbers = [player.number for player in league.players()[-2:]]
    two = "organise/copies/{}/beside/{}".format(*numbers)
    async with visited(league_file) as site, site.browser() as author, site.browser() as organiser:
        await author.join("Anna")
        await organiser.join("Olga", "organiser")
        for page in ("organise/copies", two):
            assert (await author.get(page)).status_code == 403
        text = (await organiser.get("organise/copies")).text
        assert f'{two}">nina and\ntom</a>: 100% alike' in text
        text = (await organiser.get(two)).text
        assert "<mark>def value(state):</mark>" in text
        assert "# tom" in text
        answer = await organiser.get("organise/copies/1/beside/99")
        assert answer.status_code == 400
        assert "do not both play" in answer.text


async def test_a_comparison_that_takes_too_long_is_ended(
    league_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(comparing, "COMPARING_TIME", 0.0)
    async with visited(league_file) as site, site.browser() as organiser:
        await organiser.join("Olga", "organiser")
        answer = await organiser.get("organise/copies")
        assert answer.status_code == 400
        assert "use arena league copies" in answer.text
