"""The file of a league: an SQLite database with one writer at a time.

Each change is one transaction, on disk when `Store.changing` ends (write-ahead log,
``synchronous=FULL``). It takes the write lock at once: a transaction that upgrades later fails at
its first write if another process has written meanwhile, however long it would wait.

A file may be damaged or malicious. So before anything is read, its tables, views and triggers are
compared with those that this release makes, and SQLite checks all pages and the type of every
value. (For 100,000 results that takes 0.45 s of CPU.) Who reads nothing but kept sums
(`arena.league.sums`) leaves the check to those that made them.

Every row is linked into a hash chain, so later changes of rows are noticed.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
import stat
from collections import Counter
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeAlias

import msgspec

from arena.errors import ArenaFault, DiskFull, LeagueError, UsageError
from arena.league.schema import (
    ADDED,
    APPLICATION,
    FIRST_FORMAT,
    FORMAT,
    LINKED,
    SCHEMA,
    SITE,
    SITE_LINKED,
)
from arena.text import shell_word

# The chain of a league: each link hashes a row and the link before it. A published hash proves
# every row up to it: submissions and their tests, admissions, withdrawals, fixtures, results and
# annulments. Changing, adding or removing an earlier row breaks the chain or makes another one.
# Rows are hashed as read back from the file.

Row: TypeAlias = tuple[str, int]
"""A row's table, and its number in the table."""
_ROW = {kind: f"SELECT * FROM {kind} WHERE rowid = ?" for kind in (*LINKED, *SITE_LINKED)}
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
    kinds = (*LINKED, *SITE_LINKED) if has_site(file) else LINKED
    before, linked = "", dict[str, set[int]]((kind, set()) for kind in kinds)
    links = file.execute("SELECT number, kind, row, hash FROM chain ORDER BY number")
    for at, (number, kind, row, hash) in enumerate(links, 1):
        if kind not in linked or row in linked[kind] or number != at:
            yield Broken(kind, row, "its place in the chain was changed")
        elif hash != _hash(file, before, kind, row):
            yield Broken(kind, row, "it, or a row before it, was changed")
        linked.setdefault(kind, set()).add(row)
        before = hash
    for kind in kinds:
        there = {number for (number,) in file.execute(f"SELECT rowid FROM {kind}")}
        for number in sorted(there - linked[kind]):
            yield Broken(kind, number, "it is not in the chain")
    for (number,) in file.execute("SELECT DISTINCT result FROM seat"):
        if number not in linked["result"]:
            yield Broken("result", number, "it is not in the chain")


def has_site(file: sqlite3.Connection) -> bool:
    """Whether the file has the tables of a site."""
    found = file.execute("SELECT 1 FROM sqlite_master WHERE name = 'account'").fetchone()
    return found is not None


def _hash(file: sqlite3.Connection, before: str, kind: str, number: int) -> str:
    """The hash of a row as stored; values are delimited and typed, so no two rows look alike."""
    row = file.execute(_ROW[kind], (number,)).fetchone()
    for _ in range(ADDED.get(kind, 0) if row else 0):
        row = row[:-1] if row[-1] is None else row
    seats = file.execute(_SEATS, (number,)).fetchall() if kind == "result" else ()
    return hashlib.sha256(msgspec.msgpack.encode((before, kind, number, row, seats))).hexdigest()


WAIT = 30.0
"""How long a change waits for a change of another process, in seconds."""
MAX_VALUE_SIZE = 64 << 20
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


_HIDING = {
    "fixture": "at < '{}'",  # who meets whom tells who has won
    "result": "at < '{}'",
    "seat": "EXISTS (SELECT 1 FROM main.result WHERE number = seat.result AND at < '{}')",
    "annulment": "at < '{}'",
    "void": "at < '{}'",
}
"""What `Store.show_before` leaves of each table."""
_OF_RESULTS = ("valid", "counted", "played", "pending")
"""The views that read those tables."""
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")


class Change:
    """The rows added to a league in one transaction."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file
        self.added: list[Row] = []
        """Rows to link to the chain."""

    def add(self, kind: str, /, **values: Any) -> int:
        """Add a row to a table. Returns its number."""
        number = self._insert(kind, values)
        if kind in _ROW:
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

    def __init__(
        self,
        path: Path,
        *,
        any_thread: bool = False,
        checked: bool = True,
        any_format: bool = False,
    ) -> None:
        """With `any_thread` it may be used from several threads, one at a time. Without `checked`
        its pages and values are not checked until `require_checked`; with `any_format` nothing is.

        Raises UsageError when the file is not a league."""
        if not path.is_file():
            raise UsageError(
                f"there is no league {path}: begin one with: arena league new {shell_word(path)} "
                "--game GAME"
            )
        if not is_league(path):
            raise UsageError(f"{path} is not a league: name the file that arena league new made")
        _require_plain(path)
        self.path = path
        self._until: str | None = None
        self._is_checked = False
        self._inode = _inode(path)
        with self._explained():
            self._file = _connect(path, any_thread)
        _open_here[self._inode] += 1
        self._is_open = True
        try:
            for setting in _SETTINGS:
                self.one(f"PRAGMA {setting}")
            if not any_format:
                self._examine()
            if checked and not any_format:
                self.require_checked()
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
        _open_here[self._inode] -= self._is_open
        self._is_open = False

    def all(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._explained():
            return self._file.execute(query, values).fetchall()

    def rows(
        self, query: str, values: Sequence[Any] = ()
    ) -> Generator[tuple[Any, ...], None, None]:
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

    @contextmanager
    def reading(self) -> Iterator[None]:
        """One state of the file for all queries of the ``with`` block, whatever others add."""
        if self._file.in_transaction:
            yield
            return
        with self._explained():
            self._file.execute("BEGIN")
        try:
            yield
        finally:
            if self._file.in_transaction:
                with self._explained():
                    self._file.execute("COMMIT")

    @property
    def shows_before(self) -> str | None:
        """The moment of `show_before`."""
        return self._until

    def show_before(self, until: str | None) -> None:
        """Hide all planned matches, results, annulments and void matches that came in at a moment
        (UTC) or later from every query of this connection, until it is called again. None hides
        nothing. A connection that hides must not add results.

        Views of this connection alone take the places of the tables: SQLite looks for a name among
        them first."""
        if until == self._until:
            return
        if until is not None and not _MOMENT.fullmatch(until):
            raise ValueError(f"{until!r} is no moment")  # it becomes a part of SQL
        with self._explained():
            for name in (*_HIDING, *_OF_RESULTS):
                self._file.execute(f"DROP VIEW IF EXISTS temp.{name}")
            for name, condition in _HIDING.items() if until is not None else ():
                self._file.execute(
                    f"CREATE TEMP VIEW {name} AS SELECT * FROM main.{name} "
                    f"WHERE {condition.format(until)}"
                )
            for name in _OF_RESULTS if until is not None else ():
                query = "SELECT sql FROM main.sqlite_master WHERE name = ?"
                ((sql,),) = self._file.execute(query, (name,)).fetchall()
                self._file.execute(sql.replace("CREATE VIEW", "CREATE TEMP VIEW", 1))
        self._until = until

    @property
    def format(self) -> int:
        """The format of the file."""
        (found,) = self.one("PRAGMA user_version") or (0,)
        return int(found)

    @property
    def has_site(self) -> bool:
        """Whether the file has the tables of a site."""
        with self._explained():
            return has_site(self._file)

    def add_site(self) -> None:
        """Give the file the tables of a site, if it has none yet."""
        with self._explained():
            self._file.execute("BEGIN IMMEDIATE")
            try:
                if not has_site(self._file):
                    for statement in statements(SITE):
                        self._file.execute(statement)
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
            raise damaged(self.path, f"{table} {number or ''} names a {named} that does not exist")

    def _examine(self) -> None:
        """Check the file. Raises UsageError for another format, LeagueError for damage."""
        if self.format != FORMAT:
            raise UsageError(other_format(self.path, self.format))
        made = self.all("SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
        if made not in (_schema(SCHEMA), _schema(SCHEMA + SITE)):
            raise damaged(self.path, "its tables, views or triggers were changed")

    def require_checked(self) -> None:
        """Check all pages and the type of every value, once. Raises LeagueError for damage."""
        if not self._is_checked:
            self._check("quick_check")
            self._is_checked = True

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
            raise damaged(self.path, "it holds a value that is not text") from error


def statements(script: str) -> Iterator[str]:
    """The statements of a script. (`executescript` would commit the transaction first.)"""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""


def create(path: Path, terms: str, seed: str = "") -> None:
    """Create the file of a new league with these terms and this seed, completely or not at all.
    Raises UsageError when the path exists or cannot be created."""
    if path.exists():
        kind = "folder" if path.is_dir() else "file"
        raise UsageError(f"the {kind} {path} exists already: name another for the new league")
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
            change.add("seed", number=1, seed=seed)
            extend(file, change.added)
            file.execute("COMMIT")
        draft.rename(path)
    except sqlite3.Error as error:
        draft.unlink(missing_ok=True)
        if _code(error) == sqlite3.SQLITE_FULL:
            raise _fault(path, error) from error
        raise UsageError(f"cannot make the league {path}: {error}: name a file elsewhere") from None


_open_here: Counter[tuple[int, int]] = Counter()
"""How many stores of this process have a file open, by its inode."""


def _inode(path: Path) -> tuple[int, int]:
    status = path.stat()
    return status.st_dev, status.st_ino


def is_league(path: Path) -> bool:
    """Whether a file is a league, judged by its first bytes.

    One that this process has open is not read: closing any descriptor of a file drops all POSIX
    locks that the process has on it. SQLite in another process would then take itself for the
    last user, remove the write-ahead log, and changes of both sides would be lost."""
    if not path.is_file():
        return False
    if _open_here[_inode(path)]:
        return True
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    return head.startswith(_MAGIC) and head[68:72] == APPLICATION.to_bytes(4, "big")


def damaged(path: Path, what: str) -> LeagueError:
    """The error for a damaged file, with advice."""
    return LeagueError(
        f"{path} is damaged: {what}: restore a copy of it, or begin a new league; the bots and "
        f"records in {path}.d are untouched"
    )


def other_format(path: Path, found: int) -> str:
    """Why a league of the format `found` is not opened, and what to do."""
    reads = f"{path} is a league of format {found}, but this release reads format {FORMAT}"
    if found > FORMAT:
        return f"{reads}: a later release made it: install that one"
    if found >= FIRST_FORMAT:
        return (
            f"{reads}: bring it to that one (a copy stays beside it): arena league upgrade "
            f"{shell_word(path)}"
        )
    return (
        f"{reads}: use the release (or the state of the repository) that made it; or begin a new "
        "league with this one, and hand the bots in again: "
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
                f"{beside} is not an ordinary file, so {path} is not opened: remove it if it is "
                "not yours"
            )


@cache
def _schema(schema: str) -> list[tuple[str, str, str | None]]:
    """A schema of this release, as SQLite lists it."""
    with closing(sqlite3.connect(":memory:")) as memory:
        memory.executescript(schema)
        return memory.execute(
            "SELECT type, name, sql FROM sqlite_master ORDER BY type, name"
        ).fetchall()


def _connect(path: Path, any_thread: bool) -> sqlite3.Connection:
    place = f"{path.absolute().as_uri()}?mode=rw"
    file = sqlite3.connect(
        place, uri=True, isolation_level=None, timeout=WAIT, check_same_thread=not any_thread
    )
    file.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, MAX_VALUE_SIZE)
    return file


def _fault(path: Path, error: sqlite3.Error) -> ArenaFault | LeagueError:
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(f"no room on the disk of {path}: make room, and run it again")
    if code in _BUSY:
        return ArenaFault(f"another process has locked {path} for {WAIT:.0f} s: try again")
    if code == sqlite3.SQLITE_READONLY:
        return ArenaFault(
            f"cannot write to {path} ({error}), which reading it needs too: get the right to write "
            "to it and to its folder, or use a copy of both"
        )
    if code in _REFUSED:
        return ArenaFault(f"cannot use {path}: {error}")
    return damaged(path, str(error))


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
