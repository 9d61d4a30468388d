"""A bot's own files in its sandbox: copies of them, where they are few and small, in the memory
that the sandbox's root is. So nothing there says which folder they lie in outside, which of a mount
``/proc/self/mountinfo`` tells. More files, and larger ones, are mounted.

What is copied is read by the keeper's user, and its author may be changing it: so links are copied
as links, files are reached from the folder that was opened before, and what other users may not
read is not copied.
"""

from __future__ import annotations

import os
import resource
import stat
from collections.abc import Sequence

SHOW = "{show}"
"""The word among bubblewrap's options behind which come a file or folder of the bot, and where it
stands inside."""
MOST_FILES = 64
MOST_BYTES = 4 << 20
"""Of a bot that is copied. (To copy 4 MiB takes a start some 2 ms.)"""
SPARE = 40
"""Descriptors that are left to bubblewrap, which gets each file as one."""


class _Unfit(Exception):
    """Not to be copied: too much, or no plain file."""


def expanded(options: Sequence[str]) -> list[str]:
    """The options with those for a bot's own files. What they name by its descriptor stays open
    over the exec."""
    words: list[str] = []
    copier, rest = _Copier(), iter(options)
    for word in rest:
        words += copier.show(next(rest), next(rest)) if word == SHOW else [word]
    return words


class _Copier:
    def __init__(self) -> None:
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
        self._files = min(MOST_FILES, most - SPARE)
        self._bytes = MOST_BYTES

    def show(self, path: str, place: str) -> list[str]:
        """The options that make a copy; those that mount it, where it cannot be copied."""
        opened: list[int] = []
        try:
            return self._copy(os.open(path, os.O_RDONLY | os.O_NONBLOCK), place, opened)
        except (_Unfit, OSError):
            for descriptor in opened:
                os.close(descriptor)
            return ["--ro-bind", path, place]

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
