"""Isolation levels: which walls separate a bot from the rest of the machine."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal, TypeAlias


class SandboxWish:
    """The walls that may be asked for: a fixed `Level`, or a `SandboxMode` that chooses one."""


class Level(SandboxWish, StrEnum):
    """Isolation levels, from no walls to the strongest."""

    OFF = "off"
    """Own session, environment and descriptors only. For bots that you trust."""
    GUARD = "guard"
    """Landlock, seccomp, no_new_privs, resource limits. Needs no privileges and no programs."""
    SANDBOX = "sandbox"
    """Bubblewrap namespaces: no network, no other processes, a read-only system."""
    CGROUP = "sandbox+cgroup"
    """SANDBOX plus a control group, in which the kernel limits and counts memory, processes and CPU
    time."""


class SandboxMode(SandboxWish, StrEnum):
    """Modes that a caller can request instead of a fixed level."""

    AUTO = "auto"
    """The strongest level that a test program proves on this machine."""
    STRICT = "strict"
    """The strongest level, but at least `Level.SANDBOX`; anything weaker is refused."""


SandboxName: TypeAlias = Literal["off", "auto", "strict"]
SANDBOX_MODES: dict[str, SandboxWish] = {
    "off": Level.OFF,
    "auto": SandboxMode.AUTO,
    "strict": SandboxMode.STRICT,
}
"""The values of ``--sandbox``."""


def wants_groups(mode: SandboxWish) -> bool:
    """Whether the keeper should look for control groups."""
    return mode in (Level.CGROUP, SandboxMode.AUTO, SandboxMode.STRICT)


def decode_wish(kind: type, given: Any) -> Any:
    """The ``dec_hook`` of msgspec for a `SandboxWish`. Raises ValueError for an unknown name."""
    if kind is not SandboxWish:
        raise NotImplementedError
    return SandboxMode(given) if given in set(SandboxMode) else Level(given)
