"""Entries of the cache that are not as they were left."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.bots.staging import SEAL, StagingError, close, is_intact
from arena.errors import BotError
from tests.bots.builds import COPY, SCRIPT, FakeCompiler, entries, said

needs_root = pytest.mark.skipif(os.getuid() != 0, reason="only root can give files away")


@pytest.fixture
def entry(tmp_path: Path) -> Path:
    """A closed entry."""
    path = tmp_path / "KEY"
    (path / "out").mkdir(parents=True)
    (path / "out" / "bot").write_text(SCRIPT)
    (path / "out" / "bot").chmod(0o755)
    (path / "link").symlink_to("out/bot")
    close(path, "KEY")
    return path


def test_an_entry_as_it_was_left(entry: Path) -> None:
    assert is_intact(entry)
    (entry / "out" / "__pycache__").mkdir()
    (entry / "out" / "__pycache__" / "m.pyc").touch()
    assert is_intact(entry)
    assert not is_intact(entry.with_name("no such entry"))


@pytest.mark.parametrize(
    "change",
    [
        lambda entry: (entry / "out" / "bot").write_text("#!/bin/sh\necho evil\n"),
        lambda entry: (entry / "out" / "bot").chmod(0o775),
        lambda entry: (entry / "out" / "bot").chmod(0o700),
        lambda entry: (entry / "out").chmod(0o777),
        lambda entry: entry.chmod(0o777),
        lambda entry: (entry / "out" / "more").touch(),
        lambda entry: (entry / "out" / "bot").rename(entry / "out" / "tob"),
        lambda entry: (entry / "link").unlink(),
        lambda entry: [(entry / "link").unlink(), (entry / "link").symlink_to("/bin/sh")],
        lambda entry: (entry / SEAL).unlink(),
        lambda entry: (entry / SEAL).write_text("0" * 64),
    ],
)
def test_an_entry_that_was_changed(change: object, entry: Path) -> None:
    assert callable(change)
    change(entry)
    assert not is_intact(entry)


def test_an_entry_under_the_name_of_another(entry: Path) -> None:
    entry.rename(entry.with_name("OTHER"))
    assert not is_intact(entry.with_name("OTHER"))


@needs_root
@pytest.mark.parametrize("name", ["", "out", "out/bot", SEAL])
def test_an_entry_of_which_a_part_is_another_users(name: str, entry: Path) -> None:
    os.chown(entry / name, 12345, 12345)
    assert not is_intact(entry)


def test_what_is_closed_only_its_owner_can_write(tmp_path: Path) -> None:
    (tmp_path / "KEY").mkdir()
    (tmp_path / "KEY" / "file").touch()
    (tmp_path / "KEY" / "file").chmod(0o666)
    close(tmp_path / "KEY", "KEY")
    assert (tmp_path / "KEY" / "file").stat().st_mode & 0o777 == 0o644
    assert is_intact(tmp_path / "KEY")


def test_an_entry_that_is_nested_too_deep(tmp_path: Path) -> None:
    tmp_path.joinpath(*["d"] * 110).mkdir(parents=True)
    with pytest.raises(StagingError, match="nested deeper"):
        close(tmp_path, "KEY")


# -- found again -----------------------------------------------------------------------------------


def test_a_changed_entry_is_built_anew(source: Path, cache: Path, fake_gcc: FakeCompiler) -> None:
    calls = fake_gcc(COPY)
    program = Path(find_bot("bot.c").argv[0])
    program.write_text("#!/bin/sh\necho evil\n")
    again = find_bot("bot.c")
    assert again.argv[0] == str(program)
    assert said(*again.argv) == "hello\n"
    assert find_bot("bot.c") == again
    assert len(calls.read_text().splitlines()) == 2
    assert len(entries(cache)) == 1


@needs_root
def test_an_entry_that_another_user_prepared_is_not_executed(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(COPY)
    program = Path(find_bot("bot.c").argv[0])
    entry = program.parents[1]
    program.write_text("#!/bin/sh\necho evil\n")
    close(entry, entry.name)  # its seal is right
    for path in [entry, *entry.rglob("*")]:
        os.chown(path, 12345, 12345)
    assert said(*find_bot("bot.c").argv) == "hello\n"
    assert program.stat().st_uid == 0


@needs_root
def test_a_cache_of_another_user_is_refused(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(COPY)
    find_bot("bot.c")
    for place in (cache / "bots", cache):
        os.chown(place, 12345, 12345)
        with pytest.raises(BotError) as caught:
            find_bot("bot.c")
        text = f"{place} belongs to another user: set ARENA_CACHE to a folder of yours"
        assert str(caught.value) == text
        os.chown(place, 0, 0)
    shutil.rmtree(cache)
