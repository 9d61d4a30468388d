"""What is played now and what waits, and announcements."""

from __future__ import annotations

from starlette.responses import Response

from arena.league.plan import PLACEMENT
from arena.site import results
from arena.site.pages import Visit, page

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
        placement=PLACEMENT,
        window=results.PACE,
    )
    made.headers["Refresh"] = str(LIVING)
    return made


@page("announcements")
async def announcements(visit: Visit) -> Response:
    """All announcements, the newest first."""
    found = await visit.ask(results.announcements, visit.asked("before") or None)
    part = found[: results.PAGE]
    return visit.page(
        "announcements.html",
        announcements=part,
        before=part[-1][0] if len(found) > len(part) else None,
    )


ROUTES = (now, announcements)
