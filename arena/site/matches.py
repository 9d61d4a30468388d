"""The pages of bots, pairs and matches, with replays and records to keep."""

from __future__ import annotations

import html
import re
from collections import OrderedDict
from typing import Any
from urllib.parse import urlencode

import trio
from msgspec.structs import asdict
from starlette.responses import Response

from arena.errors import ReplayError, UsageError
from arena.league.plan import PLACEMENT
from arena.record.reader import Match
from arena.site import records, results, trends
from arena.site.pages import Visit, not_found, page
from arena.site.records import RecordSight
from arena.site.results import BotName, MatchFilter, Sight
from arena.view.page import page_of

# -- bots and pairs --------------------------------------------------------------------------------


@page("bots/{bot}")
async def bot(visit: Visit) -> Response:
    """A bot: its rating over time, its rivals, its seats, its versions and its matches."""
    found, sight = await _bot(visit, "bot"), await visit.ask(results.sight, visit.account)
    table = await visit.contest.table()
    versions = await visit.ask(results.versions, found.name, sight)
    now = next((one for one in versions if one.state == "plays"), None)
    row = next((one for one in table.table.standings if one.name == found.name), None)
    shown = [(one.number, one.bot) for one in reversed(versions[:CURVES])]
    names = await visit.ask(results.bot_names)
    curve = await visit.ask(trends.rating_curve, table, found.name, shown, sight.until)
    rivals = [cell for cell in table.table.crosstable if row and cell.bot == row.bot]
    return visit.page(
        "bot.html",
        bot=found,
        row=row if row and row.games else None,
        placement=PLACEMENT,
        versions=versions,
        curve=curve,
        picture=trends.picture(curve),
        rivals=sorted(rivals, key=lambda cell: -table.table.standings[cell.rival].elo),
        standings=table.table.standings,
        names=names,
        seats=await visit.ask(results.by_seat, now.bot, sight) if now else [],
        maps=await visit.ask(results.by_map, now.bot, sight) if now else None,
        **await _list(visit, found, sight),
    )


CURVES = 10
"""Versions in the picture of a rating."""


@page("bots/{bot}/against/{rival}")
async def pair(visit: Visit) -> Response:
    """A pair of bots: who is better, and their matches."""
    found, rival = await _bot(visit, "bot"), await _bot(visit, "rival")
    if found == rival:
        raise not_found()
    sight = await visit.ask(results.sight, visit.account)
    table = await visit.contest.table()
    numbers = {row.name: row.bot for row in table.table.standings}
    ours, theirs = numbers.get(found.name), numbers.get(rival.name)
    cell = next(
        (one for one in table.table.crosstable if (one.bot, one.rival) == (ours, theirs)), None
    )
    return visit.page(
        "pair.html",
        bot=found,
        rival=rival,
        cell=cell,
        **await _list(visit, found, sight, rival.number),
    )


async def _bot(visit: Visit, name: str) -> BotName:
    found = await visit.ask(results.find_bot, visit.number(name))
    if found is None:
        raise not_found()
    return found


async def _list(visit: Visit, bot: BotName, sight: Sight, rival: int = 0) -> dict[str, Any]:
    """The values of a list of matches: the filter, its choices, and the part from the cursor on."""
    asked = visit.request.query_params
    wanted = MatchFilter(
        outcome=asked.get("outcome", ""),
        fault=asked.get("fault", ""),
        rival=rival or visit.asked("rival"),
        version=visit.asked("version"),
    )
    faults = await visit.ask(results.faults_seen, bot.name)
    wanted.check(faults)
    before = visit.asked("before") or None
    part = await visit.ask(results.matches_of, bot.name, wanted, sight, before)
    chosen = {key: value for key, value in asdict(wanted).items() if value}
    if rival:
        chosen.pop("rival")
    return {
        "wanted": wanted,
        "faults": faults,
        "outcomes": results.OUTCOMES,
        "part": part,
        "first": before is None,
        "older": urlencode({**chosen, "before": part.before}) if part.before else None,
        "chosen": urlencode(chosen),
    }


# -- matches ---------------------------------------------------------------------------------------


@page("matches/{match}")
async def match(visit: Visit) -> Response:
    """A match: who played, how it ended and why, and how to verify it."""
    sight = await visit.ask(results.sight, visit.account)
    found = await visit.ask(results.find_match, visit.number("match"), sight)
    if found is None:
        raise not_found()
    seen = await visit.ask(records.sight_of, found.number, visit.account) if found.at else None
    has_record = seen is not None and seen.path.is_file()
    return visit.page(
        "match.html",
        match=found,
        is_played=found.at is None and visit.contest.folder.draft(found.number).exists(),
        whole=seen is not None and seen.own is None,
        has_record=has_record,
        file=file_name(visit, found.number),
        knows_reasons=visit.account is not None and visit.account.may("organise"),
    )


def file_name(visit: Visit, number: int) -> str:
    """The name under which a record is kept by who downloads it."""
    return f"{visit.contest.slug}-{number}.jsonl.gz"


@page("matches/{match}/record")
async def record(visit: Visit) -> Response:
    """The record of a match, as its visitor may see it."""
    seen = await _record(visit)
    if visit.request.headers.get("if-none-match") == seen.etag:
        return Response(status_code=304, headers=_kept(seen.etag))
    name = file_name(visit, visit.number("match"))
    headers = {**_kept(seen.etag), "Content-Disposition": f'attachment; filename="{name}"'}
    try:
        content = await records.packed(seen)
    except (ReplayError, OSError):
        raise not_found() from None
    return Response(content, media_type="application/gzip", headers=headers)


async def _record(visit: Visit) -> RecordSight:
    """The record of a match that this visitor may see. Raises the page for what does not exist."""
    number = visit.number("match")
    sight = await visit.ask(results.sight, visit.account)
    found = await visit.ask(results.find_match, number, sight)
    seen = await visit.ask(records.sight_of, number, visit.account) if found and found.at else None
    if seen is None or not seen.path.is_file():
        raise not_found()
    return seen


def _kept(etag: str) -> dict[str, str]:
    """Browsers may keep it, and ask each time whether it has changed: what this visitor may see
    does, when an organiser says so."""
    return {"ETag": etag, "Cache-Control": "private, no-cache"}


# -- replays ---------------------------------------------------------------------------------------

REPLAYS = 16 << 20
"""Bytes of replay pages that are kept."""
LONGEST = 8 << 20
"""Bytes of a stored record of which the site still makes a page; a longer one is to be kept and
opened by ``arena view``."""


@page("matches/{match}/replay")
async def replay(visit: Visit) -> Response:
    """The replay: a page of its own, under a policy of its own.

    Its policy lets its own scripts run, by their hashes, and nothing else. It is sandboxed too, so
    that it belongs to no site: even its own scripts see no cookie and can fetch nothing.
    """
    seen = await _record(visit)
    if visit.request.headers.get("if-none-match") == seen.etag:
        return Response(status_code=304, headers=_kept(seen.etag))
    if seen.path.stat().st_size > LONGEST:
        raise UsageError(
            "the match is too long for a page here: keep its record, and open it with arena view"
        )
    name = file_name(visit, visit.number("match"))
    try:
        text, policy = await _replay_page(seen, name)
    except (ReplayError, OSError):
        raise not_found() from None
    headers = {**_kept(seen.etag), "Content-Security-Policy": policy}
    # A sandboxed page cannot have an opener policy: browsers refuse to show it.
    headers["Cross-Origin-Opener-Policy"] = "unsafe-none"
    return Response(text, media_type="text/html; charset=utf-8", headers=headers)


_MADE: OrderedDict[tuple[str, str], tuple[bytes, str]] = OrderedDict()


async def _replay_page(seen: RecordSight, name: str) -> tuple[bytes, str]:
    """The page and its policy. The pages that were asked for last are kept."""
    key = (seen.etag, name)
    if key not in _MADE:
        shown = await records.match(seen)
        _MADE[key] = await trio.to_thread.run_sync(
            _make_replay, shown, name, limiter=records.FILTERING
        )
        while len(_MADE) > 1 and sum(len(text) for text, _ in _MADE.values()) > REPLAYS:
            _MADE.popitem(last=False)
    _MADE.move_to_end(key)
    return _MADE[key]


def _make_replay(shown: Match, name: str) -> tuple[bytes, str]:
    text = page_of(shown, name)
    return text.encode(), replay_policy(text)


_POLICY = re.compile(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">')


def replay_policy(text: str) -> str:
    """The policy of a page of `arena.view`, as a header: its own, and that it is sandboxed and
    stands in no frame."""
    found = _POLICY.search(text)
    assert found is not None
    own = html.unescape(found[1])
    return f"{own}; frame-ancestors 'none'; sandbox allow-scripts allow-downloads"


ROUTES = (bot, pair, match, record, replay)
