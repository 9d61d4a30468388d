"""What the keeper tells the arena. On the socket a message is one line of JSON.

The arena imports this as well; like all of the keeper it needs the standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias


class KeeperReady(NamedTuple):
    """The keeper is up."""

    no_groups_because: str | None
    """Why programs get no control groups; None when they do."""


class GroupFiles(NamedTuple):
    """A control group as its meter needs it."""

    files: Mapping[str, str]
    """The files of the group, by the names in `abilities.FILES`."""
    limits: Mapping[str, int]
    """The limits that were set, by the names of their files: what these must read."""


class Spawned(NamedTuple):
    """There is a process for a request, which is being made its program."""

    pid: int
    group: GroupFiles | None
    """Its control group, when that keeps its limits."""


class Executed(NamedTuple):
    """The program of such a process runs, or comes next: all its walls stand."""

    pid: int


class StartFailed(NamedTuple):
    """The program of a request was not started."""

    error: str
    ours: bool
    """False when it was the program itself that could not be executed."""
    pid: int | None = None
    """The process that was to become it; None when there was none."""


class Exit(NamedTuple):
    """How a program ended: with a code, or by a signal."""

    code: int | None
    signal: str | None
    cpu_ms: float
    """CPU time of the program and of all processes that it has waited for."""
    entered: bool = True
    """False when the sandbox failed before the program was executed."""


class Exited(NamedTuple):
    """A program has ended. Processes that it has started may still run."""

    pid: int
    exit: Exit


class Killed(NamedTuple):
    """A request to kill was carried out."""

    pid: int
    clean: bool
    """False when some process of it did not go within two seconds."""


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
        case ["Killed", pid, clean]:
            return Killed(pid, clean)
        case other:
            raise ValueError(f"not a message of the keeper: {other!r}")


# What the arena asks of the keeper: to start a program, or to end one.
#
# A `SpawnRequest` is all that travels from a bot to its exec: `placement` makes it,
# `Children.prepare` encodes it, the keeper decodes it and hands it to a preforked process, which
# carries it out (`spawn.exec_bot`). On each socket a request is one line of JSON.
#
# **The gate.** A program is executed only when a line comes from its *gate*, a pipe whose other end
# the arena holds. Until then it waits behind all its walls, so a start can be prepared while there
# is time, and what follows the order to start is little more than the exec of the program itself.
#
# The arena imports this as well; like all of the keeper it needs the standard library only.

FILTER, ENTERED, STDIN, STDOUT, GATE, OPTIONS = 3, 4, 5, 6, 7, 8
"""The descriptors at which bubblewrap finds the system call filter and its options, and at which
the last step before the program finds where to say that all walls stand, the program's pipes, and
its gate."""
SIGNALS = 1024
"""Signals and timers that may wait for a program: one could else use up what its user has."""
UID = "{uid}"
"""The word of a bubblewrap command for a user id that no other process has, which is chosen at the
last moment."""


class ProcessLimits(NamedTuple):
    """The limits that a process and its descendants carry with them."""

    files: int
    """Open descriptors of one process."""
    file_size: int
    """Bytes of one file."""
    processes: int
    """Processes and threads of the user id, which in a sandbox is the program's own."""


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
    """System calls that the filter does not refuse to it."""
    read: tuple[str, ...]
    """Paths beneath which it may read and execute."""
    write: tuple[str, ...]
    """Paths beneath which it may write, too."""


class Sandbox(NamedTuple):
    """Namespaces, built by bubblewrap, and seccomp."""

    limits: ProcessLimits
    allow: tuple[str, ...]
    command: tuple[str, ...]
    """Leads into the sandbox; the program's own words follow it."""
    group: GroupLimits | None = None
    """What its control group keeps; None without one."""
    options: tuple[str, ...] = ()
    """Of bubblewrap. They name paths outside, so they are on no command line, which any program may
    read: bubblewrap reads them at `OPTIONS`."""


Walls: TypeAlias = SelfWalls | Sandbox | None
"""What stands between a program and the machine; None for nothing."""


class SpawnRequest(NamedTuple):
    """A program to start. Its three pipes and its gate travel beside it, as descriptors."""

    argv: tuple[str, ...]
    cwd: str
    """Where it runs. (A sandbox has a folder of its own for that.)"""
    env: Mapping[str, str]
    walls: Walls = None


class KillRequest(NamedTuple):
    """The end of a program, and of all processes that it has started."""

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
        case ["Sandbox", limits, allow, command, group, options]:
            kept = None if group is None else GroupLimits(*group)
            words = tuple(command), kept, tuple(options)
            return Sandbox(ProcessLimits(*limits), tuple(allow), *words)
        case other:
            raise ValueError(f"no such walls: {other!r}")
