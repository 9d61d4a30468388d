"""The folder of a league: copies of bots."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.address import content_address
from arena.errors import BotError
from arena.league.league import Folder, fingerprint
from arena.sandbox.levels import Level


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    found = Folder(tmp_path / "l")
    found.make()
    return found


def test_a_copy_lies_at_its_address(folder: Folder, tmp_path: Path) -> None:
    (bot := tmp_path / "bot").mkdir()
    (bot / "main.py").write_text("1")
    kept = folder.keep_bot(bot, Level.OFF)
    assert kept.address == content_address(bot)
    assert kept.folder == folder.bot(kept.address, "bot")
    assert folder.keep_bot(bot, Level.OFF) == kept
    assert [path.name for path in (folder.path / "bots").iterdir()] == [kept.address]


def test_a_link_out_of_it_is_refused_and_leaves_nothing(folder: Folder, tmp_path: Path) -> None:
    (bot := tmp_path / "bot").mkdir()
    (bot / "x").symlink_to("/etc/passwd")
    with pytest.raises(BotError, match="x is a link out of its folder"):
        folder.keep_bot(bot, Level.OFF)
    assert list((folder.path / "bots").iterdir()) == []


def test_a_change_shows_in_the_fingerprint(tmp_path: Path) -> None:
    bot = tmp_path / "bot"
    bot.mkdir()
    (bot / "f").write_text("x")
    before = fingerprint(bot)
    assert fingerprint(bot) == before
    (bot / "f").write_text("y")
    assert fingerprint(bot) != before
