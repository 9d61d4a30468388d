"""A draft of a built bot in the hands of a stranger's build, seen from outside.

The build may write in it whatever it likes: links to the caller's files, folders in folders
without end, files that nobody may read. So it is looked at without following a link, and becomes
an entry of the cache only after it was *sealed*: plain files and folders, owned by the caller,
which only the caller can write.
"""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path

from arena.errors import BotError

Files = Mapping[str, Path]
"""Files to copy: name in the copy → where it is."""

DEPTH = 100
"""Folders in folders."""


def refuse_links_out(what: str, files: Files) -> None:
    """Raise BotError if one of the files is a link out of the folder of the bot: copied, it would
    show the bot a file of the caller."""
    for name, path in files.items():
        folder = os.path.realpath(str(path).removesuffix(name))
        if not os.path.realpath(path).startswith(f"{folder}/"):
            raise BotError(f"cannot {what}: {name} is a link out of its folder: copy the file in")


def hand_over(draft: Path) -> None:
    """Let a build that runs as another user write in it. (The folder around it lets nobody in.)"""
    for path, status in entries(draft):
        path.chmod(0o777 if stat.S_ISDIR(status.st_mode) or status.st_mode & 0o111 else 0o666)


def entries(folder: Path) -> Iterator[tuple[Path, os.stat_result]]:
    """The folder and all that lies in it, no link followed, each folder before what is in it.

    Raises ValueError, with what to say of it, for folders too deep or shut."""
    yield folder, folder.lstat()
    ahead = [(str(folder), 0)]
    while ahead:
        place, depth = ahead.pop()
        if depth > DEPTH:
            raise ValueError(f"folders nested deeper than {DEPTH}")
        for entry in _listed(place):
            try:
                status = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue  # the build goes on meanwhile
            yield Path(entry.path), status
            if stat.S_ISDIR(status.st_mode):
                ahead.append((entry.path, depth + 1))


def _listed(place: str) -> list[os.DirEntry[str]]:
    try:
        return list(os.scandir(place))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise ValueError(f"a folder that cannot be read ({error.strerror})") from None


def seal(draft: Path) -> None:
    """Take it back from a build of which nothing runs any more.

    Raises ValueError, with what to say of it, for what is neither file nor folder nor a link to
    one of them or to the system."""
    for path, status in entries(draft):
        if stat.S_ISLNK(status.st_mode):
            _check_link(path, draft)
        elif stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode):
            os.chown(path, os.geteuid(), os.getegid())
            path.chmod(status.st_mode & 0o755 | (0o755 if path.is_dir() else 0o644))
        else:
            raise ValueError(f"{path.name}, which is no file")


def _check_link(path: Path, draft: Path) -> None:
    # /etc is not the system here: what a sandbox shows of it is little.
    target = os.path.realpath(path)
    allowed = (os.path.realpath(draft), "/usr", "/bin", "/lib", "/lib64")
    if not any(target.startswith(f"{place}/") for place in allowed):
        raise ValueError(f"{path.name}, a link that leads out of its folder")


def discard(draft: Path) -> None:
    """Remove what is in it, however deep and shut it is."""
    for command in (["chmod", "-R", "u+rwX"], ["rm", "-rf"]):
        subprocess.run(
            [*command, "--", draft],
            check=False,
            stderr=subprocess.DEVNULL,
            stdin=subprocess.DEVNULL,
        )
