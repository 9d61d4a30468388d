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
    page,
    sentence,
    start_session,
    text_of,
)

ENVELOPE = 64 << 10
"""Bytes of a form beside its file."""
LIVING = 3
"""Seconds until the report of an upload that is not over is loaded again."""


# -- signing in ------------------------------------------------------------------------------------


async def _accept(visit: Visit) -> Response:
    form = await visit.form()
    secret = text_of(form, "invitation").rpartition("#")[2]
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


async def _sign_out(visit: Visit) -> Response:
    await visit.form()
    if visit.session is not None:
        await visit.ask(accounts.end_session, visit.session)
    return forget_session(visit, visit.go(""))


@page("sign-out", post=_sign_out)
async def sign_out(visit: Visit) -> Response:
    """Only the form signs out: a link could be on another site."""
    return visit.go("account")


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


async def _add_token(visit: Visit) -> Response:
    form = await visit.form()
    scope, label = text_of(form, "scope"), text_of(form, "label")
    if scope == accounts.ORGANISE and not visit.me.may("organise"):
        raise UsageError("only organisers have tokens for organising")
    days = text_of(form, "days")
    if days and not (days.isascii() and days.isdigit() and len(days) < 5):
        raise UsageError("choose for how many days the token holds")
    made = await visit.ask(
        accounts.add_token, visit.me.number, scope, label, int(days) if days else None
    )
    return visit.page("key.html", account=visit.me, key=made.secret)


@page("account/tokens", may="take part", post=_add_token)
async def token_form(visit: Visit) -> Response:
    """The form is on the page of access."""
    return visit.go("account/access")


async def _end_token(visit: Visit) -> Response:
    await visit.form()
    await visit.ask(accounts.end_token, visit.me.number, visit.number("token"))
    return visit.go("account/access")


@page("account/tokens/{token}/end", may="take part", post=_end_token)
async def token_end(visit: Visit) -> Response:
    """The button is on the page of access."""
    return visit.go("account/access")


# -- uploads ---------------------------------------------------------------------------------------


async def _upload(visit: Visit) -> Response:
    form = await visit.form(largest=uploads.LARGEST + ENVELOPE, files=1)
    try:
        file = file_of(form, "file")
        number = await visit.ask(
            uploads.receive, visit.me, text_of(form, "bot"), file.filename or "", file.file
        )
    finally:
        await form.close()
    return visit.go(f"uploads/{number}")


@page("upload", may="take part", post=_upload)
async def upload(visit: Visit) -> Response:
    """The form is on the page of the account."""
    return visit.go("account")


@page("uploads/{upload}", may="take part")
async def report(visit: Visit) -> Response:
    """The report of one upload, as it goes on: for its team, and for organisers."""
    found = await visit.ask(uploads.upload, visit.number("upload"))
    if found is None or (found.team != visit.me.team and not visit.me.may("organise")):
        raise not_found()
    made = visit.page("report.html", upload=found)
    if not found.is_over:
        made.headers["Refresh"] = str(LIVING)
    return made


ROUTES = (
    *(join, sign_in, sign_out, account, token_form, token_end),
    *(upload, report),
)
