"""The folders in which built bots are kept, and those that a judge has sent: owned by the user and
verified to be writable. Entries that nobody has used for long leave them."""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from collections.abc import Iterable
from pathlib import Path

from arena.bots.staging import StagingError, contents, discard
from arena.errors import BotError

_DAY = 24 * 3600
UNUSED_DAYS = 60
"""Days after which an entry that nobody has used is removed."""
CACHE_SIZE = 20 << 30
"""Bytes of all entries beyond which the oldest are removed."""
KEPT_DAYS = 2
"""Days for which an entry that was used is never removed: a long run finds its bots again much more
often (`REFIND_SECONDS` of `arena.league.bots`)."""
_CLEARED = "cleared"
"""The end of the name of the file beside a folder whose date says when it was cleared."""
_CLEAR_SECONDS = 3600


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


def clear_cache(folder: Path, entries: Iterable[tuple[float, Path]], now: float) -> None:
    """Remove the entries of a folder that nobody has used for `UNUSED_DAYS`, and the oldest while
    all together have more than `CACHE_SIZE` bytes; but none that was used within `KEPT_DAYS`.

    Each entry comes with the date of its last use (seconds, as `now`). Does nothing, and reads no
    entries, if that was done within the hour. (A look at 1,000 entries of 20 files takes 0.2 s.)
    """
    mark = folder.with_name(f"{folder.name}-{_CLEARED}")
    if date_of(mark) > now - _CLEAR_SECONDS:
        return
    mark.touch(mode=0o600)
    by_age = sorted(entries)
    sizes = {entry: _size(entry) for _, entry in by_age}
    total = sum(sizes.values())
    for used, entry in by_age:
        is_old = used < now - UNUSED_DAYS * _DAY
        if used > now - KEPT_DAYS * _DAY or not (is_old or total > CACHE_SIZE):
            return
        total -= sizes[entry]
        _remove(entry, folder)


def _remove(entry: Path, folder: Path) -> None:
    """Remove an entry: no arena that looks at the same time finds a part of it."""
    with tempfile.TemporaryDirectory(
        prefix="new-", dir=folder, ignore_cleanup_errors=True
    ) as place:
        with contextlib.suppress(OSError):
            entry.rename(Path(place, "entry"))
        discard(Path(place, "entry"))


def date_of(path: Path) -> float:
    """When a file was changed, in seconds; 0 without it."""
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0


def _size(entry: Path) -> int:
    """The bytes of an entry on the disk; those that can be counted, of one that was changed."""
    size = 0
    with contextlib.suppress(StagingError):
        for _, status in contents(entry):
            size += status.st_blocks * 512
    return size
