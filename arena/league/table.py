"""The table of a league. It follows from the results, and is nowhere but in what is kept with their
sums (`arena.league.sums`), which can be thrown away."""

from __future__ import annotations

import hashlib
import math
import os
from array import array
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from itertools import groupby, permutations
from operator import itemgetter
from typing import Any, NamedTuple

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
from arena.league.types import LeaguePlayer, SeedAccount, hashed
from arena.tournament.algebra import MANY_BOTS, has_numpy
from arena.tournament.ratings import Fit, MetPairs, fit
from arena.tournament.results import Block
from arena.tournament.standings import Cell, Crosstable, ResultTable, table_of_fit
from arena.tournament.versions import Performance, performance, shrunk


class LeagueTable(Struct, frozen=True):
    """The document printed by `arena league table --json`. The standings are by player, in the
    order in which their names came into the league."""

    game: str
    seed: SeedAccount
    pending: int
    """Planned matches without a result."""
    void: int
    """Void matches (the machine's fault); they were played again, or will be."""
    digest: str
    """SHA-256 over the digests of the counted matches, which cover everything said in them, without
    times. Tables with equal digests count the same matches."""
    table: ResultTable


def league_table(
    league: League, until: str | None = None, *, most_crossed: int | None = None
) -> LeagueTable:
    """The table of the current players, without those of testers: all matches between their current
    versions. With `until` the table as it was just before that moment. A table of more than
    `most_crossed` bots lacks the crosstable, which for 1,000 bots has a million cells."""
    players = league.ranked(until)
    crosstable = most_crossed is None or len(players) <= most_crossed
    return table_of(league, players, Scope(until), crosstable=crosstable)


def table_of(
    league: League, players: Sequence[LeaguePlayer], scope: Scope, *, crosstable: bool = True
) -> LeagueTable:
    """The table of these players, from all results between them that are in the scope. Without
    `crosstable` it lacks the crosstable."""
    made = _made(league, players, scope, crosstable)
    cells = [] if made.crosstable is None else list(made.crosstable)
    return _league_table(league, players, scope, made, cells)


def table_in_columns(league: League, until: str | None = None) -> tuple[LeagueTable, Crosstable]:
    """The `league_table` without its crosstable, and this as columns, whose cells are made one by
    one."""
    players, scope = league.ranked(until), Scope(until)
    made = _made(league, players, scope, True)
    assert made.crosstable is not None
    return _league_table(league, players, scope, made, []), made.crosstable


class _MadeTable(NamedTuple):
    """What was made of the sums."""

    table: ResultTable
    """Without its cells."""
    crosstable: Crosstable | None
    """None if it was not asked for."""
    digest: str


def _league_table(
    league: League,
    players: Sequence[LeaguePlayer],
    scope: Scope,
    made: _MadeTable,
    cells: list[Cell],
) -> LeagueTable:
    return LeagueTable(
        game=league.terms.game,
        seed=league.seed(),
        pending=_pending(league, players, scope),
        void=_void(league, scope),
        digest=made.digest,
        table=msgspec.structs.replace(made.table, crosstable=cells),
    )


def _made(
    league: League, players: Sequence[LeaguePlayer], scope: Scope, crosstable: bool
) -> _MadeTable:
    """The table as kept with the sums, or made of them."""
    name = _name(players)

    def made(kept: Kept) -> _MadeTable:
        found = _read(kept, name, crosstable)
        if found is None or (crosstable and found.crosstable is None):
            found = _made_of(league, kept.sums(), players, scope, crosstable)
            _write(kept, name, found)
        return found

    found = from_kept(league, players, scope, made)
    if found is None:
        return _made_of(league, recounted(league, players, scope), players, scope, crosstable)
    return found


def _made_of(
    league: League, sums: Sums, players: Sequence[LeaguePlayer], scope: Scope, crosstable: bool
) -> _MadeTable:
    if len(players) >= MANY_BOTS and has_numpy():
        _import_numpy()
    fitted = fit(len(players), sums.tally)
    if scope.event is None:  # who plays in a final was settled before its first match
        fitted = shrunk(fitted, _earlier(league, players, scope, fitted))
    table = table_of_fit([one.name for one in players], sums.tally, fitted)
    return _MadeTable(table, Crosstable.of(fitted) if crosstable else None, sums.digest)


def _earlier(
    league: League, players: Sequence[LeaguePlayer], scope: Scope, fitted: Fit
) -> dict[int, list[Performance]]:
    """For each player of whose team others have played before, how well these have done against the
    players, by these players' ratings: the versions of its name, and bots of its team under names
    that play no more."""
    numbers = {player.bot: at for at, player in enumerate(players)}
    keys = dict(zip((one.name for one in players), league.teams(players), strict=True))
    past = league.past_bots(players)
    condition, values = scoped(scope)
    rows = league.store.rows(
        "SELECT seats, ranks FROM fixture JOIN result ON result.fixture = fixture.number WHERE "
        f"{condition} AND result.number IN (SELECT result FROM seat WHERE bot IN "
        "(SELECT value FROM json_each(?)))",
        (*values, msgspec.json.encode(list(past)).decode()),
    )
    met: defaultdict[str, list[tuple[float, float, float]]] = defaultdict(list)
    for seats, ranks in rows if past else ():
        game = played_game(seats, ranks)
        for (bot, own), (rival, other) in permutations(zip(*game, strict=True), 2):
            if bot in past and rival in numbers:
                points = (own < other) + (own == other) / 2
                met[bot].append((fitted.elo[numbers[rival]], 1, points))
    found: defaultdict[int, list[Performance]] = defaultdict(list)
    for bot, games in met.items():
        name, team = past[bot]
        for player in players:
            if name == player.name or (name not in keys and team == keys[player.name]):
                found[numbers[player.bot]].append(performance(games, fitted.draw))
    return found


def _import_numpy() -> None:
    """Import numpy for one thread. With one a core, a fit of 200 bots takes twice the CPU time on a
    busy machine, since threads wait for each other."""
    threads = "OPENBLAS_NUM_THREADS"
    before = os.environ.get(threads)
    os.environ[threads] = before or "1"
    try:
        import numpy  # noqa: F401  it reads this when it is imported
    finally:
        if before is None:
            del os.environ[threads]


def wrong_sums(league: League) -> Iterator[str]:
    """Whether the sums that are kept for the table, and the table that was made of them, are those
    of all results. Others are thrown away."""
    players, path = league.ranked(), sums_file(league, ALL)
    if not path.is_file():
        return
    name = _name(players)

    def read(kept: Kept) -> tuple[Sums, _MadeTable | None]:
        return kept.sums(), _read(kept, name, crosstable=True)

    found, sums = from_kept(league, players, ALL, read), recounted(league, players)
    if found is None:
        return
    made = found[1]
    if not is_same(found[0], sums) or (
        made is not None
        and not _is_near(made, _made_of(league, sums, players, ALL, crosstable=True))
    ):
        throw_away(path)
        yield (
            "the sums that were kept for the table were changed, so a table printed before may be "
            "wrong: they are thrown away, and the next one is made of all results"
        )


def _is_near(kept: _MadeTable, made: _MadeTable) -> bool:
    """Whether two tables are equal but for the last digits of numbers, in which numpy and Python
    differ, and several releases of numpy."""
    one, other = kept.crosstable, made.crosstable
    cells = (
        [] if one is None or other is None else [(one.met, other.met), (one.errors, other.errors)]
    )
    pairs = [tuple(map(msgspec.to_builtins, (kept.table, made.table))), *cells]
    return kept.digest == made.digest and all(_are_near(*pair) for pair in pairs)


def _are_near(one: Any, other: Any) -> bool:
    if isinstance(one, float):
        return math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-6)
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_are_near(one[key], other[key]) for key in one)
    if isinstance(one, list | array):
        return len(one) == len(other) and all(map(_are_near, one, other))
    return bool(one == other)


def _name(players: Sequence[LeaguePlayer]) -> str:
    """What the table of these players is called where it is kept: other code, or other names, make
    another table of the same sums."""
    return hashed("table", [(one.name, one.bot) for one in players], _code(), has_numpy())


@cache
def _code() -> str:
    """A hash of the code that makes a table of sums."""
    folder = resources.files("arena.tournament")
    names = ("algebra.py", "ratings.py", "results.py", "standings.py", "versions.py")
    return hashlib.sha256(b"".join((folder / name).read_bytes() for name in names)).hexdigest()


class _KeptTable(Struct, frozen=True, array_like=True):
    """A table as it is kept with its sums; the columns of its crosstable are kept apart."""

    digest: str
    table: ResultTable


_CROSSTABLE_COLUMNS = {
    **dict.fromkeys(("one", "other", "wins", "draws", "losses"), "i"),
    "errors": "d",
}
"""Names of the columns of a crosstable where it is kept, and the kinds of their arrays. Each has a
row of its own: SQLite and Python copy a row several times."""


def _write(kept: Kept, name: str, made: _MadeTable) -> None:
    """Keep a table with its sums."""
    kept.keep(name, msgspec.msgpack.encode(_KeptTable(made.digest, made.table)))
    if made.crosstable is not None:
        met = made.crosstable.met
        columns: list[array[Any]] = [met.one, met.other, *met.counts, made.crosstable.errors]
        for column, values in zip(_CROSSTABLE_COLUMNS, columns, strict=True):
            kept.keep(f"{column} {name}", memoryview(values))


def _read(kept: Kept, name: str, crosstable: bool) -> _MadeTable | None:
    """The table that is kept, None if there is none; without its crosstable if that is not kept or
    not asked for. Raises Misfit."""
    content = kept.made(name)
    if content is None:
        return None
    try:
        found = msgspec.msgpack.decode(content, type=_KeptTable)
        cells = _read_crosstable(kept, name, found.table) if crosstable else None
    except (msgspec.MsgspecError, ValueError) as error:
        raise Misfit(str(error)) from error
    return _MadeTable(found.table, cells, found.digest)


def _read_crosstable(kept: Kept, name: str, table: ResultTable) -> Crosstable | None:
    columns: list[array[Any]] = []
    for column, kind in _CROSSTABLE_COLUMNS.items():
        content = kept.made(f"{column} {name}")
        if content is None:
            return None
        columns.append(array(kind, content))
    *pairs, errors = columns
    met, bots = MetPairs(*pairs), len(table.standings)
    if len(set(map(len, columns))) > 1 or not all(0 <= one < other < bots for one, other in met):
        raise Misfit("a crosstable that cannot be")
    return Crosstable(tuple(row.elo for row in table.standings), met, errors)


def blocks_by_round(
    league: League, players: Sequence[LeaguePlayer]
) -> dict[int, list[tuple[Block, int]]]:
    """The blocks between `players` by their round, from 0; bots are numbered by their index in
    `players`."""
    numbers = {one.bot: at for at, one in enumerate(players)}
    found: defaultdict[int, Counter[Block]] = defaultdict(Counter)
    rounds = dict(league.store.rows("SELECT DISTINCT block, round FROM fixture"))
    condition, values = scoped(ALL)
    rows = league.store.rows(
        "SELECT block, seats, ranks FROM fixture JOIN result "
        f"ON result.fixture = fixture.number WHERE {condition} ORDER BY fixture.number",
        values,
    )
    for name, texts in groupby(rows, key=itemgetter(0)):
        games = [played_game(seats, ranks) for _, seats, ranks in texts]
        if numbers.keys() >= set(games[0][0]):
            block = [(tuple(numbers[bot] for bot in seats), ranks) for seats, ranks in games]
            found[rounds[name]][tuple(sorted(block))] += 1
    return {round_: sorted(blocks.items()) for round_, blocks in found.items()}


def _pending(league: League, players: Sequence[LeaguePlayer], scope: Scope) -> int:
    """Matches of a scope that were planned and have no result."""
    if scope == ALL:
        found = from_kept(league, players, scope, Kept.pending)
        return league.count("pending") if found is None else found
    condition, values = scoped(scope)
    planned, given = _planned(scope)
    (count,) = league.store.one(
        f"SELECT (SELECT count(*) FROM fixture {planned} AND json_array_length(seats) > 1) "
        "- (SELECT count(*) FROM result JOIN fixture ON fixture.number = result.fixture "
        f"WHERE {condition})",
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
