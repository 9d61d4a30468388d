"""The file of a league: an SQLite database with one writer at a time.

Each change is one transaction that is on the disk when `Store.changing` ends (write-ahead log,
``synchronous=FULL``). It begins as a writer at once: a transaction that only becomes one later
fails at its first write when another process has written meanwhile, however long it would wait.

A file may be damaged, or made by somebody to do harm. So before anything is read, its tables, views
and triggers are compared with those that this release makes, and SQLite looks through all pages and
at the type of every value. (Of 100,000 results that takes 0.45 s of CPU.)
"""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Self

from arena.errors import ArenaFault, DiskFull, LeagueError, UsageError
from arena.league.chain import Broken, Row, broken, extend
from arena.league.schema import APPLICATION, FORMAT, SCHEMA

WAIT = 30.0
"""Seconds for which a change waits for that of another process."""
LARGEST = 64 << 20
"""Bytes of the longest value that is read."""
_MAGIC = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")
"""How the files end that SQLite makes beside it."""
_SETTINGS = (
    *("cell_size_check=ON", "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"),
    "recursive_triggers=ON",  # else INSERT OR REPLACE removes rows past the triggers
)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
_REFUSED = (
    *(sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM),
    *(sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM),
)
"""What is no fault of what stands in the file."""


class Change:
    """What is added to a league at once."""

    def __init__(self, file: sqlite3.Connection) -> None:
        self._file = file
        self.added: list[Row] = []
        """What is to be linked to the chain."""

    def add(self, kind: str, **values: Any) -> int:
        """Add a row to a table. Its number."""
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

    Its methods raise DiskFull for want of room, ArenaFault when the file cannot be read or written,
    and LeagueError when it is damaged; what was to be changed is then unchanged.
    """

    def __init__(self, path: Path) -> None:
        """Raises UsageError when there is no league in that file."""
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
        """The rows of a query, one by one."""
        with self._explained():
            yield from self._file.execute(query, values)

    def one(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        with self._explained():
            found: tuple[Any, ...] | None = self._file.execute(query, values).fetchone()
        return found

    @contextmanager
    def changing(self) -> Iterator[Change]:
        """One change: on the disk at the end of the ``with``, or not made at all."""
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
        """The rows that are not as they came in. (Of 100,000 results that takes 3.7 s of
        CPU.)"""
        with self._explained():
            yield from broken(self._file)

    def check_indexes(self) -> None:
        """Look at all that the indexes say, too. Raises LeagueError."""
        self._check("integrity_check")

    def check_references(self) -> None:
        """Look whether all rows are there that others name. Raises LeagueError."""
        if (found := self.one("PRAGMA foreign_key_check")) is not None:
            table, number, named, _ = found
            raise damaged(self.path, f"{table} {number or ''} names a {named} that is not there")

    def _examine(self) -> None:
        """Raises UsageError for another format, LeagueError for a damaged file."""
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
        except UnicodeDecodeError as error:  # of a message that quotes what stands in the file
            raise damaged(self.path, "it holds what is no text") from error


def create(path: Path, terms: str) -> None:
    """Make the file of a new league with these terms; whole, or not at all. Raises UsageError when
    there is something already, or it cannot be made."""
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
    """Whether a file is one of ours, by its beginning."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    return head.startswith(_MAGIC) and head[68:72] == APPLICATION.to_bytes(4, "big")


def damaged(path: Path, what: str) -> LeagueError:
    """The error for a file that is damaged, and what can be done."""
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
    """Raise LeagueError where SQLite would wait for ever, or write elsewhere."""
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
    """What this release makes, as SQLite lists it."""
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
