"""What the kernel tells of processes, read straight from ``/proc``: psutil would look at every
process of the machine to find the children of one."""

from __future__ import annotations

import os
from contextlib import suppress


def children(pid: int) -> list[int]:
    """The direct children of a process; empty where the system cannot tell."""
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as listing:
                found += map(int, listing.read().split())
    return found


def descendants(pid: int) -> list[int]:
    """All processes below `pid`, parents before children."""
    found: list[int] = []
    for child in children(pid):
        found += (child, *descendants(child))
    return found
