"""Control groups: one group per bot, whose memory and processes the kernel counts and limits.

No process that a bot forks can leave its group, so limits, counters, freezing and killing cover all
of them, daemons included. Machines differ:

* **v2** is one hierarchy. Memory and processes need *controllers*, which `hierarchies` enables;
  killing, freezing, CPU time and pressure need none.
* **v1** has one hierarchy per controller, or per few controllers, and a process has a place in
  each. Nothing kills a v1 group at once: we forbid it to fork, then signal every member.
* **Hybrid** machines have v1 hierarchies, and a v2 one without controllers. We take the best of
  each.

`Groups.open` makes a folder ``arena-OWNER`` below our own group in every hierarchy that it needs,
and infers from its files what the hierarchy can do (`Groups.found`). The groups of bots are made
beside that folder::

    <our own group>/arena-4711-90210.seat-1

A write that fails, or does not read back, raises OSError: no limit is ever assumed.

Groups compete for the cores, not their members (``share``, left at the system's default): a bot
with sixteen threads gets no more than its rival with one. So the groups have no common folder: in
one, all bots together would have one share of a busy machine, and sixteen threads would take half
of it from the rival (with eight busy programs, a move took 2.4 times as long that way, and 1.2
times as long this way).

After an out-of-memory kill the rest of the group lives on (``memory.oom.group`` stays 0): v1 has no
other mode, and the first process of a sandbox must survive to report how the bot ended. The arena
ends the bot when it sees the counter rise.

The keeper imports this module, so it stays light.
"""

from __future__ import annotations

import errno
import os
import signal
import time
from collections.abc import Callable
from contextlib import suppress

from arena.sandbox.keeper.hierarchies import (
    PREFIX,
    SEAT,
    Hierarchy,
    hierarchies,
    make_parent,
    places,
    read,
    write,
)
from arena.sandbox.keeper.scopes import enter_scope

# Abilities of control groups and their files, in both versions.

V1_CONTROLLER = {
    "memory": "memory",
    "pids": "pids",
    "freeze": "freezer",
    "cpu": "cpuacct",
    "share": "cpu",
}
"""The v1 controller of each ability that v2 may lack."""

FILES = {
    ("memory", "v2"): {
        "memory": "memory.current",
        "memory_peak": "memory.peak",
        "memory_events": "memory.events",
        "memory_limit": "memory.max",
        "swap_limit": "memory.swap.max",
    },
    ("memory", "v1"): {
        "memory": "memory.usage_in_bytes",
        "memory_peak": "memory.max_usage_in_bytes",
        "memory_events": "memory.oom_control",
        "both_peak": "memory.memsw.max_usage_in_bytes",
        "memory_limit": "memory.limit_in_bytes",
        "swap_limit": "memory.memsw.limit_in_bytes",
    },
    ("pids", "v2"): {
        "tasks": "pids.current",
        "pids_events": "pids.events",
        "pids_limit": "pids.max",
    },
    ("kill", "v2"): {"kill": "cgroup.kill"},
    ("freeze", "v2"): {"freeze": "cgroup.freeze", "frozen": "cgroup.events"},
    ("freeze", "v1"): {"freeze": "freezer.state", "frozen": "freezer.state"},
    ("cpu", "v2"): {"cpu": "cpu.stat"},
    ("cpu", "v1"): {"cpu": "cpuacct.usage"},
    ("pressure", "v2"): {
        "pressure": "cpu.pressure",
        "io_pressure": "io.pressure",
        "memory_pressure": "memory.pressure",
    },
    ("share", "v2"): {"share": "cpu.weight"},
    ("share", "v1"): {"share": "cpu.shares"},
}
FILES["pids", "v1"] = FILES["pids", "v2"]
"""The files of each ability, under names that are the same in v1 and v2. A hierarchy has the
ability when it has the first file."""
ABILITIES = ("memory", "pids", "kill", "freeze", "cpu", "pressure", "share")


# Killing group members one by one, removing groups, and sweeping those of dead arenas.
#
# A group's folder can be removed when no process lives in it; zombies do no harm. A process that
# was just killed may still be exiting, so removal is retried until it succeeds.

KILL_WITHIN = 1.0
"""Maximum seconds of killing one by one (v1) or of a sweep."""


def populated(folder: str) -> bool:
    """Whether a process lives directly in a group. Zombies do not count."""
    try:
        return bool(read(f"{folder}/cgroup.procs"))
    except OSError as error:
        if error.errno in (errno.ENOENT, errno.ENODEV):
            return False
        raise


def kill_round(folders: list[str]) -> None:
    """SIGKILL to each process in and below some groups. Forbids forking in all of them first; thaws
    them at the end (v1), since a frozen process does not die there."""
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
    """Remove a group and its subgroups; true when it is gone, false while a process lives."""
    try:
        os.rmdir(folder)
    except FileNotFoundError:
        return True
    except OSError:
        below = _below(folder)
        return bool(below) and remove_all(below) and remove_folder(folder)
    return True


def remove_all(folders: list[str]) -> bool:
    """Remove several groups; true when all are gone."""
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
    ``arena-OWNER.NAME`` whose owner is not `alive` (`tempdirs.alive`). Returns those that were not
    gone within `KILL_WITHIN`."""
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


PAGE = os.sysconf("SC_PAGE_SIZE")
ADVICE = (
    "run as root, in a unit with `Delegate=yes`, or where a manager of your own runs (log in, or "
    "`loginctl enable-linger`)"
)


class Groups:
    """The control groups of one arena. Created by `open`."""

    def __init__(self, owner: str, proc: str) -> None:
        self.found = dict.fromkeys(ABILITIES, "none")
        """``v2``, ``v1`` or ``none`` for each ability; ``kill`` may be ``procs``: one by one."""
        self.trouble: dict[str, str] = {}
        """Why existing hierarchies could not be used, by their controllers (empty: v2)."""
        self.parents: list[tuple[Hierarchy, str]] = []
        self._files: list[tuple[str, int, str]] = []
        self._owner = owner
        self._proc = proc

    @classmethod
    def open(cls, owner: str, proc: str = "/proc") -> Groups:
        """Find the hierarchies and make our folders. In a v2 hierarchy this may move this process
        to a scope of its own (`scopes`), or every process of our own group into ``arena-home``
        below it. Raises OSError, saying in one sentence what is missing, when memory or processes
        cannot be limited."""
        groups = cls(owner, proc)
        for hierarchy in _own_hierarchies(owner, proc):
            if groups._wants(hierarchy):
                groups._take(hierarchy)
        for need in ("memory", "pids"):
            if groups.found[need] == "none":
                groups.close()
                raise OSError(f"no writable {need} controller{groups._why_not(need)}: {ADVICE}")
        if groups.found["kill"] == "none":
            groups.found["kill"] = "procs"
        return groups

    def _why_not(self, need: str) -> str:
        for controllers, text in sorted(self.trouble.items(), reverse=True):
            if not controllers or need in controllers.split(","):
                return f" ({text})"
        return ""

    def _wants(self, hierarchy: Hierarchy) -> bool:
        useful = {V1_CONTROLLER.get(a, "-") for a, kind in self.found.items() if kind == "none"}
        return hierarchy.version == "v2" or bool(useful & set(hierarchy.controllers.split(",")))

    def _take(self, hierarchy: Hierarchy) -> None:
        """Make our folder in a hierarchy and use the abilities that it has."""
        try:
            parent = make_parent(hierarchy, self._owner)
        except OSError as error:
            self.trouble[hierarchy.controllers] = (
                f"{error.strerror}: {error.filename or hierarchy.folder}"
            )
            remove_folder(f"{hierarchy.folder}/{PREFIX}{self._owner}")
            return
        self.parents.append((hierarchy, parent))
        for ability, kind in self.found.items():
            names = FILES.get((ability, hierarchy.version), {})
            if kind == "none" and names and _usable(f"{parent}/{next(iter(names.values()))}"):
                self.found[ability] = hierarchy.version
                self._add_files(names, parent)

    def _add_files(self, names: dict[str, str], parent: str) -> None:
        place = len(self.parents) - 1
        for name, file in names.items():
            if os.path.exists(f"{parent}/{file}"):
                self._files.append((name, place, file))

    def make(self, name: str) -> Group:
        """Make an empty group without limits. Raises OSError, including when the name is taken."""
        folders = [f"{parent}{SEAT}{name}" for _, parent in self.parents]
        made: list[str] = []
        try:
            for folder in folders:
                os.mkdir(folder)
                made.append(folder)
        except OSError:
            remove_all(made)
            raise
        files = {name: f"{folders[place]}/{file}" for name, place, file in self._files}
        below = f"{PREFIX}{self._owner}{SEAT}{name}"
        expected = {
            hierarchy.controllers: f"{hierarchy.path}/{below}" for hierarchy, _ in self.parents
        }
        return Group(folders, files, expected, self._proc)

    def close(self) -> bool:
        """Remove our folders; true when they are gone. Bots still in them are not affected."""
        gone = [remove_owned(parent) for _, parent in self.parents]
        return all(gone)


def _own_hierarchies(owner: str, proc: str) -> list[Hierarchy]:
    """The hierarchies, as they are once we are in a group that is ours. Raises OSError."""
    found = hierarchies(proc)
    try:
        v2 = next((one for one in found if one.version == "v2"), None)
        return hierarchies(proc) if enter_scope(owner, v2, proc) else found
    except OSError as error:
        raise OSError(f"systemd gives us no control groups ({error}): {ADVICE}") from error


class Group:
    """The group of one bot: a folder in each hierarchy."""

    def __init__(
        self, folders: list[str], files: dict[str, str], expected: dict[str, str], proc: str
    ) -> None:
        self.files = files
        """Paths of the existing files, by the names in `FILES`."""
        self.limits: dict[str, int] = {}
        """The limits that were set, by the names of their files, which must contain them."""
        self._folders = folders
        self._expected = expected
        self._proc = proc

    def limit(self, memory: int | None, processes: int | None) -> None:
        """Set the limits, once: bytes (whole pages, no extra swap), and processes and threads. None
        means unlimited. Raises OSError unless all are in force."""
        if memory is not None:
            memory -= memory % PAGE
            self._set("memory_limit", memory)
            both = self.files["memory_limit"].endswith("limit_in_bytes")  # v1: memory and swap
            if "swap_limit" in self.files:
                self._set("swap_limit", memory if both else 0)
        if processes is not None:
            self._set("pids_limit", processes)

    def _set(self, name: str, value: int) -> None:
        path = self.files[name]
        write(path, str(value))
        got = read(path).strip()
        if got != str(value):
            raise OSError(errno.EIO, f"wrote {value}, reads {got}", path)
        self.limits[name] = value

    def join(self, pid: int = 0) -> None:
        """Move a process with its threads into the group (0: the caller). Existing children stay
        where they are. Raises OSError unless the process is in the group then."""
        for folder in self._folders:
            write(f"{folder}/cgroup.procs", str(pid))
        now = places(f"{self._proc}/{pid or 'self'}/cgroup")
        for names, place in self._expected.items():
            if now.get(names) != place:
                raise OSError(errno.EIO, f"is in {now.get(names)} of {names or 'v2'}", place)

    def kill(self) -> None:
        """SIGKILL to all processes of the group. With ``cgroup.kill`` this returns at once, else
        when all are gone or after `KILL_WITHIN`; check `populated`. Idempotent."""
        if "kill" in self.files:
            with suppress(FileNotFoundError):
                write(self.files["kill"], "1")
        else:
            self._kill_one_by_one()

    def _kill_one_by_one(self) -> None:
        deadline = time.monotonic() + KILL_WITHIN
        while self.populated() and time.monotonic() < deadline:
            kill_round(self._folders)
            time.sleep(0.0005)

    def cpu_ns(self) -> int | None:
        """Nanoseconds of CPU time that the group has used; None where that is not counted."""
        with suppress(OSError, KeyError, ValueError, IndexError):
            fields = read(self.files["cpu"]).split()
            return int(fields[0]) if len(fields) == 1 else 1000 * int(fields[1])
        return None

    def populated(self) -> bool:
        """Whether a process lives in the group. Zombies do not count."""
        return populated(self._folders[0])  # `join` starts here: it has every member

    def remove(self) -> bool:
        """Remove the empty group; true when it is gone from every hierarchy. Idempotent."""
        return remove_all(self._folders)


def _usable(path: str) -> bool:
    """Whether a file exists and is not disabled, as pressure can be."""
    if path.endswith("cgroup.kill"):
        return os.access(path, os.W_OK)
    try:
        read(path)
    except OSError:
        return False
    return True
