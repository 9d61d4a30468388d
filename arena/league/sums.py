"""What a table counts: the results of a scope, their sums, and how these are kept.

The sums are: how often each outcome of a block occurred, how often a bot got some points, faults
and a reason to be stopped, and the digests of the matches in order. `ResultSums` makes them from
the results. To read 100,000 results takes seconds, so `Kept` has them in a file of its own in the
league's folder, with the link of the hash chain up to which they count, and brings them up to date
by the rows that came since.

The file is a cache, never a second truth. It holds nothing that does not follow from the league. It
is thrown away and made again when it is damaged, of another release, or does not fit the chain; a
disk that does not take it costs time and nothing else. `arena verify` reads the results, and then
says whether the kept sums are theirs.
"""

from __future__ import annotations

import hashlib
import sqlite3
import struct
import sys
from array import array
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from functools import cache, cached_property
from itertools import accumulate, compress, groupby, zip_longest
from operator import itemgetter, ne
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec import Struct

from arena.errors import ArenaError, ArenaFault
from arena.league.league import League
from arena.league.rows import faults_of, points_of, ranks_of, seats_of
from arena.league.store import statements
from arena.league.types import LeaguePlayer
from arena.tournament.results import Block, BlockCounts, ResultTally, with_bots

T = TypeVar("T")

# -- which results count ---------------------------------------------------------------------------


class Scope(Struct, frozen=True):
    """Which results a table counts."""

    until: str | None = None
    """Only what was so before that moment (UTC, as the file writes moments): later results,
    annulments and versions are left out."""
    event: str | None = None
    """Only matches of this event; None: of all but the finals."""

    def has_event(self, event: str) -> bool:
        """Whether matches of an event are in it."""
        return not event.startswith("final ") if self.event is None else event == self.event

    def is_before(self, at: str) -> bool:
        """Whether what came in at that moment is in it."""
        return self.until is None or at < self.until


ALL = Scope()
PlayedGame: TypeAlias = tuple[tuple[str, ...], tuple[int, ...]]
"""Bots by seat, and their ranks by seat."""
SeatSum: TypeAlias = tuple[str, float, str | None, str]
"""A bot, its points, why it was stopped, and its faults as the file has them."""


def scoped(scope: Scope) -> tuple[str, tuple[str, ...]]:
    """Which results are in a scope: a condition in SQL on results with their fixtures, and its
    values."""
    event = "event NOT GLOB 'final *'" if scope.event is None else "event = ?"
    values = () if scope.event is None else (scope.event,)
    if scope.until is None:
        return f"{event} AND result.number NOT IN (SELECT result FROM annulment)", values
    then = "result.at < ? AND result.number NOT IN (SELECT result FROM annulment WHERE at < ?)"
    return f"{event} AND {then}", (*values, scope.until, scope.until)


_EACH = "(SELECT value FROM json_each(?))"

# -- from the results ------------------------------------------------------------------------------


class ResultSums:
    """The sums of all results between some bots in a scope, read from the results."""

    def __init__(self, league: League, bots: Iterable[str], scope: Scope) -> None:
        league.store.require_checked()
        self._store, self._bots, self._scope = league.store, frozenset(bots), scope

    def blocks(self) -> Generator[list[PlayedGame], None, None]:
        """The games of each block. They are one after the other, since a block is planned at
        once."""
        condition, values = scoped(self._scope)
        query = (
            "SELECT block, seats, ranks FROM fixture JOIN result "
            f"ON result.fixture = fixture.number WHERE {condition} ORDER BY fixture.number"
        )
        with closing(self._store.rows(query, values)) as rows:
            for _, games in groupby(rows, key=itemgetter(0)):
                found = [played_game(seats, ranks) for _, seats, ranks in games]
                if self._bots.issuperset(found[0][0]):
                    yield found

    def outcomes(self) -> Generator[tuple[SeatSum, int], None, None]:
        """How often a bot got these points, faults and reason to be stopped."""
        query = (
            "SELECT bot, points, stopped, faults, count(*) FROM seat "
            f"WHERE result NOT IN {_EACH} GROUP BY bot, points, stopped, faults"
        )
        with closing(self._store.rows(query, self._left_out)) as rows:
            for bot, points, stopped, faults, count in rows:
                yield (bot, points, stopped, faults), count

    def digests(self) -> Generator[tuple[str, int], None, None]:
        """The digests of the matches in order, and the numbers of their results."""
        query = (
            f"SELECT digest, number FROM result WHERE number NOT IN {_EACH} ORDER BY digest, number"
        )
        with closing(self._store.rows(query, self._left_out)) as rows:
            yield from ((digest, number) for digest, number in rows)

    @cached_property
    def _left_out(self) -> tuple[str]:
        """The numbers of all other results, as JSON. They are few, as a rule, and whoever asks for
        results that are not among them reads these in the order in which the file has them."""
        condition, values = scoped(self._scope)
        query = (
            "SELECT json_group_array(number) FROM (SELECT result.number FROM result "
            f"JOIN fixture ON fixture.number = fixture WHERE NOT ({condition}) "
            f"UNION SELECT result FROM seat WHERE bot NOT IN {_EACH})"
        )
        (numbers,) = self._store.one(query, (*values, _text(sorted(self._bots)))) or ("[]",)
        return (numbers,)


def played_game(seats: str, ranks: str) -> PlayedGame:
    """The game of a fixture and its result, as the file has them."""
    bots = seats_of(seats)
    return bots, ranks_of(ranks, len(bots))


def _tally_of(
    players: Sequence[LeaguePlayer], outcomes: Iterable[tuple[SeatSum, int]]
) -> ResultTally:
    """The tally of outcomes; bots are numbered by their index in `players`."""
    numbers, tally = {one.bot: at for at, one in enumerate(players)}, ResultTally()
    for (name, points, why, faults), count in outcomes:
        bot = numbers[name]
        tally.add_points(bot, points_of(points), count)
        for code, times in faults_of(faults).items():
            tally.faults[bot][code] += times * count
        if why is not None:
            tally.stopped[bot][why] += count
    return tally


class Sums(NamedTuple):
    """The sums of a scope."""

    tally: ResultTally
    digest: str
    """SHA-256 over the digests of the matches, in order."""


def is_same(one: Sums, other: Sums) -> bool:
    """Whether two sums are equal."""
    first, second = one.tally, other.tally
    return (
        (first.games, first.points(), one.digest) == (second.games, second.points(), other.digest)
        and _plain(first.faults) == _plain(second.faults)
        and _plain(first.stopped) == _plain(second.stopped)
        and all(a == b for a, b in zip_longest(_sorted_blocks(first), _sorted_blocks(second)))
    )


def _plain(counts: Mapping[int, Mapping[str, int]]) -> dict[int, dict[str, int]]:
    """Counts by bot, without those that are empty."""
    return {bot: dict(some) for bot, some in counts.items() if some}


def _sorted_blocks(tally: ResultTally) -> Iterator[tuple[Block, int]]:
    """Each kind of block and its count, one group after the other: the files of two sums may have
    the shapes of a group in different orders."""
    for columns in tally.columns():
        for _, kinds in groupby(columns.blocks(), key=lambda kind: sorted(kind[0][0][0])):
            yield from sorted(kinds)


# -- kept ------------------------------------------------------------------------------------------

SUMS_FORMAT = 2
"""Of the file; increased when its tables or their content change."""
WAIT_FOR_SUMS = 10.0
"""Seconds to wait for another process that brings the sums up to date."""
_SUMS_SETTINGS = ("cell_size_check=ON", "trusted_schema=OFF", "synchronous=NORMAL")
MOST_NEW = 4
"""The results are read again when a quarter of them is new: that is faster than one by one."""
_SUMS = """
CREATE TABLE head (
    one INTEGER PRIMARY KEY CHECK (one = 1), link INTEGER, hash TEXT, bots TEXT, games INTEGER,
    fixtures INTEGER, planned INTEGER
);
CREATE TABLE bot (number INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE shape (number INTEGER PRIMARY KEY, games TEXT NOT NULL UNIQUE);
CREATE TABLE kind (
    bots BLOB NOT NULL, shape INTEGER NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (bots, shape)
) WITHOUT ROWID;
CREATE TABLE outcome (
    bot TEXT NOT NULL, points REAL NOT NULL, stopped TEXT NOT NULL, faults TEXT NOT NULL,
    count INTEGER NOT NULL, PRIMARY KEY (bot, points, stopped, faults)
) WITHOUT ROWID;
CREATE TABLE digest (
    digest TEXT NOT NULL, result INTEGER NOT NULL, PRIMARY KEY (digest, result)
) WITHOUT ROWID;
CREATE TABLE made (name TEXT PRIMARY KEY, content BLOB NOT NULL);
"""


_ADD_OUTCOMES = (
    "INSERT INTO outcome VALUES (?, ?, ?, ?, ?) "
    "ON CONFLICT DO UPDATE SET count = count + excluded.count"
)


class Misfit(Exception):
    """Kept sums that are not those of the league."""


_Kind: TypeAlias = tuple[bytes, int]
"""What the file calls a kind of block: the numbers of its bots in order, and the number of its
shape (see `BlockCounts`)."""
SEAT_SUMS = "SELECT bot, points, coalesce(stopped, ''), faults, count(*) FROM"
ROWS_AT_ONCE = 10_000


class _Head(NamedTuple):
    """What kept sums count: all rows up to a link of the chain, between some bots."""

    link: int
    hash: str
    bots: frozenset[str]
    games: int
    fixtures: int
    """The number of the last fixture."""
    planned: int
    """Fixtures of two bots or more: all but byes."""


_Games: TypeAlias = dict[int, tuple[PlayedGame, str]]
"""The games of a block that count, by the number of their result, and their digests."""


class Kept:
    """The kept sums of a scope, as a transaction on their file. `from_kept` opens them."""

    def __init__(
        self,
        league: League,
        players: Sequence[LeaguePlayer],
        scope: Scope,
        file: sqlite3.Connection,
    ) -> None:
        self._league, self._store, self._scope, self._file = league, league.store, scope, file
        self._players = players
        self._bots = frozenset(player.bot for player in players)
        self._numbers: dict[str, int] = {}
        """The number of each version of a bot, which is that of its name."""
        self._shapes: dict[Block, int] = {}
        """The number of each shape."""

    @contextmanager
    def transaction(self, begin: str) -> Iterator[None]:
        """A transaction on the file."""
        self._file.execute(begin)
        try:
            yield
            self._file.execute("COMMIT")
        except BaseException:
            if self._file.in_transaction:
                self._file.execute("ROLLBACK")
            raise

    # -- up to date ------------------------------------------------------------------------

    @property
    def is_up_to_date(self) -> bool:
        """Whether the sums count all rows of the league, between these players."""
        head = self._head()
        return head is not None and head[:3] == (*self._last(), self._bots)

    def bring_up_to_date(self) -> None:
        """Count what came since, or everything. Raises Misfit."""
        if self.is_up_to_date:
            return
        head, (link, hash) = self._head(), self._last()
        self._file.execute("DELETE FROM made")
        self._learn_numbers()
        new = None if head is None else self._new(head)
        games = self._count_all() if head is None or new is None else self._count(head, *new)
        fixtures, planned = (0, 0) if head is None else (head.fixtures, head.planned)
        more, last = self._store.one(
            "SELECT count(*) FILTER (WHERE json_array_length(seats) > 1), max(number) "
            "FROM fixture WHERE number > ?",
            (fixtures,),
        ) or (0, None)
        self._file.execute(
            "INSERT OR REPLACE INTO head VALUES (1, ?, ?, ?, ?, ?, ?)",
            (link, hash, _text(sorted(self._bots)), games, last or fixtures, planned + more),
        )

    def _last(self) -> tuple[int, str]:
        """The last link of the chain."""
        last = self._store.one("SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1")
        return (0, "") if last is None else (last[0], last[1])

    def _head(self) -> _Head | None:
        """What the sums count; None if they do not fit the league."""
        query = "SELECT link, hash, bots, games, fixtures, planned FROM head"
        found = self._file.execute(query).fetchone()
        if found is None:
            return None
        link, hash, bots, games, fixtures, planned = found
        row = self._store.one("SELECT hash FROM chain WHERE number = ?", (link,))
        if row != (hash,):
            return None
        names = frozenset(msgspec.json.decode(bots, type=list[str]))
        return _Head(link, hash, names, games, fixtures, planned)

    def _new(self, head: _Head) -> tuple[set[int], set[int], set[int]] | None:
        """The results and the annulled results since then, and all whose blocks may count
        otherwise now; None when they are many."""
        most = max(1000, head.games // MOST_NEW)
        rows = self._store.all(
            "SELECT kind, row FROM chain WHERE number > ? AND kind IN ('result', 'annulment') "
            "LIMIT ?",
            (head.link, most + 1),
        )
        results = {row for kind, row in rows if kind == "result"}
        annulled = {row for kind, row in rows if kind == "annulment"}
        others = self._store.all(
            "SELECT DISTINCT result FROM seat WHERE bot IN (SELECT value FROM json_each(?)) "
            "LIMIT ?",
            (_text(sorted(head.bots ^ self._bots)), most + 1),
        )
        touched = results | annulled | {result for (result,) in others}
        return None if len(touched) > most else (results, annulled, touched)

    def _learn_numbers(self) -> None:
        """Number the names in the order in which they came into the league, which is that of the
        players of a table: so the file has the groups in the order of the table's."""
        bots = self._store.all("SELECT name, bot, min(number) FROM submission GROUP BY name, bot")
        names = ((name,) for name, _, _ in sorted(bots, key=itemgetter(2)))
        self._file.executemany("INSERT OR IGNORE INTO bot (name) VALUES (?)", names)
        numbers = dict(self._file.execute("SELECT name, number FROM bot"))
        self._numbers = {bot: numbers[name] for name, bot, _ in bots}
        self._shapes = {games: number for number, games in self._read_shapes().items()}

    # -- all results -----------------------------------------------------------------------

    def _count_all(self) -> int:
        for table in ("kind", "outcome", "digest", "head"):
            self._file.execute(f"DELETE FROM {table}")
        count = ResultSums(self._league, self._bots, self._scope)
        with (
            closing(count.blocks()) as blocks,
            closing(count.outcomes()) as outcomes,
            closing(count.digests()) as digests,
        ):
            self._file.executemany(
                "INSERT INTO kind VALUES (?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1",
                map(self._kind, blocks),
            )
            self._file.executemany(
                _ADD_OUTCOMES, ((*row[:2], row[2] or "", row[3], times) for row, times in outcomes)
            )
            self._file.executemany("INSERT INTO digest VALUES (?, ?)", digests)
        return self._games()

    def _games(self) -> int:
        return int(self._file.execute("SELECT count(*) FROM digest").fetchone()[0])

    def _kind(self, block: Iterable[PlayedGame]) -> _Kind:
        """What the file calls the kind of a block."""
        games = list(block)
        bots = sorted(games[0][0], key=self._numbers.__getitem__)
        shape = with_bots(games, bots.index)
        if shape not in self._shapes:
            added = self._file.execute("INSERT INTO shape (games) VALUES (?)", (_text(shape),))
            self._shapes[shape] = added.lastrowid or 0
        numbers = map(self._numbers.__getitem__, bots)
        return struct.pack(f">{len(bots)}i", *numbers), self._shapes[shape]

    # -- what came since -------------------------------------------------------------------

    def _count(self, head: _Head, results: set[int], annulled: set[int], touched: set[int]) -> int:
        """Take the blocks of some results out as they counted then, and put them in as they count
        now."""
        kinds, taken, put = Counter[_Kind](), dict[int, str](), dict[int, str]()
        for then, now in self._blocks(touched, results, annulled):
            for games, bots, sign, found in (
                (then, head.bots, -1, taken),
                (now, self._bots, 1, put),
            ):
                if games and bots.issuperset(next(iter(games.values()))[0][0]):
                    kinds[self._kind(game for game, _ in games.values())] += sign
                    found.update((number, digest) for number, (_, digest) in games.items())
        for kind, count in kinds.items():
            self._add_kind(kind, count)
        less = {number: taken[number] for number in taken.keys() - put.keys()}
        more = {number: put[number] for number in put.keys() - taken.keys()}
        for number, digest in less.items():
            self._take_digest(digest, number)
        self._file.executemany(
            "INSERT INTO digest VALUES (?, ?)",
            ((digest, number) for number, digest in more.items()),
        )
        self._add_outcomes(less, -1)
        self._add_outcomes(more, 1)
        return head.games + len(put) - len(taken)

    def _blocks(
        self, touched: set[int], results: set[int], annulled: set[int]
    ) -> Iterator[tuple[_Games, _Games]]:
        """The blocks of some results: their games that counted then, and those that count now."""
        seen: set[str] = set()
        fixtures = self._store.all(
            "SELECT DISTINCT fixture.number, block FROM result "
            "JOIN fixture ON fixture.number = fixture "
            "WHERE result.number IN (SELECT value FROM json_each(?))",
            (_text(sorted(touched)),),
        )
        for number, block in fixtures:
            if block in seen:
                continue
            seen.add(block)
            then, now = _Games(), _Games()
            for result, at, end, event, seats, ranks, digest in self._games_near(number, block):
                if not (self._scope.has_event(event) and self._scope.is_before(at)):
                    continue
                ended = end is not None and self._scope.is_before(end)
                game = played_game(seats, ranks), digest
                if result not in results and (not ended or result in annulled):
                    then[result] = game
                if not ended:
                    now[result] = game
            yield then, now

    def _games_near(self, fixture: int, block: str) -> list[tuple[Any, ...]]:
        """All results of a block. Its matches are planned at once, so their numbers are close
        together."""
        return self._store.all(
            "SELECT result.number, result.at, annulment.at, event, seats, ranks, digest "
            "FROM fixture JOIN result ON result.fixture = fixture.number "
            "LEFT JOIN annulment ON annulment.result = result.number "
            "WHERE fixture.number BETWEEN ?1 - ?2 AND ?1 + ?2 AND block = ?3",
            (fixture, self._league.terms.seats - 1, block),
        )

    def _add_kind(self, kind: _Kind, count: int) -> None:
        if not count:
            return
        found = self._file.execute(
            "INSERT INTO kind VALUES (?, ?, ?) ON CONFLICT DO UPDATE "
            "SET count = count + excluded.count RETURNING count",
            (*kind, count),
        ).fetchone()
        if found[0] < 0:
            raise Misfit(f"{found[0]} blocks of a kind")
        if not found[0]:
            self._file.execute("DELETE FROM kind WHERE bots = ? AND shape = ?", kind)

    def _take_digest(self, digest: str, result: int) -> None:
        query = "DELETE FROM digest WHERE digest = ? AND result = ?"
        if self._file.execute(query, (digest, result)).rowcount != 1:
            raise Misfit(f"result {result} was not counted")

    def _add_outcomes(self, results: Iterable[int], sign: int) -> None:
        """Count the seats of some results, or no longer."""
        rows = self._store.all(
            f"{SEAT_SUMS} seat WHERE result IN (SELECT value FROM json_each(?)) "
            "GROUP BY 1, 2, 3, 4",
            (_text(sorted(results)),),
        )
        self._file.executemany(_ADD_OUTCOMES, ((*row[:4], sign * row[4]) for row in rows))
        if sign < 0:
            if self._file.execute("SELECT 1 FROM outcome WHERE count < 0").fetchone():
                raise Misfit("the seats of a result were not counted")
            self._file.execute("DELETE FROM outcome WHERE count = 0")

    # -- reading ---------------------------------------------------------------------------

    def sums(self) -> Sums:
        """The sums. Raises Misfit when they contradict each other."""
        rows = self._file.execute("SELECT bot, points, stopped, faults, count FROM outcome")
        outcomes = (((bot, points, why or None, faults), n) for bot, points, why, faults, n in rows)
        try:
            tally = _tally_of(self._players, outcomes)
            self._add_columns(tally)
        except (
            *(LookupError, TypeError, ValueError, OverflowError),
            *(ArenaError, msgspec.MsgspecError),
        ) as error:
            raise Misfit(str(error)) from error
        digest, counted = self._digest()
        (games,) = self._file.execute("SELECT games FROM head").fetchone()
        if not tally.games == games == counted:
            raise Misfit("the numbers of games contradict each other")
        return Sums(tally, digest)

    def _add_columns(self, tally: ResultTally) -> None:
        """Add the blocks, whose bots are numbered by their index in the players."""
        index = {one.name: at for at, one in enumerate(self._players)}
        known = dict(self._file.execute("SELECT number, name FROM bot ORDER BY number"))
        places = {number: index[name] for number, name in known.items() if name in index}
        shapes = self._read_shapes()
        numbers = {number: at for at, number in enumerate(shapes)}
        seats, bots = self._league.terms.seats, array("i")
        group, shape, count = array("i"), array("i"), array("i")
        last, groups = b"", 0
        rows = self._file.execute("SELECT bots, shape, count FROM kind ORDER BY bots, shape")
        while chunk := rows.fetchmany(ROWS_AT_ONCE):  # a thousand bots have half a million pairs
            packed, kinds, counts = zip(*chunk, strict=True)
            is_new = list(map(ne, packed, (last, *packed)))
            bots.frombytes(b"".join(compress(packed, is_new)))
            group.extend(accumulate(is_new[1:], initial=groups + is_new[0] - 1))
            shape.extend(kinds)
            count.extend(counts)
            last, groups = packed[-1], group[-1] + 1
        if sys.byteorder == "little":
            bots.byteswap()
        if len(bots) != seats * groups or min(count, default=1) < 1:
            raise Misfit("kinds of blocks that cannot be")
        columns = BlockCounts(
            tuple(array("i", map(places.__getitem__, bots[at::seats])) for at in range(seats)),
            group,
            array("i", map(numbers.__getitem__, shape)),
            count,
            tuple(shapes.values()),
        )
        if sorted(places.values()) == list(places.values()):
            tally.add_columns(columns)
        else:  # the players of a final are in an order of their own
            for block, times in columns.blocks():
                tally.add_blocks(block, times)

    def _read_shapes(self) -> dict[int, Block]:
        """The shapes by their number."""
        decode = msgspec.json.Decoder(Block).decode
        rows = self._file.execute("SELECT number, games FROM shape")
        shapes = {number: decode(games) for number, games in rows}
        places = list(range(self._league.terms.seats))
        for games in shapes.values():
            if not games or not all(
                sorted(order) == places and len(ranks) == len(places) for order, ranks in games
            ):
                raise Misfit("a shape of blocks that cannot be")
        return shapes

    def digest(self) -> str:
        """See `Sums`."""
        return self._digest()[0]

    def _digest(self) -> tuple[str, int]:
        """The digest, and the number of results in it."""
        found = hashlib.sha256()
        # A match that ended before its board was set up has an empty digest.
        query = "SELECT count(*) FROM digest WHERE digest = ''"
        (count,) = self._file.execute(query).fetchone()
        for first in map("{:02x}".format, range(256)):  # a part at a time, for its memory
            text, rows = self._file.execute(
                "SELECT group_concat(digest, ''), count(*) FROM (SELECT digest FROM digest "
                "WHERE digest >= ?1 AND digest < ?1 || 'g' ORDER BY digest, result)",
                (first,),
            ).fetchone()
            found.update((text or "").encode())
            count += rows
        return found.hexdigest(), count

    def pending(self) -> int:
        """Matches of any scope that were planned and have no result that counts."""
        (planned,) = self._file.execute("SELECT planned FROM head").fetchone()
        query = "SELECT (SELECT count(*) FROM result) - (SELECT count(*) FROM annulment)"
        (played,) = self._store.one(query) or (0,)
        return int(planned) - int(played)

    def made(self, name: str) -> bytes | None:
        """What `keep` kept for these sums."""
        found = self._file.execute("SELECT content FROM made WHERE name = ?", (name,)).fetchone()
        if found is not None and not isinstance(found[0], bytes):
            raise Misfit("what was made of them was changed")
        return None if found is None else found[0]

    def keep(self, name: str, content: bytes | memoryview) -> None:
        """Keep something that follows from the sums until they change."""
        self._file.execute("INSERT OR REPLACE INTO made VALUES (?, ?)", (name, content))


def sums_file(league: League, scope: Scope) -> Path:
    """Where the sums of a scope are kept."""
    name = _plain_name(scope.event or "table")
    moment = "" if scope.until is None else f"{UNTIL}{_plain_name(scope.until)}"
    return league.folder.path / "sums" / f"{name}{moment}.sqlite"


UNTIL = "-until-"
"""In the names of files, between the event and the moment before which their sums count."""


def _plain_name(name: str) -> str:
    return "".join(char if char.isalnum() else "-" for char in name)


def _throw_away_other_moments(path: Path) -> None:
    """Remove the sums of other moments of the same event: a site shows one until it shows all, and
    then never again."""
    event, until, _ = path.name.partition(UNTIL)
    if until:
        for other in path.parent.glob(f"{event}{UNTIL}*.sqlite"):
            if other != path:
                throw_away(other)


def from_kept(
    league: League, players: Sequence[LeaguePlayer], scope: Scope, work: Callable[[Kept], T]
) -> T | None:
    """What `work` makes of the kept sums between `players`, which are brought up to date first.
    None where sums cannot be kept, and for a league that shows another moment than the scope.

    Raises what `Store` raises."""
    if league.store.shows_before not in (None, scope.until):
        return None
    path = sums_file(league, scope)
    for _ in range(2):  # a file that is thrown away is made again once
        try:
            with closing(_opened(path)) as file:
                return _worked(league, Kept(league, players, scope, file), work)
        except sqlite3.OperationalError as error:
            if getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_ERROR:
                return None  # locked, full, not to be read or written
            throw_away(path)
        except OSError:
            return None
        except (sqlite3.Error, msgspec.MsgspecError, Misfit):
            throw_away(path)
    return None


def recounted(league: League, players: Sequence[LeaguePlayer], scope: Scope = ALL) -> Sums:
    """The sums between `players`, read from the results. They are counted in a temporary file: the
    blocks of a thousand bots do not fit into memory as objects. Raises ArenaFault when there is no
    room for it, and what `Store` raises."""
    try:
        with closing(sqlite3.connect("", isolation_level=None)) as file:
            _make(file)
            kept = Kept(league, players, scope, file)
            with kept.transaction("BEGIN"), league.store.reading():
                kept.bring_up_to_date()
                return kept.sums()
    except sqlite3.Error as error:
        raise ArenaFault(
            f"cannot count the results in a temporary file: {error}: make room for it"
        ) from error
    except Misfit as error:
        raise (error.__cause__ or error) from None  # the results themselves cannot be


def sums_of(league: League, players: Sequence[LeaguePlayer]) -> Sums:
    """The sums of all results between `players`: the kept ones if the table lists these players,
    else read from the results. (A tester plays and is in no table.)"""
    found = from_kept(league, players, ALL, Kept.sums) if players == league.ranked() else None
    return recounted(league, players) if found is None else found


def _worked(league: League, kept: Kept, work: Callable[[Kept], T]) -> T:
    """`work` in a transaction. That of the league begins after that of the sums, so the sums are
    never ahead of it."""
    for begin in ("BEGIN", "BEGIN IMMEDIATE"):
        with kept.transaction(begin), league.store.reading():
            if begin != "BEGIN" or kept.is_up_to_date:
                kept.bring_up_to_date()
                return work(kept)
    raise AssertionError


def _opened(path: Path) -> sqlite3.Connection:
    """Open the file of sums, and make it if there is none that fits. Raises sqlite3.Error and
    OSError."""
    path.parent.mkdir(exist_ok=True)
    if path.is_symlink() or (path.exists() and not path.is_file()):
        throw_away(path)
    file = sqlite3.connect(path, isolation_level=None, timeout=WAIT_FOR_SUMS)
    try:
        for setting in _SUMS_SETTINGS:
            file.execute(f"PRAGMA {setting}")
        if not _fits(file):
            _make(file)
            _throw_away_other_moments(path)
    except BaseException:
        file.close()
        raise
    return file


def _fits(file: sqlite3.Connection) -> bool:
    (found,) = file.execute("PRAGMA user_version").fetchone()
    return found == SUMS_FORMAT and file.execute(_LISTED).fetchall() == _listed()


def _make(file: sqlite3.Connection) -> None:
    """Make the tables. Raises Misfit for a file with other tables."""
    file.execute("BEGIN IMMEDIATE")
    if not _fits(file):  # another process may have made them
        if file.execute(_LISTED).fetchall():
            raise Misfit("its tables are others")
        for statement in statements(_SUMS):
            file.execute(statement)
        file.execute(f"PRAGMA user_version={SUMS_FORMAT}")
    file.execute("COMMIT")


_LISTED = "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"


@cache
def _listed() -> list[tuple[str, str, str | None]]:
    """The tables as SQLite lists them."""
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.executescript(_SUMS)
        return memory.execute(_LISTED).fetchall()


def throw_away(path: Path) -> None:
    """Remove kept sums."""
    for end in ("-journal", ""):
        with suppress(OSError):
            path.with_name(path.name + end).unlink(missing_ok=True)


def _text(value: object) -> str:
    return msgspec.json.encode(value).decode()
