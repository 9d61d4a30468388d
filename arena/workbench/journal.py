"""The file of a run: JSON lines, of which the first says what is run and the others what came out.

Lines are only ever appended, in the order of the run, and hold nothing that depends on the time, on
the number of jobs or on an interruption. So the same run makes the same file. A line that a kill
has cut short is removed when the run goes on.
"""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path
from typing import Any, BinaryIO, Self

import msgspec

from arena.errors import UsageError, disk_fault
from arena.text import joined


class Journal:
    """The file of one run, open for appending; without a path, nothing is written."""

    def __init__(self, path: Path | None) -> None:
        """Raises UsageError for a file that cannot be opened, is in use, or is no file of a run."""
        self.path = path
        self.head: dict[str, Any] | None = None
        """The first line; None if the run is new."""
        self.lines: list[dict[str, Any]] = []
        """The other lines that the file had when it was opened."""
        self._file: BinaryIO | None = None
        if path is not None:
            self._file = _opened(path)
            try:
                self._read(path, self._file)
            except BaseException:
                self._file.close()
                raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._file is not None:
            self._file.close()

    def begin(self, head: dict[str, Any]) -> None:
        """Begin the run that `head` describes, or go on with it. Raises UsageError when the file is
        that of another run."""
        head = msgspec.json.decode(msgspec.json.encode(head))
        if self.head is None:
            self.append(head)
            self.head = head
            return
        other = [key for key in (*head, *self.head) if head.get(key) != self.head.get(key)]
        if other:
            differing = joined(dict.fromkeys(other))
            raise UsageError(
                f"{self.path} is the file of another run, which differs in {differing}: name "
                "another file, or repeat the command of that run"
            )

    def append(self, line: Any) -> None:
        """Append a line. Raises DiskFull or ArenaFault."""
        if self._file is None:
            return
        try:
            self._file.write(msgspec.json.encode(line) + b"\n")
            self._file.flush()
        except OSError as error:
            raise disk_fault(error, f"cannot write {self.path}: {error.strerror}") from error

    def sync(self) -> None:
        """Have the file on the disk, should the machine lose its power."""
        if self._file is not None:
            os.fsync(self._file.fileno())

    def _read(self, path: Path, file: BinaryIO) -> None:
        data = file.read()
        whole = data.rfind(b"\n") + 1
        try:
            lines = [msgspec.json.decode(line) for line in data[:whole].splitlines()]
            if not all(isinstance(line, dict) for line in lines):
                raise ValueError("a line is no object")
        except ValueError as error:
            raise UsageError(
                f"{path} is not the file of a run ({error}): name another, or a new one"
            ) from None
        if whole == 0 and data and not data.startswith(b"{"):
            raise UsageError(f"{path} is not the file of a run: name another, or a new one")
        file.seek(whole)
        file.truncate()
        self.head, self.lines = (lines[0], lines[1:]) if lines else (None, [])


def _opened(path: Path) -> BinaryIO:
    """The file, created if it is absent, and locked against other processes."""
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644), "r+b")
    except OSError as error:
        raise UsageError(f"cannot open {path}: {error.strerror}: name another file") from None
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise UsageError(f"{path} is no plain file: name another")
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        file.close()
        raise UsageError(
            f"{path} is in use by another arena: wait for its end, or name another file"
        ) from None
    return file
