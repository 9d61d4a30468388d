"""Invitations, sessions, tokens and roles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.league import League
from arena.league.table import league_table
from arena.site import accounts, deeds, run, teams, uploads
from tests.site.browsing import visited


@pytest.fixture
def league(league_file: Path) -> Iterator[League]:
    with League(league_file) as league:
        league.store.add_site()
        yield league


def joined(league: League, name: str = "Nina", role: str = "author") -> accounts.Participant:
    return accounts.accept(league, deeds.invite(league, None, role).secret, name)[0]


def test_an_invitation_makes_so_many_accounts(league: League) -> None:
    secret = deeds.invite(league, None, "tester", uses=2).secret
    first, key = accounts.accept(league, secret, " Nina  M ")
    assert (first.name, first.role, first.team_name) == ("Nina M", "tester", "Nina M")
    accounts.accept(league, secret, "Tom")
    with pytest.raises(UsageError, match="was used"):
        accounts.accept(league, secret, "Eve")
    assert accounts.sign_in(league, key) is not None


@pytest.mark.parametrize("name", ["", " ", "x" * 65, "Nina"])
def test_names_that_are_none_or_taken(league: League, name: str) -> None:
    joined(league)
    secret = deeds.invite(league, None, "author").secret
    with pytest.raises(UsageError):
        accounts.accept(league, secret, name)
    accounts.accept(league, secret, "Tom")  # the invitation was not used up


def test_ended_and_wrong_invitations(league: League) -> None:
    secret, number = deeds.invite(league, None, "owner")
    deeds.end_invitation(league, None, number)
    for wrong in (secret, "", "x", secret[:-1]):
        with pytest.raises(UsageError, match="was used, has ended"):
            accounts.accept(league, wrong, "Eve")
    for role in ("visitor", "banned", "king"):
        with pytest.raises(UsageError, match="no role"):
            deeds.invite(league, None, role)


def test_a_session_holds_until_it_is_ended(league: League) -> None:
    account, key = accounts.accept(league, deeds.invite(league, None, "author").secret, "Nina")
    first = accounts.sign_in(league, key)
    assert first is not None
    assert accounts.who(league, first) == account
    second = accounts.sign_in(league, key, first)  # the same browser: the session is a new one
    assert second not in (None, first)
    assert accounts.who(league, first) is None
    accounts.end_session(league, second or "")
    assert accounts.who(league, second or "") is None
    assert accounts.sign_in(league, "x" + key) is None


def test_who_is_banned_has_no_session(league: League) -> None:
    account = joined(league)
    session = accounts.begin_session(league, account.number)
    token = accounts.add_token(league, account.number, "upload", "ci").secret
    assert accounts.bearer(league, token, "upload") == account
    deeds.ban(league, None, account.number, "cheated")
    assert accounts.who(league, session) is None
    assert accounts.bearer(league, token, "upload") is None
    log = league.store.all("SELECT deed, detail FROM deed ORDER BY number")
    assert log[-1] == ("banned", "Nina, before author. cheated")


def test_a_token_does_only_what_it_is_for(league: League) -> None:
    account = joined(league)
    made = accounts.add_token(league, account.number, "read", "chart")
    assert accounts.bearer(league, made.secret, "upload") is None
    assert accounts.sign_in(league, made.secret) is None
    other = joined(league, "Tom")
    with pytest.raises(UsageError, match="no such"):
        accounts.end_token(league, other.number, made.number)
    accounts.end_token(league, account.number, made.number)
    assert accounts.bearer(league, made.secret, "read") is None


def test_an_account_has_so_many_tokens(league: League) -> None:
    account = joined(league)
    for number in range(accounts.TOKENS - 1):  # one is its key
        accounts.add_token(league, account.number, "read", f"{number}")
    with pytest.raises(UsageError, match="at most 20"):
        accounts.add_token(league, account.number, "read", "more")


def test_no_secret_is_in_the_file(league: League) -> None:
    account, key = accounts.accept(league, deeds.invite(league, None, "author").secret, "Nina")
    session = accounts.begin_session(league, account.number)
    league.store.one("PRAGMA wal_checkpoint(TRUNCATE)")
    content = league.path.read_bytes()
    assert accounts.secret_hash(key).encode() in content
    assert key.encode() not in content
    assert session.encode() not in content


def test_what_bears_on_results_is_in_the_chain(league: League) -> None:
    account = joined(league)
    before = league.chain()
    accounts.begin_session(league, account.number)
    assert league.chain() == before  # who signs in bears on nothing
    deeds.give_role(league, None, account.number, "tester", "on request")
    assert league.since(before) == 2  # the role, and the deed
    league.check_rows()


@pytest.mark.parametrize("end", ["a ban", "a lower role"])
def test_a_ban_or_a_lower_role_ends_invitations(league: League, end: str) -> None:
    olga = joined(league, "Olga", "organiser")
    secrets = [deeds.invite(league, olga.number, role).secret for role in ("author", "organiser")]
    if end == "a ban":
        deeds.ban(league, None, olga.number, "spoilt")
    else:
        deeds.give_role(league, None, olga.number, "author", "spoilt")
    for secret in secrets:
        with pytest.raises(UsageError, match="has ended"):
            accounts.accept(league, secret, "Eve")
    assert "Ended: 2 invitations" in deeds.audit_log(league)[0].detail


def test_a_higher_role_ends_none(league: League) -> None:
    olga = joined(league, "Olga", "organiser")
    secret = deeds.invite(league, olga.number, "author").secret
    deeds.give_role(league, None, olga.number, "owner", "she helps")
    assert accounts.accept(league, secret, "Tom")


def test_few_people_have_one_invitation_to_organise(league: League) -> None:
    for role in ("organiser", "owner"):
        with pytest.raises(UsageError, match="1 to 5 people"):
            deeds.invite(league, None, role, uses=6)
    assert deeds.invite(league, None, "organiser", uses=5)
    assert deeds.invite(league, None, "author", uses=1000)


@pytest.mark.parametrize("by", ["a role", "an invitation"])
def test_the_link_of_the_first_owner_ends_when_there_is_one(league_file: Path, by: str) -> None:
    nina = None
    with League(league_file) as league:
        league.store.add_site()
        nina = joined(league)
    printed = run.invite_owner(league_file)
    assert printed is not None
    with League(league_file) as league:
        if by == "a role":
            deeds.give_role(league, None, nina.number, "owner", "it is hers")
        else:
            joined(league, "Olga", "owner")
        with pytest.raises(UsageError, match="has ended"):
            accounts.accept(league, printed, "Eve")
        assert joined(league, "Tom", "owner")  # a later one holds


def test_what_was_made_in_a_stolen_session_ends_with_it(league: League) -> None:
    nina, key = accounts.accept(league, deeds.invite(league, None, "author").secret, "Nina")
    stolen, other = (accounts.begin_session(league, nina.number) for _ in range(2))
    made = [
        accounts.add_token(league, nina.number, scope, scope, session=session).secret
        for scope, session in (("sign-in", stolen), ("upload", stolen), ("read", other))
    ]
    accounts.end_session(league, stolen)  # the thief has signed out
    again = accounts.sign_in(league, made[0])  # with the own key
    assert again is not None
    accounts.add_token(league, nina.number, "upload", "thief's", session=again)
    assert [one.is_elsewhere for one in accounts.tokens(league, nina.number, other)] == [
        *(False, True, True, False, True)
    ]
    assert accounts.end_other_sessions(league, nina.number, other) == 1
    assert [one.label for one in accounts.tokens(league, nina.number)] == ["key", "read"]
    assert accounts.bearer(league, made[1], "upload") is None
    assert accounts.bearer(league, made[2], "read") is not None
    assert accounts.sign_in(league, made[0]) is None
    assert accounts.sign_in(league, key) is not None
    ended = accounts.tokens(league, nina.number, other, ended=True)
    assert [one.label for one in ended] == ["sign-in", "upload", "thief's"]


async def test_an_account_is_told_of_keys_and_tokens(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as nina, site.browser() as thief:
        key = await nina.join("Nina")
        await thief.send_form("sign-in", key=key)
        await thief.send_form("account/tokens", scope="sign-in", label="spare", days="")
        assert "In another session the key" in (await nina.get("account")).text
        assert "In another session" not in (await thief.get("account")).text
        await nina.send_form("account/sessions/end-others")
        assert "In another session" not in (await nina.get("account")).text
        assert "Ended within the last week" in (await nina.get("account/access")).text
        assert (await thief.get("account")).status_code == 401


async def test_who_has_lost_a_key_gets_another(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as nina, site.browser() as olga:
        key = await nina.join("Nina")
        await olga.join("Olga", "organiser")
        path = "organise/people/1/key"
        assert (await olga.send_form(path, reason="")).status_code == 400
        answer = await olga.send_form(path, reason="it was lost")
        found = re.search(r'class="secret"[^>]*>([\w-]+)<', answer.text)
        assert found is not None
        for text in ("A key for", "Nina", "shown once", "data-copy"):
            assert text in answer.text
        assert (await nina.get("account")).status_code == 401
        assert (await nina.send_form("sign-in", key=key)).status_code == 403
        assert (await nina.send_form("sign-in", key=found[1])).status_code == 303
        [deed, *_] = deeds.audit_log(site.league)
        assert (deed.account, deed.deed, deed.detail) == ("Olga", "made a key", "Nina. it was lost")
        own = await olga.send_form("organise/people/2/key", reason="mine")
        assert own.status_code == 400  # by a stolen token it would outlast that
        joined(site.league, "Otto", "owner")
        assert (await olga.send_form("organise/people/3/key", reason="mine")).status_code == 400


def test_nobody_takes_a_name_that_looks_alike(league: League) -> None:
    nina = joined(league)
    for name in ("nina", "Nіna", "Ni\u3164na"):
        with pytest.raises(UsageError, match="looks alike"):
            joined(league, name)
    tom = joined(league, "Tom")
    with pytest.raises(UsageError, match="looks alike"):
        teams.rename(league, tom, "ＮＩＮＡ")
    teams.rename(league, nina, "NINA")  # one's own
    with pytest.raises(UsageError, match="looks alike"):
        uploads.allow(league, tom, "bоt1")
    with league.store.changing() as change:
        change.add("owner", bot="goose", team=tom.team)
    uploads.allow(league, tom, "Goose")
    with pytest.raises(UsageError, match="looks alike"):
        uploads.allow(league, nina, "Goose")


async def test_one_address_does_not_take_all_accounts_of_an_hour(league_file: Path) -> None:
    async with visited(league_file) as site:
        deeds.open_registration(site.league, None, hourly=6)
        found = deeds.registration(site.league)
        assert found is not None
        link = deeds.invite(site.league, None, "author", uses=9).secret

        async def register(name: str, address: str, secret: str = found.secret) -> int:
            async with site.browser(address) as browser:
                answer = await browser.send_form("join", invitation=secret, name=name)
            return answer.status_code

        assert await register("", "2001:db8::1") == 400  # what fails takes nothing
        first = [await register(f"a{n}", f"2001:db8::{n}") for n in range(6)]
        assert first == [200, 200, 200, 400, 400, 400]
        assert await register("invited", "2001:db8::9", link) == 200
        other = [await register(f"b{n}", "203.0.113.5") for n in range(4)]
        assert other == [200, 200, 200, 400]


def test_bots_of_testers_are_not_ranked(league: League) -> None:
    ranked = [row.name for row in league_table(league).table.standings]
    account = joined(league, "Tess", "tester")
    with league.store.changing() as change:
        change.add("owner", bot="bot2", team=account.team)
    found = league_table(league)
    assert [row.name for row in found.table.standings] == [one for one in ranked if one != "bot2"]
    assert found.table.games == 2  # those of the other two alone
    assert [one.name for one in league.players()] == ranked  # it plays all the same


async def test_a_visitor_becomes_an_author(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        assert (await browser.get("account")).status_code == 401
        key = await browser.join("Nina")
        cookie = browser.cookies["session"]
        assert "Nina" in (await browser.get("account")).text
        assert (await browser.send_form("sign-in", key=key)).status_code == 303
        assert browser.cookies["session"] != cookie  # rotated
        assert (await browser.send_form("sign-out")).status_code == 303
        assert (await browser.get("account")).status_code == 401


async def test_the_cookie_of_a_session(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        key = await browser.join("Nina")
        answer = await browser.send_form("sign-in", key=key)
        cookie = answer.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=lax" in cookie
        assert "Path=/spring-cup/" in cookie


async def test_a_form_needs_the_token_of_its_session(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser, site.browser() as other:
        await browser.join("Nina")
        await other.join("Tom")
        stolen = accounts.form_token(other.cookies["session"])
        for token in ("", "x", "ä", stolen):
            answer = await browser.post("sign-out", data={"form_token": token})
            assert answer.status_code == 403
        assert (await browser.get("account")).status_code == 200


async def test_a_wrong_key_tells_nothing(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        for key in ("", "x", "'; DROP TABLE token", "x" * 2000):
            answer = await browser.send_form("sign-in", key=key)
            assert answer.status_code == 403
            assert "does not hold" in answer.text


async def test_names_are_text_everywhere(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("<script>alert(1)</script>")
        text = (await browser.get("account")).text
        assert "<script>alert" not in text
        assert "&lt;script&gt;alert(1)" in text
