"""Which folders are swept, and which stay."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from arena.sandbox.keeper.tempdirs import alive, owner, prefix, prefix_of, remove, sweep
from tests.support.deep import deep_folder

DEAD = "999999999-1"


def leftover(place: Path, name: str = "x", owned_by: str = DEAD) -> Path:
    """A folder that an arena has left."""
    folder = place / (prefix().replace(owner(), owned_by) + name)
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "file").touch()
    return folder


def test_the_folders_of_dead_arenas_are_removed_and_those_of_living_ones_stay(
    tmp_path: Path,
) -> None:
    dead, living = leftover(tmp_path), leftover(tmp_path, owned_by=owner())
    assert sweep(str(tmp_path), alive) == []
    assert list(tmp_path.iterdir()) == [living]
    assert not dead.exists()


def test_a_folder_of_tempfile_has_the_shape_that_is_swept(tmp_path: Path) -> None:
    tempfile.mkdtemp(prefix=prefix(), dir=tmp_path)
    assert sweep(str(tmp_path), lambda name: name != owner()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_folder_of_another_user_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """In a shared folder every user can make one that looks like ours."""
    folder = leftover(tmp_path)
    if os.geteuid() == 0:
        os.chown(folder, 65534, 65534)
    else:
        monkeypatch.setattr(os, "geteuid", lambda: os.getuid() + 1)
    assert sweep(str(tmp_path), alive) == []
    assert (folder / "deep" / "file").exists()


def test_what_was_made_in_another_container_stays(tmp_path: Path) -> None:
    """There the number of the process means another one."""
    here = prefix().split("-")[3]
    folder = leftover(tmp_path)
    other = folder.rename(tmp_path / folder.name.replace(f"-{here}-", f"-{int(here) + 1}-"))
    assert sweep(str(tmp_path), alive) == []
    assert other.exists()


@pytest.mark.parametrize("suffix", ["", "X", "x.y", "x-y"])
def test_other_names_stay(tmp_path: Path, suffix: str) -> None:
    folder = leftover(tmp_path, suffix)
    assert sweep(str(tmp_path), alive) == []
    assert folder.exists()


def test_a_file_and_a_link_stay(tmp_path: Path) -> None:
    target = tmp_path / "precious"
    (target / "deep").mkdir(parents=True)
    start = prefix().replace(owner(), DEAD)
    (tmp_path / f"{start}file").touch()
    (tmp_path / f"{start}link").symlink_to(target)
    before = sorted(tmp_path.rglob("*"))
    assert sweep(str(tmp_path), alive) == []
    assert sorted(tmp_path.rglob("*")) == before


def test_links_inside_are_removed_and_not_followed(tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.mkdir()
    (precious / "file").touch()
    (leftover(tmp_path) / "link").symlink_to(precious)
    assert sweep(str(tmp_path), alive) == []
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "precious"]


def test_what_will_not_go_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = leftover(tmp_path)
    monkeypatch.setattr(os, "rmdir", lambda path, dir_fd=None: None)
    assert sweep(str(tmp_path), alive) == [str(folder)]


def test_no_folder_to_sweep() -> None:
    assert sweep("/no/such/folder", alive) == []


def test_without_namespaces_the_number_is_zero(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(path: str) -> os.stat_result:
        raise FileNotFoundError

    monkeypatch.setattr(os, "stat", missing)
    assert prefix_of.__wrapped__(os.getpid()) == f"arena-{owner()}-0-"


@pytest.mark.dear
def test_a_folder_deeper_than_recursion_and_paths_reach_is_removed(tmp_path: Path) -> None:
    before = len(os.listdir("/dev/fd"))
    with deep_folder(tmp_path, "first"):
        remove(str(tmp_path / "first"))
        assert list(tmp_path.iterdir()) == []
    assert len(os.listdir("/dev/fd")) == before


def test_all_in_a_folder_is_removed_and_nothing_outside(tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (tmp_path / "kept" / "file").touch()
    folder = leftover(tmp_path)
    (folder / "link").symlink_to(tmp_path / "kept")
    (folder / "deep" / "link").symlink_to(tmp_path / "kept" / "file")
    for name in ("a", "b"):
        (folder / name / "deep" / "deep").mkdir(parents=True)
        (folder / name / "deep" / "deep" / "file").touch()
        (folder / name / "deep").chmod(0o500)
    (folder / "a").chmod(0)
    remove(str(folder))
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "kept",
        "kept/file",
    ]


def test_what_is_no_folder_stays(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "folder")
    for name in ("file", "link", "nothing"):
        remove(str(tmp_path / name))
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file", "folder", "link"]
