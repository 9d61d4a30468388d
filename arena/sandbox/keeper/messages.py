"""What the keeper tells the arena. On the socket a message is one line of JSON.

The arena imports this as well; like all of the keeper it needs the standard library only.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias


class Hello(NamedTuple):
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


class Failed(NamedTuple):
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


Message: TypeAlias = Hello | Spawned | Executed | Failed | Exited | Killed


def encode_message(message: Message) -> bytes:
    """A message as one line."""
    return json.dumps([type(message).__name__, *message]).encode() + b"\n"


def decode_message(line: bytes) -> Message:
    """The message that `encode_message` made a line of. Raises ValueError for any other line."""
    match json.loads(line):
        case ["Hello", problem]:
            return Hello(problem)
        case ["Spawned", pid, group]:
            return Spawned(pid, None if group is None else GroupFiles(*group))
        case ["Executed", pid]:
            return Executed(pid)
        case ["Failed", error, ours, pid]:
            return Failed(error, ours, pid)
        case ["Exited", pid, end]:
            return Exited(pid, Exit(*end))
        case ["Killed", pid, clean]:
            return Killed(pid, clean)
        case other:
            raise ValueError(f"not a message of the keeper: {other!r}")
