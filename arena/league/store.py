"""The file of a league: an SQLite database with one writer at a time.

Each change is one transaction that is on the disk when `Store.changing` ends (write-ahead log,
``synchronous=FULL``). It begins as a writer at once: a transaction that only becomes one later
fails at its first write when another process has written meanwhile, however long it would wait.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from arena.errors import ArenaFault, DiskFull, UsageError
from arena.league.schema import APPLICATION, FORMAT, SCHEMA

WAIT = 30.0
"""Seconds for which a change waits for that of another process."""
_MAGIC = b"SQLite format 3\0"
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


class Store:
    """The open file of a league. Use it as a context manager.

    Its methods raise DiskFull for want of room, and ArenaFault when the file cannot be read or
    written; what was to be changed is then unchanged.
    """

    def __init__(self, path: Path) -> None:
        """Raises UsageError when there is no league in that file."""
        if not path.is_file():
            raise UsageError(
                f"there is no league {path}: begin one with: arena league new {path} --game GAME"
            )
        if not is_league(path):
            raise UsageError(f"{path} is no league: name the file that arena league new made")
        self.path = path
        with self._explained():
            self._connection = _connect(path)
            found = self._connection.execute("PRAGMA user_version").fetchone()[0]
        if found != FORMAT:
            self.close()
            raise UsageError(
                f"{path} is a league of format {found}, and this release reads format {FORMAT}: "
                "use the release that made it, or begin a new league"
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def all(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """All rows of a query."""
        with self._explained():
            return self._connection.execute(query, values).fetchall()

    def rows(self, query: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query, one by one."""
        with self._explained():
            yield from self._connection.execute(query)

    def one(self, query: str, values: Sequence[Any] = ()) -> tuple[Any, ...] | None:
        """The first row of a query, or None."""
        with self._explained():
            found: tuple[Any, ...] | None = self._connection.execute(query, values).fetchone()
        return found

    @contextmanager
    def changing(self) -> Iterator[sqlite3.Connection]:
        """One change: on the disk at the end of the ``with``, or not made at all."""
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise _fault(self.path, error) from error


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
        connection = sqlite3.connect(draft, isolation_level=None)
        connection.executescript(
            f"PRAGMA synchronous=FULL; PRAGMA application_id={APPLICATION}; "
            f"PRAGMA user_version={FORMAT}; BEGIN; {SCHEMA}"
        )
        connection.execute("INSERT INTO league (one, terms) VALUES (1, ?)", [terms])
        connection.execute("COMMIT")
        connection.close()
        draft.rename(path)
    except sqlite3.Error as error:
        draft.unlink(missing_ok=True)
        if _code(error) == sqlite3.SQLITE_FULL:
            raise _fault(path, error) from error
        raise UsageError(f"cannot make the league {path}: {error}: name a file elsewhere") from None


def is_league(path: Path) -> bool:
    """Whether a file is one of ours, by its beginning."""
    try:
        with path.open("rb") as file:
            head = file.read(72)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None
    return head.startswith(_MAGIC) and head[68:72] == APPLICATION.to_bytes(4, "big")


def _connect(path: Path) -> sqlite3.Connection:
    place = f"{path.absolute().as_uri()}?mode=rw"
    connection = sqlite3.connect(place, uri=True, isolation_level=None, timeout=WAIT)
    for setting in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "recursive_triggers=ON",  # else INSERT OR REPLACE removes rows past the triggers
    ):
        connection.execute(f"PRAGMA {setting}")
    return connection


def _fault(path: Path, error: sqlite3.Error) -> ArenaFault:
    code = _code(error)
    if code == sqlite3.SQLITE_FULL:
        return DiskFull(f"no room on the disk of {path}: make some, and run it again")
    if code in _BUSY:
        return ArenaFault(f"another process keeps {path} shut for {WAIT:.0f} s: try again")
    return ArenaFault(f"cannot use {path}: {error}: nothing more is played")


def _code(error: sqlite3.Error) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF
