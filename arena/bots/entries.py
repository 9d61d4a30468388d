"""Entries of the cache: whether one is as its build left it.

What lies in the cache is executed, with the rights of the caller if there are no walls. So an entry
counts only if all of it belongs to this user, no other user can write it, and its names, modes and
contents are those of its *seal*, a file that was written when it was built and that names the
entry. Anything else in its place (put there by another user, or changed by a bot that ran without
walls) is built anew.

The compiled modules that Python leaves in ``__pycache__`` are not sealed: it writes them when a bot
runs. Only their owner and mode count.
"""

from __future__ import annotations

import hashlib
import os
import stat
from pathlib import Path

from arena.bots.staging import StagingError, contents

SEAL = "seal"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def close(entry: Path, key: str) -> None:
    """Write the seal of what becomes the entry `key`. Only its owner can write it from now on.
    Raises StagingError for what `staging.contents` refuses."""
    for path, status in contents(entry):
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & _OTHERS_WRITE:
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS_WRITE)
    (entry / SEAL).write_text(_digest(entry, key), "ascii")
    (entry / SEAL).chmod(0o644)


def is_intact(entry: Path) -> bool:
    """Whether the entry is there, ours, and as it was when it was closed."""
    try:
        if not all(_is_ours(status) for _, status in contents(entry)):
            return False
        with (entry / SEAL).open("rb") as file:
            return file.read(1000).decode("ascii", "replace") == _digest(entry, entry.name)
    except (OSError, StagingError):
        return False


def _is_ours(status: os.stat_result) -> bool:
    is_shut = stat.S_ISLNK(status.st_mode) or not status.st_mode & _OTHERS_WRITE
    return is_shut and status.st_uid == os.geteuid()


def _digest(entry: Path, key: str) -> str:
    """Over the name of the entry and all that was sealed in it."""
    total = hashlib.sha256(key.encode())
    for name, path, status in sorted(
        (os.path.relpath(path, entry), path, status) for path, status in contents(entry)
    ):
        if name != SEAL and "__pycache__" not in Path(name).parts:
            line = (os.fsencode(name), status.st_mode, _content(path, status))
            total.update(repr(line).encode())
    return total.hexdigest()


def _content(path: Path, status: os.stat_result) -> bytes:
    if stat.S_ISLNK(status.st_mode):
        return os.fsencode(os.readlink(path))
    if stat.S_ISREG(status.st_mode):
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    return b""
