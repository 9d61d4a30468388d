"""The pages of organisers: what there is to watch, people, moments, finals, matches, the audit log.

They call the functions of `deeds` and `moments`, which check the role again within the change.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from functools import partial
from typing import Any

import msgspec
from markupsafe import Markup
from starlette.datastructures import FormData
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import ReplayError, UsageError
from arena.league import export
from arena.league.copies import Copies
from arena.league.final import final, final_table, finals
from arena.league.league import League
from arena.site import accounts, deeds, moments, overview, settings
from arena.site.comparing import compare
from arena.site.evidence import evidence
from arena.site.pages import Visit, not_found, number_of, page, post, text_of

ORGANISE = "organise"


def deed(path: str, back: str) -> Callable[[Callable[[Visit, FormData], Awaitable[None]]], Route]:
    """A form of organisers: what it does, and the page that it stands on."""

    def made(work: Callable[[Visit, FormData], Awaitable[None]]) -> Route:
        async def answer(visit: Visit) -> Response:
            await work(visit, await visit.form())
            return visit.go(back)

        return post(path, back, may=ORGANISE)(answer)

    return made


# -- what there is to watch, and moments -----------------------------------------------------------


@page("organise", may=ORGANISE)
async def home(visit: Visit) -> Response:
    """The state of the contest, its moments, and announcements."""

    def found(league: League) -> dict[str, Any]:
        return {
            "state": overview.overview(league),
            "since": {kind: moments.since(league, kind) for kind in moments.PAIRS},
            "planned": moments.planned(league),
            "settings": settings.settings(league),
            "announcements": deeds.announcements(league, most=20),
        }

    doing = sorted(visit.contest.doing.items())
    return visit.page("organise.html", doing=doing, **await visit.ask(found))


@deed("organise/moments", "organise")
async def set_moment(visit: Visit, form: FormData) -> None:
    """Begin or end what a kind of moments is about."""
    kind, due, reason = (text_of(form, name) for name in ("kind", "due", "reason"))
    await visit.ask(moments.set_moment, visit.me.number, kind, due or None, reason)


@deed("organise/settings", "organise")
async def set_setting(visit: Visit, form: FormData) -> None:
    """Give a setting another value."""
    name, value = text_of(form, "name"), text_of(form, "value")
    await visit.ask(settings.change, visit.me.number, name, value)


@deed("organise/announce", "organise")
async def announce(visit: Visit, form: FormData) -> None:
    """Tell everybody something."""
    await visit.ask(deeds.announce, visit.me.number, text_of(form, "text"))


@deed("organise/announcements/{number}/end", "organise")
async def end_announcement(visit: Visit, form: FormData) -> None:
    """Take an announcement back."""
    await visit.ask(deeds.end_announcement, visit.me.number, visit.number("number"))


# -- people ----------------------------------------------------------------------------------------


@page("organise/people", may=ORGANISE)
async def people(visit: Visit) -> Response:
    """Accounts with their roles, invitations, registration, names."""

    def found(league: League) -> dict[str, Any]:
        return {
            "people": deeds.people(league),
            "teams": deeds.teams(league),
            "invitations": deeds.invitations(league),
            "registration": deeds.registration(league),
            "hidden": deeds.are_hidden(league),
            "shown": deeds.are_lines_shown(league),
        }

    return visit.page("organise_people.html", roles=_roles(visit), **await visit.ask(found))


def _roles(visit: Visit) -> list[str]:
    """The roles that this account gives."""
    most = deeds.RANK[visit.me.role]
    return [role for role in deeds.GIVEN if deeds.RANK[role] <= most]


@post("organise/invitations", back="organise/people", may=ORGANISE)
async def invite(visit: Visit) -> Response:
    """Make an invitation. The answer shows its link once."""
    form = await visit.form()
    team = number_of(form, "team") if text_of(form, "team") else None
    uses, days = number_of(form, "uses", 1), number_of(form, "days", 14)
    work = partial(deeds.invite, uses=uses, team=team, days=days)
    made = await visit.ask(work, visit.me.number, text_of(form, "role"))
    link = visit.address.join_link(visit.contest.slug, made.secret)
    return visit.page("organise_secret.html", title="Invitation", secret=link, back="people")


@post("organise/people/{account}/key", back="organise/people", may=ORGANISE)
async def new_key(visit: Visit) -> Response:
    """Make a key for who has lost the own one. The answer shows it once."""
    reason, number = text_of(await visit.form(), "reason"), visit.number("account")
    key = (await visit.ask(deeds.new_key, visit.me.number, number, reason)).secret
    account = await visit.ask(accounts.required, number)
    back = "organise/people"
    return visit.page("key.html", account=account, key=key, scope="sign-in", back=back)


@deed("organise/invitations/{number}/end", "organise/people")
async def end_invitation(visit: Visit, form: FormData) -> None:
    """End an invitation."""
    await visit.ask(deeds.end_invitation, visit.me.number, visit.number("number"))


@deed("organise/registration", "organise/people")
async def registration(visit: Visit, form: FormData) -> None:
    """Open or close registration."""
    if text_of(form, "open") != "yes":
        await visit.ask(deeds.close_registration, visit.me.number)
        return
    work = partial(
        deeds.open_registration,
        most=number_of(form, "most", 100),
        hourly=number_of(form, "hourly", deeds.HOURLY),
        days=number_of(form, "days", 14),
    )
    await visit.ask(work, visit.me.number)


@deed("organise/names", "organise/people")
async def hide_names(visit: Visit, form: FormData) -> None:
    """Hide or show the names of authors."""
    work = partial(deeds.hide_names, hide=text_of(form, "hide") == "yes")
    await visit.ask(work, visit.me.number)


@deed("organise/lines", "organise/people")
async def show_lines(visit: Visit, form: FormData) -> None:
    """Show everybody what all bots write to stderr, or their own teams alone."""
    work = partial(deeds.show_lines, show=text_of(form, "show") == "yes")
    await visit.ask(work, visit.me.number)


@deed("organise/people/{account}/role", "organise/people")
async def give_role(visit: Visit, form: FormData) -> None:
    """Give a role, or ban."""
    account, role, reason = visit.number("account"), text_of(form, "role"), text_of(form, "reason")
    if role in ("ban", "ban and withdraw"):
        work = partial(deeds.ban, withdraw=role != "ban")
        await visit.ask(work, visit.me.number, account, reason)
    else:
        await visit.ask(deeds.give_role, visit.me.number, account, role, reason)


# -- bots, matches, appeals ------------------------------------------------------------------------


@page("organise/matches", may=ORGANISE)
async def matches(visit: Visit) -> Response:
    """Choose a match or a bot."""
    if number := visit.asked("match"):
        return visit.go(f"organise/matches/{number}")
    names = await visit.ask(lambda league: [one.name for one in league.players()])
    return visit.page("organise_matches.html", names=names)


@page("organise/matches/{match}", may=ORGANISE)
async def appeal(visit: Visit) -> Response:
    """The evidence on a match, and the form that has it played again."""
    try:
        found = await visit.ask(evidence, visit.number("match"))
    except ReplayError as error:
        raise UsageError("the record of this match cannot be read") from error
    return visit.page("organise_match.html", found=found)


@deed("organise/rematch", "organise/matches")
async def rematch(visit: Visit, form: FormData) -> None:
    """Annul a result and have the match played again."""
    match, reason = number_of(form, "match"), text_of(form, "reason")
    await visit.ask(deeds.rematch, visit.me.number, match, reason)


@deed("organise/withdraw", "organise/matches")
async def withdraw_bot(visit: Visit, form: FormData) -> None:
    """Withdraw all versions of a bot."""
    bot, reason = text_of(form, "bot"), text_of(form, "reason")
    await visit.ask(deeds.withdraw_bot, visit.me.number, bot, reason)


@page("organise/copies", may=ORGANISE)
async def copies(visit: Visit) -> Response:
    """Bots of different teams whose sources are nearly the same."""
    copies = msgspec.json.decode(await compare(visit.contest), type=Copies)
    return visit.page("organise_copies.html", copies=copies)


@page("organise/copies/{first}/beside/{second}", may=ORGANISE)
async def two_sources(visit: Visit) -> Response:
    """The sources of two submissions side by side."""
    sources = await compare(visit.contest, visit.number("first"), visit.number("second"))
    return visit.page("organise_sources.html", sources=Markup(sources.decode()))


# -- finals ----------------------------------------------------------------------------------------


async def _declare(visit: Visit) -> Response:
    form = await visit.form()
    due, reason = text_of(form, "due") or None, text_of(form, "reason")
    rounds = number_of(form, "rounds", 10)
    values = due, rounds, reason, text_of(form, "source")
    made = await visit.ask(moments.declare_final, visit.me.number, *values)
    title = f"The seed of final {made.number}"
    return visit.page("organise_secret.html", title=title, secret=made.seed, back="finals")


@page("organise/finals", may=ORGANISE, post=_declare)
async def organise_finals(visit: Visit) -> Response:
    """The finals, and the forms that declare and start one."""
    return visit.page("organise_finals.html", finals=await visit.ask(finals))


@deed("organise/finals/{number}/start", "organise/finals")
async def start_final(visit: Visit, form: FormData) -> None:
    """Start a final with its seed."""
    values = visit.number("number"), text_of(form, "seed"), text_of(form, "beacon")
    await visit.ask(moments.start_final, visit.me.number, *values)


@deed("organise/finals/{number}/end", "organise/finals")
async def call_off_final(visit: Visit, form: FormData) -> None:
    """Call a final off."""
    number, reason = visit.number("number"), text_of(form, "reason")
    await visit.ask(moments.call_off_final, visit.me.number, number, reason)


@page("finals")
async def all_finals(visit: Visit) -> Response:
    """The finals, for everybody: their hashes, and the seeds of those that started."""
    return visit.page("finals.html", finals=await visit.ask(finals))


@page("finals/{number}")
async def one_final(visit: Visit) -> Response:
    """The table of a final."""
    try:
        found = await visit.ask(final, visit.number("number"))
    except UsageError:
        raise not_found() from None
    table = None if found.started is None else await visit.ask(final_table, found)
    rows = [] if table is None else sorted(table.table.standings, key=lambda row: row.rank)
    return visit.page("final.html", final=found, table=table, rows=rows)


# -- the audit log, and CSV ------------------------------------------------------------------------


@page("organise/log", may=ORGANISE)
async def log(visit: Visit) -> Response:
    """What organisers did, page by page."""
    found = await visit.ask(deeds.audit_log, visit.asked("before") or None)
    more = found[-1].number if len(found) == deeds.LOG else None
    return visit.page("organise_log.html", deeds=found, more=more)


@page("organise/grades.csv", may=ORGANISE)
async def grades(visit: Visit) -> Response:
    """The grades: a line for each bot of each team."""
    return await _csv(visit, overview.grades_csv, "grades")


@page("organise/results.csv", may=ORGANISE)
async def results(visit: Visit) -> Response:
    """The results: a line for each seat of each match."""
    return await _csv(visit, export.csv_text, "results")


@page("standings.csv")
async def standings(visit: Visit) -> Response:
    """The table as everybody sees it."""
    text = export.table_csv((await visit.contest.table()).table)
    return _file(text, f"{visit.contest.slug}-standings")


async def _csv(visit: Visit, lines: Callable[[League], Iterable[str]], name: str) -> Response:
    text = await visit.ask(lambda league: "".join(lines(league)))
    return _file(text, f"{visit.contest.slug}-{name}")


def _file(text: str, name: str) -> Response:
    headers = {
        "Content-Disposition": f'attachment; filename="{name}.csv"',
        "Cache-Control": "no-store",
    }
    return Response(text, media_type="text/csv; charset=utf-8", headers=headers)


ROUTES = (
    *(home, set_moment, set_setting, announce, end_announcement),
    *(people, invite, new_key, end_invitation, registration, hide_names, show_lines, give_role),
    *(matches, appeal, rematch, withdraw_bot, copies, two_sources),
    *(organise_finals, start_final, call_off_final, all_finals, one_final),
    *(log, grades, results, standings),
)
