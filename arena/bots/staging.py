"""The folder in which a bot is built, before it becomes a cache entry, and the seal of an entry.

A build behind walls may leave anything in this folder: links to the caller's files, endlessly
nested folders, unreadable files. So the arena examines it without following links, and accepts it
as an entry only after *sealing*: reducing it to plain files and folders, owned by the caller and
writable only by the caller.
"""

from __future__ import annotations

import hashlib
import os
import stat
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

Files = Mapping[str, Path]
"""Files to copy: name in the copy → where it is."""

Steps = Sequence[tuple[str, ...]]
"""The commands of a build, in order. A program is an absolute path, or begins with
``./`` and is a file of the bot."""

DEPTH = 100
"""Maximum nesting of folders."""


class StagingError(Exception):
    """The output of a build cannot become an entry; the message says what is wrong."""


class Staged(Struct, frozen=True):
    """The folders of one build."""

    place: Path
    """The temporary folder that holds all of them, ``new-…`` in the folder ``bots`` of a cache."""
    has_user: bool = False
    """Whether the commands look up their user (`BuildCommand.has_user`)."""

    @property
    def cache(self) -> Path:
        """The cache that will hold the entry."""
        return self.place.parents[1]

    @property
    def entry(self) -> Path:
        """The future entry: the only folder that a build behind walls may write to."""
        return self.place / "entry"

    @property
    def files(self) -> Path:
        """The sources; the working folder of the commands."""
        return self.entry / "files"

    @property
    def out(self) -> Path:
        """The output folder of compilers."""
        return self.entry / "out"

    @property
    def home(self) -> Path:
        """The folder for other files of a build that has no ``/tmp`` of its own."""
        return self.place / "home"


def hand_over(entry: Path) -> None:
    """Let a build that runs as another user write to the entry. (The enclosing folder keeps all
    other users out.)"""
    for path, status in contents(entry):
        path.chmod(0o777 if stat.S_ISDIR(status.st_mode) or status.st_mode & 0o111 else 0o666)


def contents(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The folder and everything below it, each folder before its contents; follows no links.

    Raises StagingError for folders that are nested too deep or unreadable."""
    yield folder, folder.lstat()
    ahead = [(str(folder), 0)]
    while ahead:
        place, depth = ahead.pop()
        if depth > DEPTH:
            raise StagingError(f"folders nested deeper than {DEPTH}")
        for entry in _listed(place):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # the build is still running
            except OSError as error:  # such as a path too long for the system
                raise StagingError(f"a file that cannot be read ({error.strerror})") from None
            yield Path(entry.path), status
            if stat.S_ISDIR(status.st_mode):
                ahead.append((entry.path, depth + 1))


def _listed(place: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(place))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise StagingError(f"a folder that cannot be read ({error.strerror})") from None


def seal(entry: Path) -> None:
    """Make the caller the owner and only writer of the entry, after the build has ended.

    Raises StagingError for anything but files, folders, and links to one of them or to the
    system."""
    for path, status in contents(entry):
        if stat.S_ISLNK(status.st_mode):
            _check_link(path, entry)
        elif stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            os.chown(path, os.geteuid(), os.getegid())
            path.chmod(status.st_mode & 0o755 | (0o755 if path.is_dir() else 0o644))
        else:
            raise StagingError(f"{path.name}, which is not an ordinary file")


def _check_link(path: Path, entry: Path) -> None:
    # /etc does not count as the system: a sandbox shows little of it.
    target = os.path.realpath(path)
    allowed = (os.path.realpath(entry), "/usr", "/bin", "/lib", "/lib64")
    if not any(target.startswith(f"{place}/") for place in allowed):
        raise StagingError(f"{path.name}, a link that leads out of its folder")


def discard(entry: Path) -> None:
    """Remove the entry, including deeply nested or unreadable folders."""
    for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        subprocess.run(
            [*command, "--", entry],
            check=False,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        )


# Cache entries: whether one is still as its build left it.
#
# Files in the cache are executed, with the caller's rights if there are no walls. So an entry is
# valid only if all of it belongs to this user, no other user can write it, and its names, modes and
# contents match its *seal*, a file that was written at build time and names the entry. Anything
# else (put there by another user, or changed by a bot that ran without walls) is rebuilt.
#
# The compiled modules in ``__pycache__`` are not sealed, since Python writes them when a bot runs:
# only their owner and mode are checked.

SEAL = "seal"
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


def close(entry: Path, key: str) -> None:
    """Write the seal of the future entry `key`. From now on only the owner can write the entry.
    Raises StagingError for what `contents` refuses."""
    for path, status in contents(entry):
        if not stat.S_ISLNK(status.st_mode) and status.st_mode & _OTHERS_WRITE:
            path.chmod(stat.S_IMODE(status.st_mode) & ~_OTHERS_WRITE)
    (entry / SEAL).write_text(_digest(entry, key), "ascii")
    (entry / SEAL).chmod(0o644)


def is_intact(entry: Path) -> bool:
    """Whether the entry exists, is ours, and is unchanged since it was closed."""
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
    """The digest of the entry's name and all its sealed contents."""
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
