"""Where built bots are kept."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

import pytest

from arena.bots.cache import cache_root, writable_home
from arena.errors import BotError


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({"ARENA_CACHE": "TMP/mine", "XDG_CACHE_HOME": "TMP/xdg", "HOME": "TMP"}, "mine"),
        ({"XDG_CACHE_HOME": "TMP/xdg", "HOME": "TMP"}, "xdg/arena"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "TMP"}, ".cache/arena"),
        ({"HOME": "TMP"}, ".cache/arena"),
        ({"HOME": "/nowhere"}, f"arena-{os.getuid()}"),
        ({"XDG_CACHE_HOME": "/proc/none", "HOME": ""}, f"arena-{os.getuid()}"),
        ({}, f"arena-{os.getuid()}"),
    ],
)
def test_o20_where_the_cache_is(
    environment: dict[str, str], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ARENA_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value.replace("TMP", str(tmp_path)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = os.umask(0)
    try:
        root = cache_root()
    finally:
        os.umask(before)
    assert root == tmp_path / place
    made = [root, *(folder for folder in root.parents if folder.is_relative_to(tmp_path))][:-1]
    assert {oct(folder.stat().st_mode & 0o777) for folder in made} == {"0o700"}
    assert cache_root() == root


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the cache is when there is no home: not made yet."""
    for name in ("ARENA_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path / f"arena-{os.getuid()}"


def refusal() -> str:
    with pytest.raises(BotError) as caught:
        cache_root()
    return str(caught.value)


def test_a_temporary_cache_that_is_a_link_is_refused(temporary: Path, tmp_path: Path) -> None:
    temporary.symlink_to(tmp_path)
    text = f"{temporary} belongs to another user: set ARENA_CACHE to a folder of yours"
    assert refusal() == text


def test_a_temporary_cache_of_another_user_is_refused(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: 12345)
    (tmp_path / "arena-12345").mkdir()
    assert refusal().startswith(f"{tmp_path}/arena-12345 belongs to another user")


def test_a_file_in_the_place_of_the_temporary_cache_is_refused(temporary: Path) -> None:
    temporary.touch()
    assert refusal().startswith(f"{temporary} belongs to another user")


def test_a_temporary_cache_becomes_private(temporary: Path) -> None:
    temporary.mkdir(mode=0o755)
    temporary.chmod(0o755)
    assert cache_root() == temporary
    assert stat.S_IMODE(temporary.stat().st_mode) == 0o700


def test_a_chosen_cache_that_cannot_be_written_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(PermissionError) as caught:
        cache_root()
    assert caught.value.filename == str(tmp_path)


def test_a_home_that_cannot_be_written_is_passed_over(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert writable_home() == tmp_path
    monkeypatch.setattr(os, "access", lambda path, mode: str(path) == str(temporary))
    assert writable_home() is None
    assert cache_root() == temporary


def test_a_cache_that_others_can_write_is_shut_to_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And to them alone: what its owner and those who read may do stays."""
    monkeypatch.setenv("ARENA_CACHE", str(tmp_path / "cache"))
    root = cache_root()
    for before, after in ((0o777, 0o755), (0o770, 0o750), (0o702, 0o700), (0o1777, 0o1777)):
        root.chmod(before)
        cache_root()
        assert oct(stat.S_IMODE(root.stat().st_mode)) == oct(after)
