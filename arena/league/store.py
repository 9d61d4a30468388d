"""The file of a league: an SQLite database with one writer at a time.

Each change is one transaction, on disk when `Store.changing` ends (write-ahead log,
``synchronous=FULL``). It takes the write lock at once: a transaction that upgrades later fails at
its first write if another process has written meanwhile, however long it would wait.

A file may be damaged or malicious. So before anything is read, its tables, views and triggers are
compared with those that this release makes, and SQLite checks all pages and the type of every
value. (For 100,000 results that takes 0.45 s of CPU.)

Every row is linked into a hash chain, so later changes of rows are noticed.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import msgspec

from arena.errors import ArenaFault, DiskFull, LeagueError, UsageError

# The tables of a league's file. Triggers forbid changing or removing rows: a new version of a bot,
# a withdrawal, an admission, an annulment and a void match are rows of their own. Current players,
# counted results and the league table are views.

APPLICATION = 0x41524C47
"""SQLite application id, which distinguishes leagues from other SQLite files."""
FORMAT = 4
"""Format version; increased when the tables or their content change."""

_TABLES = {
    "league": """
        number INTEGER PRIMARY KEY CHECK (number = 1),
        terms TEXT NOT NULL -- JSON: arena.league.types.LeagueTerms
    """,
    "submission": """
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        bot TEXT NOT NULL, -- a hash over name and content
        content TEXT NOT NULL, -- the address of its files; empty when they were refused
        entry TEXT NOT NULL, -- the folder at that address that is the bot
        passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
        report TEXT NOT NULL, -- JSON: how it was examined
        CHECK (content NOT GLOB '*[^0-9a-f]*'),
        CHECK (entry NOT IN ('.', '..') AND entry NOT LIKE '%/%')
    """,
    "admission": """
        submission INTEGER PRIMARY KEY REFERENCES submission,
        reason TEXT NOT NULL -- why it plays though it failed its test
    """,
    "withdrawal": """
        submission INTEGER PRIMARY KEY REFERENCES submission,
        reason TEXT NOT NULL
    """,
    "fixture": """
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE, -- a hash over all below
        event TEXT NOT NULL,
        round INTEGER NOT NULL,
        block TEXT NOT NULL, -- matches on one map, with exchanged seats
        seed TEXT NOT NULL,
        seats TEXT NOT NULL -- JSON: a bot for each seat
    """,
    "result": """
        number INTEGER PRIMARY KEY, -- in the order in which they came in
        fixture INTEGER NOT NULL REFERENCES fixture,
        attempt INTEGER NOT NULL,
        reason TEXT NOT NULL,
        sentence TEXT NOT NULL,
        rounds INTEGER NOT NULL,
        ranks TEXT NOT NULL, -- JSON: a rank for each seat
        sha256 TEXT NOT NULL, -- over the file of the record
        seal TEXT NOT NULL, -- over what the record says, times included
        digest TEXT NOT NULL -- over what it says, without times
    """,
    "seat": """
        result INTEGER NOT NULL REFERENCES result,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        points REAL NOT NULL,
        fate TEXT NOT NULL,
        stopped TEXT, -- why its program was ended, if it was
        detail TEXT NOT NULL, -- the same in words
        faults TEXT NOT NULL, -- JSON: counts by code
        PRIMARY KEY (result, seat)
    """,
    "annulment": """
        result INTEGER PRIMARY KEY REFERENCES result,
        reason TEXT NOT NULL -- why it no longer counts
    """,
    "void": """
        number INTEGER PRIMARY KEY,
        fixture INTEGER NOT NULL REFERENCES fixture,
        attempt INTEGER NOT NULL,
        reason TEXT NOT NULL,
        UNIQUE (fixture, attempt)
    """,
    "chain": """
        number INTEGER PRIMARY KEY, -- in the order in which the rows came in, without a gap
        kind TEXT NOT NULL, -- the table of the row
        row INTEGER NOT NULL, -- its number there
        hash TEXT NOT NULL -- over the row, its seats if it is a result, and the hash before
    """,
}
LINKED = tuple(name for name in _TABLES if name not in ("seat", "chain"))
"""The tables whose rows have their own links; seats are linked with their result."""

_VIEWS = """
CREATE INDEX ranks_of ON result (fixture, ranks); -- what the table reads, and nothing else
CREATE INDEX sums_of ON seat (bot, points, stopped, faults);
CREATE VIEW player AS
    SELECT name, bot, content, entry, max(number) AS number FROM submission
    WHERE (passed OR number IN (SELECT submission FROM admission))
    AND number NOT IN (SELECT submission FROM withdrawal) GROUP BY name;
CREATE VIEW valid AS -- the results that count
    SELECT * FROM result WHERE number NOT IN (SELECT result FROM annulment);
CREATE VIEW retired AS -- the bots that play no more
    SELECT bot FROM submission EXCEPT SELECT bot FROM player;
CREATE VIEW counted AS -- the seats of all matches between bots that play now
    SELECT * FROM seat WHERE result NOT IN (SELECT result FROM annulment)
    AND result NOT IN (SELECT result FROM seat WHERE bot IN retired);
CREATE VIEW played AS -- the games of a block one after the other, since they are planned at once
    SELECT block, '[' || seats || ',' || ranks || ']' AS game -- JSON
    FROM valid JOIN fixture ON fixture.number = valid.fixture ORDER BY valid.fixture;
CREATE VIEW pending AS
    SELECT * FROM fixture
    WHERE NOT EXISTS (SELECT 1 FROM valid WHERE valid.fixture = fixture.number)
    AND json_array_length(seats) > 1; -- else a bye
CREATE TRIGGER result_twice BEFORE INSERT ON result
    WHEN EXISTS (SELECT 1 FROM valid WHERE fixture = new.fixture)
    BEGIN SELECT RAISE(ABORT, 'the match has a result already'); END;
"""
_COLUMN = re.compile(r"^ *(\w+) (INTEGER|TEXT|REAL)(?! PRIMARY)( NOT NULL)?", re.MULTILINE)


def _table(name: str, columns: str) -> str:
    refusals = [
        f"CREATE TRIGGER {name}_{deed} BEFORE {deed.upper()} ON {name} "
        f"BEGIN SELECT RAISE(ABORT, 'nothing in a league is changed or removed'); END;"
        for deed in ("update", "delete")
    ]
    if name != "chain":
        columns = f"at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP,{columns.rstrip()}"
    columns = _COLUMN.sub(_is_typed, columns)
    kind = " WITHOUT ROWID" if "PRIMARY KEY (" in columns else ""  # stored in key order
    return "\n".join([f"CREATE TABLE {name} ({columns}\n){kind};", *refusals])


def _is_typed(column: re.Match[str]) -> str:
    """A column with a check of its type. SQLite enforces types only in STRICT tables, which
    releases before 3.37 lack; with checks, all releases notice a damaged file."""
    kinds = {column[2].lower(), *([] if column[3] else ["null"])}
    allowed = ", ".join(f"'{kind}'" for kind in sorted(kinds))
    return f"{column[0]} CHECK (typeof({column[1]}) IN ({allowed}))"


SCHEMA = "\n".join([*(_table(*one) for one in _TABLES.items()), _VIEWS])


# The chain of a league: each link hashes a row and the link before it. A published hash proves
# every row up to it: submissions and their tests, admissions, withdrawals, fixtures, results and
# annulments. Changing, adding or removing an earlier row breaks the chain or makes another one.
# Rows are hashed as read back from the file.

Row: TypeAlias = tuple[str, int]
"""A row's table, and its number in the table."""
_ROW = {kind: f"SELECT * FROM {kind} WHERE rowid = ?" for kind in LINKED}
_SEATS = "SELECT * FROM seat WHERE result = ? ORDER BY seat"
_LAST = "SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1"


class Broken(NamedTuple):
    """A row that does not match the chain."""

    kind: str
    number: int
    problem: str


def extend(file: sqlite3.Connection, rows: list[Row]) -> None:
    """Append new rows to the chain."""
    number, last = file.execute(_LAST).fetchone() or (0, "")
    for at, (kind, row) in enumerate(rows, number + 1):
        last = _hash(file, last, kind, row)
        link = at, kind, row, last
        file.execute("INSERT INTO chain (number, kind, row, hash) VALUES (?, ?, ?, ?)", link)


def broken(file: sqlite3.Connection) -> Iterator[Broken]:
    """Yield the rows that were changed, added or removed without the chain."""
    before, linked = "", dict[str, set[int]]((kind, set()) for kind in LINKED)
    links = file.execute("SELECT number, kind, row, hash FROM chain ORDER BY number")
    for at, (number, kind, row, hash) in enumerate(links, 1):
        if kind not in linked or row in linked[kind] or number != at:
            yield Broken(kind, row, "its place in the chain was changed")
        elif hash != _hash(file, before, kind, row):
            yield Broken(kind, row, "it was changed, or what came in before it")
        linked.setdefault(kind, set()).add(row)
        before = hash
    for kind in LINKED:
        there = {number for (number,) in file.execute(f"SELECT rowid FROM {kind}")}
        for number in sorted(there - linked[kind]):
            yield Broken(kind, number, "it is not in the chain")
    for (number,) in file.execute("SELECT DISTINCT result FROM seat"):
        if number not in linked["result"]:
            yield Broken("result", number, "it is not in the chain")


def _hash(file: sqlite3.Connection, before: str, kind: str, number: int) -> str:
    """The hash of a row as stored; values are delimited and typed, so no two rows look alike."""
    row = file.execute(_ROW[kind], (number,)).fetchone()
    seats = file.execute(_SEATS, (number,)).fetchall() if kind == "result" else ()
    return hashlib.sha256(msgspec.msgpack.encode((before, kind, number, row, seats))).hexdigest()


WAIT = 30.0
"""How long a change waits for a change of another process, in seconds."""
LARGEST = 64 << 20
"""Maximum size of a value that is read, in bytes."""
_MAGIC = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")
"""Suffixes of the files that SQLite makes beside the league's file."""
_SETTINGS = (
    *("cell_size_check=ON", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"),
    "recursive_triggers=ON",  # otherwise INSERT OR REPLACE bypasses the triggers
)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_REFUSED = (
    *(sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM),
)
"""Errors that are not caused by the content of the file."""


class Change:
    """The rows added to a league in one transaction."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file
        self.added: list[Row] = []
        """Rows to link to the chain."""

    def add(self, kind: str, **values: Any) -> int:
        """Add a row to a table. Returns its number."""
        number = self._insert(kind, values)
        self.added.append((kind, number))
        return number

    def add_seat(self, **values: Any) -> None:
        """Add a seat to a result of this change."""
        self._insert("seat", values)

    def _insert(self, table: str, values: dict[str, Any]) -> int:
        columns, places = ", ".join(values), ", ".join("?" * len(values))
        done = self._file.execute(
            f"INSERT INTO {table} ({columns}) VALUES ({places})", tuple(values.values())
        )
        return done.lastrowid or 0


class Store:
    """The open file of a league. Use it as a context manager.

    Its methods raise DiskFull when the disk is full, ArenaFault when the file cannot be read or
    written, and LeagueError when it is damaged. A failed change leaves the file unchanged.
    """

    def __init__(self, path: Path) -> None:
        """Raises UsageError when the file is not a league."""
        if not path.is_file():
            raise UsageError(
                f"there is no league {path}: begin one with: arena league new {path} --game GAME"
            )
        if not is_league(path):
            raise UsageError(f"{path} is no league: name the file that arena league new made")
        _require_plain(path)
        self.path = path
        with self._explained():
            self._file = _connect(path)
        try:
            for setting in _SETTINGS:
                self.one(f"PRAGMA {setting}")
            self._examine()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def all(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._explained():
            return self._file.execute(query, values).fetchall()

    def rows(self, query: str, values: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Iterate over the rows of a query."""
        with self._explained():
            yield from self._file.execute(query, values)

    def one(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        with self._explained():
            found: tuple[Any, ...] | None = self._file.execute(query, values).fetchone()
        return found

    @contextmanager
    def changing(self) -> Iterator[Change]:
        """One atomic change, on disk at the end of the ``with`` block."""
        with self._explained():
            self._file.execute("BEGIN IMMEDIATE")
            try:
                yield (change := Change(self._file))
                extend(self._file, change.added)
                self._file.execute("COMMIT")
            except BaseException:
                if self._file.in_transaction:
                    self._file.execute("ROLLBACK")
                raise

    def broken(self) -> Iterator[Broken]:
        """The rows that do not match the chain. (For 100,000 results this takes 3.7 s of CPU.)"""
        with self._explained():
            yield from broken(self._file)

    def check_indexes(self) -> None:
        """Check the file including all indexes. Raises LeagueError."""
        self._check("integrity_check")

    def check_references(self) -> None:
        """Check that all referenced rows exist. Raises LeagueError."""
        if (found := self.one("PRAGMA foreign_key_check")) is not None:
            table, number, named, _ = found
            raise damaged(self.path, f"{table} {number or ''} names a {named} that is not there")

    def _examine(self) -> None:
        """Check the file. Raises UsageError for another format, LeagueError for damage."""
        (found,) = self.one("PRAGMA user_version") or (0,)
        if found != FORMAT:
            raise UsageError(_other_format(self.path, found))
        made = self.all("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
        if made != _schema():
            raise damaged(self.path, "its tables, views or triggers were changed")
        self._check("quick_check")

    def _check(self, how: str) -> None:
        (problem,) = self.one(f"PRAGMA {how}(1)") or ("",)
        if problem != "ok":
            raise damaged(self.path, " ".join(str(problem).split()))

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _fault(self.path, error) from error
        except UnicodeDecodeError as error:  # from a message that quotes the file
            raise damaged(self.path, "it holds what is no text") from error


def create(path: Path, terms: str) -> None:
    """Create the file of a new league with these terms, completely or not at all. Raises UsageError
    when the path exists or cannot be created."""
    if path.exists():
        kind = "folder" if path.is_dir() else "file"
        raise UsageError(f"there is a {kind} {path} already: name another for the new league")
    if not path.parent.is_dir():
        raise UsageError(f"there is no folder {path.parent}: make it, or name a file elsewhere")
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(missing_ok=True)
    try:
        with closing(sqlite3.connect(draft, isolation_level=None)) as file:
            file.executescript(
                f"PRAGMA synchronous=FULL; PRAGMA application_id={APPLICATION}; "
                f"PRAGMA user_version={FORMAT}; BEGIN; {SCHEMA}"
            )
            change = Change(file)
            change.add("league", number=1, terms=terms)
            extend(file, change.added)
            file.execute("COMMIT")
        draft.rename(path)
    except sqlite3.Error as error:
        draft.unlink(missing_ok=True)
        if _code(error) == sqlite3.SQLITE_FULL:
            raise _fault(path, error) from error
        raise UsageError(f"cannot make the league {path}: {error}: name a file elsewhere") from None


def is_league(path: Path) -> bool:
    """Whether a file is a league, judged by its first bytes."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    return head.startswith(_MAGIC) and head[68:72] == APPLICATION.to_bytes(4, "big")


def damaged(path: Path, what: str) -> LeagueError:
    """The error for a damaged file, with advice."""
    return LeagueError(
        f"{path} is damaged: {what}: put a copy of it back that you have kept, or begin a new "
        f"league; the bots and the records in {path}.d are not touched"
    )


def _other_format(path: Path, found: int) -> str:
    reads = f"{path} is a league of format {found}, and this release reads format {FORMAT}"
    if found > FORMAT:
        return f"{reads}: a later release made it: install that one"
    return (
        f"{reads}: only the release, or the state of the repository, that made it reads it; to go "
        "on with this one, begin a new league, and hand its bots in again: "
        f"arena league add NEW {path}.d/bots/*/*"
    )


def _require_plain(path: Path) -> None:
    """Raise LeagueError if SQLite would block forever or write to another file."""
    for beside in (path.with_name(path.name + end) for end in _BESIDE):
        try:
            mode = beside.lstat().st_mode
        except FileNotFoundError:
            continue
        if not stat.S_ISREG(mode):
            raise LeagueError(
                f"{beside} is no plain file, so {path} is not opened: remove it if it is not yours"
            )


@cache
def _schema() -> list[tuple[str, str, str | None]]:
    """The schema of this release, as SQLite lists it."""
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.executescript(SCHEMA)
        return memory.execute(
            "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
        ).fetchall()


def _connect(path: Path) -> sqlite3.Connection:
    place = f"{path.absolute().as_uri()}?mode=rw"
    file = sqlite3.connect(place, uri=True, isolation_level=None, timeout=WAIT)
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LARGEST)
    return file


def _fault(path: Path, error: sqlite3.Error) -> ArenaFault | LeagueError:
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(f"no room on the disk of {path}: make some, and run it again")
    if code in _BUSY:
        return ArenaFault(f"another process keeps {path} shut for {WAIT:.0f} s: try again")
    if code in _REFUSED:
        return ArenaFault(f"cannot use {path}: {error}: nothing more is played")
    return damaged(path, str(error))


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
