"""One judge at a time, and how another terminal asks it to stop.

The lock is the kernel's: it ends with the process that holds it, however that ends, so none is ever
stale. What stands in its file only names the holder.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from arena.errors import UsageError


@contextmanager
def judging(file: Path, folder: Path) -> Iterator[None]:
    """Be the one judge of the league in `file` and `folder` for the time of a ``with``.

    Raises UsageError when another process is.
    """
    try:
        lock = os.open(folder / "judge", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise UsageError(
            f"cannot open {folder / 'judge'}, which lets one judge at a time play: "
            f"{error.strerror}: remove it"
        ) from None
    try:
        if not _take(lock):
            raise UsageError(
                f"process {_holder(lock)} plays {file} already: wait for its end, or ask it "
                f"to end with: arena league stop {file}"
            )
        os.ftruncate(lock, 0)
        os.pwrite(lock, str(os.getpid()).encode(), 0)
        _stop_file(folder).unlink(missing_ok=True)
        yield
    finally:
        os.close(lock)


def ask_to_stop(folder: Path) -> str | None:
    """Ask the judge to play no further matches. Its process id; None when there is no judge."""
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


def is_asked_to_stop(folder: Path) -> bool:
    """Whether the judge is to play no further match."""
    return _stop_file(folder).exists()


def _stop_file(folder: Path) -> Path:
    return folder / "stop"


def _take(lock: int) -> bool:
    """A lock of this process and not of the open file: the workers that it forks do not hold it."""
    try:
        fcntl.lockf(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except PermissionError:  # what some systems say instead
        return False
    return True


def _holder(lock: int) -> str:
    return os.pread(lock, 20, 0).decode("ascii", "replace") or "(unknown)"
