"""Pages of people who play: beginning a match, the link for others, the board, and its replay."""

from __future__ import annotations

import functools
from typing import Any

import anyio
from starlette.responses import Response
from starlette.routing import WebSocketRoute
from starlette.websockets import WebSocket

from arena.errors import ReplayError, UsageError
from arena.league.league import League
from arena.record.format import encode_lines
from arena.record.reader import MAX_RECORD_SIZE, Match, shared
from arena.site import accounts, boards
from arena.site.accounts import name_of, new_secret
from arena.site.boards import PeopleMatch, Sitter
from arena.site.pages import (
    Visit,
    not_found,
    number_of,
    page,
    post,
    set_cookie,
    text_of,
    whole_number,
)
from arena.site.replays import MAKING, fed_page, sandboxed
from arena.text import counted
from arena.view.page import page_of, seat_page
from arena.web.http import mark_known
from arena.web.match_process import close, pass_messages

GUEST = "guest"
"""The cookie of a guest."""
GUEST_TIME = 30 * 24 * 3600
LOADED_AGAIN = {"open": 15, "playing": 2}
"""Seconds until the page of a match is loaded again: for who waits. Where there is a button to
press, not so soon that it is lost again and again."""
BOARDS = 16
"""Connections of the boards of one match that no strangers replace."""
AGAIN = 30.0
"""Seconds between two looks whether who plays may still: sessions end, and accounts are banned."""
TIMES = (60, 120, 300, 900, 3600, 6 * 3600, 24 * 3600)
"""Limits to choose from, in seconds."""


# -- who asks --------------------------------------------------------------------------------------


def sitter_of(visit: Visit, name: str = "") -> Sitter:
    """Who asks for a seat. A guest without a cookie gets a secret."""
    if visit.account is not None:
        return Sitter(visit.account.name, visit.account.number)
    return Sitter(name, None, visit.cookies.get(GUEST) or new_secret())


def _guest_of(visit: Visit, name: str) -> Sitter:
    """Who asks for a seat, with a name that others may see. Raises UsageError.

    A guest is called so in brackets: nobody can pass for an account."""
    if visit.account is not None:
        if not visit.account.may("take part"):
            raise UsageError("this account may not play")
        return sitter_of(visit)
    most = accounts.NAME - len(" (guest)")
    return sitter_of(visit, f"{name_of(name)[:most]} (guest)")


def _remember(visit: Visit, response: Response, who: Sitter) -> Response:
    """Give a guest the cookie with the secret."""
    if who.account is not None:
        return response
    return set_cookie(visit, response, GUEST, who.secret, GUEST_TIME)


async def _found(visit: Visit) -> PeopleMatch:
    """The match of the path. Raises the page for what does not exist, also for whose it is not."""
    organises = visit.account is not None and visit.account.may("organise")
    look = functools.partial(boards.people_match, organises=organises)
    found = await visit.ask(look, visit.number("number"), sitter_of(visit))
    if found is None:
        raise not_found()
    return found


# -- beginning and joining -------------------------------------------------------------------------


async def _begin(visit: Visit) -> Response:
    form = await visit.form()
    who = _guest_of(visit, text_of(form, "name"))
    seats = visit.contest.terms.seats
    seat, seconds = number_of(form, "seat"), number_of(form, "seconds")
    rivals = [text_of(form, f"rival{number}") for number in range(1, seats)]
    if who.account is None:
        number = await _begin_as_guest(visit, who, seat - 1, rivals, seconds)
    else:
        number = await visit.ask(boards.begin, who, seat - 1, rivals, seconds)
    if all(rivals):
        visit.contest.people.tell()
    return _remember(visit, visit.go(f"play/{number}"), who)


async def _begin_as_guest(visit: Visit, who: Sitter, *wish: Any) -> int:
    """Begin a match, unless those of guests from this address leave no place to others."""
    contest = visit.contest
    async with contest.begins_guest:
        still_open = await visit.ask(boards.open_matches)
        contest.guests = {at: by for at, by in contest.guests.items() if at in still_open}
        if (
            visit.client
            and list(contest.guests.values()).count(visit.client) >= boards.GUESTS_OF_ADDRESS
        ):
            raise UsageError(
                f"{boards.GUESTS_OF_ADDRESS} matches from your network are not over: end one first"
            )
        with contest.shares.taking("matches", visit.client, boards.HOURLY_GUESTS):
            number: int = await visit.ask(boards.begin, who, *wish)
        contest.guests[number] = visit.client
    return number


@page("play", post=_begin)
async def play(visit: Visit) -> Response:
    """Begin a match, and one's own matches."""
    who = sitter_of(visit)
    return visit.page(
        "people.html",
        allowed=await visit.ask(boards.who_may),
        boards=boards,
        bots=await visit.ask(_bots),
        seats=visit.contest.terms.seats,
        times=[(seconds, limit_text(seconds)) for seconds in TIMES],
        matches=await visit.ask(boards.matches_of, who),
    )


def _bots(league: League) -> list[str]:
    return sorted(player.name for player in league.players())


def limit_text(seconds: int) -> str:
    """A limit in words."""
    if seconds % 3600:
        return counted(seconds // 60, "minute")
    return counted(seconds // 3600, "hour")


async def _join(visit: Visit) -> Response:
    form = await visit.form()
    who = _guest_of(visit, text_of(form, "name"))
    secret = accounts.secret_of(text_of(form, "invitation"))
    number = await visit.ask(boards.join, secret, who)
    visit.contest.people.tell()
    return _remember(visit, visit.go(f"play/{number}"), who)


@page("play/join", post=_join)
async def join(visit: Visit) -> Response:
    """Take a seat by a link. The secret stands behind its #, which browsers send to nobody."""
    return visit.page("people_join.html", allowed=await visit.ask(boards.who_may), boards=boards)


@post("play/{number}/link", back="play/{number}")
async def link(visit: Visit) -> Response:
    """Make the link of a match for those who are invited."""
    await visit.form()
    secret = await visit.ask(boards.invite, sitter_of(visit), visit.number("number"))
    link = f"{visit.address.url}{visit.root}/play/join#{secret}"
    return visit.page("people_link.html", link=link, number=visit.number("number"))


@post("play/{number}/end", back="play/{number}")
async def take_back(visit: Visit) -> Response:
    """End an own match that waits still."""
    await visit.form()
    await visit.ask(boards.take_back, sitter_of(visit), visit.number("number"))
    return visit.go("play")


@post("play/who", back="play", may="organise")
async def let_play(visit: Visit) -> Response:
    """Say who may play."""
    form = await visit.form()
    await visit.ask(boards.let_play, visit.me, text_of(form, "who"))
    return visit.go("play")


# -- a match ---------------------------------------------------------------------------------------


@page("play/{number}")
async def match(visit: Visit) -> Response:
    """A match: who plays, whether it goes on, and how it ended."""
    found = await _found(visit)
    is_hosted = found.number in visit.contest.hosted
    made = visit.page(
        "people_match.html",
        match=found,
        limit=limit_text(found.seconds),
        is_hosted=is_hosted,
    )
    if found.state in LOADED_AGAIN and not is_hosted:
        made.headers["Refresh"] = str(LOADED_AGAIN[found.state])
    return made


@page("play/{number}/board")
async def board(visit: Visit) -> Response:
    """The board of a person."""
    found = await _found(visit)
    if found.mine is None or found.state != "playing":
        return visit.go(f"play/{found.number}")
    scheme = "wss" if visit.address.scheme == "https" else "ws"
    path = f"{visit.root}/play/{found.number}"
    feed = f"{scheme}://{visit.request.headers['host']}{path}/feed"
    return await fed_page(visit, seat_page, feed, path)


@page("play/{number}/replay")
async def replay(visit: Visit) -> Response:
    """A match that is over, as everybody could see it but for what bots wrote to stderr."""
    found = await _played(visit)
    try:
        text = await MAKING.run(_replay, visit, found)
    except ReplayError:
        raise UsageError("it ended before its first round: there is nothing to watch") from None
    return sandboxed(text)


def _replay(visit: Visit, found: PeopleMatch) -> bytes:
    return page_of(_shared(visit, found), f"people-{found.number}").encode()


@page("play/{number}/record")
async def record(visit: Visit) -> Response:
    """The record of a match that is over."""
    found = await _played(visit)
    content = await MAKING.run(_lines, visit, found)
    headers = {"Content-Disposition": f'attachment; filename="people-{found.number}.jsonl"'}
    return Response(content, media_type="application/x-ndjson", headers=headers)


def _lines(visit: Visit, found: PeopleMatch) -> bytes:
    match = _shared(visit, found)
    return encode_lines((match.header, *match.records))


async def _played(visit: Visit) -> PeopleMatch:
    found = await _found(visit)
    if found.state != "over":
        raise not_found()
    return found


def _shared(visit: Visit, found: PeopleMatch) -> Match:
    """The match without the stderr and drawings of bots, which are for their teams."""
    path = boards.record_of(visit.contest.folder, found.number)
    return shared(Match.read(path, largest=MAX_RECORD_SIZE), ())


# -- the feed of a board ---------------------------------------------------------------------------


async def feed(socket: WebSocket) -> None:
    """Pass messages between the page of a person and the process of the match.

    The page is known by its cookie alone, and what it names is its own seat: there is nothing in
    it that could name another's. `Guard` has refused pages of other sites.
    """
    visit: Visit | None = socket.state.visit
    number = whole_number(socket.path_params["number"])
    if visit is None or number is None:
        await socket.close()
        return
    seat = await visit.ask(_seat, visit, number)
    hosted = visit.contest.hosted.get(number)
    if seat is None or hosted is None:
        await socket.close()
        return
    mark_known(socket.scope, f"match {number}", BOARDS)
    async with hosted.page(seat) as stream:
        if stream is not None:
            await socket.accept()
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(_look_again, visit, number, tasks.cancel_scope)
                await pass_messages(socket, stream)
                tasks.cancel_scope.cancel()
    await close(socket)


def _seat(league: League, visit: Visit, number: int) -> int | None:
    """The seat of whose cookies these are, as they hold now."""
    who = sitter_of(visit)
    if visit.session is not None and accounts.who(league, visit.session) is None:
        return None
    return boards.seat_of(league, number, who)


async def _look_again(visit: Visit, number: int, scope: anyio.CancelScope) -> None:
    while True:
        await anyio.sleep(AGAIN)
        if await visit.ask(_seat, visit, number) is None:
            scope.cancel()


ROUTES: tuple[Any, ...] = (
    *(play, join, let_play, match, link, take_back, board, replay, record),
    WebSocketRoute("/{contest}/play/{number}/feed", feed),
)
