"""The application of a site: its routes, and what holds for every request.

From the outside in: `Guard` refuses requests for other hosts and forms from other sites, and gives
every response its headers; `Visits` finds the contest and who asks; then comes the page. What fails
is a page that says no more than that.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

from starlette.applications import Starlette
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from arena.site import (
    account,
    api,
    author,
    live,
    matches,
    organisers,
    organising,
    people,
    public,
)
from arena.site.contest import Contest
from arena.site.pages import (
    HEADERS,
    KINDS,
    STATIC,
    TEMPLATES,
    SiteAddress,
    mark_connection,
    not_found,
    static,
    too_many,
    visit_of,
)

SAFE = ("GET", "HEAD")
ELSEWHERE = "This site is for its own address alone, and its forms for its own pages.\n"
FILES = (
    *(public.ROUTES, matches.ROUTES, live.ROUTES, account.ROUTES, author.ROUTES),
    *(organisers.ROUTES, people.ROUTES, organising.ROUTES),
)
"""The routes of each file of pages. A new file gets its place here."""


def make_app(contests: Mapping[str, Contest], address: SiteAddress) -> Starlette:
    """The application for contests by their slugs."""

    async def home(request: Request) -> Response:
        if len(contests) == 1:
            return RedirectResponse(f"/{next(iter(contests))}/", 302)
        text = TEMPLATES.get_template("contests.html").render(
            visit=None, contests=sorted(contests.values(), key=lambda one: one.slug)
        )
        return Response(text, media_type="text/html")

    routes = [
        Route("/", home),
        Route("/healthz", _health(contests)),
        Route("/-/{hash}/{name}", _static),
        Route("/robots.txt", _robots),
        api.openapi_route(contests, address),
        *(route for routes in FILES for route in routes),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Guard, address=address), Middleware(Visits, contests, address)],
        exception_handlers={HTTPException: _refusal, Exception: _failure},
    )


# -- every request ---------------------------------------------------------------------------------


class Guard:
    """Refuses requests for other hosts (DNS rebinding), and whatever could change something and
    comes from another site; gives every response the headers of `HEADERS`.

    Browsers send Origin with each form, and Sec-Fetch-Site with every request. Programs send
    neither: without a cookie, which only browsers send by themselves, there is nothing to forge.
    """

    def __init__(self, app: ASGIApp, address: SiteAddress) -> None:
        self._app, self._address = app, address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        headers = HTTPConnection(scope).headers
        if not self._is_ours(scope, headers):
            if scope["type"] == "http":
                await PlainTextResponse(ELSEWHERE, 403, headers=HEADERS)(scope, receive, send)
            else:
                await receive()
                await send({"type": "websocket.close", "code": 1008, "reason": ""})
            return

        async def send_with_headers(message: Message) -> None:
            # Browsers put the header of a 304 in place of that of the page which they have kept.
            if message["type"] == "http.response.start" and message["status"] != 304:
                found = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    found.setdefault(name, value)
            await send(message)

        if scope["type"] == "http":
            scope["scheme"] = self._address.scheme  # a proxy may speak TLS for us
        await self._app(scope, receive, send_with_headers)

    def _is_ours(self, scope: Scope, headers: Headers) -> bool:
        if headers.get("host") not in self._address.hosts:
            return False
        if scope["type"] == "http" and scope["method"] in SAFE:
            return True
        origin = headers.get("origin")
        if origin is not None:
            return origin == f"{self._address.scheme}://{headers['host']}"
        if scope["type"] == "websocket":
            return False
        return headers.get("sec-fetch-site", "none") == "same-origin" or "cookie" not in headers


class Visits:
    """Gives each request to a contest its `Visit`."""

    def __init__(self, app: ASGIApp, contests: Mapping[str, Contest], address: SiteAddress) -> None:
        self._app, self._contests, self._address = app, contests, address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Find the contest by the first part of the path."""
        if scope["type"] in ("http", "websocket"):
            slug = scope["path"].split("/", 2)[1] if "/" in scope["path"] else ""
            contest = self._contests.get(slug)
            visit = None
            if contest is not None:
                visit = await visit_of(HTTPConnection(scope), contest, self._address)
                account = visit.account
                if account is not None and not mark_connection(scope, contest, account.number):
                    await _plain(HTTPConnection(scope), too_many())(scope, receive, send)
                    return
            elif slug not in ("", "-", "healthz", "robots.txt", "openapi.json"):
                await _plain(HTTPConnection(scope), not_found())(scope, receive, send)
                return
            scope.setdefault("state", {})["visit"] = visit
        await self._app(scope, receive, send)


# -- what belongs to no contest --------------------------------------------------------------------


def _health(contests: Mapping[str, Contest]) -> Callable[[Request], Awaitable[Response]]:
    """Whether the site answers and its files can be read: for whoever watches over it."""

    async def health(request: Request) -> Response:
        for contest in contests.values():
            await contest.ask(lambda league: league.store.one("SELECT 1 FROM league"))
        return PlainTextResponse("ok\n", headers={"Cache-Control": "no-store"})

    return health


async def _static(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in STATIC or request.url.path != static(name):
        raise not_found()
    headers = {"Cache-Control": "public, max-age=31536000, immutable"}
    return Response(STATIC[name], media_type=KINDS[name.rpartition(".")[2]], headers=headers)


async def _robots(request: Request) -> Response:
    return PlainTextResponse("User-agent: *\nDisallow: /\n")


async def _refusal(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return _plain(request, error)


async def _failure(request: Request, error: Exception) -> Response:
    """A page for what failed here. It says nothing of the machine; the organiser reads the rest on
    the terminal."""
    return _plain(
        request, HTTPException(500, "That failed here. Try again, or tell the organiser.")
    )


def _plain(request: HTTPConnection, error: HTTPException) -> Response:
    if api.is_api(request.url.path):
        made = api.problem(error)
        made.headers.update(HEADERS)
        return made
    visit = getattr(request.state, "visit", None)
    text = TEMPLATES.get_template("refused.html").render(visit=visit, why=error.detail)
    # A failure is answered outside of `Guard`, so its headers are given here too.
    headers = {**HEADERS, "Cache-Control": "no-store", **(error.headers or {})}
    return Response(text, error.status_code, headers=headers, media_type="text/html")
