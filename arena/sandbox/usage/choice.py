"""Choose the meter for a program.

A control group, counted by the kernel, is the best meter (`cgroup`). Without one, a meter looks at
each process of the tree: through /proc (`procfs`), or through psutil on other systems (`psutil`).
Looks miss processes that live and die between two of them, and daemons that have left the tree (the
keeper ends those within 200 ms).
"""

from __future__ import annotations

import sys

from arena.core.limits import Limits
from arena.sandbox.child import Child
from arena.sandbox.levels import Level
from arena.sandbox.usage.cgroup import CgroupMeter
from arena.sandbox.usage.meter import Meter
from arena.sandbox.usage.procfs import ProcfsMeter


def meter_of(child: Child, limits: Limits, level: Level) -> Meter:
    """The meter of a program that was started with `limits` at a level. In a sandbox without a
    control group, the content of its memory file systems counts as memory."""
    if child.group is not None:
        tree = ProcfsMeter(child.pid)
        return CgroupMeter(child.group.files, child.group.limits, tree)
    if sys.platform == "linux":
        rooms = {"/tmp": limits.disk, "/dev/shm": limits.shared_memory}
        return ProcfsMeter(
            child.pid, rooms=rooms if level is Level.SANDBOX else {}, limit=limits.memory
        )
    from arena.sandbox.usage.psutil import PsutilMeter

    return PsutilMeter(child.pid)
