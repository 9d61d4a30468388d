"""Safe reading of a stranger's files: by descriptors, never by names.

Whoever can write in a folder can replace a name in it between any two system calls: a file when it
was checked may be a link to ``/etc/shadow`` when it is copied. So each part of a path is opened
below the descriptor of the previous one, the system follows no links (`O_NOFOLLOW`), and each
descriptor is checked (`os.fstat`) before it is read. This amounts to RESOLVE_BENEATH and
RESOLVE_NO_SYMLINKS of `openat2`, which Python does not offer, on every system; and links that stay
inside the folder can still be followed, by this module.

A name may also be moved: an author can give another user's private file (root's, say) a name in the
author's own folder without being able to read it. So if a user other than the caller owns a folder,
a file in it is taken only if that user could read it, too.

FIFOs, sockets and devices are never opened: they could block the arena forever.
"""

from __future__ import annotations

import errno
import hashlib
import os
import pwd
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

from arena.bots.archives.rules import PATH, is_junk
from arena.bots.content import DEPTH, FILES, SIZE, too_much
from arena.errors import BotError
from arena.text import printable

_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_PASS = getattr(os, "O_PATH", os.O_RDONLY) | os.O_NOFOLLOW | os.O_CLOEXEC
"""Flags to open a folder on the way, which the user need not be able to list."""
_MOST_LINKS = 40
"""Maximum links on the way to one file, as in Linux."""
_CHUNK = 1 << 20


class TreeError(Exception):
    """A file cannot be taken; the message says why, and what to do."""


class Author(NamedTuple):
    """A user other than the caller who can replace names on the way to a file."""

    uid: int
    groups: frozenset[int]

    def may(self, wanted: int, status: os.stat_result) -> bool:
        """Whether the user has the rights `wanted` (4: read, 1: pass)."""
        if status.st_uid == self.uid:
            return True  # an owner can grant them
        shift = 3 if status.st_gid in self.groups else 0
        return status.st_mode >> shift & wanted == wanted


class OpenEntry(NamedTuple):
    """An open file or folder."""

    handle: int
    name: str
    status: os.stat_result
    author: Author | None
    """Another user who could have put it there; None if only the caller or the system could."""

    @property
    def is_folder(self) -> bool:
        """Whether the entry is a folder."""
        return stat.S_ISDIR(self.status.st_mode)


# -- opening ---------------------------------------------------------------------------------------


@contextmanager
def opened(path: Path) -> Iterator[OpenEntry]:
    """Open the file or folder that the caller named, for the duration of a ``with``. Follows links
    on the way, but `path` itself must not be a link. Raises TreeError, and FileNotFoundError."""
    given = os.path.abspath(path)
    folder, name = os.path.split(given)
    with ExitStack() as stack:
        root = _entered(stack, os.open("/", _PASS))
        way = _Way(stack, root, None, given, beneath=False)
        way.follow(folder)
        yield way.end(name or ".")


@contextmanager
def opened_in(folder: OpenEntry, name: str) -> Iterator[OpenEntry]:
    """Open the plain file of that name in an open folder. Follows links to files of the same
    folder. Raises TreeError, and FileNotFoundError."""
    with ExitStack() as stack:
        yield _Way(stack, folder.handle, folder.author, name, beneath=True).file(name)


@contextmanager
def opened_by_name(path: Path) -> Iterator[OpenEntry]:
    """Open a plain file that only the caller could have put there; follows links. Raises TreeError
    and OSError."""
    with ExitStack() as stack:
        handle = _entered(stack, os.open(path, _READ & ~os.O_NOFOLLOW))
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise TreeError(f"{printable(path.name)} is not an ordinary file: take it out")
        yield OpenEntry(handle, path.name, status, None)


class _Way:
    """The folders on the way to a file, all open."""

    def __init__(
        self, stack: ExitStack, root: int, author: Author | None, whole: str, *, beneath: bool
    ) -> None:
        self._stack = stack
        self._folders = [root]
        self._author = author
        self._whole = printable(whole)
        self._beneath = beneath
        self._links = 0
        self._is_led = False
        """Whether a link that another user made was followed."""

    def follow(self, path: str) -> None:
        """Descend into a folder, following links."""
        ahead = _parts(path)
        while ahead:
            part = ahead.pop()
            if part == "..":
                self._up()
            elif (target := self._link(part)) is None:
                self._enter(part)
            else:
                ahead += _parts(target)
                if target.startswith("/"):
                    del self._folders[1:]

    def file(self, name: str) -> OpenEntry:
        """Open the plain file of that name, following links."""
        while True:
            folder, last = os.path.split(name)
            self.follow(folder)
            target = None if last in ("", ".", "..") else self._link(last)
            if target is None:
                break
            name = target
        if last in ("", ".", "..") or (place := self.end(last)).is_folder:
            raise TreeError(f"{self._whole} is a link to a folder: copy it in")
        return place

    def end(self, name: str) -> OpenEntry:
        """Open the plain file or folder of that name."""
        if (target := self._link(name)) is not None:
            leads = f"name what it leads to ({printable(target)})"
            raise TreeError(f"{printable(name)} is a link: {leads}")
        self._require_plain(self._look(name))
        handle = self._open(name, _READ)
        status = os.fstat(handle)
        self._require_plain(status)
        self._check(name, status, 5 if stat.S_ISDIR(status.st_mode) else 4)
        return OpenEntry(handle, name, status, self._author)

    def _enter(self, part: str) -> None:
        handle = self._open(part, _PASS)
        status = os.fstat(handle)
        if stat.S_ISLNK(status.st_mode):
            raise self._cannot("it changed while it was read")
        self._check(part, status, 1)
        self._folders.append(handle)

    def _up(self) -> None:
        if len(self._folders) > 1:
            self._folders.pop()
        elif self._beneath:
            raise self._leads_out()

    def _link(self, part: str) -> str | None:
        """The target of a link; None if `part` is not a link."""
        status = self._look(part)
        if not stat.S_ISLNK(status.st_mode):
            return None
        self._links += 1
        if self._links > _MOST_LINKS:
            raise TreeError(f"{self._whole} is a link that leads to itself: remove it")
        with self._reading():
            target = os.readlink(part, dir_fd=self._folders[-1])
        if self._beneath and target.startswith("/"):
            raise self._leads_out()
        if not self._beneath and (maker := _author(status)) is not None:
            self._author, self._is_led = maker, True
        return target

    def _check(self, name: str, status: os.stat_result, wanted: int) -> None:
        """Note who could have put the file there, and refuse it if that user could not read it.
        (The path that the caller named, and the folders on the way, may belong to any user, unless
        another user's link led there.)"""
        other = _author(status)
        is_free = self._author is None or not (self._beneath or self._is_led)
        if other is not None and is_free:
            self._author = other
        elif self._author is not None and not self._author.may(wanted, status):
            raise TreeError(_borrowed(name, status, self._author))

    # -- the system ------------------------------------------------------------------------

    def _look(self, name: str) -> os.stat_result:
        with self._reading():
            return os.stat(name, dir_fd=self._folders[-1], follow_symlinks=False)

    def _open(self, name: str, flags: int) -> int:
        with self._reading():
            return _entered(self._stack, os.open(name, flags, dir_fd=self._folders[-1]))

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """Turn an OSError into a TreeError, except for missing files."""
        try:
            yield
        except FileNotFoundError:
            raise
        except OSError as error:
            raise self._cannot(_why(error)) from None

    def _require_plain(self, status: os.stat_result) -> None:
        if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
            name = printable(os.path.basename(self._whole))
            raise TreeError(f"{name} is not a file: name a program, a source or a folder")

    def _leads_out(self) -> TreeError:
        return TreeError(f"{self._whole} is a link out of its folder: copy the file in")

    def _cannot(self, why: str) -> TreeError:
        return TreeError(f"{self._whole} cannot be read ({why}): check it, and try again")


def _why(error: OSError) -> str:
    changed = error.errno in (errno.ELOOP, errno.EINVAL, errno.ENXIO, errno.EMLINK)
    return "it changed while it was read" if changed else str(error.strerror)


def _entered(stack: ExitStack, handle: int) -> int:
    stack.callback(os.close, handle)
    return handle


def _parts(path: str) -> list[str]:
    """The parts of the path in reverse order."""
    return [part for part in reversed(path.split("/")) if part not in ("", ".")]


# -- who put it there ------------------------------------------------------------------------------


def _author(status: os.stat_result) -> Author | None:
    """The owner, unless that is the caller, or root, who can read everything anyway."""
    if status.st_uid in (0, os.geteuid()):
        return None
    try:
        user = pwd.getpwuid(status.st_uid)
        groups = os.getgrouplist(user.pw_name, user.pw_gid)
    except (KeyError, OSError):  # a user of another machine, or of a container
        groups = []
    return Author(status.st_uid, frozenset(groups))


def _borrowed(name: str, status: os.stat_result, author: Author) -> str:
    owner, reader = _user(status.st_uid), _user(author.uid)
    return (
        f"{printable(name)} belongs to {owner}, and {reader}, in whose folder it lies, cannot read "
        f"it: take it out, or give it to {reader} (chown)"
    )


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return f"user {uid}"


# -- copying ---------------------------------------------------------------------------------------


def copy_folder(folder: OpenEntry, target: Path) -> list[str]:
    """Copy the files of a folder, except junk (`is_junk`) and virtual environments, which cannot be
    moved. Returns the names left out, each once.

    Links to files of the folder become files. Raises TreeError, BotError when a limit of bots is
    exceeded, and OSError."""
    return _Copy(folder, target).run()


def copy_file(file: OpenEntry, copy: Path, room: int = SIZE) -> int:
    """Copy an open plain file, with its execute bits, to a new one. Returns its size; raises
    BotError if that exceeds `room`."""
    size = 0
    with copy.open("xb") as target:
        for data in _read(file, room):
            size += target.write(data)
    copy.chmod(file.status.st_mode & 0o777 | 0o600)
    return size


def digest(file: OpenEntry) -> str:
    """The SHA-256 of an open file in hex. Raises BotError for a file too large for a bot."""
    total = hashlib.sha256()
    for data in _read(file, SIZE):
        total.update(data)
    return total.hexdigest()


def _read(file: OpenEntry, room: int) -> Iterator[bytes]:
    """Read a file of at most `room` bytes. Reads nothing of a larger one, even if sparse."""
    size = file.status.st_size
    while size <= room and (data := _chunk(file)):
        yield data
        size = max(size, os.lseek(file.handle, 0, os.SEEK_CUR))  # it may grow meanwhile
    if size > room:
        raise too_much(file.name)


def _chunk(file: OpenEntry) -> bytes:
    try:
        return os.read(file.handle, _CHUNK)
    except OSError as error:
        raise TreeError(f"{printable(file.name)} cannot be read ({error.strerror})") from None


class _Copy:
    """The copy of one folder under way."""

    def __init__(self, folder: OpenEntry, target: Path) -> None:
        self._folder = folder
        self._target = target
        self._left_out: dict[str, None] = {}
        self._seen = 0
        self._size = 0

    def run(self) -> list[str]:
        """Copy everything. Returns the names left out."""
        self._target.mkdir()
        self._inside("", self._folder, 0)
        return list(self._left_out)

    def _inside(self, prefix: str, folder: OpenEntry, depth: int) -> None:
        if depth > DEPTH:
            raise BotError(f"{printable(self._folder.name)} has folders nested deeper than {DEPTH}")
        for name in _names(folder.handle):
            self._seen += 1
            if self._seen > FILES:
                raise too_much(self._folder.name)
            if len(os.fsencode(prefix + name)) > PATH:  # the copy could not be opened
                shown = printable(self._folder.name)
                raise TreeError(f"{shown} has paths of more than {PATH} bytes: use shorter names")
            if is_junk(name):
                self._left_out[name] = None
                continue
            try:
                self._take(prefix, folder, name, depth)
            except FileNotFoundError:
                continue  # removed meanwhile, or a dangling link

    def _take(self, prefix: str, folder: OpenEntry, name: str, depth: int) -> None:
        mode = os.lstat(name, dir_fd=folder.handle).st_mode
        if stat.S_ISDIR(mode):
            with ExitStack() as stack:
                way = _Way(stack, folder.handle, folder.author, f"{prefix}{name}", beneath=True)
                self._folder_of(f"{prefix}{name}", way.end(name), depth)
        elif stat.S_ISREG(mode) or stat.S_ISLNK(mode):
            with opened_in(self._folder, f"{prefix}{name}") as file:
                self._file(f"{prefix}{name}", file)

    def _folder_of(self, name: str, place: OpenEntry, depth: int) -> None:
        if _is_environment(place.handle):
            self._left_out[place.name] = None
        else:
            self._inside(f"{name}/", place, depth + 1)

    def _file(self, name: str, file: OpenEntry) -> None:
        copy = self._target / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        self._size += copy_file(file, copy, SIZE - self._size)


def _names(folder: int) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(entry.name for _, entry in zip(range(FILES + 1), entries, strict=False))


def _is_environment(folder: int) -> bool:
    try:
        return stat.S_ISREG(os.lstat("pyvenv.cfg", dir_fd=folder).st_mode)
    except FileNotFoundError:
        return False
