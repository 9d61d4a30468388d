"""What every page needs: who asks, templates, forms, refusals, and the headers of all responses.

A page is a function from a `Visit` to a response, and a line in the ``ROUTES`` of its file. See
`arena.site` for the pattern.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Awaitable, Callable
from importlib import resources
from ipaddress import ip_address
from typing import Any, TypeAlias, TypeVar

import jinja2
from msgspec import Struct
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import HTTPConnection, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from arena import __version__
from arena.errors import ArenaError, UsageError
from arena.site import accounts
from arena.site.accounts import Participant
from arena.site.contest import Contest
from arena.text import counted, printable, size_text
from arena.web.http import client_of, mark_known

T = TypeVar("T")
COOKIE = "session"
FORM = 64 << 10
"""Maximum bytes of a form without a file."""
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    # With no-referrer, browsers would send "Origin: null" with the forms of this site too.
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
"""Of every response that does not set its own."""


class SiteAddress(Struct, frozen=True):
    """How browsers reach the site."""

    scheme: str
    """``http`` or ``https``."""
    hosts: tuple[str, ...]
    """What they send as Host; the first is written into links."""

    @property
    def url(self) -> str:
        """The address of the site, without a slash at its end."""
        return f"{self.scheme}://{self.hosts[0]}"

    def join_link(self, contest: str, secret: str) -> str:
        """The link of an invitation to a contest, by its slug. Browsers send what is behind the #
        to nobody."""
        return f"{self.url}/{contest}/join#{secret}"


class Visit:
    """One request to a contest, and who makes it."""

    def __init__(
        self,
        connection: HTTPConnection,
        contest: Contest,
        address: SiteAddress,
        account: Participant | None,
        session: str | None,
    ) -> None:
        if connection.scope["type"] == "http":
            self.request = Request(connection.scope)
        self.cookies = connection.cookies
        self.client = "" if is_local(connection) else client_of(connection.scope.get("client"))
        """The address that asks; empty for this machine, which may be a proxy that names nobody."""
        self.contest, self.address = contest, address
        self.account = account
        """Who is signed in, if anybody."""
        self.session = session
        """The secret of the session, if it holds."""

    @property
    def root(self) -> str:
        """The path of the contest, without a slash at its end."""
        return f"/{self.contest.slug}"

    @property
    def me(self) -> Participant:
        """Who is signed in. For pages that need a deed, which have checked it."""
        assert self.account is not None
        return self.account

    def number(self, name: str) -> int:
        """A number in the path. Raises the page for what does not exist."""
        found = whole_number(str(self.request.path_params[name]))
        if found is None:
            raise not_found()
        return found

    def asked(self, name: str) -> int:
        """A number behind the question mark of the address; 0 without one. Raises UsageError."""
        found = whole_number(self.request.query_params.get(name) or "0")
        if found is None:
            raise UsageError(f"give a whole number for {name} in the address")
        return found

    async def ask(self, work: Callable[..., T], *values: Any) -> T:
        """`Contest.ask_for` whoever makes this request: while the table is frozen, others than
        organisers see nothing of later results."""
        return await self.contest.ask_for(self.account, work, *values)

    async def form(self, *, largest: int = FORM, files: int = 0) -> FormData:
        """The fields of a form that was sent from a page of this site. Raises the page for a form
        that is too large or comes from elsewhere. Only a form with files may be larger than `FORM`:
        files go to the disk, fields are kept in memory."""
        kind = self.request.headers.get("content-type", "").lower()
        require_size(self.request, largest if kind.startswith("multipart/") else FORM)
        try:
            form = await self.request.form(max_files=files, max_fields=50, max_part_size=FORM)
        except MultiPartException:
            raise HTTPException(400, "The form cannot be read.") from None
        if self.session is not None and not accounts.is_form_token(
            self.session, text_of(form, "form_token")
        ):
            await form.close()
            raise HTTPException(403, "This form is of an earlier session: load its page again.")
        return form

    def page(self, template: str, status: int = 200, **values: Any) -> Response:
        """A page from its template. It knows `visit` and what is given."""
        text = TEMPLATES.get_template(template).render(visit=self, **values)
        return HTMLResponse(text, status, headers={"Cache-Control": "no-store"})

    def go(self, path: str) -> Response:
        """Send the browser to a path of this contest, after a form."""
        return RedirectResponse(f"{self.root}/{path}", 303)

    @property
    def form_token(self) -> str:
        """What `form` expects back."""
        return accounts.form_token(self.session) if self.session else ""


Page: TypeAlias = Callable[[Visit], Awaitable[Response]]


def whole_number(text: str) -> int | None:
    """The number that a visitor has written in at most 15 digits; None for anything else."""
    return int(text) if text.isascii() and text.isdigit() and len(text) <= 15 else None


def text_of(form: FormData, name: str, most: int = 1000) -> str:
    """A field of a form as text; empty without it."""
    value = form.get(name)
    return printable(value)[:most].strip() if isinstance(value, str) else ""


def number_of(form: FormData, name: str, default: int | None = None) -> int:
    """A whole number of a form; the default where the field is empty. Raises UsageError."""
    text = text_of(form, name)
    found = default if not text and default is not None else whole_number(text)
    if found is None:
        raise UsageError(f"give a whole number for {name.replace('_', ' ')}")
    return found


def file_of(form: FormData, name: str) -> UploadFile:
    """A file of a form. Raises UsageError without it."""
    value = form.get(name)
    if not isinstance(value, UploadFile) or not value.filename:
        raise UsageError("choose a file: an archive, or one source file")
    return value


def require_size(request: Request, largest: int) -> int:
    """The size that a body announces. Refuse one of more, and one that does not say."""
    length = request.headers.get("content-length", "")
    if not (length.isascii() and length.isdigit() and len(length) < 15):
        raise HTTPException(411, "The browser did not say how large the form is.")
    if int(length) > largest:
        raise HTTPException(413, f"The form is larger than {size_text(largest)}.")
    return int(length)


CONNECTIONS = 32
"""Connections of an account that may be open at a time; a browser opens six, and some for what it
follows live."""


def mark_connection(scope: Scope, contest: Contest, account: int) -> bool:
    """Count the connection of a request as one of an account. Returns whether it may have it."""
    return mark_known(scope, f"{contest.slug}/{account}", CONNECTIONS)


def too_many() -> HTTPException:
    """Make the refusal of a further connection of an account."""
    why = "Too many connections of this account are open. Try again when one of them has ended."
    return HTTPException(429, why, {"Retry-After": "10"})


def not_found() -> HTTPException:
    """The error for what does not exist, or must not be known to exist."""
    return HTTPException(404, "There is no such page.")


def page(path: str, *, may: str | None = None, post: Page | None = None) -> Callable[[Page], Route]:
    """A route of a contest: what shows the page, and with `post` what answers its form.

    With `may` the page is for those alone whose role may do that; others are asked to sign in, or
    refused. What raises UsageError is shown as a sentence on a page of its own, with a way back.
    """

    def made(get: Page) -> Route:
        return Route(
            f"/{{contest}}/{path}",
            functools.partial(_answer, get, post, may),
            methods=["GET", "POST"] if post else ["GET"],
        )

    return made


def post(path: str, back: str, *, may: str | None = None) -> Callable[[Page], Route]:
    """A route that only answers a form. The form is on the page at the path `back`, which may have
    parameters of `path`; who comes here by a link is sent there."""

    def made(answer: Page) -> Route:
        async def instead(visit: Visit) -> Response:
            return visit.go(back.format_map(visit.request.path_params))

        return page(path, may=may, post=answer)(instead)

    return made


async def _answer(get: Page, post: Page | None, may: str | None, request: Request) -> Response:
    visit: Visit | None = request.state.visit
    if visit is None:  # as in /healthz/account, which names no contest
        raise not_found()
    visit.request = request  # that of the route, with its path and its body
    if may is not None and (visit.account is None or not visit.account.may(may)):
        if visit.account is None:
            return visit.page("sign_in.html", 401)
        raise HTTPException(403, "Your role does not allow that.")
    try:
        if request.method == "POST" and post is not None:
            return await post(visit)
        return await get(visit)
    except UsageError as error:
        return visit.page("refused.html", 400, why=sentence(error))


def sentence(error: ArenaError) -> str:
    """An error for people: a capital letter and a full stop."""
    text = str(error)
    return f"{text[:1].upper()}{text[1:]}" + ("" if text.endswith((".", "?")) else ".")


def start_session(visit: Visit, response: Response, secret: str) -> Response:
    """Give the browser the cookie of a new session."""
    return set_cookie(visit, response, COOKIE, secret, int(accounts.SESSION.total_seconds()))


def set_cookie(visit: Visit, response: Response, name: str, secret: str, seconds: int) -> Response:
    """Give the browser a secret, for the pages of this contest alone."""
    response.set_cookie(
        name,
        secret,
        max_age=seconds,
        path=f"{visit.root}/",
        secure=visit.address.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return response


def forget_session(visit: Visit, response: Response) -> Response:
    """Take the cookie of a session back."""
    response.delete_cookie(COOKIE, path=f"{visit.root}/", httponly=True, samesite="lax")
    return response


# -- templates and files ---------------------------------------------------------------------------


def _static_files() -> dict[str, bytes]:
    folder = resources.files("arena.site") / "static"
    return {file.name: file.read_bytes() for file in folder.iterdir() if file.is_file()}


STATIC = _static_files()
"""The files of every page, by name. They are read once: no path of a request reaches the disk."""
KINDS = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}


def static(name: str) -> str:
    """The address of a file of every page. It changes with the content, so that browsers may keep
    the file for ever."""
    return f"/-/{hashlib.sha256(STATIC[name]).hexdigest()[:12]}/{name}"


def signed(value: float) -> str:
    """A rating as people write it."""
    return f"{value:+.0f}".replace("-", "−")


def words_of(counts: dict[str, int]) -> str:
    """Counts with what was counted, as in ``3 timeouts``."""
    return ", ".join(f"{count} {what}" for what, count in sorted(counts.items()))


def _templates() -> jinja2.Environment:
    """Every value is escaped, whatever the name of the template, and a name that is not given is an
    error and not an empty text."""
    made = jinja2.Environment(
        loader=jinja2.PackageLoader("arena.site"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals.update(static=static, version=__version__, counted=counted, inf=math.inf)
    made.filters.update(signed=signed, size=size_text, words=words_of)
    return made


TEMPLATES = _templates()


def is_local(connection: HTTPConnection) -> bool:
    """Whether a request comes from this machine."""
    address = client_of(connection.scope.get("client"))
    return not address or ip_address(address).is_loopback


async def visit_of(connection: HTTPConnection, contest: Contest, address: SiteAddress) -> Visit:
    """The visit of a request or a WebSocket: by its cookie, if there is one."""
    session = connection.cookies.get(COOKIE)
    account = None if not session else await contest.ask(accounts.who, session)
    return Visit(connection, contest, address, account, session if account else None)
