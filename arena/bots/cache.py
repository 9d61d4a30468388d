"""The folders in which built bots are kept: owned by the user and verified to be writable."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from arena.errors import BotError


def cache_root() -> Path:
    """The folder for built bots: the first writable one of $ARENA_CACHE, $XDG_CACHE_HOME/arena,
    ~/.cache/arena, and a user-specific folder for temporary files.

    Raises OSError if $ARENA_CACHE is set and not writable, BotError if it, or the temporary folder,
    belongs to another user.
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
    """The user's home, if it exists and is writable."""
    home = os.environ.get("HOME", "")
    return Path(home) if os.path.isabs(home) and os.access(home, os.W_OK | os.X_OK) else None


def private_folder(*parts: str | Path) -> Path:
    """The folder, created for this user only if missing. Raises OSError if it cannot be created or
    written, BotError if another user could replace its contents."""
    folder = Path(*parts)
    for missing in reversed([place for place in (folder, *folder.parents) if not place.exists()]):
        with contextlib.suppress(FileExistsError):
            missing.mkdir(mode=0o700)
    if not os.access(folder, os.W_OK | os.X_OK):
        raise PermissionError(13, os.strerror(13), str(folder))
    _shut(folder)
    return folder


def _shut(folder: Path) -> None:
    """Make sure that no other user can replace our files in a folder: it must belong to us or, like
    ``/tmp``, to the system, and others cannot write in it, or only change their own files."""
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
