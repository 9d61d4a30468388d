"""A private folder is used again only where nothing of a former program is left in it."""

from __future__ import annotations

import fcntl
import os
import struct
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from arena.sandbox.folders import GET_FLAGS, PrivateFolders
from tests.sandbox.programs import linux_only

SET_FLAGS, NODUMP = 0x40086602, 0x40


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PrivateFolders]:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folders = PrivateFolders()
    yield folders
    folders.close()
    assert list(tmp_path.iterdir()) == []


def _another(folder: Path) -> None:
    """Another folder in its place, with other permissions."""
    folder.rmdir()
    folder.mkdir(0o755)


def _link(folder: Path) -> None:
    folder.rmdir()
    folder.symlink_to("/tmp")


def _grown(folder: Path) -> None:
    """Empty, but its size tells that it had many entries (where the file system keeps that)."""
    for number in range(200):
        (folder / f"{number:0200}").touch()
    for file in folder.iterdir():
        file.unlink()
    if folder.stat().st_size == folder.parent.stat().st_size:
        pytest.skip("this file system shows no former size")


def _flag(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        fcntl.ioctl(descriptor, SET_FLAGS, struct.pack("l", NODUMP))
    except OSError:
        pytest.skip("this file system has no flags")
    finally:
        os.close(descriptor)
    assert GET_FLAGS


def _attribute(folder: Path) -> None:
    try:
        os.setxattr(folder, "user.left", b"word")
    except OSError:
        pytest.skip("this file system has no attributes")


CHANGES: list[Callable[[Path], object]] = [
    lambda folder: (folder / "file").touch(),
    lambda folder: (folder / ".hidden").mkdir(),
    lambda folder: folder.chmod(0o777),
    lambda folder: folder.rmdir(),
    _another,
    _link,
    _grown,
    _flag,
    _attribute,
]


def test_a_folder_that_is_as_new_is_used_again(folders: PrivateFolders) -> None:
    with folders.lent() as first:
        assert first.stat().st_mode & 0o777 == 0o700
        (first / "file").write_text("mine")
        (first / "file").unlink()
        os.utime(first, (1, 1))
    with folders.lent() as again, folders.lent() as other:
        assert again == first
        assert again.stat().st_mtime > 1
        assert other != first


@linux_only
@pytest.mark.parametrize("change", CHANGES)
def test_a_folder_that_was_changed_is_removed(
    folders: PrivateFolders, change: Callable[[Path], object]
) -> None:
    with folders.lent() as first:
        change(first)
    assert not os.path.lexists(first)
    with folders.lent() as second:
        assert list(second.iterdir()) == []
        assert second.stat().st_mode & 0o777 == 0o700


def test_a_folder_that_was_removed_while_it_waited_is_not_used(folders: PrivateFolders) -> None:
    with folders.lent() as first:
        pass
    first.rmdir()
    with folders.lent() as second:
        assert second.is_dir()
        assert second != first


def test_none_is_used_again_once_it_is_closed(folders: PrivateFolders) -> None:
    with folders.lent() as waits:
        pass
    with folders.lent() as first:
        assert first == waits
        folders.close()
    assert not first.exists()
    with suppress(ValueError), folders.lent() as second:
        assert second.exists()
        raise ValueError
    assert not second.exists()
