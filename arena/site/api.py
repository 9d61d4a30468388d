"""The JSON API: what programs may ask of a contest, and `curl` and ``arena submit`` with it.

A program shows a token (``Authorization: Bearer …``); cookies are not looked at, so no page of
another site can call this for a visitor. A token acts for its account within its scope: only one
with the scope `organise` has the rights of an organiser. Answers are JSON; so are errors, with a
sentence that says what to do.

Each endpoint is declared once, by `endpoint`: its route and its part of ``/openapi.json`` are made
of that.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from http import HTTPStatus
from typing import Annotated, Any, TypeVar, get_type_hints

import anyio
import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace
from starlette.exceptions import HTTPException
from starlette.formparsers import MultiPartException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from arena.errors import DiskFull, UsageError
from arena.league.bots import BOT_NAME
from arena.league.league import League
from arena.league.types import SeedAccount
from arena.site import accounts, records, results, scrimmages, teams, uploads, versions, watching
from arena.site.accounts import ORGANISE, READ, TEAM, UPLOAD, Participant
from arena.site.contest import Contest
from arena.site.deeds import shown_team
from arena.site.openapi import JSON, ApiProblem, Endpoint, description
from arena.site.pages import (
    FORM,
    SiteAddress,
    Visit,
    file_of,
    mark_connection,
    sentence,
    too_many,
)
from arena.site.records import RecordSight
from arena.site.scrimmages import Scrimmage
from arena.site.uploads import NewUpload, ReportState, ReportStep, Upload
from arena.site.versions import OwnBot, Version
from arena.text import size_text
from arena.tournament.standings import Standing

T = TypeVar("T")
READERS = (READ, UPLOAD, TEAM, ORGANISE)
"""The scopes that read what their account may read."""
BODY = 64 << 10
"""Maximum bytes of a JSON body."""
PAGE = 500
"""Maximum matches in one answer."""
POLL = 0.5
"""Seconds between two looks at a report that is told as it goes on."""
QUIET = 15.0
"""Seconds after which a stream sends a comment, so that no proxy ends it."""
LONGEST_STREAM = 900.0
"""Seconds after which a stream ends; its reader may ask again."""
STREAMS = 6
"""Streams of one account at a time."""


class Call:
    """One call of the API, and who makes it."""

    def __init__(self, visit: Visit, who: Participant | None, scope: str) -> None:
        self.contest, self.request, self.address = visit.contest, visit.request, visit.address
        self.who = who
        """Whose token it shows, if any, with the rights that the scope leaves."""
        self.scope = scope

    async def ask(self, work: Callable[..., T], *values: Any) -> T:
        """`Contest.ask_for` whoever makes this call."""
        return await self.contest.ask_for(self.who, work, *values)

    async def holds(self) -> bool:
        """Whether the token still means the same: a stream goes on for minutes."""
        found = await self.ask(_bearer, _token_of(self.request))
        return found == (self.who, self.scope)

    @property
    def me(self) -> Participant:
        """Who calls. For endpoints with scopes, which have checked it."""
        assert self.who is not None
        return self.who

    @property
    def root(self) -> str:
        """The address of the contest's API, without a slash at its end."""
        return f"{self.address.url}/{self.contest.slug}/api"

    def name(self) -> str:
        """The name of a bot in the path."""
        return str(self.request.path_params["name"])

    def number(self, name: str) -> int:
        """A number in the path. More than SQLite can hold is of nothing that exists."""
        found = int(self.request.path_params[name])
        if found >= 2**63:
            raise HTTPException(404, f"There is no such {name}.")
        return found


ENDPOINTS: list[Endpoint] = []
"""All of them, in the order of their routes."""
Work = TypeVar("Work", bound=Callable[..., Awaitable[Any]])


def endpoint(method: str, path: str, **more: Any) -> Callable[[Work], Work]:
    """Declare what answers a method of a path. Its return type is what it gives, unless that is a
    response; an argument `query` is read from behind the ``?``, and `wish` from the body."""

    def declared(answer: Work) -> Work:
        hints = get_type_hints(answer)
        if hints["return"] is not Response:
            more["gives"] = hints["return"]
        more.update(query=hints.get("query"), takes=hints.get("wish"))
        ENDPOINTS.append(Endpoint(method, path, answer, **more))
        return answer

    return declared


# -- the contest -----------------------------------------------------------------------------------


class Standings(Struct, frozen=True):
    """The table of the contest."""

    game: str
    seed: SeedAccount
    matches: int
    """Matches that count."""
    pending: int
    digest: str
    """Tables with equal digests count the same matches."""
    confidence: float
    """Of all intervals."""
    notes: list[str]
    standings: list[Standing]


@endpoint("GET", "standings")
async def standings(call: Call) -> Standings:
    """The table: ratings with their intervals, ranks that are possible, wins, draws and losses."""
    found = await call.contest.table()
    table = found.table
    return Standings(
        found.game,
        found.seed,
        table.games,
        found.pending,
        found.digest,
        table.confidence,
        table.notes,
        sorted(table.standings, key=lambda row: (row.rank, row.bot)),
    )


class QueueState(Struct, frozen=True):
    """What waits."""

    uploads: int
    """Uploads that wait or are examined now."""
    scrimmages: int
    matches: int
    """Matches that are planned and have no result."""


@endpoint("GET", "queue")
async def queue(call: Call) -> QueueState:
    """How much waits for the examiner and the judge."""
    return await call.ask(
        lambda league: QueueState(
            league.count("waiting"), scrimmages.waiting(league), league.count("pending")
        )
    )


class Me(Struct, frozen=True):
    """Whose token it is."""

    name: str
    role: str
    team: str
    scope: str
    game: str
    """Of the contest."""


@endpoint("GET", "me", scopes=READERS)
async def me(call: Call) -> Me:
    """The account of the token, and what the token is for."""
    return Me(call.me.name, call.me.role, call.me.team_name, call.scope, call.contest.terms.game)


# -- matches ---------------------------------------------------------------------------------------


class MatchSeat(Struct, frozen=True):
    """What became of a seat of a match."""

    name: str
    version: int
    rank: int
    points: float
    fate: str
    stopped: str | None
    faults: dict[str, int]


class CountedMatch(Struct, frozen=True):
    """A match that counts."""

    cursor: int
    """Its place in the order in which results came in."""
    number: int
    event: str
    round: int
    seed: str
    at: str
    reason: str
    sentence: str
    rounds: int
    digest: str
    sha256: str
    """Over the stored record, of which others may get less."""
    seats: list[MatchSeat]


class MatchList(Struct, frozen=True):
    """Matches in the order in which their results came in."""

    matches: list[CountedMatch]
    next: int
    """What to give as `after` for those that follow, now or later."""


class MatchQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """Which matches."""

    after: Annotated[int, Meta(ge=0, le=2**53)] = 0
    bot: Annotated[str, Meta(max_length=BOT_NAME)] = ""
    limit: Annotated[int, Meta(ge=1, le=PAGE)] = 100


@endpoint("GET", "matches")
async def matches(call: Call, query: MatchQuery) -> MatchList:
    """The matches that count, from a cursor on.

    Ask again with `next` as `after` until the list is empty; later for what has come since."""
    found = await call.ask(_matches, "result.number > ?1", query.after, query.bot, query.limit)
    return MatchList(found, found[-1].cursor if found else query.after)


@endpoint("GET", "matches/{match:int}")
async def match(call: Call) -> CountedMatch:
    """One match."""
    found = await call.ask(_matches, "fixture.number = ?1", call.number("match"), "", 1)
    if not found:
        raise HTTPException(404, "There is no such match with a result that counts.")
    return found[0]


@endpoint("GET", "matches/{match:int}/record", media="application/gzip")
async def record(call: Call) -> Response:
    """The record of a match, compressed as it is stored.

    What bots of other teams wrote to stderr is left out, unless an organiser shows it."""
    sight = await call.ask(records.sight_of, call.number("match"), call.who)
    if sight is None:
        raise HTTPException(404, "There is no such match with a result that counts.")
    return await _record(call, sight, f"{call.number('match')}.jsonl.gz")


@endpoint("GET", "matches/{match:int}/events", media="text/event-stream")
async def match_events(call: Call) -> Response:
    """A match while it is played, as server-sent events.

    `story` says who plays, `part` is a round as pages show it, and the last event is `over`, or
    `ended` with the reason. A match that is over has its record."""
    number = call.number("match")
    found = await call.ask(results.find_match, number, call.who)
    if found is None or found.at is not None:
        raise HTTPException(404, "No such match is played now. One that is over has a record.")
    return watching.followed(call.contest, number, call.who, call.request)


async def _record(call: Call, sight: RecordSight, name: str) -> Response:
    if _is_known(call.request, sight.etag):
        return Response(status_code=304, headers={"ETag": sight.etag, **PRIVATE})
    headers = {
        "ETag": sight.etag,
        "Content-Disposition": f'attachment; filename="{name}"',
        **PRIVATE,
    }
    return Response(await records.packed(sight), media_type="application/gzip", headers=headers)


PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization"}


def _matches(league: League, where: str, value: int, bot: str, limit: int) -> list[CountedMatch]:
    played = (
        "AND result.number IN (SELECT result FROM seat WHERE bot IN "
        "(SELECT bot FROM submission WHERE name = ?2)) "
    )
    found = league.store.all(
        "SELECT result.number, fixture.number, event, round + 1, seed, result.at, reason, "
        "sentence, rounds, digest, sha256, ranks FROM valid AS result "
        f"JOIN fixture ON fixture.number = result.fixture WHERE {where} "
        f"{played if bot else 'AND ?2 IS NOT NULL '}ORDER BY result.number LIMIT ?3",
        (value, bot, limit),
    )
    known: dict[str, tuple[str, int]] = {}
    made = []
    for *row, ranks in found:
        seats = _seats(league, row[0], ranks, known)
        made.append(CountedMatch(*row, seats))  # type: ignore[call-arg]  # the columns above
    return made


def _seats(
    league: League, result: int, ranks: str, known: dict[str, tuple[str, int]]
) -> list[MatchSeat]:
    query = "SELECT bot, points, fate, stopped, faults FROM seat WHERE result = ? ORDER BY seat"
    made = []
    rows = zip(league.store.all(query, (result,)), msgspec.json.decode(ranks), strict=True)
    for (bot, points, fate, stopped, faults), rank in rows:
        if bot not in known:
            known[bot] = league.first_version(bot)
        counts = msgspec.json.decode(faults)
        made.append(MatchSeat(*known[bot], rank, points, fate, stopped, counts))
    return made


# -- bots and versions -----------------------------------------------------------------------------


class ListedBot(Struct, frozen=True):
    """A bot of the contest."""

    name: str
    team: str | None
    """Null for one that no team has: the organiser added it."""
    versions: int
    plays: bool


@endpoint("GET", "bots")
async def bots(call: Call) -> list[ListedBot]:
    """All bots with a version that was accepted; those of your team in any case."""
    return await call.ask(_bots, call.who)


def _bots(league: League, viewer: Participant | None) -> list[ListedBot]:
    found = league.store.all(
        "SELECT name, (SELECT team FROM owner WHERE bot = submission.name), count(*), "
        f"sum({results.ACCEPTED}), name IN (SELECT name FROM player) FROM submission "
        "GROUP BY name ORDER BY min(number)"
    )
    listed = []
    for name, team, count, accepted, plays in found:
        sees = viewer is not None and viewer.may_see(team)
        if sees or accepted:
            shown = None if team is None else shown_team(league, team, viewer)
            listed.append(ListedBot(name, shown, count if sees else accepted, bool(plays)))
    return listed


class UploadQuery(Struct, frozen=True, forbid_unknown_fields=True):
    """What the file is called."""

    file: Annotated[str, Meta(max_length=200)] = ""


@endpoint(
    "POST",
    "bots/{name:path}/versions",
    gives=NewUpload,
    status=202,
    scopes=(UPLOAD,),
    takes_file=True,
)
async def new_version(call: Call, query: UploadQuery) -> Response:
    """Upload a version of a bot: an archive, or one source file.

    The body is the file itself, with its name as `?file=bot.py` (archives need none), or a form
    with the field `file`. A name that is new becomes a bot of your team."""
    name = uploads.bot_name(call.name())
    await call.ask(uploads.allow, call.me, name)  # before the body is read
    largest = uploads.LARGEST + uploads.ENVELOPE
    size = _require_size(call.request, largest) or largest  # or it announces nothing
    async with call.contest.receiving.upload(call.contest.ask, call.me, size):
        if call.request.headers.get("content-type", "").startswith("multipart/form-data"):
            number = await _from_form(call, name)
        else:
            number = await _from_body(call, name, query.file)
    report = f"{call.root}/uploads/{number}"
    made = NewUpload(number, report, f"{report}/events")
    headers = {"Location": report}
    return Response(msgspec.json.encode(made), 202, headers=headers, media_type=JSON)


UNREADABLE = "The form cannot be read: send the file as the field file, with its name."


async def _from_form(call: Call, name: str) -> int:
    try:
        form = await call.request.form(max_files=1, max_fields=5, max_part_size=FORM)
    except (MultiPartException, ClientDisconnect):
        raise HTTPException(400, UNREADABLE) from None
    try:
        try:
            file = file_of(form, "file")
        except UsageError:
            raise HTTPException(400, UNREADABLE) from None
        return await call.ask(uploads.receive, call.me, name, file.filename or "", file.file)
    finally:
        await form.close()


async def _from_body(call: Call, name: str, file_name: str) -> int:
    _require_size(call.request, uploads.LARGEST)
    with tempfile.TemporaryFile() as file:
        async with aclosing(_parts(call.request, uploads.LARGEST)) as parts:
            async for data in parts:
                await anyio.to_thread.run_sync(file.write, data)
        file.seek(0)
        return await call.ask(uploads.receive, call.me, name, file_name, file)


class Activated(Struct, frozen=True):
    """The version that plays now."""

    version: int


@endpoint("POST", "bots/{name:path}/versions/{version:int}/activate", scopes=(UPLOAD,))
async def activate_version(call: Call) -> Activated:
    """Let an earlier version play again, as a new version of the same content."""
    bot = await _own_bot(call)
    return Activated(await call.ask(versions.activate, call.me, bot, call.number("version")))


@endpoint("POST", "bots/{name:path}/versions/{version:int}/withdraw", scopes=(UPLOAD,))
async def withdraw_version(call: Call) -> list[Version]:
    """Withdraw a version; the one before it plays then, if any."""
    bot = await _own_bot(call)
    await call.ask(versions.withdraw, call.me, bot, call.number("version"), "")
    return await call.ask(versions.versions, bot.name)


async def _own_bot(call: Call) -> OwnBot:
    number = await call.ask(versions.number_of, call.name())
    found = None if number is None else await call.ask(versions.own_bot, number)
    if found is None or found.team != call.me.team:
        raise HTTPException(404, "Your team has no bot of that name.")
    return found


@endpoint("GET", "bots/{name:path}/versions")
async def bot_versions(call: Call) -> list[Version]:
    """The versions of a bot, the newest first.

    Which were refused, which upload each came with, and why it was withdrawn, only its team reads.
    """
    found = await call.ask(versions.versions, call.name())
    ours = await call.ask(teams.bots, call.who.team) if call.who else []
    if call.name() not in [one.name for one in ours] and not (
        call.who and call.who.may("organise")
    ):
        accepted = [one for one in found if one.state != "refused"]
        found = [replace(one, upload=None, withdrawn=None) for one in accepted]
    if not found:
        raise HTTPException(404, "There is no bot of that name.")
    return found


@endpoint("GET", "uploads/{upload:int}", scopes=READERS)
async def upload(call: Call) -> Upload:
    """The report of an upload of your team, as far as it is."""
    found = await call.ask(uploads.upload, call.number("upload"))
    if found is None or not call.me.may_see(found.team):
        raise HTTPException(404, "Your team has no such upload.")
    return found


@endpoint("GET", "uploads", scopes=READERS)
async def own_uploads(call: Call) -> list[Upload]:
    """The latest uploads of your team with their reports, the newest first."""
    return await call.ask(uploads.uploads_of, call.me.team)


@endpoint("GET", "uploads/{upload:int}/events", media="text/event-stream", scopes=READERS)
async def upload_events(call: Call) -> Response:
    """The report of an upload as it goes on, as server-sent events.

    `step` for each step with its words, `state` when the state or the place in the queue has
    changed, and at the end `report` with the whole upload."""
    found = await upload(call)
    key = call.contest.path, call.me.number
    if _open_streams[key] >= STREAMS:
        raise HTTPException(429, "Too many streams are open with tokens of this account: end one.")
    return StreamingResponse(
        _events(call, found, key), media_type="text/event-stream", headers=PRIVATE
    )


_open_streams = Counter[Any]()


async def _events(call: Call, found: Upload, key: Any) -> AsyncIterator[bytes]:
    """The events of one upload until it is over, or for `LONGEST_STREAM` seconds."""
    _open_streams[key] += 1
    try:
        until, spoke = anyio.current_time() + LONGEST_STREAM, anyio.current_time()
        told, state = 0, b""
        while True:
            for number, step in enumerate(found.steps[told:], told + 1):
                yield _event("step", ReportStep(number, step), number)
            told = len(found.steps)
            if found.is_over:
                yield _event("report", found)
                return
            now = _event("state", ReportState(found.state, found.ahead))
            if now != state:
                yield now
                state, spoke = now, anyio.current_time()
            elif anyio.current_time() - spoke > QUIET:
                yield b":\n\n"
                spoke = anyio.current_time()
            if anyio.current_time() > until:
                return
            await anyio.sleep(POLL)
            if not await call.holds():
                return
            found = await upload(call)
    finally:
        _open_streams[key] -= 1


def _event(kind: str, data: Any, id: int | None = None) -> bytes:
    """One event. JSON has no line ends of its own, so nothing in it can look like another."""
    name = b"" if id is None else b"id: %d\n" % id
    return name + b"event: %s\ndata: %s\n\n" % (kind.encode(), msgspec.json.encode(data))


# -- scrimmages ------------------------------------------------------------------------------------


class ScrimmageWish(Struct, frozen=True, forbid_unknown_fields=True):
    """Who shall meet whom."""

    bot: Annotated[str, Meta(max_length=BOT_NAME)]
    """The name of your bot."""
    rivals: Annotated[list[Annotated[str, Meta(max_length=BOT_NAME)]], Meta(max_length=16)]
    """The names of the others, in the order of the seats that are left."""
    version: Annotated[int, Meta(ge=1, le=2**53)] | None = None
    """Of your bot; null: the newest that can play."""
    seat: Annotated[int, Meta(ge=1, le=16)] = 1
    """Yours."""


@endpoint("POST", "scrimmages", status=201, scopes=(UPLOAD,))
async def new_scrimmage(call: Call, wish: ScrimmageWish) -> Scrimmage:
    """Ask for a match that counts for no table, within the quota of your team."""
    own = await call.ask(scrimmages.own_versions, call.me.team)
    found = [
        one.submission
        for one in own
        if one.name == wish.bot and wish.version in (None, one.version)
    ]
    if not found:
        raise UsageError("your team has no such bot or version that has passed its test")
    number = await call.ask(scrimmages.ask, call.me, found[0], wish.rivals, wish.seat)
    return await _scrimmage(call, number)


@endpoint("GET", "scrimmages", scopes=READERS)
async def own_scrimmages(call: Call) -> list[Scrimmage]:
    """The scrimmages of your team and against it, the newest first."""
    return await call.ask(scrimmages.scrimmages_of, call.me)


@endpoint("GET", "scrimmages/{scrimmage:int}", scopes=READERS)
async def scrimmage(call: Call) -> Scrimmage:
    """One scrimmage, for its sides."""
    return await _scrimmage(call, call.number("scrimmage"))


@endpoint("GET", "scrimmages/{scrimmage:int}/record", media="application/gzip", scopes=READERS)
async def scrimmage_record(call: Call) -> Response:
    """The record of a scrimmage, for its sides."""
    found = await _scrimmage(call, call.number("scrimmage"))
    sight = await call.ask(scrimmages.sight_of, found, call.me)
    if sight is None:
        raise HTTPException(404, "This scrimmage has no result yet.")
    return await _record(call, sight, f"scrimmage-{found.number}.jsonl.gz")


async def _scrimmage(call: Call, number: int) -> Scrimmage:
    found = await call.ask(scrimmages.scrimmage, number, call.me)
    if found is None:
        raise HTTPException(404, "Your team has no such scrimmage.")
    return found


# -- every call ------------------------------------------------------------------------------------


def _route(path: str) -> Route:
    """The route of a path, with all its methods."""
    methods = {one.method: one for one in ENDPOINTS if one.path == path}

    async def answer(request: Request) -> Response:
        visit: Visit | None = request.state.visit
        if visit is None:  # as in /healthz/api/me, which names no contest
            raise HTTPException(404)
        visit.request = request
        one = methods["GET" if request.method == "HEAD" else request.method]
        try:
            call = await _call(visit, one)
            wishes = {"query": query_of(call, one.query)} if one.query else {}
            wishes |= {"wish": await json_body(call, one.takes)} if one.takes else {}
            found = await one.answer(call, **wishes)
        except UsageError as error:  # it was understood, and is not allowed (now)
            raise HTTPException(409, sentence(error)) from None
        except DiskFull as error:
            raise HTTPException(507, sentence(error)) from None
        return found if isinstance(found, Response) else _json(request, found, one.status)

    return Route(f"/{{contest}}/api/{path}", answer, methods=list(methods))


def _json(request: Request, found: Any, status: int) -> Response:
    body = msgspec.json.encode(found)
    if request.method not in ("GET", "HEAD"):
        headers = {"Cache-Control": "no-store"}
        return Response(body, status, headers=headers, media_type=JSON)
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    headers = {"ETag": etag, **PRIVATE}
    if _is_known(request, etag):
        return Response(status_code=304, headers=headers)
    return Response(body, status, headers=headers, media_type=JSON)


def _is_known(request: Request, etag: str) -> bool:
    """Whether the caller has this already, by If-None-Match."""
    given = request.headers.get("if-none-match", "")
    return given.strip() == "*" or etag in [
        one.strip().removeprefix("W/") for one in given.split(",")
    ]


async def _call(visit: Visit, one: Endpoint) -> Call:
    """Who calls, by the token. A token that does not hold is refused also where none is needed."""
    header = visit.request.headers.get("authorization")
    if header is None:
        if one.scopes:
            raise _unknown("Show a token: Authorization: Bearer TOKEN.", visit)
        return Call(visit, None, "")
    found = await visit.ask(_bearer, _token_of(visit.request))
    if found is None:
        raise _unknown("This token does not hold (any more).", visit)
    who, scope = found
    if one.scopes and scope not in one.scopes:
        raise HTTPException(
            403, f"This token is for: {scope}. This needs one for: {' or '.join(one.scopes)}."
        )
    if one.scopes and not who.may(one.may):
        raise HTTPException(403, "The role of this account does not allow that.")
    if not mark_connection(visit.request.scope, visit.contest, who.number):
        raise too_many()
    return Call(visit, who, scope)


def _token_of(request: Request) -> str:
    """The token that a request shows; empty without one."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def _bearer(league: League, token: str) -> tuple[Participant, str] | None:
    """Whose token that is, and its scope. Only the scope `organise` leaves an organiser's rights:
    a token that lies beside a build must not read what all authors wrote."""
    for scope in READERS:
        who = accounts.bearer(league, token, scope)
        if who is not None:
            may = scope == ORGANISE or not who.may("organise")
            return (who if may else replace(who, role=accounts.AUTHOR)), scope
    return None


def _unknown(why: str, visit: Visit) -> HTTPException:
    where = f"{visit.address.url}{visit.root}/account/access"
    return HTTPException(401, f"{why} Make one at {where}.", headers={"WWW-Authenticate": "Bearer"})


S = TypeVar("S", bound=Struct)


def query_of(call: Call, kind: type[S]) -> S:
    """The parameters behind the ``?``. Raises the answer to wrong ones."""
    given = call.request.query_params
    if len(given.multi_items()) > len(given):
        raise HTTPException(400, "Give each parameter once.")
    try:
        return msgspec.convert(dict(given), kind, strict=False)
    except msgspec.ValidationError as error:
        raise HTTPException(400, f"The parameters behind the ? are wrong: {error}.") from None


async def json_body(call: Call, kind: type[S]) -> S:
    """The JSON of a request. Raises the answer to a wrong one."""
    media = call.request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if media != JSON:
        raise HTTPException(415, f"Send JSON, with Content-Type: {JSON}.")
    _require_size(call.request, BODY)
    async with aclosing(_parts(call.request, BODY)) as parts:
        body = b"".join([data async for data in parts])
    try:
        return msgspec.json.decode(body, type=kind, strict=False)  # 5.0 is a whole number
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise HTTPException(400, f"The body is wrong: {error}.") from None


async def _parts(request: Request, largest: int) -> AsyncGenerator[bytes, None]:
    """The body of a request. Raises the answer to one that is larger, or cut off."""
    size = 0
    async with aclosing(request.stream()) as stream:
        try:
            async for data in stream:
                size += len(data)
                if size > largest:
                    raise _too_large(largest)
                yield data
        except ClientDisconnect:
            raise HTTPException(400, "The body was cut off: send it again.") from None


def _require_size(request: Request, largest: int) -> int:
    """The size that a body announces; 0 if it does not say, and is counted. Refuse one of more."""
    length = request.headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit() and len(length) < 15) or int(length) > largest:
        raise _too_large(largest)
    return int(length)


def _too_large(largest: int) -> HTTPException:
    return HTTPException(413, f"This is larger than {size_text(largest)}: leave things out.")


def routes() -> tuple[Route, ...]:
    """The routes of all endpoints that were declared."""
    return tuple(_route(path) for path in dict.fromkeys(one.path for one in ENDPOINTS))


_WHY = {
    404: "There is no such path in the API: /openapi.json lists them.",
    405: "This path has no such method: /openapi.json lists them.",
}


def is_api(path: str) -> bool:
    """Whether a path of the site is one of the API."""
    return path.split("/")[2:3] == ["api"]


def problem(error: HTTPException) -> Response:
    """An error as JSON."""
    headers = {"Cache-Control": "no-store", **(error.headers or {})}
    is_bare = error.detail == HTTPStatus(error.status_code).phrase
    why = _WHY.get(error.status_code, error.detail) if is_bare else error.detail
    body = msgspec.json.encode(ApiProblem(why))
    return Response(body, error.status_code, headers=headers, media_type=JSON)


def openapi_route(contests: Mapping[str, Contest], address: SiteAddress) -> Route:
    """``/openapi.json``: the description of the API for all contests of the site."""
    found = msgspec.json.encode(description(ENDPOINTS, address.url, contests))

    async def openapi(request: Request) -> Response:
        return _json(request, msgspec.Raw(found), 200)

    return Route("/openapi.json", openapi)
