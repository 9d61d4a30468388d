"""What organisers do: one function for each deed, which pages and commands call.

A deed is one change of the file. Within it, where no other change comes between, the function looks
at the role of who asks and at the state that the deed depends on; with it goes its row in the audit
log. `by` is the account that asks, or None for the command line, whose user owns the file and so
may do all that an owner may.

Nobody changes the role of who stands above, and nobody gives a role above the own.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from msgspec import Struct

from arena.errors import UsageError, did_you_mean
from arena.league.league import League
from arena.league.store import Change
from arena.site import accounts
from arena.site.accounts import (
    AUTHOR,
    BANNED,
    INVITATION,
    MAY,
    ORGANISER,
    OWNER,
    TESTER,
    VISITOR,
    Fresh,
)
from arena.text import counted, printable

REASON = 500
"""Maximum characters of a reason, and of an announcement's text."""
USES = 1000
FEW_USES = 5
"""Uses of an invitation that gives a role above author."""
DAYS = 365
HOURLY = 20
"""Accounts that open registration makes in an hour, unless the organiser says otherwise."""
LOG = 100
"""Deeds on a page of the audit log."""
RANK = {VISITOR: 0, BANNED: 0, AUTHOR: 1, TESTER: 1, ORGANISER: 2, OWNER: 3}
"""Who stands above whom."""
GIVEN = (AUTHOR, TESTER, ORGANISER, OWNER)
"""The roles that are given. Everybody without an account is a visitor; who may do nothing is
banned."""
NOT_ALLOWED = "your role does not allow that"


@dataclass(slots=True)
class Deed:
    """A deed that is under way."""

    change: Change
    role: str
    """Of who does it."""
    detail: str = ""
    """What the audit log says; the deed sets it."""

    def add(self, kind: str, /, **values: Any) -> int:
        """Add a row."""
        return self.change.add(kind, **values)


@contextmanager
def doing(league: League, by: int | None, name: str, need: str = "organise") -> Iterator[Deed]:
    """One deed of somebody who may do what `need` says, with its row in the audit log.

    Raises UsageError for who may not; nothing is changed then."""
    with league.store.changing() as change:
        role = OWNER if by is None else role_of(league, by)
        if need not in MAY[role]:
            raise UsageError(NOT_ALLOWED)
        yield (deed := Deed(change, role))
        change.add("deed", account=by, deed=name, detail=deed.detail)


def role_of(league: League, account: int) -> str:
    """The role of an account now; that of a visitor when there is no such account."""
    found = league.store.one("SELECT role FROM role_now WHERE account = ?", (account,))
    return VISITOR if found is None else str(found[0])


def reason_of(given: str, what: str = "a reason") -> str:
    """A reason as it is kept. Raises UsageError for none."""
    text = printable(" ".join(given.split()))
    if not text:
        raise UsageError(f"give {what}: the audit log keeps it")
    if len(text) > REASON:
        raise UsageError(f"give {what} of at most {REASON} characters")
    return text


# -- invitations and registration ------------------------------------------------------------------


class InvitationAccount(Struct, frozen=True):
    """An open invitation, without its secret."""

    number: int
    role: str
    team: str | None
    """Whom it makes a member of; None: each account gets a team of its own."""
    uses: int
    used: int
    until: str
    giver: str | None
    """None: the command line."""
    is_registration: bool


def invitations(league: League) -> list[InvitationAccount]:
    """The open invitations, the newest first."""
    found = league.store.all(
        "SELECT open_invitation.number, role, team_now.name, uses, "
        "(SELECT count(*) FROM acceptance "
        "WHERE invitation = open_invitation.number), until, account.name, "
        "open_invitation.number IN (SELECT invitation FROM registration) FROM open_invitation "
        "LEFT JOIN team_now ON team_now.number = team LEFT JOIN account ON account.number = giver "
        "ORDER BY open_invitation.number DESC"
    )
    return [
        InvitationAccount(number, role, team, uses, used, until, giver, bool(is_registration))
        for number, role, team, uses, used, until, giver, is_registration in found
    ]


def invite(
    league: League,
    by: int | None,
    role: str,
    *,
    uses: int = 1,
    team: int | None = None,
    days: int = INVITATION,
) -> Fresh:
    """Make an invitation for `uses` accounts with a role, as members of a team or each with its
    own. Raises UsageError."""
    _require_role(role)
    above = RANK[role] > RANK[AUTHOR]
    sentence = f"an invitation as {role} is for {{}} people"
    _require_count(uses, FEW_USES if above else USES, sentence)
    _require_count(days, DAYS, "an invitation holds for {} days")
    with doing(league, by, "invited") as deed:
        _require_at_most(deed, role)
        name = None if team is None else _team(league, team)
        made = accounts.add_invitation(deed.change, role, giver=by, uses=uses, team=team, days=days)
        deed.detail = f"invitation {made.number}: {uses} as {role}"
        deed.detail += f" in the team {name}" if name else ""
    return made


def end_invitation(league: League, by: int | None, number: int) -> None:
    """End an invitation; accounts that it made stay. Raises UsageError."""
    with doing(league, by, "ended an invitation") as deed:
        found = league.store.one("SELECT role FROM open_invitation WHERE number = ?", (number,))
        if found is None:
            raise UsageError(f"there is no open invitation {number}: it was used up, or has ended")
        _require_at_most(deed, found[0])
        deed.add("invitation_end", invitation=number)
        deed.detail = f"invitation {number}, as {found[0]}"


class Registration(Struct, frozen=True):
    """Open registration: an invitation as author that everybody may use."""

    secret: str
    invitation: int
    left: int
    """Accounts that it may still make."""
    hourly: int
    until: str


def registration(league: League) -> Registration | None:
    """Open registration; None while accounts are by invitation alone."""
    found = league.store.one(
        "SELECT secret, invitation, uses - (SELECT count(*) FROM acceptance "
        "WHERE invitation = open_invitation.number), hourly, until FROM registration "
        "JOIN open_invitation ON open_invitation.number = invitation ORDER BY 2 DESC LIMIT 1"
    )
    return None if found is None else Registration(*found)


def open_registration(
    league: League,
    by: int | None,
    *,
    most: int = 100,
    hourly: int = HOURLY,
    days: int = INVITATION,
) -> None:
    """Let everybody make an account as author: `most` in all, and `hourly` in an hour. It takes the
    place of earlier open registration. Raises UsageError."""
    _require_count(most, USES, "registration is for {} people")
    _require_count(hourly, USES, "registration makes {} accounts in an hour")
    _require_count(days, DAYS, "registration is open for {} days")
    with doing(league, by, "opened registration") as deed:
        _end_registration(league, deed)
        made = accounts.add_invitation(
            deed.change, AUTHOR, giver=by, uses=most, team=None, days=days
        )
        deed.add("registration", invitation=made.number, secret=made.secret, hourly=hourly)
        deed.detail = f"invitation {made.number}: {most} accounts, {hourly} in an hour"


def close_registration(league: League, by: int | None) -> None:
    """Accounts are by invitation alone from now on. Raises UsageError when they are already."""
    with doing(league, by, "closed registration") as deed:
        if not _end_registration(league, deed):
            raise UsageError("registration is not open: accounts are by invitation alone")
        deed.detail = "accounts are by invitation alone"


def _end_registration(league: League, deed: Deed) -> bool:
    where = "number IN (SELECT invitation FROM registration)"
    return accounts.end_open(league, deed.change, "invitation", where) > 0


# -- people ----------------------------------------------------------------------------------------


class Person(Struct, frozen=True):
    """An account, as organisers see it."""

    number: int
    name: str
    role: str
    team: str
    bots: tuple[str, ...]
    at: str


def people(league: League) -> list[Person]:
    """All accounts, in the order in which they came."""
    bots: dict[int, list[str]] = {}
    for team, bot in league.store.all("SELECT team, bot FROM owner ORDER BY number"):
        bots.setdefault(team, []).append(bot)
    found = league.store.all(
        "SELECT account.number, account.name, role_now.role, team_now.name, team_now.number, "
        "account.at "
        "FROM account JOIN role_now ON role_now.account = account.number "
        "JOIN member_now ON member_now.account = account.number "
        "JOIN team_now ON team_now.number = member_now.team ORDER BY account.number"
    )
    return [
        Person(number, name, role, name_of_team, tuple(bots.get(team, ())), at)
        for number, name, role, name_of_team, team, at in found
    ]


def person(league: League, name: str) -> int:
    """The number of the account of that name. Raises UsageError."""
    found = dict(league.store.all("SELECT name, number FROM account"))
    if name not in found:
        raise UsageError(f"there is no account {name!r}: {did_you_mean(name, list(found))}")
    return int(found[name])


def give_role(league: League, by: int | None, account: int, role: str, reason: str) -> None:
    """Give an account a role in place of the one that it has. Raises UsageError."""
    _require_role(role)
    reason = reason_of(reason)
    with doing(league, by, "gave a role") as deed:
        name, now = _require_below(league, deed, account)
        _require_at_most(deed, role)
        if now == role:
            raise UsageError(f"{name} is {role} already")
        if now == OWNER:
            _require_another_owner(league, account)
        deed.add("role", account=account, role=role, giver=by, reason=reason)
        accounts.end_open(league, deed.change, "invitation", accounts.FIRST_OWNER)
        ended = _end_invitations(league, deed, account) if RANK[role] < RANK[now] else ""
        deed.detail = f"{name}: {role}, before {now}. {reason}{ended}"


def new_key(league: League, by: int | None, account: int, reason: str) -> Fresh:
    """Make a key for who has lost the own one. Earlier keys and all sessions of the account end;
    its tokens stay. Raises UsageError."""
    reason = reason_of(reason)
    with doing(league, by, "made a key") as deed:
        name, now = _require_below(league, deed, account)
        if account == by:
            raise UsageError("the page of your account makes a key for yourself")
        if now == BANNED:
            raise UsageError(f"{name} is banned: give it a role first")
        key = accounts.replace_keys(league, deed.change, account, "key by an organiser")
        deed.detail = f"{name}. {reason}"
    return key


def ban(
    league: League, by: int | None, account: int, reason: str, *, withdraw: bool = False
) -> None:
    """Ban an account: its sessions and tokens do nothing any more. With `withdraw` all versions of
    its team's bots are withdrawn, and uploads that wait are refused. Raises UsageError."""
    reason = reason_of(reason)
    with doing(league, by, "banned") as deed:
        name, now = _require_below(league, deed, account)
        if account == by:
            raise UsageError("nobody bans the own account: ask another organiser")
        if now == BANNED:
            raise UsageError(f"{name} is banned already")
        if now == OWNER:
            _require_another_owner(league, account)
        deed.add("role", account=account, role=BANNED, giver=by, reason=reason)
        accounts.end_open(league, deed.change, "session", "account = ?", account)
        bots = _withdraw_all(league, deed, account) if withdraw else []
        ended = _end_invitations(league, deed, account)
        deed.detail = f"{name}, before {now}. {reason}{ended}"
        deed.detail += f" Withdrawn: {', '.join(bots)}." if bots else ""


def _end_invitations(league: League, deed: Deed, account: int) -> str:
    """End the open invitations of an account. Returns a sentence for the audit log."""
    count = accounts.end_open(league, deed.change, "invitation", "giver = ?", account)
    return f" Ended: {counted(count, 'invitation')}." if count else ""


def _withdraw_all(league: League, deed: Deed, account: int) -> list[str]:
    """Withdraw all that an account's team has, and end what waits. Returns the bots' names."""
    (team,) = league.store.one("SELECT team FROM member_now WHERE account = ?", (account,)) or (0,)
    query = "SELECT number FROM waiting WHERE team = ?"
    for (upload,) in league.store.all(query, (team,)):
        deed.add("outcome", upload=upload, submission=None, problem="its author was banned")
    names = [bot for (bot,) in league.store.all("SELECT bot FROM owner WHERE team = ?", (team,))]
    return [name for name in names if _withdraw(league, deed, name, "its author was banned")]


def _withdraw(league: League, deed: Deed, name: str, reason: str) -> int:
    """Withdraw all versions of a bot, of which else the one before would play again. Returns how
    many there were."""
    found = league.store.all(
        "SELECT number FROM submission WHERE name = ? "
        "AND (passed OR number IN (SELECT submission FROM admission)) "
        "AND number NOT IN (SELECT submission FROM withdrawal)",
        (name,),
    )
    for (number,) in found:
        deed.add("withdrawal", submission=number, reason=reason)
    return len(found)


def _require_role(role: str) -> None:
    if role not in GIVEN:
        raise UsageError(f"there is no role {role!r} to give: choose {', '.join(GIVEN)}")


def _require_at_most(deed: Deed, role: str) -> None:
    if RANK[role] > RANK[deed.role]:
        raise UsageError(f"{NOT_ALLOWED}: only an owner deals with the role of {role}")


def _require_below(league: League, deed: Deed, account: int) -> tuple[str, str]:
    """The name and the role of an account that is not above who asks."""
    name, now = accounts.required(league, account).name, role_of(league, account)
    _require_at_most(deed, now)
    return name, now


def _require_another_owner(league: League, account: int) -> None:
    query = "SELECT 1 FROM role_now WHERE role = 'owner' AND account != ?"
    if league.store.one(query, (account,)) is None:
        raise UsageError("this is the only owner: make another account owner first")


def _require_count(value: int, most: int, sentence: str) -> None:
    if not 1 <= value <= most:
        raise UsageError(sentence.format(f"1 to {most}"))


def _team(league: League, number: int) -> str:
    found = league.store.one("SELECT name FROM team_now WHERE number = ?", (number,))
    if found is None:
        raise UsageError(f"there is no team {number}")
    return str(found[0])


def teams(league: League) -> list[tuple[int, str]]:
    """All teams: their numbers and names."""
    found = league.store.all("SELECT number, name FROM team_now")
    return [(number, name) for number, name in found]


# -- bots and matches ------------------------------------------------------------------------------


def withdraw_bot(league: League, by: int | None, name: str, reason: str) -> None:
    """Withdraw all versions of a bot: it plays no more, until a new version comes. Raises
    UsageError."""
    reason = reason_of(reason)
    with doing(league, by, "withdrew a bot") as deed:
        count = _withdraw(league, deed, name, reason)
        if not count:
            names = [one.name for one in league.players()]
            raise UsageError(f"no bot plays as {name!r}: {did_you_mean(name, names)}")
        deed.detail = f"{name}, {counted(count, 'version')}. {reason}"


def rematch(league: League, by: int | None, match: int, reason: str) -> None:
    """Annul the result of a match, which is then played again on the same seed. The result and its
    record are kept. Raises UsageError."""
    reason = reason_of(reason)
    with doing(league, by, "annulled a match, to play it again") as deed:
        league.add_annulment(deed.change, match, reason)
        deed.detail = f"match {match}. {reason}"


# -- announcements ---------------------------------------------------------------------------------


class Announcement(Struct, frozen=True):
    """What organisers tell everybody."""

    number: int
    at: str
    text: str


def announcements(league: League, most: int = 5, before: int | None = None) -> list[Announcement]:
    """Those that hold, the newest first; with `before` only what came before that one."""
    found = league.store.all(
        "SELECT number, at, text FROM announcement WHERE number < ? AND number NOT IN "
        "(SELECT announcement FROM announcement_end) ORDER BY number DESC LIMIT ?",
        (before or 1 << 62, most),
    )
    return [Announcement(*row) for row in found]


def announce(league: League, by: int | None, text: str) -> int:
    """Tell everybody something, on the first page. Returns its number. Raises UsageError."""
    text = reason_of(text, "a text")
    with doing(league, by, "announced") as deed:
        number = deed.add("announcement", account=by, text=text)
        deed.detail = f"{number}: {text}"
    return number


def end_announcement(league: League, by: int | None, number: int) -> None:
    """Take an announcement back; the file keeps it. Raises UsageError."""
    with doing(league, by, "took an announcement back") as deed:
        if number not in [one.number for one in announcements(league, most=-1)]:
            raise UsageError(f"there is no announcement {number} to take back")
        deed.add("announcement_end", announcement=number)
        deed.detail = f"{number}"


# -- names -----------------------------------------------------------------------------------------


def hide_names(league: League, by: int | None, *, hide: bool) -> None:
    """Show authors and teams to others under pseudonyms, or under their names again. A pseudonym
    stays the same as long as the league lives. Raises UsageError."""
    with doing(league, by, "hid names" if hide else "showed names") as deed:
        now = league.store.one("SELECT hides, salt FROM anonymity ORDER BY number DESC LIMIT 1")
        if hide == bool(now and now[0]):
            raise UsageError(f"names are {'hidden' if hide else 'shown'} already")
        salt = now[1] if now else accounts.new_secret()
        deed.add("anonymity", hides=int(hide), salt=salt)
        deed.detail = "authors have pseudonyms" if hide else "authors have their names"


def are_hidden(league: League) -> bool:
    """Whether authors have pseudonyms for others."""
    found = league.store.one("SELECT hides FROM anonymity ORDER BY number DESC LIMIT 1")
    return found is not None and bool(found[0])


def shown_team(league: League, team: int, viewer: accounts.Participant | None = None) -> str:
    """What a team is called on pages for `viewer`: by its name, or by a pseudonym for others while
    names are hidden."""
    found = league.store.one("SELECT hides, salt FROM anonymity ORDER BY number DESC LIMIT 1")
    is_own = viewer is not None and (viewer.team == team or viewer.may("organise"))
    if found is None or not found[0] or is_own:
        return _team(league, team)
    return f"Team {accounts.secret_hash(f'{found[1]} {team}')[:8]}"


def show_lines(league: League, by: int | None, *, show: bool) -> None:
    """Show everybody what all bots write to stderr and draw, or their own teams alone again. Raises
    UsageError."""
    with doing(league, by, "showed what bots write" if show else "hid what bots write") as deed:
        if show == are_lines_shown(league):
            raise UsageError(f"what bots write is {'shown' if show else 'hidden'} already")
        (now,) = league.store.one("SELECT CURRENT_TIMESTAMP") or ("",)
        deed.add("moment", kind="show" if show else "hide", due=now, account=by, reason="")
        deed.detail = (
            "everybody reads stderr" if show else "a team reads the stderr of its own bots"
        )


def are_lines_shown(league: League) -> bool:
    """Whether everybody sees what all bots write to stderr and draw. Of the moments that have come
    the newest holds."""
    found = league.store.one(
        "SELECT kind FROM moment WHERE kind IN ('show', 'hide') AND due <= CURRENT_TIMESTAMP "
        "ORDER BY due DESC, number DESC LIMIT 1"
    )
    return found is not None and found[0] == "show"


# -- the audit log ---------------------------------------------------------------------------------


class DeedAccount(Struct, frozen=True):
    """A deed, as the audit log has it."""

    number: int
    at: str
    account: str | None
    """None: the command line."""
    deed: str
    detail: str


def audit_log(league: League, before: int | None = None, most: int = LOG) -> list[DeedAccount]:
    """What organisers did, the newest first; with `before` only what was before that deed."""
    found = league.store.all(
        "SELECT deed.number, deed.at, account.name, deed, detail FROM deed "
        "LEFT JOIN account ON account.number = deed.account WHERE deed.number < ? "
        "ORDER BY deed.number DESC LIMIT ?",
        (before or 1 << 62, most),
    )
    return [DeedAccount(*row) for row in found]
