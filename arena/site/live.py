"""What is played now and what waits, a match as it is played, and announcements."""

from __future__ import annotations

import math

from starlette.responses import Response

from arena.league.plan import PLACEMENT
from arena.site import deeds, results, watching
from arena.site.pages import Visit, not_found, page
from arena.site.replays import fed_page
from arena.view.page import live_page

LIVING = 10
"""Seconds until a page of what happens now loads itself again."""


@page("now")
async def now(visit: Visit) -> Response:
    """The matches that are played now, the next ones, the last results, and the queues."""
    sight = await visit.ask(results.sight, visit.account)
    found = await visit.contest.recent(results.now, sight)
    made = visit.page(
        "now.html",
        now=found,
        late=await visit.contest.recent(watching.lateness, visit.account),
        placement=PLACEMENT,
        window=results.PACE,
    )
    made.headers["Refresh"] = str(LIVING)
    return made


@page("matches/{match}/live")
async def live(visit: Visit) -> Response:
    """A match as it is played. Once it is over, this is its replay."""
    number = visit.number("match")
    found = await visit.ask(results.find_match, number, visit.account)
    if found is None:
        raise not_found()
    path = f"{visit.root}/matches/{number}"
    if found.at is not None:
        return visit.go(f"matches/{number}/replay")
    if found.hidden or not await can_watch(visit, number):
        return visit.go(f"matches/{number}")
    feed = f"{visit.address.scheme}://{visit.request.headers['host']}{path}/live/feed"
    return await fed_page(visit, live_page, feed, path)


async def can_watch(visit: Visit, match: int) -> bool:
    """Whether a match is played now, and shown to this visitor before it is over."""
    is_played = visit.contest.folder.draft(match).exists()
    return is_played and await visit.contest.recent(watching.lateness, visit.account) < math.inf


@page("matches/{match}/live/feed")
async def live_feed(visit: Visit) -> Response:
    """What the page of a match that is played hears, as server-sent events."""
    number = visit.number("match")
    if await visit.ask(results.find_match, number, visit.account) is None:
        raise not_found()
    return watching.followed(visit.contest, number, visit.account, visit.request)


@page("announcements")
async def announcements(visit: Visit) -> Response:
    """All announcements that hold, the newest first."""
    most = results.PAGE
    found = await visit.ask(deeds.announcements, most + 1, visit.asked("before") or None)
    return visit.page(
        "announcements.html",
        announcements=found[:most],
        before=found[most - 1].number if len(found) > most else None,
    )


ROUTES = (now, live, live_feed, announcements)
