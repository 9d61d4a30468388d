"""Private folders of bots: their names and removal, including those that dead arenas left.

A folder is named ``arena-OWNER-NAMESPACE-…``: the process that made it (`owner`), and the pid
namespace in which its pid is valid, since containers may share a folder for temporary files. A
sweep removes only folders with exactly this form that are no links, have our user id and namespace,
and whose owner is certainly gone.

The keeper imports this module, so it stays light.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from itertools import count

# Owners of leftovers.
#
# Folders and control groups outlive an arena that is killed with SIGKILL. Each is named after its
# *owner*, ``PID-STARTTIME``: a pid is reused after a while, but not with the same start time (in
# clock ticks since boot). So the name shows whether the owner is alive; leftovers of dead owners
# can be swept.
#
# Pids are valid only within one pid namespace: do not share a swept folder between containers.
# Where there is no /proc (macOS) the start time is 0, and the pid alone has to do.

OWNER = re.compile(r"[1-9][0-9]{0,9}-(?:0|[1-9][0-9]{0,19})")


def owner(pid: int = 0) -> str:
    """The owner name of a process (0: our own). Raises OSError when it does not exist."""
    pid = pid or os.getpid()
    if not _has_proc():
        return f"{pid}-0"
    return f"{pid}-{_stat(pid)[1]}"


def alive(owner: str) -> bool:
    """False only when `owner` names a process that is certainly gone (or a zombie). Other forms of
    names count as alive: they are not ours to sweep."""
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
    """State and start time: fields 3 and 22. Field 2, the name, may hold spaces and brackets."""
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
    """The name prefix of our folders, for `tempfile`."""
    return prefix_of(os.getpid())


@cache
def prefix_of(pid: int) -> str:
    """The prefix for our own pid, a parameter because a fork changes it."""
    return f"arena-{owner(pid)}-{_namespace()}-"


def sweep(place: str, alive: Callable[[str], bool]) -> list[str]:
    """Remove the folders in `place` whose owner is not `alive` (the function above). Returns those
    that could not be removed."""
    left = [path for path in _leftovers(place, alive) if _is_ours(path)]
    for path in left:
        remove(path)
    return [path for path in left if os.path.lexists(path)]


def remove(path: str) -> None:
    """Remove a folder with its content, as far as possible.

    Bots may nest folders thousands deep, beyond the limits of recursion and path length. So each
    folder is first moved up into the top one, which leaves at most two levels.
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
    """Yield names that no bot can guess."""
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
    """Remove the files in a folder, and make it and its subfolders accessible to us. Returns the
    names of the subfolders."""
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
    """The inode number of our pid namespace; 0 where there is none."""
    try:
        return str(os.stat("/proc/self/ns/pid").st_ino)
    except OSError:
        return "0"
