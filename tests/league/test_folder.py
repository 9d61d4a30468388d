"""The folder of a league: copies of bots."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.errors import BotError
from arena.league.folder import Folder, content_of, fingerprint


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    found = Folder(tmp_path / "l")
    found.make()
    return found


def test_a_copy_is_named_by_its_content_and_cannot_be_written(
    folder: Folder, tmp_path: Path
) -> None:
    bot = tmp_path / "bot"
    (bot / "lib").mkdir(parents=True)
    (bot / "main.py").write_text("1")
    (bot / "lib" / "run").write_text("#!/bin/sh\n")
    (bot / "lib" / "run").chmod(0o775)
    content, entry = folder.keep_bot(bot)
    copy = folder.bot(content, entry)
    assert content == content_of(bot) == content_of(copy)
    modes = {path.name: path.stat().st_mode & 0o777 for path in [copy, *copy.rglob("*")]}
    assert modes == {"bot": 0o555, "main.py": 0o444, "lib": 0o555, "run": 0o555}
    assert folder.keep_bot(bot) == (content, entry)
    assert len(list((folder.path / "bots").iterdir())) == 1


def test_content_is_names_bytes_and_what_may_be_executed(tmp_path: Path) -> None:
    def bot(name: str, file: str, text: str, mode: int) -> str:
        place = tmp_path / str(len(list(tmp_path.iterdir()))) / name
        place.mkdir(parents=True)
        (place / file).write_text(text)
        (place / file).chmod(mode)
        (place / "__pycache__").mkdir()
        return content_of(place)

    same = {bot("b", "f", "x", 0o644), bot("b", "f", "x", 0o444)}
    others = {bot("c", "f", "x", 0o644), bot("b", "g", "x", 0o644), bot("b", "f", "y", 0o644)}
    assert len(same) == 1
    assert len(same | others | {bot("b", "f", "x", 0o755)}) == 5


def test_links_and_devices_are_refused_and_leave_nothing(folder: Folder, tmp_path: Path) -> None:
    for number, make in enumerate([_link, os.mkfifo]):
        bot = tmp_path / f"bot{number}"
        bot.mkdir()
        make(bot / "x")
        with pytest.raises(BotError, match=r"x is (a link|no file): a league takes plain files"):
            folder.keep_bot(bot)
    assert list((folder.path / "bots").iterdir()) == []


def test_a_change_shows_in_the_fingerprint(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "f").write_text("x")
    before = fingerprint(bot)
    assert fingerprint(bot) == before
    (bot / "f").write_text("y")
    assert fingerprint(bot) != before


def _link(path: Path) -> None:
    path.symlink_to("/etc/passwd")
