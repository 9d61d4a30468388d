"""Files that users name for results appear whole or not at all."""

from __future__ import annotations

import errno
import os
import threading
from pathlib import Path

import pytest

from arena.errors import DiskFull, UsageError
from arena.record.output import whole_file, write_whole


def test_a_file_is_there_when_it_is_whole(tmp_path: Path) -> None:
    path = tmp_path / ("ü" * 120 + ".html")
    with whole_file(path) as part:
        assert part.suffix == ".html"
        part.write_text("half")
        assert not path.exists()
        part.write_text("whole")
    assert path.read_text() == "whole"
    assert [*tmp_path.iterdir()] == [path]


def test_files_whose_long_names_begin_alike_do_not_meet(tmp_path: Path) -> None:
    first, second = (tmp_path / f"{'x' * 60}{number}.html" for number in (1, 2))
    with whole_file(first) as part, whole_file(second) as other_part:
        part.write_text("1")
        other_part.write_text("2")
    assert (first.read_text(), second.read_text()) == ("1", "2")


@pytest.mark.parametrize("before", [None, "before"])
def test_without_room_nothing_is_left_and_nothing_is_lost(
    tmp_path: Path, before: str | None
) -> None:
    path = tmp_path / "page.html"
    if before is not None:
        path.write_text(before)

    def write() -> None:
        with whole_file(path) as part:
            part.write_text("half")
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(DiskFull, match="make room, and run it again"):
        write()
    assert [file.read_text() for file in tmp_path.iterdir()] == ([before] if before else [])


def test_a_file_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    for name, why in (("none/x", "No such file or directory"), ("x" * 300, "File name too long")):
        with pytest.raises(UsageError, match=f"{name[-50:]}: {why}: name another file"):
            write_whole(tmp_path / name, "x")


def test_a_link_stays_a_link_and_rights_stay_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    target, link = tmp_path / "elsewhere" / "page", tmp_path / "page"
    target.write_text("old")
    target.chmod(0o600)
    link.symlink_to(target)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert target.read_text() == "new"
    assert target.stat().st_mode & 0o777 == 0o600


def test_a_pipe_is_written_itself(tmp_path: Path) -> None:
    pipe, heard = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "page")
    reader.join()
    assert heard == ["page"]
    assert pipe.is_fifo()


def test_a_file_in_a_folder_that_cannot_be_written_is_written_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one that a container shows alone: nothing can be put beside it, or in its place."""
    path = tmp_path / "page"
    path.write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)
    inode = path.stat().st_ino
    write_whole(path, "new")
    assert (path.read_text(), path.stat().st_ino) == ("new", inode)
