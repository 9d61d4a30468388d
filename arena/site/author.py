"""Pages of authors: their team, the versions of their bots, scrimmages, and who may act for them.

What teams, versions and scrimmages are is in the modules of those names.
"""

from __future__ import annotations

import re

from starlette.datastructures import QueryParams
from starlette.responses import Response

from arena.errors import UsageError
from arena.site import accounts, replays, scrimmages, teams, versions
from arena.site.account import LIVING
from arena.site.pages import Visit, not_found, page, text_of
from arena.site.records import RecordSight
from arena.site.scrimmages import Scrimmage
from arena.site.versions import OwnBot

# -- who may act for an account --------------------------------------------------------------------


@page("account/access", may="take part")
async def access(visit: Visit) -> Response:
    """Keys, tokens and sessions of the account."""
    return visit.page(
        "access.html",
        tokens=await visit.ask(accounts.tokens, visit.me.number),
        sessions=await visit.ask(accounts.sessions, visit.me.number, visit.session),
    )


async def _end_others(visit: Visit) -> Response:
    await visit.form()
    assert visit.session is not None
    await visit.ask(accounts.end_other_sessions, visit.me.number, visit.session)
    return visit.go("account/access")


@page("account/sessions/end-others", may="take part", post=_end_others)
async def sessions_end(visit: Visit) -> Response:
    """The button is on the page of access."""
    return visit.go("account/access")


# -- the team --------------------------------------------------------------------------------------


@page("team", may="take part")
async def team(visit: Visit) -> Response:
    """The own team: members, bots, invitations."""
    return visit.page("team.html", team=await visit.ask(teams.team, visit.me.team))


async def _rename(visit: Visit) -> Response:
    form = await visit.form()
    await visit.ask(teams.rename, visit.me, text_of(form, "name"))
    return visit.go("team")


async def _invite(visit: Visit) -> Response:
    await visit.form()
    made = await visit.ask(teams.invite, visit.me)
    link = f"{visit.address.url}{visit.root}/join#{made.secret}"
    return visit.page("invitation.html", link=link, team=visit.me.team_name)


async def _end_invitation(visit: Visit) -> Response:
    await visit.form()
    await visit.ask(teams.end_invitation, visit.me, visit.number("invitation"))
    return visit.go("team")


async def _join(visit: Visit) -> Response:
    form = await visit.form()
    secret = text_of(form, "invitation").rpartition("#")[2]
    await visit.ask(teams.join, visit.me, secret)
    return visit.go("team")


async def _leave(visit: Visit) -> Response:
    await visit.form()
    await visit.ask(teams.leave, visit.me)
    return visit.go("team")


async def _to_team(visit: Visit) -> Response:
    """The form is on the page of the team."""
    return visit.go("team")


team_name = page("team/name", may="take part", post=_rename)(_to_team)
team_invitations = page("team/invitations", may="take part", post=_invite)(_to_team)
team_invitation_end = page(
    "team/invitations/{invitation}/end", may="take part", post=_end_invitation
)(_to_team)
team_join = page("team/join", may="take part", post=_join)(_to_team)
team_leave = page("team/leave", may="take part", post=_leave)(_to_team)


# -- versions --------------------------------------------------------------------------------------


async def _bot(visit: Visit) -> OwnBot:
    """The bot of the path. Raises the page for what does not exist, also for other teams' bots."""
    found = await visit.ask(versions.own_bot, visit.number("bot"))
    if found is None or (found.team != visit.me.team and not visit.me.may("organise")):
        raise not_found()
    return found


@page("team/bots/{bot}", may="take part")
async def bot_versions(visit: Visit) -> Response:
    """The versions of an own bot."""
    return visit.page("versions.html", bot=await _bot(visit))


async def _withdraw(visit: Visit) -> Response:
    form, bot = await visit.form(), await _bot(visit)
    reason = text_of(form, "reason")
    await visit.ask(versions.withdraw, visit.me, bot, _number(form.get("version")), reason)
    return visit.go(f"team/bots/{bot.number}")


async def _activate(visit: Visit) -> Response:
    form, bot = await visit.form(), await _bot(visit)
    await visit.ask(versions.activate, visit.me, bot, _number(form.get("version")))
    return visit.go(f"team/bots/{bot.number}")


async def _to_bot(visit: Visit) -> Response:
    """The form is on the page of the bot."""
    return visit.go(f"team/bots/{visit.number('bot')}")


bot_withdraw = page("team/bots/{bot}/withdraw", may="take part", post=_withdraw)(_to_bot)
bot_activate = page("team/bots/{bot}/activate", may="take part", post=_activate)(_to_bot)


@page("team/bots/{bot}/compare", may="take part")
async def compare(visit: Visit) -> Response:
    """Two versions of an own bot, side by side."""
    bot, query = await _bot(visit), visit.request.query_params
    found = await visit.ask(versions.compare, bot, *_two(query))
    return visit.page("compare.html", bot=bot, found=found)


def _two(query: QueryParams) -> tuple[int, int]:
    return _number(query.get("one")), _number(query.get("other"))


def _number(text: object) -> int:
    """A number from a form. Raises UsageError."""
    if isinstance(text, str) and re.fullmatch(r"[0-9]{1,15}", text.strip()):
        return int(text)
    raise UsageError("choose one of those that are offered")


# -- scrimmages ------------------------------------------------------------------------------------


async def _ask(visit: Visit) -> Response:
    form = await visit.form()
    rivals = [one for one in form.getlist("rival") if isinstance(one, str)]
    number = await visit.ask(
        scrimmages.ask,
        visit.me,
        _number(form.get("own")),
        rivals,
        _number(form.get("seat", "1")),
    )
    return visit.go(f"scrimmages/{number}")


@page("scrimmages", may="take part", post=_ask)
async def scrimmage_list(visit: Visit) -> Response:
    """The scrimmages of the own team, and the form for another."""
    return visit.page(
        "scrimmages.html",
        found=await visit.ask(scrimmages.scrimmages_of, visit.me),
        own=await visit.ask(scrimmages.own_versions, visit.me.team),
        rivals=[one.name for one in await visit.ask(lambda league: league.players())],
        chosen=visit.request.query_params.get("rival", ""),
        seats=visit.contest.terms.seats,
        quota=scrimmages.HOURLY,
    )


async def _scrimmage(visit: Visit) -> Scrimmage:
    found = await visit.ask(scrimmages.scrimmage, visit.number("scrimmage"), visit.me)
    if found is None:
        raise not_found()
    return found


async def _sight(visit: Visit) -> RecordSight:
    sight = await visit.ask(scrimmages.sight_of, await _scrimmage(visit), visit.me)
    if sight is None:
        raise not_found()
    return sight


@page("scrimmages/{scrimmage}", may="take part")
async def scrimmage(visit: Visit) -> Response:
    """A scrimmage, for its sides."""
    found = await _scrimmage(visit)
    made = visit.page("scrimmage.html", found=found)
    if not found.is_over:
        made.headers["Refresh"] = str(LIVING)
    return made


@page("scrimmages/{scrimmage}/record", may="take part")
async def scrimmage_record(visit: Visit) -> Response:
    """The record of a scrimmage, as its sides may see it."""
    return await replays.record_to_keep(visit, await _sight(visit), _file_name(visit))


@page("scrimmages/{scrimmage}/replay", may="take part")
async def scrimmage_replay(visit: Visit) -> Response:
    """The replay of a scrimmage."""
    return await replays.replay(visit, await _sight(visit), _file_name(visit))


def _file_name(visit: Visit) -> str:
    return f"{visit.contest.slug}-scrimmage-{visit.number('scrimmage')}.jsonl.gz"


ROUTES = (
    *(access, sessions_end),
    *(team, team_name, team_invitations, team_invitation_end, team_join, team_leave),
    *(bot_versions, bot_withdraw, bot_activate, compare),
    *(scrimmage_list, scrimmage, scrimmage_record, scrimmage_replay),
)
