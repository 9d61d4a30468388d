"""The folders in which built bots are kept: the user's own, and proved to be writable."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from arena.errors import BotError


def cache_root() -> Path:
    """Where built bots are kept: the first that can be written of $ARENA_CACHE,
    $XDG_CACHE_HOME/arena, ~/.cache/arena, and a folder of the user's own for temporary files.

    Raises OSError when $ARENA_CACHE is set and cannot be written, BotError when it, or the last of
    them, belongs to another user.
    """
    if chosen := os.environ.get("ARENA_CACHE"):
        return private_folder(os.path.abspath(chosen))
    shared, home = os.environ.get("XDG_CACHE_HOME", ""), writable_home()
    places = [Path(shared)] if os.path.isabs(shared) else []
    places += [home / ".cache"] if home else []
    for place in places:
        with contextlib.suppress(OSError, BotError):
            return private_folder(place, "arena")
    return _temporary_root()


def writable_home() -> Path | None:
    """The user's home, if there is one that can be written."""
    home = os.environ.get("HOME", "")
    return Path(home) if os.path.isabs(home) and os.access(home, os.W_OK | os.X_OK) else None


def private_folder(*parts: str | Path) -> Path:
    """The folder, made for the user alone where it is missing. Raises OSError when it cannot be
    made or written, BotError when another user could replace what is in it."""
    folder = Path(*parts)
    for missing in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        with contextlib.suppress(FileExistsError):
            missing.mkdir(mode=0o700)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, os.strerror(13), str(folder))
    _shut(folder)
    return folder


def _shut(folder: Path) -> None:
    """Keep all other users from replacing what is ours in a folder: it belongs to us or, as
    ``/tmp`` does, to the system, and others cannot write in it, or not what is not theirs."""
    status = folder.stat()
    if status.st_uid == os.geteuid():
        if status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX:
            folder.chmod(stat.S_IMODE(status.st_mode) & ~0o022)
    elif status.st_uid != 0 or not status.st_mode & stat.S_ISVTX:
        raise _foreign(folder)


def _foreign(folder: Path) -> BotError:
    return BotError(f"{folder} belongs to another user: set ARENA_CACHE to a folder of yours")


def _temporary_root() -> Path:
    # The name is easy to guess and every user can write in its parent: another user may have
    # prepared it as a trap.
    place = Path(tempfile.gettempdir(), f"arena-{os.getuid()}")
    with contextlib.suppress(FileExistsError):
        place.mkdir(mode=0o700)
    status = place.lstat()
    if place.is_symlink() or not place.is_dir() or status.st_uid != os.getuid():
        raise _foreign(place)
    place.chmod(0o700)
    return place
