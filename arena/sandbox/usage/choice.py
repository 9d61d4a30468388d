"""Which meter measures a program.

A control group, which the kernel counts (`cgroup`), is the best there is. Without one, each process
of the tree is looked at: through /proc (`procfs`), or through psutil on other systems (`psutil`).
Looking does not see a process that lives and dies between two looks, nor a daemon that has left the
tree (the keeper ends those within 200 ms).
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
    """What measures a program that was started within `limits` at a level. In a sandbox without a
    control group, what lies in its memory file systems is counted as memory."""
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
