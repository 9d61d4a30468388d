"""Signing in, the page of one's own account, and uploads with their reports."""

from __future__ import annotations

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
    try:
        account, key = await visit.ask(accounts.accept, secret, text_of(form, "name"))
    except UsageError as error:
        given = {"problem": sentence(error), "name": text_of(form, "name")}
        return visit.page(
            "join.html", 400, **given, registration=await visit.ask(deeds.registration)
        )
    session = await visit.ask(accounts.begin_session, account.number, visit.session)
    return start_session(visit, visit.page("key.html", account=account, key=key), session)


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
    return visit.page(
        "account.html",
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
    made = await visit.ask(accounts.add_token, visit.me.number, scope, label, days)
    return visit.page("key.html", account=visit.me, key=made.secret)


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
    form = await visit.form(largest=uploads.LARGEST + uploads.ENVELOPE, files=1)
    try:
        file = file_of(form, "file")
        number = await visit.ask(
            uploads.receive, visit.me, text_of(form, "bot"), file.filename or "", file.file
        )
    finally:
        await form.close()
    return visit.go(f"uploads/{number}")


@page("uploads/{upload}", may="take part")
async def report(visit: Visit) -> Response:
    """The report of one upload, as it goes on: for its team, and for organisers."""
    found = await visit.ask(uploads.upload, visit.number("upload"))
    if found is None or not visit.me.may_see(found.team):
        raise not_found()
    made = visit.page("report.html", upload=found)
    if not found.is_over:
        made.headers["Refresh"] = str(LIVING)
    return made


ROUTES = (
    *(join, sign_in, sign_out, account, add_token, end_token),
    *(upload, report),
)
