"""Proving a league: whatever is changed afterwards is found."""

from __future__ import annotations

import gzip
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.league.audit import audit
from arena.league.league import League
from arena.league.store import Store
from arena.record.verify import verify
from tests.league.making import opened, play


@pytest.fixture
def copy(played_once: Path, tmp_path: Path) -> Iterator[League]:
    """A copy of the played league, to be spoilt."""
    path = tmp_path / played_once.name
    shutil.copy(played_once, path)
    shutil.copytree(f"{played_once}.d", f"{path}.d")
    with League(path) as league:
        yield league


def problems(league: League) -> dict[int, str]:
    return {one.match: one.problem for one in audit(league).wrong}


def test_a_league_that_is_as_it_was(copy: League) -> None:
    found = audit(copy, jobs=2)
    assert found.ok
    assert (found.matches, found.wrong) == (12, [])
    assert found.chain == copy.chain()


def spoil(path: Path, change: Callable[[bytes], bytes]) -> None:
    path.write_bytes(gzip.compress(change(gzip.decompress(path.read_bytes()))))


def test_a_changed_record_is_found(copy: League) -> None:
    spoil(copy.folder.record(3), lambda data: data.replace(b'"points":[', b'"points":[1', 1))
    assert list(problems(copy)) == [3]


@pytest.mark.dear
def test_a_changed_record_whose_own_digests_are_right_is_found(
    copy: League, tmp_path: Path
) -> None:
    """The record of another match, played for it: only the seal that the store has tells."""
    with opened(tmp_path / "other", "1", "2", "3", "0") as other:
        play(other)
        path = other.folder.record(3)
    shutil.copy(path, copy.folder.record(3))
    assert verify(path).ok
    assert "another record: the league has the seal" in problems(copy)[3]


def test_a_missing_record_is_found(copy: League) -> None:
    copy.folder.record(7).unlink()
    assert problems(copy) == {7: "cannot read it: No such file or directory"}


def test_a_file_that_says_the_same_in_other_bytes_is_found(copy: League) -> None:
    spoil(copy.folder.record(2), lambda data: data)
    assert problems(copy) == {2: "its file was changed, but not its content"}


def test_a_changed_row_is_found(copy: League) -> None:
    """By somebody who has the file and takes the triggers away."""
    raw = sqlite3.connect(copy.path)
    raw.execute("DROP TRIGGER seat_update")
    raw.execute("UPDATE seat SET points = 3 - points WHERE result = 5")
    raw.commit()
    raw.close()
    assert problems(copy) == {5: "its row in the league was changed"}


@pytest.mark.parametrize(
    "deed",
    [
        "UPDATE result SET seal = ''",
        "DELETE FROM seat",
        "INSERT OR REPLACE INTO submission SELECT * FROM submission",
        "UPDATE submission SET name = 'x'",
    ],
)
def test_nothing_is_changed_or_removed(copy: League, deed: str) -> None:
    store: Store = copy.store
    with pytest.raises(Exception, match="nothing in a league is changed or removed"):
        store.all(deed)
    assert problems(copy) == {}
