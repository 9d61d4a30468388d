"""The end of control groups: killing one by one, removing, and sweeping what dead arenas have left.

The folder of a group can be removed when no process lives in it; zombies do no harm. A process that
was killed a moment ago may still be on its way out, so that removing is tried until it succeeds.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from arena.sandbox.keeper.hierarchies import PREFIX, SEAT, hierarchies, read, write

KILL_WITHIN = 1.0
"""Seconds that killing one by one (v1) or a sweep may take."""


def populated(folder: str) -> bool:
    """Whether a process lives in a group itself. Zombies do not count."""
    try:
        return bool(read(f"{folder}/cgroup.procs"))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENODEV):
            return False
        raise


def kill_round(folders: list[str]) -> None:
    """SIGKILL to each process in some groups and below them. Forking is forbidden in all of them
    first; at the end they are thawed (v1), since a frozen process does not die there."""
    groups = [group for folder in folders for group, _, _ in os.walk(folder)]
    for group in groups:
        with suppress(OSError):
            write(f"{group}/pids.max", "0")
    for group in groups:
        with suppress(OSError):
            _kill_members(group)
    for group in groups:
        with suppress(OSError):
            write(f"{group}/freezer.state", "THAWED")


def _kill_members(group: str) -> None:
    for pid in read(f"{group}/cgroup.procs").split():
        if int(pid) > 0:  # 0 stands for a process outside our pid namespace
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)


def remove_folder(folder: str) -> bool:
    """Remove a group and what is below it; true when it is gone, false while a process lives."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        below = _below(folder)
        return bool(below) and remove_all(below) and remove_folder(folder)
    return True


def remove_all(folders: list[str]) -> bool:
    """Remove each; true when all are gone."""
    gone = [remove_folder(folder) for folder in folders]
    return all(gone)


def remove_owned(parent: str) -> bool:
    """Remove the folder of an arena and the groups of its bots beside it; true when all are
    gone."""
    seats = [
        place for place in _below(os.path.dirname(parent)) if place.startswith(f"{parent}{SEAT}")
    ]
    return remove_all([*seats, parent])


def _below(folder: str) -> list[str]:
    try:
        return [entry.path for entry in os.scandir(folder) if entry.is_dir()]
    except OSError:
        return []


def sweep(alive: Callable[[str], bool], proc: str = "/proc") -> list[str]:
    """Kill and remove what dead arenas left below our own group: the folders ``arena-OWNER`` and
    ``arena-OWNER.NAME`` whose owner is not `alive` (`owner.alive`). Returns those that would not go
    within `KILL_WITHIN`."""
    left = [folder for one in hierarchies(proc) for folder in _leftovers(one.folder, alive)]
    deadline = time.monotonic() + KILL_WITHIN
    while True:
        kill_round(left)
        left = [folder for folder in left if not remove_folder(folder)]
        if not left or time.monotonic() > deadline:
            return left
        time.sleep(0.002)


def _leftovers(folder: str, alive: Callable[[str], bool]) -> list[str]:
    try:
        names = [name for name in os.listdir(folder) if name.startswith(PREFIX)]
    except OSError:
        return []
    return [f"{folder}/{name}" for name in names if not alive(_owner(name))]


def _owner(name: str) -> str:
    return name.removeprefix(PREFIX).partition(SEAT)[0]
