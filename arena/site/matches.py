"""The pages of bots, pairs and matches, with replays and records to keep."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

from msgspec import Struct
from msgspec.structs import asdict
from starlette.responses import Response

from arena.league.league import League
from arena.league.plan import PLACEMENT
from arena.league.table import LeagueTable
from arena.site import records, replays, results, trends, watching
from arena.site.pages import Visit, not_found, page
from arena.site.records import RecordSight
from arena.site.results import NEVER, BotName, MapCount, MatchFilter, SeatCount, Sight
from arena.site.trends import RatingPoint

# -- bots and pairs --------------------------------------------------------------------------------


@page("bots/{bot}")
async def bot(visit: Visit) -> Response:
    """A bot: its rating over time, its rivals, its seats, its versions and its matches."""
    found, sight = await _bot(visit, "bot"), await visit.ask(results.sight, visit.account)
    table, crosstable = await visit.contest.crossed()
    versions = await visit.ask(results.versions, found.name, sight)
    now = next((one for one in versions if one.state == "plays"), None)
    row = next((one for one in table.table.standings if one.name == found.name), None)
    shown = [(one.number, one.bot) for one in reversed(versions[:CURVES])]
    names = await visit.ask(results.bot_names)
    seen = await visit.contest.derived(
        _bot_sums,
        found.name,
        tuple(shown),
        now.bot if now else None,
        sight.until,
        whole=sight.until == NEVER,
    )
    rivals = [] if row is None else crosstable.row(row.bot)
    return visit.page(
        "bot.html",
        bot=found,
        row=row if row and row.games else None,
        placement=PLACEMENT,
        versions=versions,
        curve=seen.curve,
        picture=trends.picture(seen.curve),
        rivals=sorted(rivals, key=lambda cell: -table.table.standings[cell.rival].elo),
        standings=table.table.standings,
        names=names,
        seats=seen.seats,
        maps=seen.maps,
        **await _list(visit, found, sight),
    )


class _BotSums(Struct, frozen=True):
    """What all results of a bot say, which a page does not read again for each visit."""

    curve: list[RatingPoint]
    seats: list[SeatCount]
    maps: MapCount | None


def _bot_sums(
    league: League,
    table: LeagueTable,
    name: str,
    versions: tuple[tuple[int, str], ...],
    plays: str | None,
    until: str,
) -> _BotSums:
    sight = Sight(until)
    return _BotSums(
        trends.rating_curve(league, table, name, versions, until),
        results.by_seat(league, plays, sight) if plays else [],
        results.by_map(league, plays, sight) if plays else None,
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
    table, crosstable = await visit.contest.crossed()
    numbers = {row.name: row.bot for row in table.table.standings}
    ours, theirs = numbers.get(found.name), numbers.get(rival.name)
    rivals = [] if ours is None else crosstable.row(ours)
    cell = next((one for one in rivals if one.rival == theirs), None)
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
    found = await visit.ask(results.find_match, visit.number("match"), visit.account)
    if found is None:
        raise not_found()
    seen = await visit.ask(records.sight_of, found.number, visit.account) if found.at else None
    has_record = seen is not None and seen.path.is_file()
    return visit.page(
        "match.html",
        match=found,
        is_played=found.at is None and visit.contest.folder.draft(found.number).exists(),
        late=await visit.contest.recent(watching.lateness, visit.account),
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
    name = file_name(visit, visit.number("match"))
    return await replays.record_to_keep(visit, await _record(visit), name)


@page("matches/{match}/replay")
async def replay(visit: Visit) -> Response:
    """The replay of a match, as its visitor may see it."""
    name = file_name(visit, visit.number("match"))
    return await replays.replay(visit, await _record(visit), name)


async def _record(visit: Visit) -> RecordSight:
    """The record of a match that this visitor may see. Raises the page for what does not exist."""
    number = visit.number("match")
    found = await visit.ask(results.find_match, number, visit.account)
    seen = await visit.ask(records.sight_of, number, visit.account) if found and found.at else None
    if seen is None or not seen.path.is_file():
        raise not_found()
    return seen


ROUTES = (bot, pair, match, record, replay)
