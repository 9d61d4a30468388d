"""Put a bot's own files into its sandbox: copy them if few and small, otherwise mount them.

Copies go into the sandbox's root, which is in memory. So nothing shows their folder outside, which
``/proc/self/mountinfo`` reveals for a mount.

The keeper's user does this while the author may be changing the files. So links inside are copied
as links, files are copied or mounted relative to an already opened folder, and files that other
users may not read are not copied. The bot's path is walked part by part: if the author has put a
link there meanwhile, the keeper's user could follow it to more than the author may read.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Sequence

SHOW = "{show}"
"""Placeholder among bubblewrap's options, followed by a file or folder of the bot, its path inside,
and the option that mounts it (`BY_DESCRIPTOR` or `BY_NAME`)."""
BY_DESCRIPTOR = "--ro-bind-fd"
BY_NAME = "--ro-bind"
"""For a bubblewrap without `BY_DESCRIPTOR`. An author may replace the file at the moment when it is
mounted."""
MOST_FILES = 64
MOST_BYTES = 4 << 20
"""Maximum size of a bot that is copied. (Copying 4 MiB adds some 2 ms to a start.)"""
SPARE = 40
"""Descriptors left for bubblewrap, which gets one for each file."""
MOST_LINKS = 40
_PATH = os.O_PATH | os.O_NOFOLLOW if sys.platform == "linux" else os.O_RDONLY
_NOBODY = 65534
"""Owner, in a container, of files of users outside it (such as root of the machine)."""


class ForeignLink(Exception):
    """The path of a bot has a link with which another user could gain access to more files."""


class _Unfit(Exception):
    """The files cannot be copied: too large, too many, unreadable or not plain files."""


def expanded(options: Sequence[str], most: int, opened: list[int]) -> list[str]:
    """The options with each `SHOW` replaced by options for the bot's files.

    All descriptors are added to `opened`; those that the options refer to stay open across an exec.
    `most` is the maximum number of descriptors of bubblewrap."""
    words: list[str] = []
    copier, rest = _Copier(most, opened), iter(options)
    for word in rest:
        words += copier.show(next(rest), next(rest), next(rest)) if word == SHOW else [word]
    return words


class _Copier:
    def __init__(self, most: int, opened: list[int]) -> None:
        self._opened = opened
        self._files = min(MOST_FILES, most - SPARE)
        self._bytes = MOST_BYTES

    def show(self, path: str, place: str, mount: str) -> list[str]:
        """The options that copy a path into the sandbox, or mount it if it cannot be copied."""
        top = open_path(path)
        self._opened.append(top)
        own, before = f"/proc/self/fd/{top}", len(self._opened)
        try:
            return self._copy(os.open(own, os.O_RDONLY | os.O_NONBLOCK), place)
        except (_Unfit, OSError):
            while len(self._opened) > before:
                os.close(self._opened.pop())
        if mount == BY_DESCRIPTOR:
            os.set_inheritable(top, True)
            return [mount, str(top), place]
        return [mount, os.readlink(own), place]

    def _copy(self, descriptor: int, place: str) -> list[str]:
        self._opened.append(descriptor)
        self._files -= 1
        status = os.fstat(descriptor)
        if self._files < 0 or not status.st_mode & stat.S_IROTH:
            raise _Unfit
        if stat.S_ISDIR(status.st_mode):
            words = ["--perms", "0555", "--dir", place]
            for name in sorted(os.listdir(descriptor)):
                words += self._copy_entry(descriptor, name, f"{place}/{name}")
            return words
        self._bytes -= status.st_size
        if self._bytes < 0 or not stat.S_ISREG(status.st_mode):
            raise _Unfit
        os.set_inheritable(descriptor, True)
        perms = "0555" if status.st_mode & 0o111 else "0444"
        return ["--perms", perms, "--file", str(descriptor), place]

    def _copy_entry(self, folder: int, name: str, place: str) -> list[str]:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            return ["--symlink", os.readlink(name, dir_fd=folder), place]
        flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
        return self._copy(os.open(name, flags, dir_fd=folder), place)


def open_path(path: str) -> int:
    """Open a path and return the descriptor. Raises OSError, and ForeignLink for another user's
    link to a file which that user does not own."""
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
                f"another user has put a link on the path {path}, to something that is not theirs: "
                "name its target instead"
            )
    except BaseException:
        os.close(here)
        raise
    return here
