"""The file of a league."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from arena.errors import ArenaFault, UsageError
from arena.league import store as module
from arena.league.store import Store, create, is_league


def test_what_is_no_league(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no league"):
        Store(tmp_path / "none")
    sqlite3.connect(tmp_path / "db").execute("CREATE TABLE t (x)").connection.close()
    for name, data in [("text", b"SQLite format"), ("empty", b"")]:
        (tmp_path / name).write_bytes(data)
    for name in ("db", "text", "empty"):
        assert not is_league(tmp_path / name)
        with pytest.raises(UsageError, match="is not a league"):
            Store(tmp_path / name)


@pytest.mark.parametrize(
    ("format", "advice"),
    [
        (9, "a later release made it: install that one"),
        (3, r"begin a new league .* again: arena league add NEW \S+/cup.league.d/bots/\*/\*"),
    ],
)
def test_another_format(format: int, advice: str, tmp_path: Path) -> None:
    create(path := tmp_path / "cup.league", "{}")
    raw = sqlite3.connect(path)
    raw.execute(f"PRAGMA user_version={format}")
    raw.close()
    with pytest.raises(
        UsageError,
        match=rf"a league of format {format}, but this release reads format 5: .*{advice}",
    ):
        Store(path)


def test_a_change_is_made_as_a_whole_or_not_at_all(tmp_path: Path) -> None:
    create(tmp_path / "l", "{}")
    with Store(tmp_path / "l") as store:
        with pytest.raises(ArenaFault, match="FOREIGN KEY"):
            _withdraw_twice(store)
        assert store.all("SELECT * FROM withdrawal") == []


def _withdraw_twice(store: Store) -> None:
    """A version that is there, and one that is not."""
    row = dict.fromkeys(("name", "bot", "content", "entry", "report"), "")
    with store.changing() as change:
        change.add("submission", number=1, passed=1, **row)
    with store.changing() as change:
        for number in (1, 2):
            change.add("withdrawal", submission=number, reason="")


def test_it_is_on_the_disk(tmp_path: Path) -> None:
    create(tmp_path / "l", "{}")
    with Store(tmp_path / "l") as store:
        assert store.one("PRAGMA journal_mode") == ("wal",)
        assert store.one("PRAGMA synchronous") == (2,)
        assert store.one("PRAGMA recursive_triggers") == (1,)


def test_a_writer_waits_for_another_and_says_so_in_the_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "WAIT", 0.05)
    create(tmp_path / "l", "{}")
    with Store(tmp_path / "l") as one, Store(tmp_path / "l") as other:
        with one.changing(), pytest.raises(ArenaFault, match="another process has locked"):
            other.changing().__enter__()
        with other.changing():
            pass


def test_a_new_league_replaces_no_file(tmp_path: Path) -> None:
    (tmp_path / "l").write_text("mine")
    with pytest.raises(UsageError, match="exists already"):
        create(tmp_path / "l", "{}")
    with pytest.raises(UsageError, match="name a file elsewhere"):
        create(tmp_path / "no" / "l", "{}")
    assert (tmp_path / "l").read_text() == "mine"


ELSEWHERE = """
import sys
from pathlib import Path
from arena.league.store import Store
with Store(Path(sys.argv[1])) as store:
    store.all("SELECT * FROM withdrawal")
for submission in (1, 2):
    with Store(Path(sys.argv[1])) as store, store.changing() as change:
        change.add("withdrawal", submission=submission, reason="")
"""


def test_what_another_process_adds_is_seen_by_one_that_has_the_file_open_twice(
    tmp_path: Path,
) -> None:
    """To read the file and close it would drop the locks of the first store; then the other
    process would remove the log, and nobody here would notice what comes after that."""
    create(tmp_path / "l", "{}")
    with Store(tmp_path / "l") as store, store.changing() as change:
        for name in ("a", "b", "c"):
            values = dict.fromkeys(("bot", "content", "entry", "report"), "")
            change.add("submission", name=name, passed=1, **values)
    with Store(tmp_path / "l") as one, Store(tmp_path / "l") as other:
        for store in (one, other):  # which keeps the pages that it has read
            assert store.all("SELECT submission FROM withdrawal") == []
        subprocess.run([sys.executable, "-c", ELSEWHERE, tmp_path / "l"], check=True)
        with other.changing() as change:
            change.add("withdrawal", submission=3, reason="")
        for store in (one, other):
            assert store.all("SELECT submission FROM withdrawal") == [(1,), (2,), (3,)]
    with Store(tmp_path / "l") as again:
        assert again.all("SELECT submission FROM withdrawal") == [(1,), (2,), (3,)]
        assert [*again.broken()] == []
