"""Teams of several accounts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import UsageError
from arena.league.league import League
from arena.league.table import league_table
from arena.site import accounts, deeds, teams
from tests.site.browsing import visited
from tests.site.test_accounts import joined


@pytest.fixture
def league(league_file: Path) -> Iterator[League]:
    with League(league_file) as league:
        league.store.add_site()
        yield league


def now(league: League, who: accounts.Participant) -> accounts.Participant:
    return accounts.required(league, who.number)


def test_an_invited_account_is_in_the_team(league: League) -> None:
    nina = joined(league)
    secret = teams.invite(league, nina).secret
    found = teams.team(league, nina.team)
    assert found is not None
    assert [one.giver for one in found.invitations] == ["Nina"]
    tom, _ = accounts.accept(league, secret, "Tom")
    assert (tom.team, tom.role) == (nina.team, "author")
    with pytest.raises(UsageError, match="was used"):
        accounts.accept(league, secret, "Eve")
    league.check_rows()


def test_an_account_that_exists_goes_over(league: League) -> None:
    nina, tom, eve = joined(league), joined(league, "Tom"), joined(league, "Eve")
    secret = teams.invite(league, nina).secret
    teams.join(league, tom, secret)
    assert now(league, tom).team == nina.team
    with pytest.raises(UsageError, match="was used"):
        teams.join(league, eve, secret)
    teams.leave(league, now(league, tom))
    assert now(league, tom).team_name == "Tom 2"  # the name of the team before it is taken
    assert [one.name for one in teams.team(league, nina.team).members] == ["Nina"]  # type: ignore[union-attr]


def test_the_team_of_who_is_banned_takes_nobody_in(league: League) -> None:
    nina, tom = joined(league), joined(league, "Tom")
    teams.join(league, tom, teams.invite(league, nina).secret)
    before = teams.invite(league, nina).secret
    deeds.ban(league, None, tom.number, "two accounts")
    with pytest.raises(UsageError, match="is banned: ask an organiser"):
        accounts.accept(league, before, "Tom again")
    with pytest.raises(UsageError, match="is banned: ask an organiser"):
        teams.join(league, joined(league, "Tim"), before)
    with pytest.raises(UsageError, match="is banned: ask an organiser"):
        teams.invite(league, nina)
    olga = joined(league, "Olga", "organiser")
    for giver, name in ((None, "Eve"), (olga.number, "Ida")):
        made = deeds.invite(league, giver, "author", team=nina.team)
        assert accounts.accept(league, made.secret, name)[0].team == nina.team
    deeds.give_role(league, None, tom.number, "author", "a mistake")
    assert teams.invite(league, nina)


def test_who_is_alone_with_bots_that_play_stays(league: League) -> None:
    nina, tom = joined(league), joined(league, "Tom")
    with league.store.changing() as change:
        change.add("owner", bot="bot1", team=tom.team)
    with pytest.raises(UsageError, match="nobody to leave"):
        teams.leave(league, tom)
    secret = teams.invite(league, nina).secret
    with pytest.raises(UsageError, match="withdraw them first"):
        teams.join(league, tom, secret)
    assert now(league, tom).team == tom.team
    player = league.player("bot1")
    assert player is not None
    league.withdraw(player, "no more")
    teams.join(league, tom, secret)


def test_a_tester_brings_no_bot_into_the_ranking(league: League) -> None:
    tess, nina = joined(league, "Tess", "tester"), joined(league)
    with league.store.changing() as change:
        change.add("owner", bot="bot2", team=tess.team)
        change.add("owner", bot="bot1", team=nina.team)
    with pytest.raises(UsageError, match="testers are in teams"):
        teams.invite(league, tess)
    secret = teams.invite(league, nina).secret
    with pytest.raises(UsageError, match="testers stay"):
        teams.join(league, tess, secret)
    with pytest.raises(UsageError, match=r"testers stay|nobody to leave"):
        teams.leave(league, tess)
    assert [row.name for row in league_table(league).table.standings] == ["bot1", "bot3"]


def test_teams_cannot_bring_in_any_number_of_accounts(league: League) -> None:
    nina = joined(league)
    secrets = [teams.invite(league, nina).secret for _ in range(teams.MEMBERS)]
    with pytest.raises(UsageError, match="at most 8"):
        teams.invite(league, nina)
    tom, _ = accounts.accept(league, secrets[0], "Tom")
    teams.leave(league, tom)
    with pytest.raises(UsageError, match="at most 8"):  # who has left counts too
        teams.invite(league, nina)
    with pytest.raises(UsageError, match="invited by a team"):
        teams.invite(league, now(league, tom))


def test_moving_gives_no_new_limits(league: League) -> None:
    nina, tom = joined(league), joined(league, "Tom")
    for _ in range(teams.MOVES):
        if now(league, tom).team == nina.team:
            teams.leave(league, now(league, tom))
        else:
            teams.join(league, now(league, tom), teams.invite(league, nina).secret)
    with pytest.raises(UsageError, match="3 times in a day"):
        teams.leave(league, now(league, tom))


def test_what_began_before_the_team_changed_is_refused(league: League) -> None:
    nina, tom = joined(league), joined(league, "Tom")
    teams.join(league, tom, teams.invite(league, nina).secret)
    for late in (teams.leave, teams.invite):
        with pytest.raises(UsageError, match=r"meanwhile|nobody to leave"):
            late(league, tom)
    deeds.ban(league, None, nina.number, "cheated")
    with pytest.raises(UsageError, match="meanwhile"):
        teams.rename(league, nina, "The banned")


def test_the_bots_of_a_team(league: League) -> None:
    nina = joined(league)
    with league.store.changing() as change:
        for bot in ("bot1", "not yet"):
            change.add("owner", bot=bot, team=nina.team)
    found = teams.bots(league, nina.team)
    assert [(one.name, one.versions, one.plays) for one in found] == [
        ("bot1", 1, True),
        ("not yet", 0, False),
    ]


def test_names_of_teams_stay_their_own(league: League) -> None:
    nina, tom = joined(league), joined(league, "Tom")
    teams.rename(league, nina, "  The   Ninas ")
    assert now(league, nina).team_name == "The Ninas"
    for name in ("The Ninas", "Nina"):  # nor what it was called before
        with pytest.raises(UsageError, match="is or was called"):
            teams.rename(league, tom, name)
    teams.rename(league, now(league, nina), "Nina")
    with pytest.raises(UsageError, match="1 to 64"):
        teams.rename(league, tom, "x" * 65)
    league.check_rows()


def test_an_invitation_is_ended_by_its_team_alone(league: League) -> None:
    nina, tom = joined(league), joined(league, "Tom")
    made = teams.invite(league, nina)
    with pytest.raises(UsageError, match="was used or has ended"):
        teams.end_invitation(league, tom, made.number)
    teams.end_invitation(league, nina, made.number)
    with pytest.raises(UsageError, match="has ended"):
        teams.join(league, tom, made.secret)


async def test_the_other_sessions_end(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as here, site.browser() as there:
        key = await here.join("Nina")
        await there.send_form("sign-in", key=key)
        assert "2 sessions" in (await here.get("account/access")).text
        assert (await here.send_form("account/sessions/end-others")).status_code == 303
        assert (await there.get("account")).status_code == 401
        assert (await here.get("account")).status_code == 200


async def test_a_team_on_its_pages(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as nina, site.browser() as tom:
        await nina.join("Nina")
        await tom.join("Tom")
        made = await nina.send_form("team/invitations")
        link = made.text.partition('class="secret">')[2].partition("<")[0]
        assert link.startswith("http://127.0.0.1:8000/spring-cup/join#")
        assert "Go over to the team" in (await tom.get("join")).text
        assert (await tom.send_form("team/join", invitation=link)).status_code == 303
        assert "Tom" in (await nina.get("team")).text
        await tom.send_form("team/name", name="<b>Us</b>")
        assert "&lt;b&gt;Us" in (await nina.get("team")).text
        assert (await tom.send_form("team/leave")).status_code == 303
        assert "Tom 2" in (await tom.get("team")).text
        assert "nobody to leave" in (await tom.send_form("team/leave")).text


async def test_a_token_with_an_end(league_file: Path) -> None:
    async with visited(league_file) as site, site.browser() as browser:
        await browser.join("Nina")
        for days in ("0", "x", "9999"):
            answer = await browser.send_form("account/tokens", scope="read", label="ci", days=days)
            assert answer.status_code == 400
        made = await browser.send_form("account/tokens", scope="read", label="ci", days="30")
        assert made.status_code == 200
        assert "until" in (await browser.get("account/access")).text
        (row,) = site.league.store.all("SELECT until < '9999' FROM token WHERE scope = 'read'")
        assert row == (1,)
