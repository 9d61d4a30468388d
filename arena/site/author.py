"""Pages of authors: their team, the versions of their bots, scrimmages, and who may act for them.

What teams, versions and scrimmages are is in the modules of those names.
"""

from __future__ import annotations

from functools import partial

from starlette.responses import Response

from arena.site import accounts, replays, scrimmages, teams, versions
from arena.site.account import LIVING
from arena.site.pages import Visit, not_found, number_of, page, post, text_of
from arena.site.records import RecordSight
from arena.site.scrimmages import Scrimmage
from arena.site.versions import OwnBot

# -- who may act for an account --------------------------------------------------------------------


@page("account/access", may="take part")
async def access(visit: Visit) -> Response:
    """Keys, tokens and sessions of the account."""
    ended = partial(accounts.tokens, ended=True)
    return visit.page(
        "access.html",
        tokens=await visit.ask(accounts.tokens, visit.me.number, visit.session),
        ended=await visit.ask(ended, visit.me.number, visit.session),
        sessions=await visit.ask(accounts.sessions, visit.me.number, visit.session),
    )


@post("account/sessions/end-others", back="account/access", may="take part")
async def end_other_sessions(visit: Visit) -> Response:
    """End all sessions of the account but this one, with what was made in them."""
    await visit.form()
    assert visit.session is not None
    await visit.ask(accounts.end_other_sessions, visit.me.number, visit.session)
    return visit.go("account/access")


# -- the team --------------------------------------------------------------------------------------


@page("team", may="take part")
async def team(visit: Visit) -> Response:
    """The own team: members, bots, invitations."""
    return visit.page("team.html", team=await visit.ask(teams.team, visit.me.team))


@post("team/name", back="team", may="take part")
async def rename(visit: Visit) -> Response:
    """Give the team another name."""
    form = await visit.form()
    await visit.ask(teams.rename, visit.me, text_of(form, "name"))
    return visit.go("team")


@post("team/invitations", back="team", may="take part")
async def invite(visit: Visit) -> Response:
    """Make an invitation to the team. The answer shows its link once."""
    await visit.form()
    made = await visit.ask(teams.invite, visit.me)
    link = visit.address.join_link(visit.contest.slug, made.secret)
    return visit.page("invitation.html", link=link, team=visit.me.team_name)


@post("team/invitations/{invitation}/end", back="team", may="take part")
async def end_invitation(visit: Visit) -> Response:
    """End an invitation to the team."""
    await visit.form()
    await visit.ask(teams.end_invitation, visit.me, visit.number("invitation"))
    return visit.go("team")


@post("team/join", back="team", may="take part")
async def join(visit: Visit) -> Response:
    """Go over to another team by its invitation."""
    form = await visit.form()
    secret = accounts.secret_of(text_of(form, "invitation"))
    await visit.ask(teams.join, visit.me, secret)
    return visit.go("team")


@post("team/leave", back="team", may="take part")
async def leave(visit: Visit) -> Response:
    """Leave the team."""
    await visit.form()
    await visit.ask(teams.leave, visit.me)
    return visit.go("team")


# -- versions --------------------------------------------------------------------------------------


async def _bot(visit: Visit) -> OwnBot:
    """The bot of the path. Raises the page for what does not exist, also for other teams' bots."""
    found = await visit.ask(versions.own_bot, visit.number("bot"))
    if found is None or not visit.me.may_see(found.team):
        raise not_found()
    return found


@page("team/bots/{bot}", may="take part")
async def bot_versions(visit: Visit) -> Response:
    """The versions of an own bot."""
    return visit.page("versions.html", bot=await _bot(visit))


@post("team/bots/{bot}/withdraw", back="team/bots/{bot}", may="take part")
async def withdraw(visit: Visit) -> Response:
    """Withdraw a version."""
    form, bot = await visit.form(), await _bot(visit)
    version, reason = number_of(form, "version"), text_of(form, "reason")
    await visit.ask(versions.withdraw, visit.me, bot, version, reason)
    return visit.go(f"team/bots/{bot.number}")


@post("team/bots/{bot}/activate", back="team/bots/{bot}", may="take part")
async def activate(visit: Visit) -> Response:
    """Let an earlier version play again."""
    form, bot = await visit.form(), await _bot(visit)
    await visit.ask(versions.activate, visit.me, bot, number_of(form, "version"))
    return visit.go(f"team/bots/{bot.number}")


@page("team/bots/{bot}/compare", may="take part")
async def compare(visit: Visit) -> Response:
    """Two versions of an own bot, side by side."""
    bot = await _bot(visit)
    found = await visit.ask(versions.compare, bot, visit.asked("one"), visit.asked("other"))
    return visit.page("compare.html", bot=bot, found=found)


# -- scrimmages ------------------------------------------------------------------------------------


async def _ask(visit: Visit) -> Response:
    form = await visit.form()
    rivals = [one for one in form.getlist("rival") if isinstance(one, str)]
    own, seat = number_of(form, "own"), number_of(form, "seat", 1)
    number = await visit.ask(scrimmages.ask, visit.me, own, rivals, seat)
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
    *(access, end_other_sessions),
    *(team, rename, invite, end_invitation, join, leave),
    *(bot_versions, withdraw, activate, compare),
    *(scrimmage_list, scrimmage, scrimmage_record, scrimmage_replay),
)
