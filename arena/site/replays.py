"""Replays as pages, and records to keep, each as far as its viewer may see it.

The page of a replay brings a policy of its own, which lets its scripts run, by their hashes, and
nothing else. As a header it says further that the page stands in no frame and is sandboxed, so that
it belongs to no site: even its own scripts see no cookie, fetch nothing and save nothing. The
record to keep is another address, to which the pages of the site link.
"""

from __future__ import annotations

import functools
import html
import re
from collections import OrderedDict
from collections.abc import Callable

from msgspec.structs import replace
from starlette.responses import HTMLResponse, Response

from arena import __version__
from arena.core.game import AnyGame
from arena.core.registry import find_game
from arena.errors import ReplayError, UsageError
from arena.record.reader import Match
from arena.site import records
from arena.site.contest import Threads
from arena.site.pages import Visit, not_found
from arena.site.records import RecordSight
from arena.view.page import page_of

MAKING = Threads("making", 1)
"""Pages of boards and people's replays that are made at a time."""
OWN_POLICY = {"Cache-Control": "no-store", "Content-Security-Policy": "frame-ancestors 'none'"}
"""A page of `arena.view` brings its own policy, stricter than that of the site: its scripts are
named by their hashes."""
REPLAYS = 16 << 20
"""Bytes of replay pages that are kept."""
LARGEST_REPLAY = 8 << 20
"""Bytes of a stored record of which the site still makes a page; a longer one is to be kept and
opened by ``arena view``."""


async def fed_page(
    visit: Visit, make: Callable[[AnyGame, str, str], str], feed: str, back: str
) -> Response:
    """A page of `arena.view` that follows a match by the address `feed`; `back` is the path of the
    match on the site."""
    work = functools.partial(make, find_game(visit.contest.terms.game), feed, back)
    return HTMLResponse(await MAKING.run(work), headers=OWN_POLICY)


async def record_to_keep(visit: Visit, sight: RecordSight, name: str) -> Response:
    """The record, compressed. `name` is one of ours and needs no escapes."""
    if _is_known(visit, sight.etag):
        return Response(status_code=304, headers=_kept(sight.etag))
    headers = {**_kept(sight.etag), "Content-Disposition": f'attachment; filename="{name}"'}
    try:
        content = await records.packed(sight)
    except (ReplayError, OSError):
        raise not_found() from None
    return Response(content, media_type="application/gzip", headers=headers)


async def replay(visit: Visit, sight: RecordSight, name: str) -> Response:
    """The replay as a page. Raises UsageError for a match that is too long."""
    etag = f'"{sight.etag[1:-1]}-page-{__version__}"'
    if _is_known(visit, etag):
        return Response(status_code=304, headers=_kept(etag))
    try:
        if sight.path.stat().st_size > LARGEST_REPLAY:
            raise UsageError(
                "the match is too long for a page here: keep its record, and open it with arena "
                "view"
            )
        text = await _made(sight, name)
    except (ReplayError, OSError):
        raise not_found() from None
    made = sandboxed(text)
    made.headers.update(_kept(etag))
    return made


def sandboxed(text: bytes) -> Response:
    """A page of `arena.view` under its own policy."""
    headers = {
        "Cache-Control": "private, no-store",
        "Content-Security-Policy": policy_of(text),
        # Browsers refuse to show a sandboxed page that has an opener policy.
        "Cross-Origin-Opener-Policy": "unsafe-none",
    }
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


_POLICY = re.compile(rb'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def policy_of(text: bytes) -> str:
    """The policy of a page of `arena.view`, as a header."""
    found = _POLICY.search(text)
    assert found is not None
    return f"{html.unescape(found[1].decode())}; frame-ancestors 'none'; sandbox allow-scripts"


def _kept(etag: str) -> dict[str, str]:
    """Browsers may keep it, and ask each time whether it has changed: what this visitor may see
    does, when an organiser says so."""
    return {"ETag": etag, "Cache-Control": "private, no-cache"}


def _is_known(visit: Visit, etag: str) -> bool:
    return visit.request.headers.get("if-none-match") == etag


_pages: OrderedDict[tuple[str, str], bytes] = OrderedDict()
"""Those that were asked for last."""


async def _made(sight: RecordSight, name: str) -> bytes:
    key = (sight.etag, name)
    if key not in _pages:
        match = await records.match(sight)
        shown = Match(replace(match.header, players=list(sight.names)), match.records)
        _pages[key] = await records.FILTERING.run(_make, shown, name)
        while len(_pages) > 1 and sum(map(len, _pages.values())) > REPLAYS:
            _pages.popitem(last=False)
    _pages.move_to_end(key)
    return _pages[key]


def _make(shown: Match, name: str) -> bytes:
    return page_of(shown, name).encode()
