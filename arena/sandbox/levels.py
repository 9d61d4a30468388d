"""The isolation levels: what walls stand between a bot and the rest of the machine."""

from __future__ import annotations

import sys
from enum import StrEnum

from msgspec import Struct


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


class Wish(StrEnum):
    """What a caller may ask for instead of a level."""

    AUTO = "auto"
    """The strongest level that this machine proves to have."""
    STRICT = "strict"
    """The strongest, and at least `Level.SANDBOX`; refused below that."""


WISHES: dict[str, Level | Wish] = {"off": Level.OFF, "auto": Wish.AUTO, "strict": Wish.STRICT}
"""What ``--sandbox`` takes."""


class Means(Struct, frozen=True):
    """By what limits are kept, and programs ended, at a level: what a result rests on."""

    sandbox: Level
    memory: str
    """And processes: ``kernel``, or ``looks`` every 50 ms."""
    cpu: str
    """What counts CPU time: ``kernel``, or ``looks`` (which miss whoever lives shorter)."""
    kill: str


def means(level: Level) -> Means:
    """Those of a level on this system."""
    if level is Level.CGROUP:
        return Means(level, "kernel", "kernel", "control group")
    if level is Level.SANDBOX:
        return Means(level, "looks", "looks", "pid namespace")
    subreaper = sys.platform == "linux"
    return Means(level, "looks", "looks", "subreaper" if subreaper else "process group")


def wants_groups(wish: Level | Wish) -> bool:
    """Whether the keeper is to look for control groups."""
    return wish in (Level.CGROUP, Wish.AUTO, Wish.STRICT)
