"""The table of a league. It follows from the results, and is nowhere but in what is kept with their
sums (`arena.league.sums`), which can be thrown away."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import groupby
from operator import itemgetter

import msgspec
from msgspec import Struct

from arena.league.league import League
from arena.league.sums import (
    ALL,
    Kept,
    Misfit,
    Scope,
    Sums,
    from_kept,
    is_same,
    played_game,
    recounted,
    scoped,
    sums_file,
    throw_away,
)
from arena.league.types import LeaguePlayer, hashed
from arena.tournament.results import Block, ResultTally
from arena.tournament.standings import Cell, ResultTable, make_table


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


def league_table(
    league: League, until: str | None = None, *, crosstable: bool = True
) -> LeagueTable:
    """The table of the current players, without those of testers: all matches between their current
    versions. With `until` the table as it was just before that moment."""
    return table_of(league, league.ranked(until), Scope(until), crosstable=crosstable)


def table_of(
    league: League, players: Sequence[LeaguePlayer], scope: Scope, *, crosstable: bool = True
) -> LeagueTable:
    """The table of these players, from all results between them that are in the scope. Without
    `crosstable` it may lack the crosstable, which for 1,000 bots has a million cells."""
    table, digest = _table(league, players, scope, crosstable)
    return LeagueTable(
        game=league.terms.game,
        seed=league.terms.seed,
        pending=_pending(league, scope),
        void=_void(league, scope),
        digest=digest,
        table=table,
    )


class _Standings(Struct, frozen=True, array_like=True):
    """A table as it is kept with its sums; the cells are kept apart."""

    digest: str
    table: ResultTable


class _Cell(Struct, frozen=True, array_like=True):
    """A cell as it is kept, which is shorter than with the names of its fields."""

    bot: int
    rival: int
    ahead: int
    level: int
    behind: int
    elo: float
    error: float
    superiority: float


def _table(
    league: League, players: Sequence[LeaguePlayer], scope: Scope, crosstable: bool
) -> tuple[ResultTable, str]:
    """The table and the digest, as kept with the sums or made of them."""
    names = [one.name for one in players]
    name = _name(players)

    def made(kept: Kept) -> tuple[ResultTable, str]:
        found = kept.made(name)
        cells = kept.made(f"cells {name}") if crosstable and found else None
        if found is not None and (cells is not None or not crosstable):
            return _decoded(found, cells)
        sums = kept.sums()
        table = make_table(names, sums.tally)
        for part, content in _encoded(table, sums.digest).items():
            kept.keep(f"{part}{name}", content)
        return table, sums.digest

    found = from_kept(league, players, scope, made)
    if found is None:
        sums = recounted(league, players, scope)
        found = make_table(names, sums.tally), sums.digest
    return found


def wrong_sums(league: League) -> Iterator[str]:
    """Whether the sums that are kept for the table, and the table that was made of them, are those
    of all results. Others are thrown away."""
    players, path = league.ranked(), sums_file(league, ALL)
    if not path.is_file():
        return
    name = _name(players)

    def read(kept: Kept) -> tuple[Sums, ResultTable | None]:
        found, cells = kept.made(name), kept.made(f"cells {name}")
        made = None if found is None else _decoded(found, cells)[0]
        return kept.sums(), made

    found, sums = from_kept(league, players, ALL, read), recounted(league, players)
    if found is None:
        return
    table = None if found[1] is None else make_table([one.name for one in players], sums.tally)
    if not is_same(found[0], sums) or found[1] != table:
        throw_away(path)
        yield (
            "the sums that were kept for the table were changed, so a table printed before may be "
            "wrong: they are thrown away, and the next one is made of all results"
        )


def _name(players: Sequence[LeaguePlayer]) -> str:
    """What the table of these players is called where it is kept: other code, or other names, make
    another table of the same sums."""
    return hashed("table", [(one.name, one.bot) for one in players], _code())


@cache
def _code() -> str:
    """A hash of the code that makes a table of sums."""
    folder = resources.files("arena.tournament")
    names = ("ratings.py", "results.py", "standings.py")
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in names)).hexdigest()


def _encoded(table: ResultTable, digest: str) -> dict[str, bytes]:
    short = _Standings(digest, msgspec.structs.replace(table, crosstable=[]))
    cells = [_Cell(*msgspec.structs.astuple(one)) for one in table.crosstable]
    return {"": msgspec.msgpack.encode(short), "cells ": msgspec.msgpack.encode(cells)}


def _decoded(found: bytes, cells: bytes | None) -> tuple[ResultTable, str]:
    """Raises Misfit."""
    try:
        kept = msgspec.msgpack.decode(found, type=_Standings)
        rows = msgspec.msgpack.decode(cells, type=list[_Cell]) if cells is not None else []
    except msgspec.MsgspecError as error:
        raise Misfit(str(error)) from error
    crosstable = [Cell(*msgspec.structs.astuple(one)) for one in rows]
    return msgspec.structs.replace(kept.table, crosstable=crosstable), kept.digest


def tally_of(league: League, players: Sequence[LeaguePlayer], scope: Scope = ALL) -> ResultTally:
    """All results between `players` in a scope, read from the results; bots are numbered by their
    index there. (For 100,000 results this takes a second.)"""
    return recounted(league, players, scope).tally


def blocks_by_round(
    league: League, players: Sequence[LeaguePlayer]
) -> dict[int, list[tuple[Block, int]]]:
    """The blocks between `players` by their round, from 0; bots are numbered as in `tally_of`."""
    numbers = {one.bot: at for at, one in enumerate(players)}
    found: defaultdict[int, Counter[Block]] = defaultdict(Counter)
    rounds = dict(league.store.rows("SELECT DISTINCT block, round FROM fixture"))
    where, values = scoped(ALL)
    rows = league.store.rows(
        "SELECT block, seats, ranks FROM fixture JOIN result "
        f"ON result.fixture = fixture.number {where} ORDER BY fixture.number",
        values,
    )
    for name, texts in groupby(rows, key=itemgetter(0)):
        games = [played_game(seats, ranks) for _, seats, ranks in texts]
        if numbers.keys() >= set(games[0][0]):
            block = [(tuple(numbers[bot] for bot in seats), ranks) for seats, ranks in games]
            found[rounds[name]][tuple(sorted(block))] += 1
    return {round_: sorted(blocks.items()) for round_, blocks in found.items()}


def results_digest(league: League, players: Sequence[LeaguePlayer], scope: Scope = ALL) -> str:
    """See `LeagueTable.digest`."""
    return recounted(league, players, scope).digest


def _pending(league: League, scope: Scope) -> int:
    """Matches of a scope that were planned and have no result."""
    if scope == ALL:
        found = from_kept(league, league.ranked(), scope, Kept.pending)
        return league.count("pending") if found is None else found
    where, values = scoped(scope)
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
