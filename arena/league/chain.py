"""The chain of a league: a hash over each of its rows and over all that came in before it.

Whoever has the last hash, told to others when it was the last, can prove every row up to it: who
handed in what and what the test said, who was admitted or withdrawn, what was planned, what became
of it, what was annulled. A row that is changed, added or removed afterwards breaks the chain, or
makes another one. What is hashed is what stands in the file, read back from it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterator
from typing import NamedTuple, TypeAlias

import msgspec

from arena.league.schema import LINKED

Row: TypeAlias = tuple[str, int]
"""The table of a row, and its number there."""
_ROW = {kind: f"SELECT * FROM {kind} WHERE rowid = ?" for kind in LINKED}
_SEATS = "SELECT * FROM seat WHERE result = ? ORDER BY seat"
_LAST = "SELECT number, hash FROM chain ORDER BY number DESC LIMIT 1"


class Broken(NamedTuple):
    """A row that is not as it came in."""

    kind: str
    number: int
    problem: str


def extend(file: sqlite3.Connection, rows: list[Row]) -> None:
    """Link new rows to the end of the chain."""
    number, last = file.execute(_LAST).fetchone() or (0, "")
    for at, (kind, row) in enumerate(rows, number + 1):
        last = _hash(file, last, kind, row)
        link = at, kind, row, last
        file.execute("INSERT INTO chain (number, kind, row, hash) VALUES (?, ?, ?, ?)", link)


def broken(file: sqlite3.Connection) -> Iterator[Broken]:
    """What was changed, added or removed past the chain."""
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
    """Of a row as it stands in the file; every value is told from its neighbours, and its type from
    other types."""
    row = file.execute(_ROW[kind], (number,)).fetchone()
    seats = file.execute(_SEATS, (number,)).fetchall() if kind == "result" else ()
    return hashlib.sha256(msgspec.msgpack.encode((before, kind, number, row, seats))).hexdigest()
