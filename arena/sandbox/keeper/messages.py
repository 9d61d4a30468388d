"""The messages and requests between the arena and its keeper, each one line of JSON.

Both processes import this module; like all of the keeper, it needs only the standard library.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias


class KeeperReady(NamedTuple):
    """The keeper is ready."""

    no_groups_because: str | None
    """Why programs get no control groups; None when they do."""


class GroupFiles(NamedTuple):
    """What a meter needs to know of a control group."""

    files: Mapping[str, str]
    """Paths of the group's files, by the names in `cgroup.FILES`."""
    limits: Mapping[str, int]
    """The limits that were set, by the names of their files, which must contain them."""


class Spawned(NamedTuple):
    """A request has a process, which is becoming the program."""

    pid: int
    group: GroupFiles | None
    """The process's control group, when that enforces its limits."""


class Executed(NamedTuple):
    """The program of a spawned process runs or comes next: all its walls are up."""

    pid: int


class StartFailed(NamedTuple):
    """The program of a request was not started."""

    error: str
    ours: bool
    """False when the program itself could not be executed."""
    pid: int | None = None
    """The process that should have become the program; None when there was none."""


class Exit(NamedTuple):
    """How a program ended: with a code, or by a signal."""

    code: int | None
    signal: str | None
    cpu_ms: float
    """CPU time of the program and of all child processes that it reaped."""
    entered: bool = True
    """False when the sandbox failed before the program was executed."""


class Exited(NamedTuple):
    """A program has ended. Processes that it started may still run."""

    pid: int
    exit: Exit


class Killed(NamedTuple):
    """A request to kill was carried out."""

    pid: int
    clean: bool
    """False when some process of the tree was still there after two seconds, and did not use CPU
    time."""
    cpu_ns: int | None = None
    """CPU time of the control group, what the kernel took to end it included."""


Message: TypeAlias = KeeperReady | Spawned | Executed | StartFailed | Exited | Killed


def encode_message(message: Message) -> bytes:
    """A message as one line."""
    return json.dumps([type(message).__name__, *message]).encode() + b"\n"


def decode_message(line: bytes) -> Message:
    """The message that `encode_message` made a line of. Raises ValueError for any other line."""
    match json.loads(line):
        case ["KeeperReady", problem]:
            return KeeperReady(problem)
        case ["Spawned", pid, group]:
            return Spawned(pid, None if group is None else GroupFiles(*group))
        case ["Executed", pid]:
            return Executed(pid)
        case ["StartFailed", error, ours, pid]:
            return StartFailed(error, ours, pid)
        case ["Exited", pid, end]:
            return Exited(pid, Exit(*end))
        case ["Killed", pid, clean, cpu_ns]:
            return Killed(pid, clean, cpu_ns)
        case other:
            raise ValueError(f"not a message of the keeper: {other!r}")


# Requests of the arena to the keeper: start a program, or end one.
#
# A `SpawnRequest` is all that a start needs: `placement` makes it, `Children.prepare` encodes it,
# the keeper decodes it and starts a process, which becomes the program (`spawn`).
#
# **The gate.** A program is executed only after a line arrives on its *gate*, a pipe whose other
# end the arena holds. Until then it waits behind all its walls, so a start can be prepared early;
# opening the gate then takes little more than the exec of the program itself.
#
# **The lifeline.** Without walls there is nothing to prepare, and so no gate: the program is
# executed at once. Instead it has a *lifeline*, a pair of sockets. Both ends come with the request:
# one is for the keeper, the other one stays open in the arena, too (`spawn.tie`).

FILTER, ENTERED, STDIN, STDOUT, GATE, OPTIONS = 3, 4, 5, 6, 7, 8
"""Descriptor numbers in a sandbox. Bubblewrap reads the system call filter and its options there;
the last step before the program reports on `ENTERED`, a socket, that all walls are up, and takes
the program's pipes and its gate from the others."""
MOUNTED = "mounted"
"""Word on `ENTERED`: bubblewrap is done, and the last step waits there for a line of the keeper,
which first hides the machine's counters (`counters`)."""
SIGNALS = 1024
"""Maximum pending signals and timers of a program; without it, one could use up its user's."""
UID = "{uid}"
"""Placeholder in a bubblewrap command for a user id that no other process has, chosen at the last
moment."""


class ProcessLimits(NamedTuple):
    """Resource limits that a process passes on to its descendants."""

    files: int
    """Open descriptors of one process."""
    file_size: int
    """Bytes of one file."""
    processes: int
    """Processes and threads of the user id, which in a sandbox belongs to the program alone."""


class GroupLimits(NamedTuple):
    """The limits of a control group; None for no limit."""

    memory: int | None
    """Bytes."""
    processes: int | None
    """Processes and threads."""


class SelfWalls(NamedTuple):
    """The walls that a process puts around itself: landlock and seccomp."""

    limits: ProcessLimits
    allow: tuple[str, ...]
    """System calls exempt from the filter."""
    read: tuple[str, ...]
    """Paths beneath which the process may read and execute."""
    write: tuple[str, ...]
    """Paths beneath which the process may also write."""


class Sandbox(NamedTuple):
    """Namespaces, built by bubblewrap, and seccomp."""

    limits: ProcessLimits
    allow: tuple[str, ...]
    command: tuple[str, ...]
    """Command line that enters the sandbox; the program's own arguments follow it."""
    group: GroupLimits | None = None
    """Limits of the control group; None without one."""
    options: tuple[str, ...] = ()
    """Options of bubblewrap. They name paths outside, so bubblewrap reads them at `OPTIONS`: any
    program may read a command line."""
    memory: int | None = None
    """Bytes of memory that the machine has, as far as the program is told (`sysinfo`)."""


Walls: TypeAlias = SelfWalls | Sandbox | None
"""The walls between a program and the machine; None for no walls."""


class SpawnRequest(NamedTuple):
    """A program to start. Its three pipes and its gate, or lifeline, are sent along as
    descriptors."""

    argv: tuple[str, ...]
    cwd: str
    """Working directory. (A sandbox has its own instead.)"""
    env: Mapping[str, str]
    walls: Walls = None


class KillRequest(NamedTuple):
    """A program to end, with all processes that it started."""

    pid: int


Request: TypeAlias = SpawnRequest | KillRequest


def encode_request(request: Request) -> bytes:
    """A request as one line."""
    fields: list[object]
    match request:
        case SpawnRequest(argv, cwd, env, walls):
            tagged = None if walls is None else [type(walls).__name__, *walls]
            fields = ["spawn", argv, cwd, env, tagged]
        case KillRequest(pid):
            fields = ["kill", pid]
    return json.dumps(fields).encode() + b"\n"


def decode_request(line: bytes) -> Request:
    """The request that `encode_request` made a line of. Raises ValueError for any other line."""
    match json.loads(line):
        case ["spawn", argv, cwd, env, walls]:
            return SpawnRequest(tuple(argv), cwd, env, _walls(walls))
        case ["kill", pid]:
            return KillRequest(pid)
        case other:
            raise ValueError(f"not a request: {other!r}")


def _walls(fields: Any) -> Walls:
    match fields:
        case None:
            return None
        case ["SelfWalls", limits, allow, read, write]:
            return SelfWalls(ProcessLimits(*limits), tuple(allow), tuple(read), tuple(write))
        case ["Sandbox", limits, allow, command, group, options, memory]:
            kept = None if group is None else GroupLimits(*group)
            words = tuple(command), kept, tuple(options), memory
            return Sandbox(ProcessLimits(*limits), tuple(allow), *words)
        case other:
            raise ValueError(f"no such walls: {other!r}")
