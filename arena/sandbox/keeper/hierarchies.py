"""Find the mounted control group hierarchies and our own group in each.

In a v2 hierarchy, a group may enable *controllers* for its children only while it holds no process
itself. So all processes of our own group, including this one, first move into a leaf below it,
``arena-home``. Where an arena already runs in such a leaf, its groups are made beside it.

No path is assumed: /proc/self/mountinfo lists the mounts, /proc/self/cgroup our groups.
"""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress

PREFIX = "arena-"
SEAT = "."
"""Separator between the name of an arena's folder and the name of a bot's group."""
HOME = "arena-home"
MAX_WEIGHT = "10000"
"""The highest weight of a v2 group, given to ``arena-home``: the arena waits for no bot."""
MOVES = 5
"""Number of attempts to empty our own group while its processes fork."""


class Hierarchy:
    """One mounted hierarchy: its `controllers` as /proc names them (empty: v2), and the parent of
    our groups, as a path in the hierarchy and as a folder."""

    def __init__(self, controllers: str, path: str, folder: str) -> None:
        self.controllers = controllers
        self.version = "v1" if controllers else "v2"
        self.path = path.rstrip("/")
        self.folder = folder
        if self.path.endswith(f"/{HOME}") and folder.endswith(f"/{HOME}"):  # moved there before
            self.path, self.folder = self.path[: -len(HOME) - 1], folder[: -len(HOME) - 1]


def hierarchies(proc: str = "/proc") -> list[Hierarchy]:
    """The hierarchies in which our own group is accessible, v2 first."""
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
    """Parse a /proc/PID/cgroup file: controllers of a hierarchy to the group in it."""
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
    """Decode the octal escapes of mountinfo, which writes a space as ``\\040``."""
    return re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), field)


def _folder(path: str, root: str, mount: str) -> str | None:
    """The folder of the group `path`, when `root` of its hierarchy is mounted at `mount`."""
    root = root.rstrip("/")
    if ".." in path.split("/") or (path + "/")[: len(root) + 1] != root + "/":
        return None
    return (mount.rstrip("/") + path[len(root) :]).rstrip("/")


def read(path: str) -> str:
    """Read a small file. (A file object would cost twice as much.)"""
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        content = b"".join(iter(lambda: os.read(descriptor, 1 << 16), b""))
        return content.decode("utf-8", "surrogateescape")
    finally:
        os.close(descriptor)


def write(path: str, text: str) -> None:
    """Write to an existing file, with one call: a missing file is an error."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CLOEXEC)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def make_parent(hierarchy: Hierarchy, owner: str) -> str:
    """Make the folder ``arena-OWNER`` in a hierarchy, with the available controllers enabled.
    Returns its path."""
    parent = f"{hierarchy.folder}/{PREFIX}{owner}"
    if hierarchy.version == "v1":
        _make(parent)
        return parent
    offered = read(f"{hierarchy.folder}/cgroup.controllers").split()
    wanted = [name for name in ("memory", "pids", "cpu") if name in offered]
    _hand_down(hierarchy.folder, wanted)
    _make(parent)
    with suppress(OSError):  # there may be no such group, or no cpu controller
        write(f"{hierarchy.folder}/{HOME}/cpu.weight", MAX_WEIGHT)
    return parent


def _hand_down(folder: str, wanted: Sequence[str]) -> None:
    """Enable controllers for the children of a v2 group, first moving its processes if needed."""
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
    """Move all processes of a group into its leaf, except those forked meanwhile (the next attempt
    finds them)."""
    _make(f"{folder}/{HOME}")
    for pid in read(f"{folder}/cgroup.procs").split():
        with suppress(ProcessLookupError):
            write(f"{folder}/{HOME}/cgroup.procs", pid)


def _make(folder: str) -> None:
    with suppress(FileExistsError):
        os.mkdir(folder)
