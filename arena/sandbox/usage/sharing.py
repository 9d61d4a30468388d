"""Memory that processes share, counted once: what the kernel tells, and only slowly.

To be asked when it matters, which is above a limit. It costs 4 µs for each MiB, and the kernel
tells only while no thread of the process changes the map of its memory. A program can keep that up:
one whose changing thread hardly got a core held the loop of an arena up for 14 s. So a thread asks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import trio

from arena.sandbox.keeper import procfs
from arena.sandbox.usage import spaces

PATIENCE = 1.0
"""Seconds after which the kernel is not waited for any more. (A busy machine delays the thread by
some 60 ms.)"""


def with_own_memory(below: Mapping[int, Iterable[Sequence[int]]]) -> list[int]:
    """Those processes of a tree that do not have the memory of their parents. `below` has the
    children of each, by thread."""
    parents = {child: pid for pid, lists in below.items() for some in lists for child in some}
    return [pid for pid in below if not (pid in parents and spaces.is_one(pid, parents[pid]))]


async def resident_once(pids: list[int]) -> int | None:
    """The resident bytes of these processes, each shared page counted once; None when the kernel
    does not tell in time."""

    def ask() -> int:
        return sum(procfs.proportional(pid) or 0 for pid in pids)

    with trio.move_on_after(PATIENCE):
        return await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
    return None
