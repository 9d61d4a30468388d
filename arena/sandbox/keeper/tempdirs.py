"""The private folders of bots, and the end of those that dead arenas left behind.

A folder is named ``arena-OWNER-NAMESPACE-…``: the process that made it (`owner`), and the pid
namespace in which that number means something, since containers may share a folder for temporary
files. Only what has exactly this shape is swept, when it is ours by user id and by namespace, no
link, and its owner is surely gone.

The keeper imports this, so it stays light.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import count

# To which process a leftover belongs.
#
# Folders and control groups outlive an arena that is killed with -9. Each carries the name of its
# *owner*, ``PID-STARTTIME``: a process id comes back after a while, but not with the same time of
# start (in clock ticks since the system started). So a name tells whether its owner still lives;
# what belongs to a dead one can be swept.
#
# Process ids mean something within one pid namespace only: do not share a swept folder between
# containers. Where there is no /proc (macOS) the time is 0, and the process id has to do.

OWNER = re.compile(r"[1-9][0-9]{0,9}-(?:0|[1-9][0-9]{0,19})")


def owner(pid: int = 0) -> str:
    """The name of a process (0: our own) as an owner. Raises OSError when there is none."""
    pid = pid or os.getpid()
    if not _has_proc():
        return f"{pid}-0"
    return f"{pid}-{_stat(pid)[1]}"


def alive(owner: str) -> bool:
    """False only when `owner` names a process that is surely gone (or a zombie). What does not
    have the exact shape counts as alive: it is not ours to sweep."""
    if not OWNER.fullmatch(owner):
        return True
    pid, start = owner.split("-")
    if not _has_proc():
        return _answers(int(pid))
    try:
        state, started = _stat(int(pid))
    except (FileNotFoundError, ProcessLookupError):
        return False
    except OSError:
        return True
    return started == start and state not in "ZXx"


def _has_proc() -> bool:
    return os.path.exists("/proc/self/stat")


def _stat(pid: int) -> tuple[str, str]:
    """State and start time: fields 3 and 22. The second, the name, may hold spaces and brackets."""
    with open(f"/proc/{pid}/stat", "rb") as file:
        fields = file.read().rpartition(b")")[2].split()
    return fields[0].decode(), fields[19].decode()


def _answers(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OverflowError:
        return False
    except OSError:
        return True
    return True


_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
TEMPDIR_NAME = re.compile(r"arena-([0-9]+-[0-9]+)-([0-9]+)-[a-z0-9_]+")


def prefix() -> str:
    """How the names of our folders begin, for `tempfile`."""
    return prefix_of(os.getpid())


@cache
def prefix_of(pid: int) -> str:
    """The same for our own process id, which a fork changes."""
    return f"arena-{owner(pid)}-{_namespace()}-"


def sweep(place: str, alive: Callable[[str], bool]) -> list[str]:
    """Remove the folders in `place` whose owner is not `alive` (`owner.alive`). Returns those that
    would not go."""
    left = [path for path in _leftovers(place, alive) if _is_ours(path)]
    for path in left:
        remove(path)
    return [path for path in left if os.path.lexists(path)]


def remove(path: str) -> None:
    """Remove a folder with all that is in it, as far as possible.

    Bots make folders thousands deep, beyond what recursion and the length of a path allow. So each
    folder is moved up into the first one, and there are never more than two levels.
    """
    with suppress(OSError):
        os.rmdir(path)  # most are empty
        return
    with suppress(OSError):
        top = os.open(path, _FOLDER)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(path)


def _empty(top: int) -> None:
    folders, new_names = _remove_files(top), _new_names()
    while folders:
        name = folders.pop()
        with suppress(OSError):
            below = os.open(name, _FOLDER, dir_fd=top)
            try:
                folders += _move_up(below, top, new_names)
            finally:
                os.close(below)
            os.rmdir(name, dir_fd=top)


def _new_names() -> Iterator[str]:
    """Names that no bot has guessed."""
    unique = os.urandom(8).hex()
    return (f"{unique}-{number}" for number in count())


def _move_up(folder: int, top: int, new_names: Iterator[str]) -> list[str]:
    """Move the folders in a folder to the top, and remove its files. Returns the new names."""
    moved: list[str] = []
    for name, new in zip(_remove_files(folder), new_names, strict=False):
        with suppress(OSError):
            os.rename(name, new, src_dir_fd=folder, dst_dir_fd=top)
            moved.append(new)
    return moved


def _remove_files(folder: int) -> list[str]:
    """Open a folder and those in it to us, and remove all else in it. Returns their names."""
    folders: list[str] = []
    os.fchmod(folder, 0o700)
    with os.scandir(folder) as entries:
        listed = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
    for name, is_folder in listed:
        with suppress(OSError):
            if is_folder:
                os.chmod(name, 0o700, dir_fd=folder)
                folders.append(name)
            else:
                os.unlink(name, dir_fd=folder)
    return folders


def _leftovers(place: str, alive: Callable[[str], bool]) -> list[str]:
    here = _namespace()
    found = []
    with suppress(OSError):
        for name in os.listdir(place):
            match = TEMPDIR_NAME.fullmatch(name)
            if match and match[2] == here and not alive(match[1]):
                found.append(os.path.join(place, name))
    return found


def _is_ours(path: str) -> bool:
    try:
        status = os.lstat(path)
    except OSError:
        return False
    return stat.S_ISDIR(status.st_mode) and status.st_uid == os.geteuid()


def _namespace() -> str:
    """The number of our pid namespace; 0 where there is none."""
    try:
        return str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        return "0"
