"""The chain of a league: no column of any row can be changed unnoticed, nor a row added, removed or
exchanged with another."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from arena.errors import LeagueError
from arena.league.audit import audit
from arena.league.league import League
from arena.league.plan import Meetings
from arena.league.schema import SCHEMA
from arena.league.types import LeagueTerms
from tests.league.making import play


def columns() -> Iterator[tuple[str, str]]:
    """Every column of every table."""
    with closing(sqlite3.connect(":memory:")) as file:
        file.executescript(SCHEMA)
        tables = file.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        for (table,) in tables:
            for column in file.execute(f"PRAGMA table_info({table})"):
                yield table, column[1]


COLUMNS = list(columns())


@contextmanager
def forged(path: Path) -> Iterator[sqlite3.Connection]:
    """The file, for somebody who has it: without its refusals, which are there again behind it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as file:
        triggers = file.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
        kept = triggers.fetchall()
        file.executescript("PRAGMA synchronous = OFF; PRAGMA ignore_check_constraints = ON; BEGIN")
        for name, _ in kept:
            file.execute(f"DROP TRIGGER {name}")
        yield file
        for _, made in kept:
            file.execute(made)
        file.execute("COMMIT")


def is_noticed(path: Path) -> bool:
    """Whether `verify` says that something is wrong."""
    try:
        with League(path) as league:
            return any(True for _ in league.store.broken()) or not audit(league).ok
    except LeagueError:
        return True


VALUES = [
    *("0", "1", "7", "-1", "''", "'x'", "'{}'", "'[]'", "x'6869'", "NULL", "1e999", "2.5"),
    *("{0} || ' '", "CAST({0} AS BLOB)"),
]


@pytest.mark.dear
def test_a_change_of_any_column_is_noticed(full: Path) -> None:
    whole, unnoticed = full.read_bytes(), []
    for table, column in COLUMNS:
        full.write_bytes(whole)
        if changed(full, table, column, "7") is False:
            unnoticed.append(f"{table}.{column}")
    assert unnoticed == []


@pytest.mark.dear
@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_every_change_of_a_column_is_noticed(table: str, column: str, full: Path) -> None:
    whole = full.read_bytes()
    for value in VALUES:
        full.write_bytes(whole)
        assert changed(full, table, column, value.format(column)) is not False, value


def changed(path: Path, table: str, column: str, value: str) -> bool | None:
    """Whether it is noticed that a column has another value; None where that cannot be."""
    try:
        with forged(path) as file:
            before = file.execute(f"SELECT * FROM {table}").fetchall()
            file.execute(f"UPDATE OR IGNORE {table} SET {column} = {value}")
            after = file.execute(f"SELECT * FROM {table}").fetchall()
    except sqlite3.IntegrityError:
        return None
    return None if before == after else is_noticed(path)


FORGERIES = {
    "two names are exchanged": (
        "UPDATE submission SET name = CASE number WHEN 1 THEN 'bot2' ELSE 'bot1' END "
        "WHERE number IN (1, 2)"
    ),
    "a bot is withdrawn": "INSERT INTO withdrawal (submission, reason) VALUES (1, 'no')",
    "a withdrawal is gone": "DELETE FROM withdrawal",
    "a report is changed": "UPDATE submission SET report = replace(report, '\"bot1\"', '\"b\"')",
    "an admission is gone": "DELETE FROM admission",
    "a result is annulled": "INSERT INTO annulment (result, reason) VALUES (3, 'no')",
    "an annulment is gone": "DELETE FROM annulment",
    "a result is gone": "DELETE FROM result WHERE number = 3",
    "a seat is gone": "DELETE FROM seat WHERE result = 3 AND seat = 1",
    "a seat is added": "INSERT INTO seat SELECT at, 3, 9, bot, points, fate, stopped, detail, "
    "faults FROM seat WHERE result = 3 AND seat = 1",
    "two results change places": ("UPDATE seat SET points = 1 - points WHERE result IN (3, 4)"),
    "a link is gone": "DELETE FROM chain WHERE number = 5",
    "the last rows are gone": "DELETE FROM chain WHERE number > 5",
}


@pytest.mark.parametrize("deed", FORGERIES.values(), ids=FORGERIES.keys())
def test_a_forgery_is_noticed(deed: str, full: Path) -> None:
    assert not is_noticed(full)
    with forged(full) as file:
        file.execute(deed)
    assert is_noticed(full)


def test_who_makes_the_chain_anew_has_another_one(full: Path) -> None:
    from arena.league.store import extend

    with League(full) as league:
        told = league.chain()
        assert audit(league, chain=told).since == 0
    with forged(full) as file:
        file.execute("UPDATE withdrawal SET reason = 'another'")
        links = file.execute("SELECT kind, row FROM chain ORDER BY number").fetchall()
        file.execute("DELETE FROM chain")
        extend(file, links)
    with League(full) as league:
        assert audit(league).ok
        found = audit(league, chain=told)
        assert not found.ok
        assert "another league, is mistyped, or rows were changed" in found.changed[0]


def test_a_chain_that_was_told_stays_when_the_league_goes_on(full: Path) -> None:
    with League(full) as league:
        told = league.chain()
        league.void(1, "the machine slept again")
        found = audit(league, chain=told)
        assert (found.ok, found.since) == (True, 1)


def test_records_from_before_a_trusted_chain_are_not_read(full: Path) -> None:
    """Their rows are proved even so: a row that was changed is noticed."""
    with League(full) as league:
        before = audit(league)
        told = league.chain()
        for record in (league.folder.path / "records").rglob("*.gz"):
            record.unlink()
        assert not audit(league).ok
        play(league, Meetings(2))
        league.annul([1], "why not")
        found = audit(league, since=told, jobs=2)
        new = league.count("result") - before.matches
        assert (found.ok, found.matches, found.trusted) == (True, new, before.matches)
        assert new > 0
    with forged(full) as file:
        file.execute("UPDATE result SET rounds = rounds + 1 WHERE number = 1")
    with League(full) as league:
        assert not audit(league, since=told).ok


def test_a_chain_that_never_was_cannot_be_trusted(full: Path) -> None:
    with League(full) as league, pytest.raises(LeagueError, match="never had the chain 000"):
        audit(league, since="0" * 64)


def test_a_copy_of_a_bot_is_proved(full: Path) -> None:
    with League(full) as league:
        (bot,) = [one for one in league.players() if one.name == "bot1"]
        code = league.copy_of(bot.bot)[2] / "bot.sh"
        code.chmod(0o644)
        code.write_text(code.read_text() + "#")
        assert "the copy of bot1" in audit(league).changed[0]


def test_the_terms_are_proved(full: Path) -> None:
    with forged(full) as file:
        file.execute(
            """UPDATE league SET terms = replace(terms, '"start_up":10000', '"start_up":9000')"""
        )
    with League(full) as league:
        assert isinstance(league.terms, LeagueTerms)
        assert audit(league).changed[0].startswith("league 1: it, or a row before it, was changed")
        with pytest.raises(LeagueError, match="league 1: it, or a row before it, was changed"):
            play(league)
