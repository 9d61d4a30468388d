"""Control groups: one bot, one group, whose memory and processes the kernel counts and limits.

Nothing that a bot forks can leave its group, so limits, counters, freezing and killing reach all
of it, daemons included. What there is differs from machine to machine:

* **v2** is one hierarchy. Memory and processes need *controllers*, which `hierarchies` hands down;
  killing, freezing, CPU time and pressure need none.
* **v1** is one hierarchy per controller, or a few together, and a process has a place in each.
  Nothing kills a v1 group at once: there we forbid it to fork, then signal every member.
* **Hybrid** machines have v1 hierarchies, and a v2 one without controllers. We take the best of
  each.

`Groups.open` makes a folder ``arena-OWNER`` below our own group in every hierarchy that it needs,
and sees by its files what that one can do; `Groups.found` tells. The groups of bots lie beside it::

    <our own group>/arena-4711-90210.seat-1

A write that fails, or does not read back, raises OSError: no limit is ever assumed.

Groups compete for the cores, not their members (``share``, left as the system has it): a bot with
sixteen threads gets no more than its rival with one. They lie side by side for that: below one
folder, all bots together would have one share of a machine with other work, and sixteen threads
would take half of it from the rival (a move took 2.4 times as long beside eight busy programs, and
1.2 times as it is now).

After an out-of-memory kill the rest of the group lives on (``memory.oom.group`` stays 0): v1 knows
nothing else, and the first process of a sandbox must survive to tell how the bot ended. The arena
ends the bot when it sees the counter rise.

The keeper imports this, so it stays light.
"""

from __future__ import annotations

import errno
import os
import time
from contextlib import suppress

from arena.sandbox.keeper.abilities import ABILITIES, FILES, V1_CONTROLLER
from arena.sandbox.keeper.cleanup import (
    KILL_WITHIN,
    kill_round,
    populated,
    remove_all,
    remove_folder,
    remove_owned,
)
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

PAGE = os.sysconf("SC_PAGE_SIZE")
ADVICE = "run under `systemd-run --user --scope -p Delegate=yes`, or as root"


class Groups:
    """The groups of one arena. Make it with `open`."""

    def __init__(self, owner: str, proc: str) -> None:
        self.found = dict.fromkeys(ABILITIES, "none")
        """For each ability ``v2``, ``v1`` or ``none``; ``kill`` may be ``procs``: one by one."""
        self.trouble: dict[str, str] = {}
        """Why hierarchies that are there could not be used, by their controllers (empty: v2)."""
        self.parents: list[tuple[Hierarchy, str]] = []
        self._files: list[tuple[str, int, str]] = []
        self._owner = owner
        self._proc = proc

    @classmethod
    def open(cls, owner: str, proc: str = "/proc") -> Groups:
        """Find what there is and make our folders. In a v2 hierarchy this may move every process of
        our own group into ``arena-home`` below it. Raises OSError, with one sentence that says
        what is missing, when memory or processes cannot be limited."""
        groups = cls(owner, proc)
        for hierarchy in hierarchies(proc):
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
        """Make our folder in a hierarchy and use what it can do."""
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
        """A new, empty group without limits. Raises OSError, also when there is one of that
        name."""
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
        """Remove our folders; true when they are gone. Bots still in them are not harmed."""
        gone = [remove_owned(parent) for _, parent in self.parents]
        return all(gone)


class Group:
    """The group of one bot: a folder in each hierarchy."""

    def __init__(
        self, folders: list[str], files: dict[str, str], expected: dict[str, str], proc: str
    ) -> None:
        self.files = files
        """What there is to read and to write, by the names in `abilities.FILES`."""
        self.limits: dict[str, int] = {}
        """The limits that were written, by the names of their files: what these must read."""
        self._folders = folders
        self._expected = expected
        self._proc = proc

    def limit(self, memory: int | None, processes: int | None) -> None:
        """Set limits, once: bytes (whole pages, no swap beyond them) and processes with threads.
        None leaves it unlimited. Raises OSError unless all is in force."""
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
        """Move a process here, with its threads (0: the caller). Its children of earlier stay
        where they are. Raises OSError unless it is in."""
        for folder in self._folders:
            write(f"{folder}/cgroup.procs", str(pid))
        now = places(f"{self._proc}/{pid or 'self'}/cgroup")
        for names, place in self._expected.items():
            if now.get(names) != place:
                raise OSError(errno.EIO, f"is in {now.get(names)} of {names or 'v2'}", place)

    def kill(self) -> None:
        """SIGKILL to all. Through ``cgroup.kill`` it returns at once, else when all are gone, or
        after `KILL_WITHIN`; `populated` tells whether they are. May be repeated."""
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

    def populated(self) -> bool:
        """Whether a process lives here. Zombies do not count."""
        return populated(self._folders[0])  # `join` starts with it: what is in one is in this

    def remove(self) -> bool:
        """Remove the empty group; true when it is gone from every hierarchy. May be repeated."""
        return remove_all(self._folders)


def _usable(path: str) -> bool:
    """Whether it is there, and not switched off as pressure can be."""
    if path.endswith("cgroup.kill"):
        return os.access(path, os.W_OK)
    try:
        read(path)
    except OSError:
        return False
    return True
