"""The tables of a league's file, and those that a site adds to it.

Triggers forbid changing or removing rows: a new version of a bot, a withdrawal, an admission, an
annulment and a void match are rows of their own. Current players, counted results and the league
table are views. The tables of a site follow the same rule: a role, a membership or a deadline that
changes is a further row, and the newest holds.

They are declared here and not in `arena.site`, because the whole file is compared with its schema
before anything of it is read, by commands that know nothing of sites too. A league that was never
served has none of them, and one that was has all of them.
"""

from __future__ import annotations

import re

APPLICATION = 0x41524C47
"""SQLite application id, which distinguishes leagues from other SQLite files."""
FORMAT = 5
"""Format version; increased when the tables or their content change (`arena.league.upgrade`)."""
FIRST_FORMAT = 4
"""The oldest format that can be upgraded."""

_TABLES = {
    "league": """
        number INTEGER PRIMARY KEY CHECK (number = 1),
        terms TEXT NOT NULL -- JSON: arena.league.types.LeagueTerms
    """,
    "seed": """
        number INTEGER PRIMARY KEY,
        seed TEXT NOT NULL -- from the last follow the seeds of the matches that are planned now
    """,
    "seed_end": """
        seed INTEGER PRIMARY KEY REFERENCES seed -- it is told: nothing follows from it any more
    """,
    "schedule": """
        number INTEGER PRIMARY KEY,
        plan TEXT NOT NULL -- JSON: who meets whom; the last holds
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
CREATE VIEW final_match AS -- finals have tables of their own
    SELECT number FROM fixture WHERE event GLOB 'final *';
CREATE VIEW counted AS -- the seats of all matches between bots that play now
    SELECT * FROM seat WHERE result NOT IN (SELECT result FROM annulment)
    AND result NOT IN (SELECT result FROM seat WHERE bot IN retired)
    AND result NOT IN (SELECT number FROM result WHERE fixture IN final_match);
CREATE VIEW played AS -- the games of a block one after the other, since they are planned at once
    SELECT block, '[' || seats || ',' || ranks || ']' AS game -- JSON
    FROM valid JOIN fixture ON fixture.number = valid.fixture
    WHERE event NOT GLOB 'final *' ORDER BY valid.fixture;
CREATE VIEW pending AS
    SELECT * FROM fixture
    WHERE NOT EXISTS (SELECT 1 FROM valid WHERE valid.fixture = fixture.number)
    AND json_array_length(seats) > 1; -- else a bye
CREATE TRIGGER result_twice BEFORE INSERT ON result
    WHEN EXISTS (SELECT 1 FROM valid WHERE fixture = new.fixture)
    BEGIN SELECT RAISE(ABORT, 'the match has a result already'); END;
"""

# The tables of a site. Those that bear on results are in the hash chain with the league's own: who
# takes part in which role and team, whose bots there are, what was uploaded when, the moments and
# requests, finals, and what organisers did. Sessions, tokens, invitations, settings and how names
# are shown are not: they bear on nobody's result, and each visit would add a link. Nor are the
# matches that people play: they are no results of the league. Of a secret only its SHA-256 is kept;
# the seed of a final and the invitation for everybody are no secrets any more.

_SITE_TABLES = {
    "account": """
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    """,
    "role": """
        number INTEGER PRIMARY KEY, -- of an account's rows the last holds
        account INTEGER NOT NULL REFERENCES account,
        role TEXT NOT NULL CHECK (role IN ('banned', 'author', 'tester', 'organiser', 'owner')),
        giver INTEGER REFERENCES account, -- null: the command line
        reason TEXT NOT NULL
    """,
    "team": """
        number INTEGER PRIMARY KEY,
        name TEXT NOT NULL UNIQUE
    """,
    "team_name": """
        number INTEGER PRIMARY KEY, -- of a team's rows the last holds
        team INTEGER NOT NULL REFERENCES team,
        name TEXT NOT NULL
    """,
    "member": """
        number INTEGER PRIMARY KEY, -- of the rows of a team and an account the last holds
        team INTEGER NOT NULL REFERENCES team,
        account INTEGER NOT NULL REFERENCES account,
        joined INTEGER NOT NULL CHECK (joined IN (0, 1))
    """,
    "owner": """
        number INTEGER PRIMARY KEY,
        bot TEXT NOT NULL UNIQUE, -- a name in the league
        team INTEGER NOT NULL REFERENCES team
    """,
    "upload": """
        number INTEGER PRIMARY KEY,
        bot TEXT NOT NULL, -- the name under which it shall play
        team INTEGER NOT NULL REFERENCES team,
        account INTEGER NOT NULL REFERENCES account,
        file TEXT NOT NULL, -- the name of the file, as its author called it
        size INTEGER NOT NULL,
        sha256 TEXT NOT NULL -- over the file
    """,
    "outcome": """
        upload INTEGER PRIMARY KEY REFERENCES upload,
        submission INTEGER REFERENCES submission, -- null when nothing was handed in
        problem TEXT NOT NULL -- why nothing was; else empty
    """,
    "moment": """
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL
            CHECK (kind IN ('open', 'close', 'freeze', 'thaw', 'pause', 'resume', 'show', 'hide',
            'play-off', 'play-members', 'play-all')),
        due TEXT NOT NULL, -- from then on it holds: UTC, as in the column at
        account INTEGER REFERENCES account,
        reason TEXT NOT NULL
    """,
    "request": """
        number INTEGER PRIMARY KEY,
        kind TEXT NOT NULL CHECK (kind IN ('scrimmage', 'rematch')),
        account INTEGER NOT NULL REFERENCES account,
        team INTEGER REFERENCES team,
        content TEXT NOT NULL -- JSON: who shall meet whom, and why
    """,
    "answer": """
        request INTEGER PRIMARY KEY REFERENCES request,
        content TEXT NOT NULL -- JSON: what became of it
    """,
    "announcement": """
        number INTEGER PRIMARY KEY,
        account INTEGER REFERENCES account,
        text TEXT NOT NULL
    """,
    "final": """
        number INTEGER PRIMARY KEY,
        hash TEXT NOT NULL, -- SHA-256 of its seed, which is told when it starts
        due TEXT NOT NULL, -- the versions that were uploaded before take part: UTC
        rounds INTEGER NOT NULL CHECK (rounds > 0),
        account INTEGER REFERENCES account,
        secret TEXT, -- drawn by the arena, which tells its SHA-256; null before format 5
        beacon TEXT -- which public value will be added at the start; null: none
    """,
    "final_start": """
        final INTEGER PRIMARY KEY REFERENCES final,
        seed TEXT NOT NULL,
        bots TEXT NOT NULL, -- JSON: those that take part
        account INTEGER REFERENCES account,
        beacon TEXT -- the value that nobody chose; null: none
    """,
    "final_end": """
        final INTEGER PRIMARY KEY REFERENCES final, -- it is called off
        reason TEXT NOT NULL,
        account INTEGER REFERENCES account
    """,
    "deed": """
        number INTEGER PRIMARY KEY, -- what an organiser did: the audit log
        account INTEGER REFERENCES account, -- null: the command line
        deed TEXT NOT NULL,
        detail TEXT NOT NULL
    """,
    "progress": """
        number INTEGER PRIMARY KEY,
        upload INTEGER NOT NULL REFERENCES upload,
        step TEXT NOT NULL
    """,
    "invitation": """
        number INTEGER PRIMARY KEY,
        hash TEXT NOT NULL UNIQUE,
        role TEXT NOT NULL CHECK (role IN ('author', 'tester', 'organiser', 'owner')),
        team INTEGER REFERENCES team, -- null: each account gets a team of its own
        uses INTEGER NOT NULL,
        until TEXT NOT NULL, -- UTC
        giver INTEGER REFERENCES account
    """,
    "acceptance": """
        account INTEGER PRIMARY KEY REFERENCES account,
        invitation INTEGER NOT NULL REFERENCES invitation
    """,
    "invitation_end": """
        invitation INTEGER PRIMARY KEY REFERENCES invitation
    """,
    "registration": """
        invitation INTEGER PRIMARY KEY REFERENCES invitation, -- which everybody may use
        secret TEXT NOT NULL,
        hourly INTEGER NOT NULL -- accounts that it makes in an hour at most
    """,
    "anonymity": """
        number INTEGER PRIMARY KEY, -- the last holds
        hides INTEGER NOT NULL CHECK (hides IN (0, 1)),
        salt TEXT NOT NULL -- from which pseudonyms follow
    """,
    "setting": """
        number INTEGER PRIMARY KEY, -- of a setting's rows the last holds
        name TEXT NOT NULL,
        value INTEGER, -- null: without end
        account INTEGER REFERENCES account -- null: the command line
    """,
    "announcement_end": """
        announcement INTEGER PRIMARY KEY REFERENCES announcement
    """,
    "token": """
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES account,
        hash TEXT NOT NULL UNIQUE,
        scope TEXT NOT NULL CHECK (scope IN ('sign-in', 'read', 'upload', 'team', 'organise')),
        label TEXT NOT NULL,
        until TEXT NOT NULL
    """,
    "token_end": """
        token INTEGER PRIMARY KEY REFERENCES token
    """,
    "session": """
        number INTEGER PRIMARY KEY,
        account INTEGER NOT NULL REFERENCES account,
        hash TEXT NOT NULL UNIQUE,
        until TEXT NOT NULL
    """,
    "session_end": """
        session INTEGER PRIMARY KEY REFERENCES session
    """,
    "token_session": """
        token INTEGER PRIMARY KEY REFERENCES token,
        session INTEGER NOT NULL REFERENCES session -- in which it was made
    """,
    "people_match": """
        number INTEGER PRIMARY KEY,
        account INTEGER REFERENCES account, -- who began it; null: a guest
        seconds INTEGER NOT NULL, -- for each answer of a person
        seed TEXT NOT NULL,
        seats TEXT NOT NULL -- JSON: a bot for each seat, or null for a person
    """,
    "people_seat": """
        number INTEGER PRIMARY KEY,
        people_match INTEGER NOT NULL REFERENCES people_match,
        seat INTEGER NOT NULL,
        account INTEGER REFERENCES account, -- null: a guest
        hash TEXT NOT NULL, -- of a guest's secret; empty for an account
        name TEXT NOT NULL,
        UNIQUE (people_match, seat)
    """,
    "people_link": """
        number INTEGER PRIMARY KEY, -- of a match's links the last holds
        people_match INTEGER NOT NULL REFERENCES people_match,
        hash TEXT NOT NULL UNIQUE
    """,
    "people_end": """
        people_match INTEGER PRIMARY KEY REFERENCES people_match,
        sentence TEXT NOT NULL, -- how it ended; empty if it did not
        problem TEXT NOT NULL -- why it was broken off; else empty
    """,
}
_UNLINKED = (
    *("progress", "invitation", "acceptance", "invitation_end"),
    *("registration", "anonymity", "setting", "announcement_end"),
    *("token", "token_end", "session", "session_end", "token_session"),
    *("people_match", "people_seat", "people_link", "people_end"),
)
SITE_LINKED = tuple(name for name in _SITE_TABLES if name not in _UNLINKED)
"""The tables of a site whose rows are in the hash chain."""
_SITE_VIEWS = """
CREATE VIEW role_now AS
    SELECT account, role FROM role WHERE number IN (SELECT max(number) FROM role GROUP BY account);
CREATE VIEW member_now AS
    SELECT team, account FROM member WHERE joined
    AND number IN (SELECT max(number) FROM member GROUP BY team, account);
CREATE VIEW team_now AS
    SELECT number, coalesce((SELECT name FROM team_name WHERE team = team.number
    ORDER BY number DESC LIMIT 1), name) AS name FROM team;
CREATE VIEW unranked AS -- the names whose teams have testers: they play, and are never ranked
    SELECT bot FROM owner WHERE team IN (SELECT team FROM member_now
    WHERE account IN (SELECT account FROM role_now WHERE role = 'tester'))
    UNION SELECT bot FROM upload -- a tester who leaves the team is one still
    WHERE account IN (SELECT account FROM role_now WHERE role = 'tester');
CREATE VIEW waiting AS -- uploads that are queued or examined now
    SELECT * FROM upload WHERE number NOT IN (SELECT upload FROM outcome);
CREATE VIEW open_invitation AS
    SELECT * FROM invitation WHERE until > CURRENT_TIMESTAMP
    AND number NOT IN (SELECT invitation FROM invitation_end)
    AND uses > (SELECT count(*) FROM acceptance WHERE invitation = invitation.number);
CREATE VIEW open_token AS
    SELECT * FROM token WHERE until > CURRENT_TIMESTAMP
    AND number NOT IN (SELECT token FROM token_end);
CREATE VIEW people_open AS -- matches of people that are not over, and the seats that still wait
    SELECT *, (SELECT count(*) FROM json_each(seats) WHERE type = 'null')
    - (SELECT count(*) FROM people_seat WHERE people_match = people_match.number) AS missing
    FROM people_match WHERE number NOT IN (SELECT people_match FROM people_end);
CREATE VIEW open_session AS
    SELECT * FROM session WHERE until > CURRENT_TIMESTAMP
    AND number NOT IN (SELECT session FROM session_end);
"""
ADDED: dict[str, int] = {"final": 2, "final_start": 1}
"""How many columns of a linked table came after format 4. They are its last ones and NULL in older
rows, and the chain leaves out those at the end that are NULL: so all links hold for ever."""
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
SITE = "\n".join(["", *(_table(*one) for one in _SITE_TABLES.items()), _SITE_VIEWS])
