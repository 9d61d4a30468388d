"""The tables of a league's file.

Nothing in them is ever changed or removed, which triggers see to: a new version of a bot, a
withdrawal, a void match are rows of their own. Who plays, and the table, are views of them.
"""

from __future__ import annotations

APPLICATION = 0x41524C47
"""What tells a league from other files of SQLite."""
FORMAT = 3
"""Raised when the tables change, or what stands in them."""

_TABLES = {
    "league": """
        one INTEGER PRIMARY KEY CHECK (one = 1),
        terms TEXT NOT NULL -- JSON: arena.league.terms.Terms
    """,
    "submission": """
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        bot TEXT NOT NULL, -- a hash over name and content
        content TEXT NOT NULL, -- the address of its files; empty when they were refused
        entry TEXT NOT NULL, -- the folder at that address that is the bot
        passed INTEGER NOT NULL CHECK (passed IN (0, 1)),
        report TEXT NOT NULL -- JSON: how it was examined
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
        fixture INTEGER NOT NULL UNIQUE REFERENCES fixture,
        attempt INTEGER NOT NULL,
        reason TEXT NOT NULL,
        sentence TEXT NOT NULL,
        rounds INTEGER NOT NULL,
        ranks TEXT NOT NULL, -- JSON: a rank for each seat
        sha256 TEXT NOT NULL, -- over the file of the record
        seal TEXT NOT NULL, -- over what the record says, times included
        digest TEXT NOT NULL, -- over what it says, without times
        chain TEXT NOT NULL UNIQUE -- over this row and the chain before it
    """,
    "seat": """
        fixture INTEGER NOT NULL REFERENCES fixture,
        seat INTEGER NOT NULL,
        bot TEXT NOT NULL,
        points REAL NOT NULL,
        fate TEXT NOT NULL,
        stopped TEXT, -- why its program was ended, if it was
        detail TEXT NOT NULL, -- the same in words
        faults TEXT NOT NULL, -- JSON: counts by code
        PRIMARY KEY (fixture, seat)
    """,
    "void": """
        fixture INTEGER NOT NULL REFERENCES fixture,
        attempt INTEGER NOT NULL,
        reason TEXT NOT NULL,
        PRIMARY KEY (fixture, attempt)
    """,
}

_VIEWS = """
CREATE INDEX ranks_of ON result (fixture, ranks); -- what the table reads, and nothing else
CREATE INDEX sums_of ON seat (bot, points, stopped, faults);
CREATE VIEW player AS
    SELECT name, bot, content, entry, max(number) AS number FROM submission
    WHERE passed AND number NOT IN (SELECT submission FROM withdrawal) GROUP BY name;
CREATE VIEW counted AS -- the seats of all matches between bots that play now
    SELECT * FROM seat WHERE fixture NOT IN (SELECT fixture FROM seat WHERE bot IN
    (SELECT bot FROM submission EXCEPT SELECT bot FROM player));
CREATE VIEW played AS -- the games of a block one after the other, since they are planned at once
    SELECT block, '[' || seats || ',' || ranks || ']' AS game -- JSON
    FROM result JOIN fixture ON fixture.number = result.fixture ORDER BY result.fixture;
CREATE VIEW pending AS
    SELECT * FROM fixture
    WHERE NOT EXISTS (SELECT 1 FROM result WHERE result.fixture = fixture.number)
    AND json_array_length(seats) > 1; -- else a bye
"""


def _table(name: str, columns: str) -> str:
    refusals = [
        f"CREATE TRIGGER {name}_{deed} BEFORE {deed.upper()} ON {name} "
        f"BEGIN SELECT RAISE(ABORT, 'nothing in a league is changed or removed'); END;"
        for deed in ("update", "delete")
    ]
    when = "at TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP"
    kind = "WITHOUT ROWID" if "PRIMARY KEY (" in columns else ""  # in the order of that key
    return "\n".join([f"CREATE TABLE {name} ({when}, {columns.strip()}\n) {kind};", *refusals])


SCHEMA = "\n".join([*(_table(*one) for one in _TABLES.items()), _VIEWS])
