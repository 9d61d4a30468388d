"""A bot's own files as bubblewrap is told to copy or to mount them."""

from __future__ import annotations

import os
import resource
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from arena.sandbox.keeper import copies
from arena.sandbox.keeper.copies import SHOW, expanded
from tests.sandbox.programs import lay_out


@pytest.fixture(autouse=True)
def _no_descriptor_stays_open() -> Iterator[None]:
    """What the options name stays open over an exec, which there is none of here."""
    before = set(os.listdir("/proc/self/fd"))
    yield
    for name in set(os.listdir("/proc/self/fd")) - before:
        with suppress(OSError):  # that of the listing itself is closed already
            os.close(int(name))


def shown(path: Path, place: str = "/bot") -> list[str]:
    """What becomes of a file or folder; a descriptor is given as what can be read from it."""
    words = expanded(["--proc", "/proc", SHOW, str(path), place, "--chdir", "/"])
    assert (words[:2], words[-2:]) == (["--proc", "/proc"], ["--chdir", "/"])
    middle = words[2:-2]
    for at, word in enumerate(middle):
        if word == "--file":
            middle[at + 1] = os.read(int(middle[at + 1]), 9).decode()
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
    return ["--ro-bind", str(path), "/bot"]


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
    before = len(os.listdir("/proc/self/fd"))
    assert shown(folder) == mounted(folder)
    (folder / "b").unlink()
    os.mkfifo(folder / "pipe", 0o644)
    assert shown(folder) == mounted(folder)
    assert shown(tmp_path / "missing") == mounted(tmp_path / "missing")
    assert len(os.listdir("/proc/self/fd")) == before


def test_descriptors_are_left_to_bubblewrap(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (copies.SPARE + 2, 0))
    folder = tmp_path / "bot"
    lay_out(folder / "a")
    assert shown(folder) != mounted(folder)
    lay_out(folder / "b")
    assert shown(folder) == mounted(folder)
