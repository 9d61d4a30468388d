"""Every game plays today as it did when its playthroughs were written, and none is missing."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import msgspec
import pytest

from arena.testing import Playthrough, leftovers, playthroughs
from tests.playthroughs import ALL, FOLDER
from tests.tiny import TINY, TinySettings


@pytest.mark.parametrize("golden", ALL, ids=lambda golden: golden.path.name)
def test_the_match_is_the_same(golden: Playthrough) -> None:
    if difference := golden.difference():
        pytest.fail(difference)


def test_none_is_missing_and_none_too_many() -> None:
    assert set(FOLDER.glob("*.gz")) == {golden.path for golden in ALL}
    assert not leftovers(FOLDER, ALL)


def test_one_for_each_number_of_seats(tmp_path: Path) -> None:
    made = playthroughs(TINY, tmp_path)
    assert [one.path.name for one in made] == ["tiny-2.txt", "tiny-3.txt"]
    assert made[0].setup.settings == TinySettings()
    other = playthroughs(TINY, tmp_path, TinySettings(max_rounds=2))
    assert other[0].setup.settings == TinySettings(max_rounds=2)


@pytest.mark.parametrize("ending", [".txt", ".txt.gz"])
def test_what_is_written_is_what_is_read(ending: str, tmp_path: Path) -> None:
    golden, _ = playthroughs(TINY, tmp_path / "new", ending=ending)
    assert golden.read() == ""
    golden.write()
    assert golden.read() == golden.play()
    assert golden.difference() == ""
    first = golden.path.read_bytes()
    golden.write()
    assert golden.path.read_bytes() == first
    assert golden.play().splitlines()[-1].startswith('{"type":"outcome"')


def test_a_difference_is_shown_and_short(tmp_path: Path) -> None:
    golden, _ = playthroughs(TINY, tmp_path)
    golden.write()
    richer = TinySettings(purse=21, max_rounds=40)
    other = msgspec.structs.replace(
        golden, setup=dataclasses.replace(golden.setup, settings=richer)
    )
    lines = other.difference().splitlines()
    assert lines[:2] == ["--- kept", "+++ now"]
    assert any(line.startswith("+") and "21" in line for line in lines)
    assert len(lines) == 40
    assert max(map(len, lines)) <= 200


def test_what_no_game_has_is_left_over(tmp_path: Path) -> None:
    made = playthroughs(TINY, tmp_path)
    for one in made:
        one.write()
    assert leftovers(tmp_path, made) == set()
    assert leftovers(tmp_path, made[:1]) == {made[1].path}
    (tmp_path / "notes.md").touch()
    (tmp_path / "gone-2.txt.gz").touch()
    assert leftovers(tmp_path, made) == {tmp_path / "gone-2.txt.gz"}
