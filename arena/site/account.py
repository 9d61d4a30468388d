"""Signing in, the page of one's own account, and uploads with their reports."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from functools import partial

from starlette.responses import Response

from arena.errors import UsageError
from arena.site import accounts, deeds, uploads
from arena.site.pages import (
    Visit,
    file_of,
    forget_session,
    not_found,
    number_of,
    page,
    post,
    require_size,
    sentence,
    start_session,
    text_of,
)

LIVING = 3
"""Seconds until the report of an upload that is not over is loaded again."""


# -- signing in ------------------------------------------------------------------------------------


async def _accept(visit: Visit) -> Response:
    form = await visit.form()
    secret = accounts.secret_of(text_of(form, "invitation"))
    name, registration = text_of(form, "name"), await visit.ask(deeds.registration)
    share: AbstractContextManager[None] = nullcontext()
    if registration is not None and secret == registration.secret:
        share = visit.contest.shares.taking("accounts", visit.client, registration.hourly)
    try:
        with share:
            account, key = await visit.ask(accounts.accept, secret, name)
    except UsageError as error:
        values = {"problem": sentence(error), "name": name, "registration": registration}
        return visit.page("join.html", 400, **values)
    session = await visit.ask(accounts.begin_session, account.number, visit.session)
    shown = visit.page("key.html", account=account, key=key, scope=accounts.SIGN_IN)
    return start_session(visit, shown, session)


@page("join", post=_accept)
async def join(visit: Visit) -> Response:
    """Accept an invitation. The link has its secret behind a #, which browsers send to nobody; the
    script of the page writes it into the form, and without scripts it is pasted there."""
    return visit.page(
        "join.html", problem="", name="", registration=await visit.ask(deeds.registration)
    )


async def _sign_in(visit: Visit) -> Response:
    form = await visit.form()
    session = await visit.ask(accounts.sign_in, text_of(form, "key"), visit.session)
    if session is None:
        return visit.page("sign_in.html", 403, problem="This key does not hold (any more).")
    return start_session(visit, visit.go("account"), session)


@page("sign-in", post=_sign_in)
async def sign_in(visit: Visit) -> Response:
    """Sign in with a key."""
    return visit.page("sign_in.html")


@post("sign-out", back="account")
async def sign_out(visit: Visit) -> Response:
    """Sign out. (A link that did so could be on another site.)"""
    await visit.form()
    if visit.session is not None:
        await visit.ask(accounts.end_session, visit.session)
    return forget_session(visit, visit.go(""))


# -- one's own account -----------------------------------------------------------------------------


@page("account", may="take part")
async def account(visit: Visit) -> Response:
    """The account, and the uploads of its team."""
    me = visit.me
    tokens = await visit.ask(accounts.tokens, me.number, visit.session)
    return visit.page(
        "account.html",
        made_elsewhere=[token for token in tokens if token.is_elsewhere and token.is_new],
        uploads=await visit.ask(uploads.uploads_of, me.team),
        closed=await visit.ask(uploads.closed_since),
        largest=uploads.LARGEST,
    )


@post("account/tokens", back="account/access", may="take part")
async def add_token(visit: Visit) -> Response:
    """Make a token, or a further key."""
    form = await visit.form()
    scope, label = text_of(form, "scope"), text_of(form, "label")
    if scope == accounts.ORGANISE and not visit.me.may("organise"):
        raise UsageError("only organisers have tokens for organising")
    days = number_of(form, "days") if text_of(form, "days") else None
    work = partial(accounts.add_token, session=visit.session)
    made = await visit.ask(work, visit.me.number, scope, label, days)
    return visit.page("key.html", account=visit.me, key=made.secret, scope=scope)


@post("account/tokens/{token}/end", back="account/access", may="take part")
async def end_token(visit: Visit) -> Response:
    """End a token or a key."""
    await visit.form()
    await visit.ask(accounts.end_token, visit.me.number, visit.number("token"))
    return visit.go("account/access")


# -- uploads ---------------------------------------------------------------------------------------


@post("upload", back="account", may="take part")
async def upload(visit: Visit) -> Response:
    """Upload a version of a bot."""
    largest = uploads.LARGEST + uploads.ENVELOPE
    size = require_size(visit.request, largest)
    async with visit.contest.receiving.upload(visit.contest.ask, visit.me, size):
        form = await visit.form(largest=largest, files=1)
        try:
            file = file_of(form, "file")
            bot, name = text_of(form, "bot"), file.filename or ""
            number = await visit.ask(uploads.receive, visit.me, bot, name, file.file)
        finally:
            await form.close()
    return visit.go(f"uploads/{number}")


@page("uploads/{upload}", may="take part")
async def report(visit: Visit) -> Response:
    """The report of one upload, as it goes on: for its team, and for organisers."""
    found = await visit.ask(uploads.upload, visit.number("upload"))
    if found is None or not visit.me.may_see(found.team):
        raise not_found()
    is_spent = not found.is_over and await visit.ask(uploads.is_spent, found.team)
    made = visit.page("report.html", upload=found, is_spent=is_spent)
    if not found.is_over:
        made.headers["Refresh"] = str(LIVING)
    return made


ROUTES = (
    *(join, sign_in, sign_out, account, add_token, end_token),
    *(upload, report),
)
