"""How limits are enforced at each isolation level."""

from __future__ import annotations

import sys

from msgspec import Struct

from arena.sandbox.levels import Level


class Enforcement(Struct, frozen=True):
    """What keeps the limits, and what ends programs, at a level."""

    sandbox: Level
    memory: str
    """What limits memory and processes: ``kernel``, or ``looks`` every 50 ms."""
    cpu: str
    """What counts CPU time: ``kernel``, or ``looks`` (which miss processes that live shorter)."""
    kill: str


def enforcement(level: Level) -> Enforcement:
    """How this system enforces limits at `level`."""
    if level is Level.CGROUP:
        return Enforcement(level, "kernel", "kernel", "control group")
    if level is Level.SANDBOX:
        return Enforcement(level, "looks", "looks", "pid namespace")
    subreaper = sys.platform == "linux"
    return Enforcement(level, "looks", "looks", "subreaper" if subreaper else "process group")
