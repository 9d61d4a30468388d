"""Teams of several accounts: members, invitations, leaving, the name.

Every account is in one team at a time, and bots belong to teams, so what a team has uploaded stays
with it. Who is in the last place of a team whose bots play cannot leave: nobody could withdraw them
any more.

A team's invitation makes an account as author, or takes over one that exists. So that nobody can
bring in any number of accounts this way, only those whom an organiser invited may invite, and only
as many as a team has places, those who have left included.
"""

from __future__ import annotations

from msgspec import Struct

from arena.errors import UsageError
from arena.league.league import League
from arena.league.store import Change
from arena.site import accounts
from arena.site.accounts import Fresh, Participant
from arena.site.lookalikes import require_distinct

MEMBERS = 8
"""Maximum accounts that a team invites, those who have left included."""
MOVES = 3
"""Times in a day that an account may change its team: limits of teams would mean nothing."""


class TeamMember(Struct, frozen=True):
    """Who is in a team."""

    account: int
    name: str
    role: str


class TeamInvitation(Struct, frozen=True):
    """An open invitation to a team, without its secret."""

    number: int
    giver: str
    until: str


class TeamBot(Struct, frozen=True):
    """A bot of a team."""

    number: int
    """That of the row which says whose it is; addresses have it instead of the name."""
    name: str
    versions: int
    plays: bool


class TeamAccount(Struct, frozen=True):
    """A team as its members see it."""

    number: int
    name: str
    members: list[TeamMember]
    invitations: list[TeamInvitation]
    bots: list[TeamBot]


def team(league: League, number: int) -> TeamAccount | None:
    """The team of that number."""
    found = league.store.one("SELECT name FROM team_now WHERE number = ?", (number,))
    if found is None:
        return None
    members = league.store.all(
        "SELECT account.number, account.name, role_now.role FROM member_now "
        "JOIN account ON account.number = member_now.account "
        "JOIN role_now ON role_now.account = account.number WHERE team = ? ORDER BY 1",
        (number,),
    )
    invitations = league.store.all(
        "SELECT open_invitation.number, account.name, until FROM open_invitation "
        "JOIN account ON account.number = giver WHERE team = ? ORDER BY 1",
        (number,),
    )
    return TeamAccount(
        number,
        found[0],
        [TeamMember(*row) for row in members],
        [TeamInvitation(*row) for row in invitations],
        bots(league, number),
    )


def bots(league: League, number: int) -> list[TeamBot]:
    """The bots of a team, in the order in which they were first uploaded."""
    found = league.store.all(
        "SELECT number, bot, (SELECT count(*) FROM submission WHERE name = owner.bot), "
        "bot IN (SELECT name FROM player) FROM owner WHERE team = ? ORDER BY number",
        (number,),
    )
    return [TeamBot(at, name, versions, bool(plays)) for at, name, versions, plays in found]


def rename(league: League, who: Participant, name: str) -> None:
    """Give a team another name. Raises UsageError for one that another team has or had."""
    name = accounts.name_of(name, "name for the team")
    with league.store.changing() as change:
        _require_unmoved(league, who)
        if name == who.team_name:
            return
        query = (
            "SELECT name FROM team WHERE number != ?1 UNION "
            "SELECT name FROM team_name WHERE team != ?1"
        )
        names = [row[0] for row in league.store.all(query, (who.team,))]
        require_distinct(name, names, "another team is or was called")
        query = "SELECT count(*) FROM team_name WHERE team = ? AND at > datetime('now', '-1 day')"
        if (league.store.one(query, (who.team,)) or (0,))[0] >= MOVES:
            raise UsageError(f"a team changes its name at most {MOVES} times in a day")
        change.add("team_name", team=who.team, name=name)


def invite(league: League, who: Participant) -> Fresh:
    """Make an invitation to the team of an author, for one account. Raises UsageError."""
    with league.store.changing() as change:
        _require_inviter(league, who)
        used, members, still_open = league.store.one(
            "SELECT (SELECT count(*) FROM invitation JOIN acceptance ON invitation = number "
            "WHERE team = ?1), (SELECT count(*) - 1 FROM member_now WHERE team = ?1), "
            "(SELECT count(*) FROM open_invitation WHERE team = ?1)",
            (who.team,),
        ) or (0, 0, 0)
        if max(used, members) + still_open >= MEMBERS:
            raise UsageError(
                f"a team invites at most {MEMBERS} accounts: end an open invitation, or ask an "
                "organiser"
            )
        return accounts.add_invitation(
            change,
            accounts.AUTHOR,
            giver=who.number,
            uses=1,
            team=who.team,
            days=accounts.INVITATION,
        )


def _require_unmoved(league: League, who: Participant) -> Participant:
    """The account as it is now, looked at where no other change comes between: a request may have
    begun long ago. Raises UsageError when its team has changed or it may do nothing any more."""
    now = accounts.required(league, who.number)
    if now.team != who.team or not now.may("take part"):
        raise UsageError("your team or your role has changed meanwhile: load the page again")
    return now


def _require_inviter(league: League, who: Participant) -> None:
    who = _require_unmoved(league, who)
    accounts.require_open_team(league, who.team, who.number)
    if who.role == accounts.TESTER:
        raise UsageError("testers are in teams of their own: ask an organiser")
    by_a_team = league.store.one(
        "SELECT 1 FROM acceptance JOIN invitation ON invitation.number = invitation "
        "WHERE account = ? AND team IS NOT NULL",
        (who.number,),
    )
    if by_a_team is not None and not who.may("organise"):
        raise UsageError(
            "you were invited by a team: ask a member whom an organiser invited, or an organiser"
        )


def end_invitation(league: League, who: Participant, number: int) -> None:
    """End an open invitation to the own team. Raises UsageError for any other."""
    with league.store.changing() as change:
        own = "number = ? AND team = ?"
        if not accounts.end_open(league, change, "invitation", own, number, who.team):
            raise UsageError("this invitation was used or has ended")


def join(league: League, who: Participant, secret: str) -> None:
    """Go over to the team of an invitation, which is used up. Raises UsageError."""
    with league.store.changing() as change:
        found = league.store.one(
            "SELECT number, team, giver FROM open_invitation WHERE hash = ?",
            (accounts.secret_hash(secret),),
        )
        if found is None:
            raise UsageError(
                "this invitation was used, has ended, or was mistyped: ask for another"
            )
        if found[1] is None:
            raise UsageError("this invitation is for a new account: sign out, and follow it again")
        if found[1] == who.team:
            raise UsageError("you are in this team already")
        accounts.require_open_team(league, found[1], found[2])
        _leave(league, change, who)
        change.add("invitation_end", invitation=found[0])
        change.add("member", team=found[1], account=who.number, joined=1)


def leave(league: League, who: Participant) -> None:
    """Leave a team of several for a new one of the account's own. Raises UsageError."""
    with league.store.changing() as change:
        (others,) = league.store.one(
            "SELECT count(*) FROM member_now WHERE team = ? AND account != ?",
            (who.team, who.number),
        ) or (0,)
        if not others:
            raise UsageError("you are alone in your team: there is nobody to leave")
        _leave(league, change, who)
        own = change.add("team", name=accounts.team_name(league, who.name))
        change.add("member", team=own, account=who.number, joined=1)


def _leave(league: League, change: Change, who: Participant) -> None:
    """End a membership as part of a change. Membership and role are looked at here, where no other
    change comes between."""
    now = _require_unmoved(league, who)
    if now.role == accounts.TESTER:
        raise UsageError("testers stay in their team: their bots would be ranked else")
    moves, others, plays = league.store.one(
        "SELECT (SELECT count(*) FROM member WHERE account = ?1 AND NOT joined "
        "AND at > datetime('now', '-1 day')), "
        "(SELECT count(*) FROM member_now WHERE team = ?2 AND account != ?1), "
        "(SELECT count(*) FROM owner WHERE team = ?2 AND (bot IN (SELECT name FROM player) "
        "OR bot IN (SELECT bot FROM waiting)))",
        (who.number, who.team),
    ) or (0, 0, 0)
    if moves >= MOVES:
        raise UsageError(f"an account changes its team at most {MOVES} times in a day")
    if plays and not others:
        raise UsageError(
            "your team has bots that play, and nobody else is in it: withdraw them first, or "
            "invite the others into your team"
        )
    change.add("member", team=who.team, account=who.number, joined=0)
