"""The part of the JSON API that is for organisers, and for those who deal with their team.

What organisers do is what their pages do: the functions of `deeds` and `moments`, which check the
role again within the change and write the audit log. It needs a token with the scope `organise` of
an account that organises. Who is in a team is dealt with by the scope `team`: an upload token,
which lies beside a build, must not let anybody else read what the team's bots write.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Annotated, Any, Literal

from msgspec import Meta, Struct
from starlette.exceptions import HTTPException
from starlette.responses import Response

from arena.errors import ReplayError
from arena.league import export
from arena.league.final import finals
from arena.league.league import League
from arena.site import accounts, boards, deeds, moments, overview, settings, teams
from arena.site.accounts import ORGANISE, TEAM, Fresh
from arena.site.api import PRIVATE, Call, endpoint, routes
from arena.site.deeds import Announcement, DeedAccount, InvitationAccount, Person
from arena.site.evidence import MatchEvidence, evidence
from arena.site.moments import Declared, PlannedMoment
from arena.site.overview import Overview
from arena.site.settings import Setting
from arena.site.teams import TeamAccount

organising: dict[str, Any] = {"scopes": (ORGANISE,), "may": "organise"}
"""What all endpoints of organisers need."""
GivenRole = Literal["author", "tester", "organiser", "owner"]
Few = Annotated[int, Meta(ge=1, le=2**31)]
Words = Annotated[str, Meta(max_length=1000)]
Moment = Annotated[str, Meta(max_length=30)]
"""As 2027-03-31 18:00, in UTC."""


# -- what everybody reads --------------------------------------------------------------------------


@endpoint("GET", "announcements")
async def announcements(call: Call) -> list[Announcement]:
    """The announcements that hold, the newest first."""
    return await call.ask(deeds.announcements)


class PublishedFinal(Struct, frozen=True):
    """A final, as everybody may know it."""

    number: int
    hash: str
    """SHA-256 of its seed, which the declarer keeps."""
    secret_hash: str
    """SHA-256 of its secret, which the site keeps."""
    source: str | None
    """Which public value is added at the start."""
    due: str
    rounds: int
    declarer: str
    started: str | None
    ended: str | None
    """Why it was called off."""
    seed: str = ""
    """This and what follows is empty until it has started."""
    secret: str = ""
    beacon: str = ""
    draw: str = ""
    """The seed from which its matches follow."""


@endpoint("GET", "finals")
async def all_finals(call: Call) -> list[PublishedFinal]:
    """The finals with their hashes, and the seeds of those that have started."""
    found = await call.ask(finals)
    return [
        PublishedFinal(
            *(one.number, one.hash, one.secret_hash, one.source, one.due, one.rounds),
            *(one.declarer, one.started, one.ended),
            *((one.seed, one.secret or "", one.beacon or "", one.draw) if one.started else ()),
        )
        for one in found
    ]


# -- the state, and moments ------------------------------------------------------------------------


class ContestState(Struct, frozen=True):
    """What organisers watch over."""

    state: Overview
    since: dict[str, str | None]
    """Since when uploads are closed, the table is frozen and matches are paused (UTC)."""
    planned: list[PlannedMoment]
    processes: dict[str, str]
    """What the processes of the site do for this contest."""
    names_hidden: bool
    lines_shown: bool
    """Whether everybody reads what all bots write to stderr."""
    may_play: str
    """Which people play in the browser."""
    settings: list[Setting]


@endpoint("GET", "organise", **organising)
async def state(call: Call) -> ContestState:
    """Moments, queues, the disk, the processes."""
    return await call.ask(partial(_state, doing=dict(call.contest.doing)))


def _state(league: League, *, doing: dict[str, str]) -> ContestState:
    return ContestState(
        overview.overview(league),
        {kind: moments.since(league, kind) for kind in moments.PAIRS},
        moments.planned(league),
        doing,
        deeds.are_hidden(league),
        deeds.are_lines_shown(league),
        boards.who_may(league),
        settings.settings(league),
    )


class MomentWish(Struct, frozen=True, forbid_unknown_fields=True):
    """What begins or ends."""

    kind: Literal["close", "open", "freeze", "thaw", "pause", "resume"]
    reason: Words
    due: Moment | None = None
    """When (UTC); null: now. What ends something ends it now."""


@endpoint("POST", "organise/moments", **organising)
async def set_moment(call: Call, wish: MomentWish) -> ContestState:
    """Close or open uploads, freeze or thaw the public table, pause or resume matches."""
    await call.ask(moments.set_moment, call.me.number, wish.kind, wish.due, wish.reason)
    return await state(call)


class ShowWish(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether it is shown to others."""

    show: bool


@endpoint("POST", "organise/names", **organising)
async def show_names(call: Call, wish: ShowWish) -> ContestState:
    """Show others the names of teams, or pseudonyms."""
    await call.ask(partial(deeds.hide_names, by=call.me.number, hide=not wish.show))
    return await state(call)


@endpoint("POST", "organise/lines", **organising)
async def show_lines(call: Call, wish: ShowWish) -> ContestState:
    """Show everybody what all bots write to stderr and draw, or their own teams alone."""
    await call.ask(partial(deeds.show_lines, by=call.me.number, show=wish.show))
    return await state(call)


class PlayersWish(Struct, frozen=True, forbid_unknown_fields=True):
    """Which people play in the browser."""

    who: Literal["play-off", "play-members", "play-all"]


@endpoint("POST", "organise/play", **organising)
async def let_play(call: Call, wish: PlayersWish) -> ContestState:
    """Let nobody, those who are signed in, or everybody play."""
    await call.ask(boards.let_play, call.me, wish.who)
    return await state(call)


class SettingWish(Struct, frozen=True, forbid_unknown_fields=True):
    """A setting and its value."""

    name: Words
    value: Words
    """A number; of the live delay also `end`."""


@endpoint("POST", "organise/settings", **organising)
async def change_setting(call: Call, wish: SettingWish) -> ContestState:
    """Give a setting another value."""
    await call.ask(settings.change, call.me.number, wish.name, wish.value)
    return await state(call)


class Announcing(Struct, frozen=True, forbid_unknown_fields=True):
    """What everybody is told."""

    text: Words


@endpoint("POST", "announcements", status=201, **organising)
async def announce(call: Call, wish: Announcing) -> list[Announcement]:
    """Tell everybody something, on the first page."""
    await call.ask(deeds.announce, call.me.number, wish.text)
    return await announcements(call)


@endpoint("POST", "announcements/{number:int}/end", **organising)
async def end_announcement(call: Call) -> list[Announcement]:
    """Take an announcement back."""
    await call.ask(deeds.end_announcement, call.me.number, call.number("number"))
    return await announcements(call)


# -- people ----------------------------------------------------------------------------------------


class OpenedInvitation(Struct, frozen=True):
    """An invitation that was made now."""

    number: int
    link: str
    """For those who are invited. It is shown once."""


class InvitationWish(Struct, frozen=True, forbid_unknown_fields=True):
    """Whom to invite."""

    role: GivenRole
    uses: Few = 1
    """For how many people."""
    days: Few = 14
    team: Few | None = None
    """The number of the team that they join; null: each has a team of their own."""


@endpoint("GET", "organise/people", **organising)
async def people(call: Call) -> list[Person]:
    """All accounts, with roles, teams and bots."""
    return await call.ask(deeds.people)


@endpoint("GET", "organise/invitations", **organising)
async def invitations(call: Call) -> list[InvitationAccount]:
    """The open invitations, without their secrets."""
    return await call.ask(deeds.invitations)


@endpoint("POST", "organise/invitations", status=201, **organising)
async def invite(call: Call, wish: InvitationWish) -> OpenedInvitation:
    """Make an invitation."""
    work = partial(deeds.invite, uses=wish.uses, team=wish.team, days=wish.days)
    made = await call.ask(work, call.me.number, wish.role)
    return opened(call, made)


def opened(call: Call, made: Fresh) -> OpenedInvitation:
    """An invitation with its link."""
    return OpenedInvitation(made.number, call.address.join_link(call.contest.slug, made.secret))


@endpoint("POST", "organise/invitations/{number:int}/end", **organising)
async def end_invitation(call: Call) -> list[InvitationAccount]:
    """End an invitation. Accounts that it made stay."""
    await call.ask(deeds.end_invitation, call.me.number, call.number("number"))
    return await invitations(call)


class RegistrationWish(Struct, frozen=True, forbid_unknown_fields=True):
    """Whether everybody makes accounts as author."""

    open: bool
    most: Few = 100
    """Accounts in all."""
    hourly: Few = deeds.HOURLY
    days: Few = 14


@endpoint("POST", "organise/registration", **organising)
async def registration(call: Call, wish: RegistrationWish) -> list[InvitationAccount]:
    """Open or close registration for everybody."""
    if wish.open:
        work = partial(deeds.open_registration, most=wish.most, hourly=wish.hourly, days=wish.days)
        await call.ask(work, call.me.number)
    else:
        await call.ask(deeds.close_registration, call.me.number)
    return await invitations(call)


class RoleWish(Struct, frozen=True, forbid_unknown_fields=True):
    """Which role an account gets."""

    role: GivenRole
    reason: Words


@endpoint("POST", "organise/people/{account:int}/role", **organising)
async def give_role(call: Call, wish: RoleWish) -> Person:
    """Give an account a role. This also ends a ban."""
    account = (await _person(call)).number
    await call.ask(deeds.give_role, call.me.number, account, wish.role, wish.reason)
    return await _person(call)


class Reason(Struct, frozen=True, forbid_unknown_fields=True):
    """Why it is done: the audit log keeps it."""

    reason: Words


class NewKey(Struct, frozen=True):
    """A key in place of one that was lost."""

    key: str
    """It is shown once."""


@endpoint("POST", "organise/people/{account:int}/key", status=201, **organising)
async def new_key(call: Call, wish: Reason) -> NewKey:
    """Make a key for who has lost the own one. Earlier keys and all sessions end."""
    account = (await _person(call)).number
    return NewKey((await call.ask(deeds.new_key, call.me.number, account, wish.reason)).secret)


class BanWish(Struct, frozen=True, forbid_unknown_fields=True):
    """Why an account is banned."""

    reason: Words
    withdraw: bool = False
    """Withdraw the bots of its team, too."""


@endpoint("POST", "organise/people/{account:int}/ban", **organising)
async def ban(call: Call, wish: BanWish) -> Person:
    """Ban an account: its sessions and tokens do nothing any more."""
    account = (await _person(call)).number
    work = partial(deeds.ban, withdraw=wish.withdraw)
    await call.ask(work, call.me.number, account, wish.reason)
    return await _person(call)


async def _person(call: Call) -> Person:
    """The account of the path."""
    number = call.number("account")
    found = next((one for one in await call.ask(deeds.people) if one.number == number), None)
    if found is None:
        raise HTTPException(404, "There is no such account.")
    return found


# -- bots, matches, appeals ------------------------------------------------------------------------


class Withdrawal(Struct, frozen=True):
    """A bot that plays no more."""

    name: str


@endpoint("POST", "organise/bots/{name:path}/withdraw", **organising)
async def withdraw_bot(call: Call, wish: Reason) -> Withdrawal:
    """Withdraw all versions of a bot: it plays no more, until a new version comes."""
    await call.ask(deeds.withdraw_bot, call.me.number, call.name(), wish.reason)
    return Withdrawal(call.name())


class Rematch(Struct, frozen=True):
    """A match that is played again."""

    match: int


@endpoint("POST", "organise/matches/{match:int}/rematch", **organising)
async def rematch(call: Call, wish: Reason) -> Rematch:
    """Annul a result, and have the match played again on the same seed."""
    await call.ask(deeds.rematch, call.me.number, call.number("match"), wish.reason)
    return Rematch(call.number("match"))


@endpoint("GET", "organise/matches/{match:int}/evidence", **organising)
async def match_evidence(call: Call) -> MatchEvidence:
    """Whose fault the time was in a match, for an appeal."""
    (found,) = await call.ask(
        lambda league: league.store.one(
            "SELECT count(*) FROM valid WHERE fixture = ?", (call.number("match"),)
        )
    )
    try:
        if found:
            return await call.ask(evidence, call.number("match"))
    except ReplayError:
        raise HTTPException(404, "The record of this match cannot be read.") from None
    raise HTTPException(404, "There is no such match with a result that counts.")


# -- finals ----------------------------------------------------------------------------------------


class FinalWish(Struct, frozen=True, forbid_unknown_fields=True):
    """A final to declare."""

    reason: Words
    rounds: Few = 10
    due: Moment | None = None
    """The versions that are uploaded before take part (UTC); null: now."""
    source: Annotated[str, Meta(max_length=200)] = ""
    """Which public value, that nobody can choose, will be given at the start; empty: none."""


@endpoint("POST", "finals", status=201, **organising)
async def declare_final(call: Call, wish: FinalWish) -> Declared:
    """Declare a final, and publish the hash of its seed. The seed is in this answer alone."""
    values = wish.due, wish.rounds, wish.reason, wish.source
    return await call.ask(moments.declare_final, call.me.number, *values)


class SeedWish(Struct, frozen=True, forbid_unknown_fields=True):
    """The seed of a final, and the public value if it was declared with one."""

    seed: Annotated[str, Meta(max_length=200)]
    beacon: Annotated[str, Meta(max_length=200)] = ""


@endpoint("POST", "finals/{final:int}/start", **organising)
async def start_final(call: Call, wish: SeedWish) -> list[PublishedFinal]:
    """Start a final by telling its seed. Its matches are played before all others."""
    number = call.number("final")
    if number not in [one.number for one in await call.ask(finals)]:
        raise HTTPException(404, "There is no such final.")
    await call.ask(moments.start_final, call.me.number, number, wish.seed, wish.beacon)
    return await all_finals(call)


# -- the audit log, and CSV ------------------------------------------------------------------------


class LogQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which deeds."""

    before: Annotated[int, Meta(ge=0, le=2**53)] = 0
    """Only those before the deed of that number; 0: the newest."""


@endpoint("GET", "organise/log", **organising)
async def log(call: Call, query: LogQuery) -> list[DeedAccount]:
    """What organisers did, the newest first."""
    return await call.ask(deeds.audit_log, query.before or None)


@endpoint("GET", "organise/grades.csv", media="text/csv", **organising)
async def grades(call: Call) -> Response:
    """A line for each bot of each team."""
    return await _csv(call, overview.grades_csv)


@endpoint("GET", "organise/results.csv", media="text/csv", **organising)
async def results(call: Call) -> Response:
    """A line for each seat of each match."""
    return await _csv(call, export.csv_text)


async def _csv(call: Call, lines: Callable[[League], Iterable[str]]) -> Response:
    text = await call.ask(lambda league: "".join(lines(league)))
    return Response(text, media_type="text/csv; charset=utf-8", headers=PRIVATE)


# -- the own team ----------------------------------------------------------------------------------


@endpoint("GET", "team", scopes=(TEAM,))
async def team(call: Call) -> TeamAccount:
    """Your team: members, open invitations, bots."""
    now = await call.ask(accounts.required, call.me.number)  # the call may have changed its team
    found = await call.ask(teams.team, now.team)
    assert found is not None
    return found


class TeamName(Struct, frozen=True, forbid_unknown_fields=True):
    """What a team is called."""

    name: Words


@endpoint("POST", "team/name", scopes=(TEAM,))
async def rename_team(call: Call, wish: TeamName) -> TeamAccount:
    """Give your team another name."""
    await call.ask(teams.rename, call.me, wish.name)
    return await team(call)


@endpoint("POST", "team/invitations", status=201, scopes=(TEAM,))
async def invite_to_team(call: Call) -> OpenedInvitation:
    """Make an invitation to your team, for one account."""
    made = await call.ask(teams.invite, call.me)
    return opened(call, made)


@endpoint("POST", "team/invitations/{number:int}/end", scopes=(TEAM,))
async def end_team_invitation(call: Call) -> TeamAccount:
    """End an open invitation to your team."""
    await call.ask(teams.end_invitation, call.me, call.number("number"))
    return await team(call)


class Acceptance(Struct, frozen=True, forbid_unknown_fields=True):
    """An invitation to another team."""

    invitation: Words
    """Its link, or the part of it behind the #."""


@endpoint("POST", "team/join", scopes=(TEAM,))
async def join_team(call: Call, wish: Acceptance) -> TeamAccount:
    """Go over to the team of an invitation."""
    await call.ask(teams.join, call.me, accounts.secret_of(wish.invitation))
    return await team(call)


@endpoint("POST", "team/leave", scopes=(TEAM,))
async def leave_team(call: Call) -> TeamAccount:
    """Leave a team of several for a new one of your own."""
    await call.ask(teams.leave, call.me)
    return await team(call)


ROUTES = routes()
"""Those of the whole API, whose other part was declared before this one."""
