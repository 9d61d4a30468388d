"""The isolation levels: what walls stand between a bot and the rest of the machine."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum


class Level(StrEnum):
    """From no walls to the strongest."""

    OFF = "off"
    """A session, environment and descriptors of its own. For bots that you trust."""
    GUARD = "guard"
    """Landlock, seccomp, no new privileges, resource limits. Needs no rights and no programs."""
    SANDBOX = "sandbox"
    """Namespaces by bubblewrap: no network, no other processes, a read-only system."""
    CGROUP = "sandbox+cgroup"
    """The same, with memory, processes and CPU time kept by the kernel in a control group."""


class SandboxMode(StrEnum):
    """What a caller may ask for instead of a level."""

    AUTO = "auto"
    """The strongest level that this machine proves to have."""
    STRICT = "strict"
    """The strongest, and at least `Level.SANDBOX`; refused below that."""


SANDBOX_MODES: dict[str, Level | SandboxMode] = {
    "off": Level.OFF,
    "auto": SandboxMode.AUTO,
    "strict": SandboxMode.STRICT,
}
"""What ``--sandbox`` takes."""


@dataclass(frozen=True, slots=True)
class Enforcement:
    """What keeps the limits, and what ends programs, at a level."""

    sandbox: Level
    memory: str
    """And processes: ``kernel``, or ``looks`` every 50 ms."""
    cpu: str
    """What counts CPU time: ``kernel``, or ``looks`` (which miss processes that live shorter)."""
    kill: str


def enforcement(level: Level) -> Enforcement:
    """Those of a level on this system."""
    if level is Level.CGROUP:
        return Enforcement(level, "kernel", "kernel", "control group")
    if level is Level.SANDBOX:
        return Enforcement(level, "looks", "looks", "pid namespace")
    subreaper = sys.platform == "linux"
    return Enforcement(level, "looks", "looks", "subreaper" if subreaper else "process group")


def wants_groups(mode: Level | SandboxMode) -> bool:
    """Whether the keeper is to look for control groups."""
    return mode in (Level.CGROUP, SandboxMode.AUTO, SandboxMode.STRICT)
