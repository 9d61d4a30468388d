"""Where control groups can be made: the mounted hierarchies of them, and our own place in each.

A v2 hierarchy has one rule of its own: a group may give *controllers* to its children only while it
holds no process itself. So all that runs in our own group, we included, first moves into a leaf
below it, ``arena-home``. Where an arena already runs in such a leaf, its groups go beside it.

No path is assumed: /proc/self/mountinfo names the mounts, /proc/self/cgroup our groups.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

PREFIX = "arena-"
SEAT = "."
"""Stands between the folder of an arena and the name of a bot's group."""
HOME = "arena-home"
MOST = "10000"
"""The highest weight of a v2 group: the arena, whose group this is, waits for no bot."""
MOVES = 5
"""How often we try to empty our own group while its processes fork."""


class Hierarchy:
    """One mounted hierarchy: its `controllers` as /proc names them (empty: v2), and the group
    below which ours go, as a path in the hierarchy and as a folder."""

    def __init__(self, controllers: str, path: str, folder: str) -> None:
        self.controllers = controllers
        self.version = "v1" if controllers else "v2"
        self.path = path.rstrip("/")
        self.folder = folder
        if self.path.endswith(f"/{HOME}") and folder.endswith(f"/{HOME}"):  # moved there before
            self.path, self.folder = self.path[: -len(HOME) - 1], folder[: -len(HOME) - 1]


def hierarchies(proc: str = "/proc") -> list[Hierarchy]:
    """The hierarchies in which our own group can be reached, v2 first."""
    own = places(f"{proc}/self/cgroup")
    found: dict[str, Hierarchy] = {}
    for kind, root, mount, options in _mounts(f"{proc}/self/mountinfo"):
        for names, path in own.items():
            ours = kind == ("cgroup" if names else "cgroup2")
            folder = _folder(path, root, mount)
            if ours and folder is not None and set(names.split(",")) - {""} <= options:
                found.setdefault(names, Hierarchy(names, path, folder))
    return [found[names] for names in sorted(found)]


def places(path: str) -> dict[str, str]:
    """A /proc/PID/cgroup file: from the controllers of a hierarchy to the group in it."""
    lines = (line.split(":", 2) for line in read(path).splitlines())
    return {names: group for _, names, group in lines}


def _mounts(path: str) -> Iterator[tuple[str, str, str, set[str]]]:
    """Kind, root, mount point and options of every mounted hierarchy."""
    for line in read(path).splitlines():
        mount, _, system = line.partition(" - ")
        kind, _, options = system.split(" ", 2)
        if kind in ("cgroup", "cgroup2"):
            root, point = (_plain(field) for field in mount.split(" ")[3:5])
            yield kind, root, point, set(options.split(","))


def _plain(field: str) -> str:
    """mountinfo writes a space as ``\\040``."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), field)


def _folder(path: str, root: str, mount: str) -> str | None:
    """Where the group `path` is seen, when `root` of its hierarchy is mounted at `mount`."""
    root = root.rstrip("/")
    if ".." in path.split("/") or (path + "/")[: len(root) + 1] != root + "/":
        return None
    return (mount.rstrip("/") + path[len(root) :]).rstrip("/")


def read(path: str) -> str:
    """All of a small file. (A file object would cost twice as much.)"""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        content = b"".join(iter(lambda: os.read(descriptor, 1 << 16), b""))
        return content.decode("utf-8", "surrogateescape")
    finally:
        os.close(descriptor)


def write(path: str, text: str) -> None:
    """One write, into what is there: a missing file is an error, not a new file."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def make_parent(hierarchy: Hierarchy, owner: str) -> str:
    """Make the folder ``arena-OWNER`` in a hierarchy, its controllers handed down as far as there
    are any. Returns its path."""
    parent = f"{hierarchy.folder}/{PREFIX}{owner}"
    if hierarchy.version == "v1":
        _make(parent)
        return parent
    offered = read(f"{hierarchy.folder}/cgroup.controllers").split()
    wanted = [name for name in ("memory", "pids", "cpu") if name in offered]
    _hand_down(hierarchy.folder, wanted)
    _make(parent)
    with suppress(OSError):  # we may have no such group, or no controller of the cores
        write(f"{hierarchy.folder}/{HOME}/cpu.weight", MOST)
    return parent


def _hand_down(folder: str, wanted: Sequence[str]) -> None:
    """Give the children of a v2 group its controllers, moving its processes if they are in the
    way."""
    control = f"{folder}/cgroup.subtree_control"
    missing = [f"+{name}" for name in wanted if name not in read(control).split()]
    tries = MOVES
    while missing:
        try:
            write(control, " ".join(missing))
        except OSError as error:
            tries -= 1
            if error.errno != errno.EBUSY or not tries:
                raise
            _move_home(folder)
        else:
            break


def _move_home(folder: str) -> None:
    """Move all processes of a group into its leaf. Those that are forked meanwhile are found the
    next time."""
    _make(f"{folder}/{HOME}")
    for pid in read(f"{folder}/cgroup.procs").split():
        with suppress(ProcessLookupError):
            write(f"{folder}/{HOME}/cgroup.procs", pid)


def _make(folder: str) -> None:
    with suppress(FileExistsError):
        os.mkdir(folder)
