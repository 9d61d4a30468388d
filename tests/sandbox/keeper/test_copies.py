"""A bot's own files as bubblewrap is told to copy or to mount them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.sandbox.keeper import copies
from arena.sandbox.keeper.copies import (
    BY_DESCRIPTOR,
    BY_NAME,
    SHOW,
    ForeignLink,
    expanded,
)
from tests.sandbox.programs import lay_out
from tests.support.descriptors import watched_descriptors


@pytest.fixture(autouse=True)
def _no_descriptor_stays_open() -> Iterator[None]:
    """What the options name stays open over an exec, which there is none of here."""
    with watched_descriptors() as opened:
        yield
        for number in opened():
            os.close(number)


PASSED = ("--file", BY_DESCRIPTOR)


def shown(
    path: Path, place: str = "/bot", mount: str = BY_DESCRIPTOR, most: int = 256
) -> list[str]:
    """What becomes of a file or folder; a descriptor is given as what can be read from it, that of
    a mount as the path that it has. No other descriptors are passed on, and they are closed."""
    options = ["--proc", "/proc", SHOW, str(path), place, mount, "--chdir", "/"]
    words = expanded(options, most, opened := list[int]())
    named = {int(words[at + 1]) for at, word in enumerate(words) if word in PASSED}
    assert named == set(filter(os.get_inheritable, opened))
    for descriptor in set(opened) - named:
        os.close(descriptor)
    assert (words[:2], words[-2:]) == (["--proc", "/proc"], ["--chdir", "/"])
    middle = words[2:-2]
    for at, word in enumerate(middle):
        if word == "--file":
            middle[at + 1] = os.read(int(middle[at + 1]), 9).decode()
        if word == BY_DESCRIPTOR:
            assert os.get_inheritable(int(middle[at + 1]))
            middle[at + 1] = os.readlink(f"/proc/self/fd/{middle[at + 1]}")
    return middle


def test_a_small_file_is_copied(tmp_path: Path) -> None:
    bot = lay_out(tmp_path / "bot.py", "print()")
    assert shown(bot, "/bot/b") == ["--perms", "0444", "--file", "print()", "/bot/b"]
    bot.chmod(0o755)
    assert shown(bot, "/bot/b") == ["--perms", "0555", "--file", "print()", "/bot/b"]


def test_a_small_folder_is_copied_with_its_links_as_links(tmp_path: Path) -> None:
    lay_out(tmp_path / "bot" / "deep" / "x", "x")
    (tmp_path / "bot" / "shadow").symlink_to("/etc/shadow")
    assert shown(tmp_path / "bot") == [
        *("--perms", "0555", "--dir", "/bot"),
        *("--perms", "0555", "--dir", "/bot/deep"),
        *("--perms", "0444", "--file", "x", "/bot/deep/x"),
        *("--symlink", "/etc/shadow", "/bot/shadow"),
    ]


def mounted(path: Path) -> list[str]:
    return [BY_DESCRIPTOR, str(path), "/bot"]


def test_much_is_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(copies, "MOST_FILES", 3)
    monkeypatch.setattr(copies, "MOST_BYTES", 10)
    folder = tmp_path / "bot"
    lay_out(folder / "a", "x" * 5)
    lay_out(folder / "b", "x" * 5)
    assert shown(folder) != mounted(folder)
    lay_out(folder / "b", "x" * 6)
    assert shown(folder) == mounted(folder)
    lay_out(folder / "b")
    lay_out(folder / "c")
    assert shown(folder) == mounted(folder)


def test_what_cannot_be_copied_is_mounted_and_keeps_no_descriptor(tmp_path: Path) -> None:
    folder = tmp_path / "bot"
    lay_out(folder / "a")
    lay_out(folder / "b", mode=0o600)
    with watched_descriptors() as opened:
        assert shown(folder) == mounted(folder)
        (folder / "b").unlink()
        os.mkfifo(folder / "pipe", 0o644)
        assert shown(folder) == mounted(folder)
        assert len(opened()) == 2, "those that are mounted"
        assert shown(folder, mount=BY_NAME) == [BY_NAME, str(folder), "/bot"]
        with pytest.raises(FileNotFoundError):
            shown(tmp_path / "missing")
        assert len(opened()) == 2


def test_descriptors_are_left_to_bubblewrap(tmp_path: Path) -> None:
    folder, most = tmp_path / "bot", copies.SPARE + 2
    lay_out(folder / "a")
    assert shown(folder, most=most) != mounted(folder)
    lay_out(folder / "b")
    assert shown(folder, most=most) == mounted(folder)


def test_the_way_of_a_link_to_a_bot(tmp_path: Path) -> None:
    bot = lay_out(tmp_path / "real" / "bot" / "bot.py", "print()")
    (tmp_path / "real" / "bot" / "pipe").mkdir(0o700)  # so that it is mounted
    (tmp_path / "way").symlink_to("real/../real/")
    (tmp_path / "link").symlink_to(tmp_path / "way" / "bot")
    assert shown(tmp_path / "link") == mounted(bot.parent)
    (tmp_path / "round").symlink_to("round")
    with pytest.raises(OSError, match="Too many levels"):
        shown(tmp_path / "round")


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone gives files to other users")
@pytest.mark.parametrize("is_small", [True, False])
def test_a_link_of_an_author_leads_to_nothing_of_others(tmp_path: Path, is_small: bool) -> None:
    """An author who may write in the folder of a bot exchanges it between two matches."""
    theirs, mine = tmp_path / "theirs", tmp_path / "private" / "mine"
    for folder in (theirs / "v1", mine):
        lay_out(folder / "bot.py", "print()")
        (folder / "more").mkdir(0o755 if is_small else 0o700)
    (theirs / "bot").symlink_to("v1")
    for path in (theirs, theirs / "bot", theirs / "v1"):
        os.chown(path, 12345, 12345, follow_symlinks=False)
    was = shown(theirs / "bot")
    assert was == mounted(theirs / "v1") or is_small
    (theirs / "bot").unlink()
    (theirs / "bot").symlink_to(mine)
    os.chown(theirs / "bot", 12345, 12345, follow_symlinks=False)
    with pytest.raises(ForeignLink, match="another user has put a link on the path"):
        shown(theirs / "bot")
    os.chown(theirs / "bot", 0, 0, follow_symlinks=False)
    assert shown(theirs / "bot") == (was if is_small else mounted(mine))
