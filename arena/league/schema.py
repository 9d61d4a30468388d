"""The tables of a league's file.

Nothing in them is ever changed or removed, which triggers see to: a new version of a bot, a
withdrawal, an admission, an annulment, a void match are rows of their own. Who plays, which results
count, and the table are views of them. Each row has a link in the chain (`arena.league.chain`).
"""

from __future__ import annotations

import re

APPLICATION = 0x41524C47
"""What tells a league from other files of SQLite."""
FORMAT = 4
"""Raised when the tables change, or what stands in them."""

_TABLES = {
    "league": """
        number INTEGER PRIMARY KEY CHECK (number = 1),
        terms TEXT NOT NULL -- JSON: arena.league.types.Terms
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
"""The tables whose rows have links of their own; the seats of a result belong to it."""

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
    kind = " WITHOUT ROWID" if "PRIMARY KEY (" in columns else ""  # in the order of that key
    return "\n".join([f"CREATE TABLE {name} ({columns}\n){kind};", *refusals])


def _is_typed(column: re.Match[str]) -> str:
    """A column whose values have its type. SQLite itself keeps to it only in STRICT tables, which
    releases before 3.37 do not know; with checks a damaged file is noticed by all of them."""
    kinds = {column[2].lower(), *([] if column[3] else ["null"])}
    allowed = ", ".join(f"'{kind}'" for kind in sorted(kinds))
    return f"{column[0]} CHECK (typeof({column[1]}) IN ({allowed}))"


SCHEMA = "\n".join([*(_table(*one) for one in _TABLES.items()), _VIEWS])
