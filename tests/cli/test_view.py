"""``arena view``: where the page goes, and what is refused."""

from __future__ import annotations

import webbrowser
from pathlib import Path

import pytest

from tests.cli.conftest import Arena
from tests.view.records import record
from tests.view.test_make import block


@pytest.fixture
def replay(tmp_path: Path) -> Path:
    path = tmp_path / "match.jsonl"
    path.write_bytes(record("warlight"))
    return path


def test_a_page_goes_where_it_is_told(replay: Path, tmp_path: Path, arena: Arena) -> None:
    page = tmp_path / "page.html"
    made = ("view", str(replay), "-o", str(page))
    ran = arena(*made)
    assert (ran.status, ran.out) == (0, f"{page}\n")
    ran = arena(*made)
    assert ran.status == 2
    assert f"the page {page} exists already: name another with --output" in ran.err
    assert arena(*made, "--overwrite").status == 0
    assert page.read_text().startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("display", ["", ":0"])
def test_without_a_place_it_is_opened_where_there_is_a_display(
    display: str, replay: Path, tmp_path: Path, arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", opened.append)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"):
        monkeypatch.setenv(name, display if name == "DISPLAY" else "")
    monkeypatch.setattr("sys.platform", "linux")
    ran = arena("view", str(replay))
    (page,) = tmp_path.glob("arena-*.html")
    assert ran.out == f"{page}\n"
    assert opened == ([page.as_uri()] if display else [])


def test_a_replay_is_never_replaced_by_a_page(replay: Path, arena: Arena) -> None:
    before = replay.read_bytes()
    ran = arena("view", str(replay), "-o", str(replay))
    assert ran.status == 2
    assert "name a file that ends in .html or .htm" in ran.err
    assert replay.read_bytes() == before


def test_what_cannot_be_shown_is_one_sentence(replay: Path, tmp_path: Path, arena: Arena) -> None:
    page = str(tmp_path / "page.html")
    ran = arena("view", str(tmp_path / "none"), "-o", page)
    assert (ran.status, ran.err.count("\n")) == (2, 1)
    assert "there is no file" in ran.err
    replay.write_text("hello\n")
    ran = arena("view", str(replay), "-o", page)
    assert (ran.status, ran.err.count("\n")) == (1, 1)
    assert "not a line of a replay" in ran.err
    ran = arena("view", str(replay), "-o", str(tmp_path / "none" / "page.html"))
    assert ran.status in (1, 2)
    assert not Path(page).exists()


def test_a_page_for_one_seat_has_nothing_that_others_wrote(
    tmp_path: Path, replay: Path, arena: Arena
) -> None:
    page = tmp_path / "page.html"
    for seat, drawn in ((0, set[int]()), (2, {1})):
        made = arena("view", str(replay), "--for", str(seat), "-o", str(page), "--overwrite")
        assert made.status == 0
        story = block(page.read_text(), "story-0")["drawings"]
        assert {one[1] for one in story["sides"]} == drawn
        wrote = [
            [entry for frame in frames for entry in frame if entry[0] == "wrote"]
            for frames in block(page.read_text(), "texts-0")
        ]
        assert [bool(one) for one in wrote] == [0 in drawn, 1 in drawn]
    ran = arena("view", str(replay), "--for", "3", "-o", str(tmp_path / "3.html"))
    assert (ran.status, "has no player3: give --for 1 to 2, or 0" in ran.err) == (2, True)
