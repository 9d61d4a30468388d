"""The file of a run: what a kill leaves, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from arena.errors import DiskFull, UsageError
from arena.workbench.journal import Journal

HEAD = {"run": "test", "seed": "7"}


def write(path: Path, *lines: int) -> None:
    with Journal(path) as journal:
        journal.begin(HEAD)
        for line in lines:
            journal.append({"line": line})


def test_a_run_goes_on_where_it_ended(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    write(path, 1, 2)
    write(path, 3)
    with Journal(path) as journal:
        assert journal.head == HEAD
        assert journal.lines == [{"line": 1}, {"line": 2}, {"line": 3}]


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_line_that_was_cut_short_is_written_anew(cut: int, tmp_path: Path) -> None:
    path, whole = tmp_path / "run.jsonl", tmp_path / "whole.jsonl"
    write(path, 1, 2)
    write(whole, 1, 2)
    path.write_bytes(path.read_bytes()[:-cut])
    with Journal(path) as journal:
        journal.begin(HEAD)
        for line in range(len(journal.lines) + 1, 3):
            journal.append({"line": line})
    assert path.read_bytes() == whole.read_bytes()


def test_a_head_that_was_cut_short(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    path.write_bytes(b'{"run":"te')
    write(path, 1)
    assert path.read_bytes() == b'{"run":"test","seed":"7"}\n{"line":1}\n'


@pytest.mark.parametrize("content", [b"# Notes\n", b"text", b"[1]\n", b"\xff\n", b'{"a":1}\nx\n'])
def test_other_files_are_left_as_they_are(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.md"
    path.write_bytes(content)
    with pytest.raises(UsageError, match="is not the file of a run"):
        Journal(path)
    assert path.read_bytes() == content


def test_another_run_is_refused_by_what_differs(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    write(path, 1)
    with Journal(path) as journal, pytest.raises(UsageError, match="differs in seed and pool:"):
        journal.begin(HEAD | {"seed": "8", "pool": []})


def test_a_file_in_use_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.jsonl"
    again = "import sys; from pathlib import Path; from arena.workbench.journal import Journal;"
    with Journal(path):
        ran = subprocess.run(
            [sys.executable, "-c", f"{again} Journal(Path(sys.argv[1]))", str(path)],
            capture_output=True,
            text=True,
            check=False,
        )
    assert "is in use by another arena" in ran.stderr


def test_places_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot open"):
        Journal(tmp_path)
    with pytest.raises(UsageError, match="no plain file"):
        Journal(Path("/dev/full"))  # it would be read without end
    with Journal(tmp_path / "run.jsonl") as journal:
        assert journal._file is not None
        journal._file.close()
        journal._file = open("/dev/full", "wb")  # noqa: SIM115
        with pytest.raises(DiskFull, match="cannot write"):
            journal.append(HEAD)
        with suppress(OSError):
            journal._file.close()
        journal._file = None
