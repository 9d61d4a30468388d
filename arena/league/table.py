"""The table of a league, computed from its results each time and never stored."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter
from typing import TypeAlias

import msgspec
from msgspec import Struct

from arena.league.league import League
from arena.league.rows import faults_of, points_of, ranks_of
from arena.league.types import LeaguePlayer
from arena.tournament.results import Block, ResultTally
from arena.tournament.standings import ResultTable, make_table

_PlayedGame: TypeAlias = tuple[tuple[str, ...], tuple[int, ...]]
"""Bots by seat, and their ranks by seat."""


class LeagueTable(Struct, frozen=True):
    """The document printed by `arena league table --json`. The standings are by player, in the
    order in which their names came into the league."""

    game: str
    seed: str
    pending: int
    """Planned matches without a result."""
    void: int
    """Void matches (the machine's fault); they were played again, or will be."""
    digest: str
    """SHA-256 over the digests of the counted matches, which cover everything said in them, without
    times. Tables with equal digests count the same matches."""
    table: ResultTable


class Scope(Struct, frozen=True):
    """Which results a table counts."""

    until: str | None = None
    """Only what was so before that moment (UTC, as the file writes moments): later results,
    annulments and versions are left out."""
    event: str | None = None
    """Only matches of this event; None: of all but the finals."""


ALL = Scope()


def league_table(league: League, until: str | None = None) -> LeagueTable:
    """The table of the current players, without those of testers: all matches between their current
    versions. With `until` the table as it was just before that moment."""
    return table_of(league, league.ranked(until), Scope(until))


def table_of(league: League, players: Sequence[LeaguePlayer], scope: Scope) -> LeagueTable:
    """The table of these players, from all results between them that are in the scope."""
    return LeagueTable(
        game=league.terms.game,
        seed=league.terms.seed,
        pending=_pending(league, scope),
        void=_void(league, scope),
        digest=results_digest(league, players, scope),
        table=make_table([one.name for one in players], tally_of(league, players, scope)),
    )


def tally_of(league: League, players: Sequence[LeaguePlayer], scope: Scope = ALL) -> ResultTally:
    """All results between `players` in a scope; bots are numbered by their index there. Without a
    scope they are some of the current ones. (For 100,000 results this takes 0.3 s of CPU.)"""
    numbers, tally = {one.bot: at for at, one in enumerate(players)}, ResultTally()
    for block, count in _kinds(league, scope).items():
        games = [_game(game) for game in block]
        if numbers.keys() >= set(games[0][0]):
            tally.add_blocks(
                [(tuple(numbers[bot] for bot in seats), ranks) for seats, ranks in games], count
            )
    between, values = _between(league, players, scope)
    for name, points, why, faults, count in league.store.rows(
        f"SELECT bot, points, stopped, faults, count(*) FROM {between} "
        "GROUP BY bot, points, stopped, faults",
        values,
    ):
        bot = numbers[name]
        tally.add_points(bot, points_of(points), count)
        for code, times in faults_of(faults).items():
            tally.faults[bot][code] += times * count
        if why is not None:
            tally.stopped[bot][why] += count
    return tally


def blocks_by_round(
    league: League, players: Sequence[LeaguePlayer]
) -> dict[int, list[tuple[Block, int]]]:
    """The blocks between `players` by their round, from 0; bots are numbered as in `tally_of`."""
    numbers = {one.bot: at for at, one in enumerate(players)}
    found: defaultdict[int, Counter[Block]] = defaultdict(Counter)
    rounds = dict(league.store.rows("SELECT DISTINCT block, round FROM fixture"))
    rows = league.store.rows("SELECT block, game FROM played")
    for name, texts in groupby(rows, key=itemgetter(0)):
        games = [_game(text) for _, text in texts]
        if numbers.keys() >= set(games[0][0]):
            block = [(tuple(numbers[bot] for bot in seats), ranks) for seats, ranks in games]
            found[rounds[name]][tuple(sorted(block))] += 1
    return {round_: sorted(blocks.items()) for round_, blocks in found.items()}


def _game(text: str) -> _PlayedGame:
    seats, ranks = msgspec.json.decode(text, type=tuple[tuple[str, ...], msgspec.Raw])
    return seats, ranks_of(bytes(ranks).decode(), len(seats))


def _kinds(league: League, scope: Scope) -> Counter[tuple[str, ...]]:
    """How often each outcome of a block occurred, as the view encodes its games."""
    if scope == ALL:
        rows = league.store.rows("SELECT block, game FROM played")
    else:
        where, values = _scoped(scope)
        rows = league.store.rows(
            "SELECT block, '[' || seats || ',' || ranks || ']' FROM result "
            f"JOIN fixture ON fixture.number = result.fixture {where} ORDER BY result.fixture",
            values,
        )
    return Counter(
        tuple(map(itemgetter(1), games)) for _, games in groupby(rows, key=itemgetter(0))
    )


def _scoped(scope: Scope) -> tuple[str, tuple[str, ...]]:
    """The results of a scope: a condition in SQL on results with their fixtures, and its values."""
    event = "event NOT GLOB 'final *'" if scope.event is None else "event = ?"
    values = () if scope.event is None else (scope.event,)
    if scope.until is None:
        return f"WHERE {event} AND result.number NOT IN (SELECT result FROM annulment)", values
    then = "result.at < ? AND result.number NOT IN (SELECT result FROM annulment WHERE at < ?)"
    return f"WHERE {event} AND {then}", (*values, scope.until, scope.until)


def _between(
    league: League, players: Sequence[LeaguePlayer], scope: Scope
) -> tuple[str, tuple[str, ...]]:
    """The seats of all matches between these players: a table in SQL, and its values. Where there
    are more players, the matches of the others are left out."""
    ours = {one.bot for one in players}
    if scope != ALL:
        where, values = _scoped(scope)
        counted = (
            "SELECT result.number FROM result "
            f"JOIN fixture ON fixture.number = result.fixture {where}"
        )
        theirs = "SELECT result FROM seat WHERE bot NOT IN (SELECT value FROM json_each(?))"
        return (
            f"(SELECT * FROM seat WHERE result IN ({counted}) AND result NOT IN ({theirs}))",
            (*values, msgspec.json.encode(sorted(ours)).decode()),
        )
    others = {one.bot for one in league.players()} - ours
    if not others:
        return "counted", ()
    theirs = "SELECT result FROM seat WHERE bot IN (SELECT value FROM json_each(?))"
    ids = msgspec.json.encode(sorted(others)).decode()
    return f"(SELECT * FROM counted WHERE result NOT IN ({theirs}))", (ids,)


def results_digest(league: League, players: Sequence[LeaguePlayer], scope: Scope = ALL) -> str:
    """See `LeagueTable.digest`."""
    between, values = _between(league, players, scope)
    query = f"SELECT digest FROM result WHERE number IN (SELECT result FROM {between})"
    digests = sorted(digest for (digest,) in league.store.all(query, values))
    return hashlib.sha256("".join(digests).encode()).hexdigest()


def _pending(league: League, scope: Scope) -> int:
    """Matches of a scope that were planned and have no result."""
    if scope == ALL:
        return league.count("pending")
    where, values = _scoped(scope)
    planned, given = _planned(scope)
    (count,) = league.store.one(
        f"SELECT (SELECT count(*) FROM fixture {planned} AND json_array_length(seats) > 1) "
        "- (SELECT count(*) FROM result JOIN fixture ON fixture.number = result.fixture "
        f"{where})",
        (*given, *values),
    ) or (0,)
    return int(count)


def _void(league: League, scope: Scope) -> int:
    """Void matches of a scope."""
    if scope == ALL:
        return league.count("void")
    planned, given = _planned(scope)
    query = f"SELECT count(*) FROM void WHERE fixture IN (SELECT number FROM fixture {planned})"
    if scope.until is not None:
        query, given = f"{query} AND at < ?", (*given, scope.until)
    return int((league.store.one(query, given) or (0,))[0])


def _planned(scope: Scope) -> tuple[str, tuple[str, ...]]:
    """The fixtures of a scope: a condition in SQL, and its values."""
    event = "WHERE event NOT GLOB 'final *'" if scope.event is None else "WHERE event = ?"
    values = () if scope.event is None else (scope.event,)
    if scope.until is None:
        return event, values
    return f"{event} AND at < ?", (*values, scope.until)
