"""Pins a match and its bots to one core."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from arena.core.clock import Clock


def pins(wish: bool | None, jobs: int, clock: Clock) -> bool:
    """Whether to pin each of `jobs` simultaneous matches to its own core: as wished, and without a
    wish (None) on the fair clock, if there are several jobs and as many cores. The kernel's figures
    of a bot's waits are exact only on a single core."""
    if wish is not None or not hasattr(os, "sched_getaffinity"):
        return bool(wish)
    return clock is Clock.FAIR and jobs > 1 and jobs == usable_cores()


def usable_cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def pin_to_core(index: int) -> None:
    """Keep this process, and everything that it starts from now on, on one of its cores.

    A conversation within one core is ten times as fast as one between two.
    """
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[index % len(cores)]})


@contextmanager
def pinned(index: int | None) -> Iterator[None]:
    """Like `pin_to_core`, for the span of a ``with`` (None: any core)."""
    if index is None or not hasattr(os, "sched_setaffinity"):
        yield
        return
    cores = os.sched_getaffinity(0)
    pin_to_core(index)
    try:
        yield
    finally:
        os.sched_setaffinity(0, cores)
