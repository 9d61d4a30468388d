"""The isolation levels: what walls stand between a bot and the rest of the machine."""

from __future__ import annotations

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


def wants_groups(mode: Level | SandboxMode) -> bool:
    """Whether the keeper is to look for control groups."""
    return mode in (Level.CGROUP, SandboxMode.AUTO, SandboxMode.STRICT)
