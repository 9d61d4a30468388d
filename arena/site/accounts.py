"""Who takes part in a contest: accounts, roles, teams, invitations, sessions and tokens.

There are no passwords. An organiser gives out an *invitation*; accepting it makes an account and a
*key* for signing in, which its owner keeps like a password. Signing in with the key begins a
*session*, which a browser holds as a cookie; a *token* with a scope does the same for programs.

All four are secrets of 256 random bits. The file keeps their SHA-256 alone: nobody can guess one or
find it from its hash, so a slow password hash would protect nothing. Each is looked up by its hash,
which says nothing about how much of a guess was right.

Every account belongs to a team, and bots belong to teams. Accepting an invitation that names no
team makes one of the account's own, so a single author is a team of one.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from msgspec import Struct

from arena.errors import UsageError
from arena.league.league import League
from arena.league.store import Change
from arena.site.lookalikes import lookalike, require_distinct
from arena.text import printable

NAME = 64
"""Maximum characters of the name of an account or a team."""
LABEL = 80
"""Maximum characters of the label of a token."""
TOKENS = 20
"""Maximum open tokens of one account."""
HOURLY = 60
"""Sessions that an account may begin in an hour, and keys and tokens that it may make: no row is
ever removed from the file."""
SESSION = timedelta(days=30)
INVITATION = 14
"""Days for which an invitation holds, unless its giver says otherwise."""
FOREVER = "9999-12-31 23:59:59"
"""The end of what has none."""
VISITOR, BANNED = "visitor", "banned"
AUTHOR, TESTER, ORGANISER, OWNER = "author", "tester", "organiser", "owner"
MAY = {
    VISITOR: frozenset[str](),
    BANNED: frozenset[str](),
    AUTHOR: frozenset({"take part"}),
    TESTER: frozenset({"take part"}),
    ORGANISER: frozenset({"take part", "organise"}),
    OWNER: frozenset({"take part", "organise", "own"}),
}
"""What each role may do. A page asks for one of these deeds, never for a role."""
SIGN_IN, READ, UPLOAD, TEAM, ORGANISE = "sign-in", "read", "upload", "team", "organise"
SCOPES = (SIGN_IN, READ, UPLOAD, TEAM, ORGANISE)
"""What a token may be used for. `sign-in` is that of the keys of people."""


class Participant(Struct, frozen=True):
    """An account, as the site sees it in one request."""

    number: int
    name: str
    role: str
    team: int
    team_name: str

    def may(self, deed: str) -> bool:
        """Whether its role allows a deed of `MAY`."""
        return deed in MAY[self.role]

    def may_see(self, team: int) -> bool:
        """Whether it may see what belongs to a team alone: its own, or all as an organiser."""
        return team == self.team or self.may("organise")


class Fresh(NamedTuple):
    """A secret that was made now. It is shown once and cannot be read again."""

    secret: str
    number: int


def new_secret() -> str:
    """A secret of 256 random bits, in letters that a link may have."""
    return secrets.token_urlsafe(32)


def secret_of(link: str) -> str:
    """The secret of an invitation, from its link or given alone."""
    return link.rpartition("#")[2].strip()


def secret_hash(secret: str) -> str:
    """What the file keeps of a secret."""
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()


def form_token(session: str) -> str:
    """The token of a session's forms: it follows from the session's secret, which no other site
    can read, and does not give it away."""
    return hmac.new(session.encode(), b"form", "sha256").hexdigest()[:32]


def is_form_token(session: str, given: str) -> bool:
    """Whether a form came from a page of this session."""
    return hmac.compare_digest(form_token(session).encode(), given.encode("utf-8", "replace"))


def name_of(given: str, what: str = "name") -> str:
    """A name as it is kept. Raises UsageError for an empty or long one."""
    name = " ".join(printable(given).split())
    if not name or len(name) > NAME:
        raise UsageError(f"choose a {what} of 1 to {NAME} characters")
    return name


# -- invitations -----------------------------------------------------------------------------------


def add_invitation(
    change: Change, role: str, *, giver: int | None, uses: int, team: int | None, days: int
) -> Fresh:
    """Add an invitation for `uses` accounts with a role, as members of a team or each with its own.
    Its secret is in the link that the giver passes on."""
    secret = new_secret()
    number = change.add(
        "invitation",
        hash=secret_hash(secret),
        role=role,
        team=team,
        uses=uses,
        until=moment_in(timedelta(days=days)),
        giver=giver,
    )
    return Fresh(secret, number)


def end_open(league: League, change: Change, table: str, where: str, *values: object) -> int:
    """End the open rows of a table (invitation, session, token) that SQL names. Returns how many
    there were."""
    rows = league.store.all(f"SELECT number FROM open_{table} WHERE {where}", values)
    for (number,) in rows:
        change.add(f"{table}_end", **{table: number})
    return len(rows)


FIRST_OWNER = (
    "role = 'owner' AND giver IS NULL AND uses = 1 AND at <= "
    "(SELECT min(at) FROM role WHERE role = 'owner')"
)
"""The links for the first owner, once there is one."""


def require_open_team(league: League, team: int | None, giver: int | None) -> None:
    """Raise UsageError where the team of a banned account would take somebody in, unless the giver
    of the invitation is an organiser or the command line."""
    banned = league.store.one(
        "SELECT 1 FROM member_now JOIN role_now ON role_now.account = member_now.account "
        "WHERE team = ? AND role = 'banned'",
        (team,),
    )
    if banned is not None and giver is not None and not required(league, giver).may("organise"):
        raise UsageError("a member of this team is banned: ask an organiser for an invitation")


def accept(league: League, secret: str, name: str) -> tuple[Participant, str]:
    """Make the account of who was invited. Returns it with its key for signing in.

    Raises UsageError for an invitation that does not hold (any more) and for a name that is taken.
    """
    name = name_of(name)
    key = new_secret()
    with league.store.changing() as change:
        found = league.store.one(
            "SELECT number, role, team, giver FROM open_invitation WHERE hash = ?",
            (secret_hash(secret),),
        )
        if found is None:
            raise UsageError(
                "this invitation was used, has ended, or was mistyped: ask for another"
            )
        invitation, role, team, giver = found
        require_open_team(league, team, giver)
        _require_pace(league, invitation)
        names = [row[0] for row in league.store.all("SELECT name FROM account")]
        require_distinct(name, names, "somebody else here is called")
        account = change.add("account", name=name)
        change.add("role", account=account, role=role, giver=None, reason="by invitation")
        change.add("acceptance", account=account, invitation=invitation)
        end_open(league, change, "invitation", FIRST_OWNER)
        team = team or change.add("team", name=team_name(league, name))
        change.add("member", team=team, account=account, joined=1)
        _add_token(change, account, SIGN_IN, "key", key, FOREVER)
    return required(league, account), key


def _require_pace(league: League, invitation: int) -> None:
    """Raise UsageError while open registration has made as many accounts as it may in an hour."""
    found = league.store.one(
        "SELECT hourly, (SELECT count(*) FROM acceptance WHERE invitation = ?1 "
        "AND at > datetime('now', '-1 hour')) FROM registration WHERE invitation = ?1",
        (invitation,),
    )
    if found is not None and found[1] >= found[0]:
        raise UsageError(f"{found[0]} people have registered in an hour: try again later")


def team_name(league: League, name: str) -> str:
    """The name of an account's own team; another team may be, or have been, called like it."""
    query = "SELECT name FROM team UNION SELECT name FROM team_name"
    taken = [row[0] for row in league.store.all(query)]
    names = (name, *(f"{name} {number}" for number in range(2, 10_000)))
    return next(free for free in names if lookalike(free, taken) is None)


# -- accounts --------------------------------------------------------------------------------------

_PARTICIPANT = (
    "SELECT account.number, account.name, role_now.role, team_now.number, team_now.name "
    "FROM account JOIN role_now ON role_now.account = account.number "
    "JOIN member_now ON member_now.account = account.number "
    "JOIN team_now ON team_now.number = member_now.team "
)


def participant(league: League, account: int) -> Participant | None:
    """The account of that number."""
    found = league.store.one(f"{_PARTICIPANT} WHERE account.number = ?", (account,))
    return None if found is None else Participant(*found)


def required(league: League, account: int) -> Participant:
    """The account of that number. Raises UsageError."""
    found = participant(league, account)
    if found is None:
        raise UsageError(f"there is no account {account}")
    return found


# -- sessions and tokens ---------------------------------------------------------------------------


def sign_in(league: League, key: str, ending: str | None = None) -> str | None:
    """Begin a session with a key, and end the session `ending` of the same browser. Returns the
    secret of the new session; None for a key that does not hold. Raises UsageError for the key of a
    banned account: who has it may know."""
    account = _account_of(league, "open_token", key, "AND scope = 'sign-in'")
    if account is None:
        return None
    if required(league, account).role == BANNED:
        raise UsageError("this account is banned: ask an organiser why")
    return begin_session(league, account, ending)


def begin_session(league: League, account: int, ending: str | None = None) -> str:
    """Begin a session for an account. A session is never taken over from before signing in, so who
    planted a cookie in a browser learns nothing."""
    secret = new_secret()
    with league.store.changing() as change:
        _require_few(league, "session", account)
        _end_session(league, change, ending)
        change.add("session", account=account, hash=secret_hash(secret), until=moment_in(SESSION))
    return secret


def _require_few(league: League, table: str, account: int) -> None:
    query = f"SELECT count(*) FROM {table} WHERE account = ? AND at > datetime('now', '-1 hour')"
    (count,) = league.store.one(query, (account,)) or (0,)
    if count >= HOURLY:
        raise UsageError(f"this account has done that {count} times in an hour: go on later")


def end_session(league: League, secret: str) -> None:
    """Sign out."""
    with league.store.changing() as change:
        _end_session(league, change, secret)


def _end_session(league: League, change: Change, secret: str | None) -> None:
    if secret is None:
        return
    end_open(league, change, "session", "hash = ?", secret_hash(secret))


class SessionAccount(Struct, frozen=True):
    """An open session without its secret."""

    at: str
    until: str
    is_this: bool
    """Whether it is the one that asks."""


def sessions(league: League, account: int, secret: str | None) -> list[SessionAccount]:
    """The open sessions of an account, the newest first."""
    query = "SELECT at, until, hash = ? FROM open_session WHERE account = ? ORDER BY number DESC"
    found = league.store.all(query, (secret_hash(secret or ""), account))
    return [SessionAccount(at, until, bool(is_this)) for at, until, is_this in found]


def end_other_sessions(league: League, account: int, secret: str) -> int:
    """End all sessions of an account but the one with this secret, and the keys and tokens that
    were made in others, those that have ended included: a thief may have signed out. Returns how
    many sessions there were."""
    with league.store.changing() as change:
        others = "account = ? AND hash != ?"
        count = end_open(league, change, "session", others, account, secret_hash(secret))
        for token in tokens(league, account, secret):
            if token.is_elsewhere:
                change.add("token_end", token=token.number)
    return count


def who(league: League, session: str) -> Participant | None:
    """Whose session that is. A banned account has none."""
    return _holder(league, _account_of(league, "open_session", session))


def bearer(league: League, token: str, scope: str) -> Participant | None:
    """Whose token that is, if it has the scope. A sign-in key is no token of a program."""
    if scope not in SCOPES[1:]:
        raise UsageError(f"there is no scope {scope!r}")
    return _holder(league, _account_of(league, "open_token", token, f"AND scope = '{scope}'"))


def _holder(league: League, account: int | None) -> Participant | None:
    found = None if account is None else participant(league, account)
    return None if found is None or found.role == BANNED else found


def _account_of(league: League, view: str, secret: str, more: str = "") -> int | None:
    wanted = secret_hash(secret)
    found = league.store.one(f"SELECT account, hash FROM {view} WHERE hash = ? {more}", (wanted,))
    if found is None or not hmac.compare_digest(found[1], wanted):
        return None
    return int(found[0])


def add_token(
    league: League,
    account: int,
    scope: str,
    label: str,
    days: int | None = None,
    session: str | None = None,
) -> Fresh:
    """Make a token (or a further key) for an account, which holds for so many days, or until it is
    ended. `session` is the secret of the session in which it is made. Raises UsageError."""
    if days is not None and not 1 <= days <= 3650:
        raise UsageError("a token holds for 1 to 3650 days, or until it is ended")
    until = FOREVER if days is None else moment_in(timedelta(days=days))
    if scope not in SCOPES:
        raise UsageError(f"there is no scope {scope!r}: choose {', '.join(SCOPES)}")
    label = printable(label).strip()[:LABEL] or "token"
    secret = new_secret()
    with league.store.changing() as change:
        query = "SELECT count(*) FROM open_token WHERE account = ?"
        (count,) = league.store.one(query, (account,)) or (0,)
        if count >= TOKENS:
            raise UsageError(f"an account has at most {TOKENS} keys and tokens: end one first")
        _require_few(league, "token", account)
        number = _add_token(change, account, scope, label, secret, until)
        query = "SELECT number FROM open_session WHERE hash = ?"
        made_in = league.store.one(query, (secret_hash(session or ""),))
        if made_in is not None:
            change.add("token_session", token=number, session=made_in[0])
    return Fresh(secret, number)


def replace_keys(league: League, change: Change, account: int, label: str) -> Fresh:
    """Make a key for an account in place of all that it has, and end its sessions."""
    end_open(league, change, "session", "account = ?", account)
    end_open(league, change, "token", "account = ? AND scope = ?", account, SIGN_IN)
    secret = new_secret()
    return Fresh(secret, _add_token(change, account, SIGN_IN, label, secret, FOREVER))


def end_token(league: League, account: int, token: int) -> None:
    """End a token or a key of an account. Raises UsageError for one that is not its own."""
    with league.store.changing() as change:
        if not end_open(league, change, "token", "account = ? AND number = ?", account, token):
            raise UsageError("there is no such key or token")


class TokenAccount(Struct, frozen=True):
    """A token without its secret."""

    number: int
    scope: str
    label: str
    at: str
    """When it was made; of one that has ended, when it did."""
    until: str | None
    """None when it holds until it is ended."""
    is_elsewhere: bool
    """Whether it was made in another session than the one that asks."""
    is_new: bool
    """Whether it was made, or has ended, within the last week."""


def tokens(
    league: League, account: int, session: str | None = None, *, ended: bool = False
) -> list[TokenAccount]:
    """The open keys and tokens of an account, the oldest first; with `ended` those that have ended
    within the last week."""
    ending = "SELECT token.*, token_end.at AS moment FROM token JOIN token_end ON token = number"
    rows = f"({ending})" if ended else "(SELECT *, at AS moment FROM open_token)"
    query = (
        "SELECT number, scope, label, moment, nullif(until, ?1), "
        "(SELECT hash FROM token_session JOIN session ON session.number = session "
        "WHERE token = entry.number) != ?3, moment > datetime('now', '-7 days') AS is_new "
        f"FROM {rows} AS entry WHERE account = ?2 {'AND is_new' if ended else ''} ORDER BY number"
    )
    found = league.store.all(query, (FOREVER, account, secret_hash(session or "")))
    return [
        TokenAccount(number, scope, label, moment, until, bool(is_elsewhere), bool(is_new))
        for number, scope, label, moment, until, is_elsewhere, is_new in found
    ]


def _add_token(
    change: Change, account: int, scope: str, label: str, secret: str, until: str
) -> int:
    return change.add(
        "token",
        account=account,
        hash=secret_hash(secret),
        scope=scope,
        label=label,
        until=until,
    )


def moment_in(time: timedelta) -> str:
    """The moment after that time, as SQLite writes moments."""
    return (datetime.now(UTC) + time).strftime("%Y-%m-%d %H:%M:%S")
