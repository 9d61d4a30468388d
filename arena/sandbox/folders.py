"""The private folders of bots, and the end of those that dead arenas left behind.

A folder is named ``arena-OWNER-NAMESPACE-…``: the process that made it (`owner`), and the pid
namespace in which that number means something, since containers may share a folder for temporary
files. Swept is only what has exactly this shape, is ours by user id and by namespace, no link, and
of an owner who is surely gone.

The keeper imports this, so it stays light.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable
from contextlib import suppress

from arena.sandbox.owner import owner

SHAPE = re.compile(r"arena-([0-9]+-[0-9]+)-([0-9]+)-[a-z0-9_]+")


def prefix() -> str:
    """How the names of our folders begin, for `tempfile`."""
    return f"arena-{owner()}-{_namespace()}-"


def sweep(place: str, alive: Callable[[str], bool]) -> list[str]:
    """Remove the folders in `place` whose owner is not `alive` (`owner.alive`). Returns those that
    would not go."""
    left = [path for path in _leftovers(place, alive) if _is_ours(path)]
    if left:
        from shutil import rmtree  # rarely needed, and 5 ms to import

        for path in left:
            rmtree(path, ignore_errors=True)
    return [path for path in left if os.path.lexists(path)]


def _leftovers(place: str, alive: Callable[[str], bool]) -> list[str]:
    here = _namespace()
    found = []
    with suppress(OSError):
        for name in os.listdir(place):
            match = SHAPE.fullmatch(name)
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
