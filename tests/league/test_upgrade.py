"""Leagues of older formats become leagues of today's, whole or not at all."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tarfile
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.cli.main import run
from arena.errors import LeagueError, UsageError
from arena.league import store as store_module
from arena.league.audit import audit
from arena.league.final import final_table
from arena.league.league import Folder, League
from arena.league.plan import Meetings
from arena.league.schema import FORMAT
from arena.league.upgrade import UPGRADES, upgrade
from arena.site import moments
from tests.league.formats.__main__ import SECOND_FINAL
from tests.league.making import play

ARCHIVES = Path(__file__).with_name("formats")


@pytest.fixture(params=UPGRADES)
def folder(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """The leagues of an older format."""
    return unpacked(request.param, tmp_path)


def unpacked(format: int, folder: Path) -> Path:
    """The leagues of a format, in a folder."""
    with tarfile.open(ARCHIVES / f"{format}.tar.gz") as archive:
        if hasattr(tarfile, "tar_filter"):
            archive.extractall(folder, filter="tar")
        else:  # Python 3.11.2, which Debian 12 has
            archive.extractall(folder)
    return folder


Tables = dict[str, list[dict[str, Any]]]


def tables(path: Path) -> Tables:
    """All rows of a file, by table."""
    with closing(sqlite3.connect(path)) as file:
        file.row_factory = sqlite3.Row
        names = file.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
        return {name: list(map(dict, file.execute(f"SELECT * FROM {name}"))) for (name,) in names}


def kept(before: Tables, after: Tables) -> Iterator[bool]:
    """Whether each row is there as it was. There may be further rows and columns."""
    for name, rows in before.items():
        for old, new in zip(rows, after[name], strict=False):
            yield new | old == new
        yield len(after[name]) >= len(rows)


@pytest.mark.parametrize("name", ["cup", "book"])
def test_it_keeps_all_rows_records_and_published_hashes(name: str, folder: Path) -> None:
    path = folder / f"{name}.league"
    before = tables(path)
    done = upgrade(path)
    assert done is not None
    assert done.copy == folder / f"{name}.league.format{done.before}"
    assert tables(done.copy) == before
    assert all(kept(before, tables(path)))
    published = before["chain"][-1]["hash"]
    with League(path) as league:
        proof = audit(league, chain=published)
        assert proof.ok, (proof.wrong, proof.changed)
        assert proof.matches == len(before["result"]) > 0
        assert proof.since is not None
        play(league, Meetings(3))
        assert audit(league, since=published).ok
    assert upgrade(path) is None


def test_it_goes_on_where_it_was(folder: Path) -> None:
    """An annulled match is played again on its seed, and a final starts with the seed that was
    committed."""
    path = folder / "cup.league"
    seeds = {row["number"]: row["seed"] for row in tables(path)["fixture"]}
    upgrade(path)
    with League(path) as league:
        (left,) = league.unplayed()
        play(league)
        assert league.result(left.number) is not None
        found = moments.start_final(league, 1, 2, SECOND_FINAL)
        play(league)
        assert final_table(league, found).table.games == 20
        assert league.fixture(left.number).seed == seeds[left.number]
        assert audit(league).ok


def killed_at(path: Path, statement: int) -> bool:
    """Upgrade in a process that dies at a statement. Returns whether it came so far."""
    if (child := os.fork()) == 0:
        seen = iter(range(statement))
        connect = store_module._connect

        def traced(path: Path, any_thread: bool) -> sqlite3.Connection:
            file = connect(path, any_thread)
            file.set_trace_callback(lambda _: next(seen, None) is None and os._exit(9))
            return file

        store_module._connect = traced
        upgrade(path)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9


@pytest.fixture
def _quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a killed process has written is there, whether or not the disk has it yet."""
    quick = [one.replace("=FULL", "=OFF") for one in store_module._SETTINGS]
    monkeypatch.setattr(store_module, "_SETTINGS", quick)


def interrupt(folder: Path, statements: Iterable[int]) -> None:
    """Kill upgrades of copies, and look at what they leave."""
    whole = tables(folder / "cup.league")
    for statement in statements:
        path = folder / f"{statement}" / "cup.league"
        path.parent.mkdir()
        shutil.copy(folder / "cup.league", path)
        Folder(path).make()
        if not killed_at(path, statement):
            return
        with closing(sqlite3.connect(path)) as file:
            (format,) = file.execute("PRAGMA user_version").fetchone()
        assert format in (*UPGRADES, FORMAT)
        assert format == FORMAT or tables(path) == whole, f"statement {statement}"
        upgrade(path)
        assert all(kept(whole, tables(path)))
        with League(path) as league:
            league.check_rows()
        shutil.rmtree(path.parent)


@pytest.mark.usefixtures("_quick_disk")
def test_an_interruption_leaves_the_old_league_or_the_new_one(folder: Path) -> None:
    interrupt(folder, range(5, 9999, 150))


@pytest.mark.dear
@pytest.mark.usefixtures("_quick_disk")
def test_an_interruption_at_many_statements(folder: Path) -> None:
    interrupt(folder, range(1, 9999, max(1, 20 // int(os.environ.get("ARENA_TESTS_DEEP", "1")))))


def test_nobody_else_may_have_it_open(folder: Path) -> None:
    path = folder / "cup.league"
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA journal_mode=WAL")
        before = file.execute("SELECT count(*) FROM result").fetchall()
        with pytest.raises(UsageError, match=r"another process has .* open: end it"):
            upgrade(path)
        assert file.execute("SELECT count(*) FROM result").fetchall() == before
        assert file.execute("PRAGMA user_version").fetchone()[0] in UPGRADES
    assert upgrade(path) is not None


def test_a_league_that_was_changed_is_not_upgraded(folder: Path) -> None:
    path = folder / "cup.league"
    with closing(sqlite3.connect(path)) as file:
        file.execute("DROP TRIGGER submission_update")
        file.execute("UPDATE submission SET name = 'bot9' WHERE number = 1")
        file.commit()
    whole = tables(path)
    with pytest.raises(LeagueError, match="submission 1: it, or a row before it, was changed"):
        upgrade(path)
    assert tables(path) == whole


def test_a_copy_of_another_league_is_not_replaced(folder: Path) -> None:
    path = folder / "cup.league"
    copy = folder / "cup.league.format4"
    shutil.copy(folder / "book.league", copy)
    with pytest.raises(UsageError, match="is of another league: move it away"):
        upgrade(path)
    assert tables(copy) == tables(folder / "book.league")


def test_commands_say_how(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(folder / "cup.league")
    assert run(["league", "table", path]) == 2
    assert f"arena league upgrade {path}" in capsys.readouterr().err
    assert run(["league", "upgrade", path]) == 0
    assert f"kept as {path}.format" in capsys.readouterr().out
    assert run(["league", "upgrade", path]) == 0
    assert "has the format of this release already" in capsys.readouterr().out
    assert run(["league", "table", path]) == 0
