"""The lock that allows one judge at a time, and the request to stop it from another terminal.

The kernel holds the lock and releases it when the process ends for any reason, so a lock is never
stale. The content of the lock file only names the holder.
"""

from __future__ import annotations

import fcntl
import os
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import UsageError
from arena.text import shell_word


@contextmanager
def judging(file: Path, folder: Path) -> Iterator[None]:
    """Be the only judge of the league in `file` and `folder` during a ``with`` block.

    Raises UsageError when another process is the judge.
    """
    try:
        lock = os.open(folder / "judge", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UsageError(
            f"cannot open {folder / 'judge'}, which allows one judge at a time: "
            f"{error.strerror}: remove it"
        ) from None
    try:
        if not _take(lock):
            raise UsageError(
                f"process {_holder(lock)} already plays {file}: wait for its end, or end it "
                f"with: arena league stop {shell_word(file)}"
            )
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        _stop_file(folder).unlink(missing_ok=True)
        yield
    finally:
        os.close(lock)


def ask_to_stop(folder: Path) -> str | None:
    """Ask the judge to start no more matches. Returns its process id, or None without a judge."""
    with suppress(FileNotFoundError):
        lock = os.open(folder / "judge", os.O_RDWR | os.O_CLOEXEC)
        try:
            if _take(lock):
                return None
            _stop_file(folder).touch()
            return _holder(lock)
        finally:
            os.close(lock)
    return None


def has_judge(folder: Path) -> bool:
    """Whether a judge plays the league of that folder now. Nothing is locked to find out, so that
    no judge who begins in this moment is refused."""
    try:
        lock = os.open(folder / "judge", os.O_RDWR | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        asked = struct.pack(_LOCK, *(fcntl.F_WRLCK if one == "type" else 0 for one in _FIELDS))
        told = struct.unpack(_LOCK, fcntl.fcntl(lock, fcntl.F_GETLK, asked))
        return bool(told[_FIELDS.index("type")] != fcntl.F_UNLCK)
    finally:
        os.close(lock)


_LOCK, _FIELDS = (
    ("hhqqi4x", ("type", "whence", "start", "length", "pid"))
    if sys.platform == "linux"
    else ("qqihh", ("start", "length", "pid", "type", "whence"))
)
"""``struct flock`` of the C library, with whole-file locks."""


def is_asked_to_stop(folder: Path) -> bool:
    """Whether the judge was asked to start no more matches."""
    return _stop_file(folder).exists()


def _stop_file(folder: Path) -> Path:
    return folder / "stop"


def _take(lock: int) -> bool:
    """Take a per-process lock, not a per-file one: forked workers do not hold it."""
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except PermissionError:  # some systems raise this instead
        return False
    return True


def _holder(lock: int) -> str:
    return os.pread(lock, 20, 0).decode("ascii", "replace") or "(unknown)"
