"""The address of a bot's content, and what is kept there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bots.address import content_address, is_intact, publish


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "bot"
    (folder / "lib").mkdir(parents=True)
    (folder / "run").write_text("#!/bin/sh\n")
    (folder / "run").chmod(0o755)
    (folder / "lib" / "data").write_text("1")
    return folder


@pytest.mark.parametrize("change", ["name", "content", "mode", "more"])
def test_it_covers(change: str, bot: Path) -> None:
    before, path = content_address(bot), bot / "run"
    if change == "name":
        path.rename(bot / "Run")
    elif change == "content":
        path.write_text("#!/bin/sh\n#")
    elif change == "mode":
        path.chmod(0o644)
    else:
        (bot / "lib" / "empty").touch()
    assert content_address(bot) != before


def test_it_does_not_cover_what_is_no_content(bot: Path) -> None:
    before = content_address(bot)
    os.utime(bot / "run", (0, 0))
    (bot / "run").chmod(0o500)
    (bot / "empty").mkdir()
    assert content_address(bot.rename(bot.with_name("other"))) == before


def test_a_single_file_is_a_folder_that_holds_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "bot.py").write_text("1")
    assert content_address(tmp_path / "a" / "bot.py") == content_address(tmp_path / "a")


def kept(bot: Path) -> Path:
    """A copy of it at its place."""
    place = bot.parent / content_address(bot) / "b"
    (scratch := bot.parent / "scratch").mkdir(exist_ok=True)
    publish(bot, place, scratch)
    return place


def test_what_is_published_is_whole_and_read_only(bot: Path) -> None:
    place = kept(bot)
    assert is_intact(place)
    modes = {path.name: path.stat().st_mode & 0o777 for path in (place, *place.rglob("*"))}
    assert modes == {"b": 0o555, "lib": 0o555, "run": 0o555, "data": 0o444}


@pytest.mark.parametrize("change", ["content", "link", "gone", "other", "compiled", "pipe", "huge"])
def test_what_was_changed_is_seen_and_replaced(change: str, bot: Path) -> None:
    place = kept(bot)
    place.chmod(0o755)
    if change == "content":
        (place / "run").chmod(0o755)
        (place / "run").write_text("evil")
    elif change == "link":
        (place / "run").rename(bot.parent / "run")
        (place / "run").symlink_to(bot.parent / "run")
    elif change == "gone":
        (place / "run").unlink()
    elif change == "compiled":  # what Python would run instead of the source
        (place / "lib").chmod(0o755)
        (place / "lib" / "__pycache__").mkdir()
        (place / "lib" / "__pycache__" / "x.cpython-311.pyc").touch()
    elif change == "pipe":
        (place / "run").unlink()
        os.mkfifo(place / "run", 0o555)
    elif change == "huge":
        (place / "run").chmod(0o755)
        os.truncate(place / "run", 1 << 40)
    else:
        place.rename(bot.parent / "away")
        place.symlink_to(bot.parent / "away")
    assert not is_intact(place)
    (bot / "lib").mkdir(parents=True)
    (bot / "lib" / "data").write_text("1")
    (bot / "run").write_text("#!/bin/sh\n")
    (bot / "run").chmod(0o755)
    assert kept(bot) == place
    assert is_intact(place)
