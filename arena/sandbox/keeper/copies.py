"""A bot's own files in its sandbox: copies of them, where they are few and small, in the memory
that the sandbox's root is. So nothing there says which folder they lie in outside, which of a mount
``/proc/self/mountinfo`` tells. More files, and larger ones, are mounted.

All this is done by the keeper's user, and the files' author may be changing them: so links inside
are copied as links, what is copied or mounted is reached from a folder that was opened before, and
what other users may not read is not copied. The path of the whole is walked part by part: of a link
on it that the author has put there meanwhile, the keeper's user could follow more than the author
may.
"""

from __future__ import annotations

import errno
import os
import resource
import stat
import sys
from collections.abc import Sequence

SHOW = "{show}"
"""The word among bubblewrap's options behind which come a file or folder of the bot, where it
stands inside, and the option that mounts it (one of these two)."""
BY_DESCRIPTOR = "--ro-bind-fd"
BY_NAME = "--ro-bind"
"""For a bubblewrap that does not know the other one. An author may exchange what has the name in
the moment in which it is mounted."""
MOST_FILES = 64
MOST_BYTES = 4 << 20
"""Of a bot that is copied. (To copy 4 MiB takes a start some 2 ms.)"""
SPARE = 40
"""Descriptors that are left to bubblewrap, which gets each file as one."""
MOST_LINKS = 40
_PATH = os.O_PATH | os.O_NOFOLLOW if sys.platform == "linux" else os.O_RDONLY
_NOBODY = 65534
"""Who owns, in a container, what belongs to a user who is not in it (root of the machine, say)."""


class ForeignLink(Exception):
    """On the path of a bot is a link that another user could have put there to be shown more."""


class _Unfit(Exception):
    """Not to be copied: too much, or no plain file."""


def expanded(options: Sequence[str]) -> list[str]:
    """The options with those for a bot's own files. What they name by its descriptor stays open
    over the exec."""
    words: list[str] = []
    copier, rest = _Copier(), iter(options)
    for word in rest:
        words += copier.show(next(rest), next(rest), next(rest)) if word == SHOW else [word]
    return words


class _Copier:
    def __init__(self) -> None:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self._files = min(MOST_FILES, most - SPARE)
        self._bytes = MOST_BYTES

    def show(self, path: str, place: str, mount: str) -> list[str]:
        """The options that make a copy; those that mount it, where it cannot be copied."""
        top, opened = open_path(path), list[int]()
        own = f"/proc/self/fd/{top}"
        try:
            words = self._copy(os.open(own, os.O_RDONLY | os.O_NONBLOCK), place, opened)
        except (_Unfit, OSError):
            for descriptor in opened:
                os.close(descriptor)
            if mount == BY_DESCRIPTOR:
                os.set_inheritable(top, True)
                return [mount, str(top), place]
            words = [mount, os.readlink(own), place]
        os.close(top)
        return words

    def _copy(self, descriptor: int, place: str, opened: list[int]) -> list[str]:
        opened.append(descriptor)
        self._files -= 1
        status = os.fstat(descriptor)
        if self._files < 0 or not status.st_mode & stat.S_IROTH:
            raise _Unfit
        if stat.S_ISDIR(status.st_mode):
            words = ["--perms", "0555", "--dir", place]
            for name in sorted(os.listdir(descriptor)):
                words += self._copy_entry(descriptor, name, f"{place}/{name}", opened)
            return words
        self._bytes -= status.st_size
        if self._bytes < 0 or not stat.S_ISREG(status.st_mode):
            raise _Unfit
        os.set_inheritable(descriptor, True)
        perms = "0555" if status.st_mode & 0o111 else "0444"
        return ["--perms", perms, "--file", str(descriptor), place]

    def _copy_entry(self, folder: int, name: str, place: str, opened: list[int]) -> list[str]:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return ["--symlink", os.readlink(name, dir_fd=folder), place]
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        return self._copy(os.open(name, flags, dir_fd=folder), place, opened)


def open_path(path: str) -> int:
    """A descriptor of what is at a path. Raises OSError, and ForeignLink for a link of another user
    to what does not belong to that user."""
    here, links, others = os.open("/", _PATH), 0, set[int]()
    ahead = path.split("/")[::-1]
    try:
        while ahead:
            there = os.open(ahead.pop() or ".", _PATH, dir_fd=here)
            status = os.fstat(there)
            if stat.S_ISLNK(status.st_mode):
                target = os.readlink("", dir_fd=there)
                os.close(there)
                there = os.open("/" if target.startswith("/") else ".", _PATH, dir_fd=here)
                if (links := links + 1) > MOST_LINKS:
                    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), path)
                if status.st_uid not in (0, os.geteuid(), _NOBODY):
                    others.add(status.st_uid)
                ahead += target.split("/")[::-1]
            os.close(here)
            here = there
        if others - {os.fstat(here).st_uid}:
            raise ForeignLink(
                f"another user has put a link on the path {path}, to what is not that user's own: "
                "name what it leads to"
            )
    except BaseException:
        os.close(here)
        raise
    return here
