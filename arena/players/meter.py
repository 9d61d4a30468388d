"""What a program's tree of processes uses, measured from outside.

Two ways to measure it stand behind one interface, `Meter`: looking at each process (`tree_meter`),
and a control group, which the kernel keeps. What looking cannot see: a process that lives and dies
between two looks, and a daemon that has left the tree (the keeper ends those within 200 ms).
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Protocol


class Meter(Protocol):
    """The figures of one tree. Every method may be called at any time, also when all is gone."""

    def memory(self) -> int:
        """Bytes now. It looks anew at who belongs to the tree; the others go by that look."""

    def peak_memory(self) -> int:
        """The most bytes so far (of all looks, where there is nothing better)."""

    def cpu_ns(self) -> int:
        """CPU time of all who were ever seen, in nanoseconds. It never falls."""

    def delay_ns(self) -> int | None:
        """Time in which a thread was ready to run and the machine did not run it, summed over all
        threads, in nanoseconds; None where the system does not say. It never falls."""

    def tasks(self) -> int:
        """Threads of all processes now, as of the last look."""

    def oom_kills(self) -> int:
        """How many of its processes the kernel has ended for want of memory."""

    def refused_forks(self) -> int:
        """How many new processes and threads the kernel has refused it: it had as many as it
        may."""

    def intact(self) -> bool:
        """Whether the limits that the kernel keeps are still those that were set. (True where it
        keeps none.)"""

    def freeze(self) -> None:
        """Let nothing of it run until `thaw`. May be repeated."""

    def thaw(self) -> None:
        """Let it run again. May be repeated."""

    def close(self) -> None:
        """Let go of what the measuring holds. The tree is left running."""


def tree_meter(pid: int, *, rooms: Mapping[str, int] = {}, limit: int | None = None) -> Meter:
    """A meter that looks at each process of a tree, as this system allows.

    `rooms` are the file systems in memory that a sandbox has made, by folder, with their sizes.
    With a `limit`, memory that processes share is counted once before a tree is said to be above
    it.
    """
    if sys.platform == "linux":
        from arena.players.treemeter import TreeMeter

        return TreeMeter(pid, rooms=rooms, limit=limit)
    from arena.players.psmeter import PsutilMeter

    return PsutilMeter(pid)
