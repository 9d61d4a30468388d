"""Computes how many matches fit on this machine at a time, by descriptors, processes and memory.

Each match has its own worker process. The limit is computed in advance, because a match that cannot
open a pipe or start a bot halfway through a series is void. So is one in which the machine runs out
of memory; no bot shall be able to bring that about, so the limits of all bots together must fit.
"""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

from arena.core.limits import Limits
from arena.sandbox.keeper.hierarchies import hierarchies, read
from arena.text import counted, size_text

OWN_FILES = 48
"""Descriptors of a process that plays a match, apart from those for its bots."""
FILES_A_SEAT = 26
"""Three pipes, both ends while a bot is started, and its meter: 23 in a control group, where three
threads are followed (`delays.FOLLOWED` is the most)."""
FILES_A_JOB = 3
"""Descriptors that each worker costs the arena, and every worker started after it."""
PROCESSES_A_JOB = 3
"""The worker, its keeper, and the keeper's spare."""
PROCESSES_A_SEAT = 8
"""A bot, its walls, and a few threads and children of the bot."""

MEMORY_A_JOB = 64 << 20
"""Bytes that a worker and its keeper use."""
MEMORY_OF_SYSTEM = 128 << 20
"""Bytes that everything else on a small machine uses."""


def jobs_that_fit(wanted: int, seats: int, memory: int | None = Limits().memory) -> tuple[int, str]:
    """How many of the `wanted` matches at a time fit, at least 1, and what sets the limit. `memory`
    is the limit of each bot."""
    limits = [(wanted, ""), _by_files(seats), _by_processes(seats), _by_memory(seats, memory)]
    jobs, why = min(limits, key=lambda limit: limit[0])
    return max(jobs, 1), why


def usable_memory() -> int:
    """Bytes of memory that programs can have together: those of the machine, or fewer if our
    control group (a container) has a limit."""
    found = [os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")]
    with suppress(OSError):
        for tree in hierarchies():
            for name in ("memory.max", "memory.limit_in_bytes"):
                with suppress(OSError, ValueError):
                    found.append(int(read(f"{tree.folder}/{name}")))
    return min(found)


def memory_shortage(seats: int, memory: int | None) -> str:
    """Why the bots of a single match can make this machine run out of memory, with advice; empty
    when they cannot."""
    jobs, why = _by_memory(seats, memory)
    if jobs > 0:
        return ""
    fits = (usable_memory() - MEMORY_OF_SYSTEM - MEMORY_A_JOB) // seats >> 20
    advice = f"; --memory {fits}M fits" if fits > 0 else ""
    return f"a match in which memory runs out is void: {why}{advice}"


def _by_memory(seats: int, memory: int | None) -> tuple[int, str]:
    if memory is None:
        return sys.maxsize, ""
    usable = usable_memory()
    jobs = (usable - MEMORY_OF_SYSTEM) // (seats * memory + MEMORY_A_JOB)
    return max(jobs, 0), (
        f"this machine has {size_text(usable)}, and each match {counted(seats, 'bot')} "
        f"that may use {size_text(memory)} (--memory)"
    )


def cpu_quota() -> float | None:
    """The cores whose time our control groups, from ours up, may use together; None without a
    quota."""
    quotas: list[float] = []
    with suppress(OSError):  # not Linux
        for tree in hierarchies():
            for folder in (Path(tree.folder), *Path(tree.folder).parents):
                with suppress(OSError, ValueError):
                    quotas.append(_quota_of(folder, tree.version))
    return min(quotas, default=None)


def _quota_of(folder: Path, version: str) -> float:
    """The quota of one control group. Raises ValueError where it has none."""
    if version == "v2":
        quota, period = map(int, read(f"{folder}/cpu.max").split())
    else:
        quota, period = (int(read(f"{folder}/cpu.cfs_{name}_us")) for name in ("quota", "period"))
    if quota <= 0:
        raise ValueError("no quota")
    return quota / period


def _by_files(seats: int) -> tuple[int, str]:
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if allowed == resource.RLIM_INFINITY:
        return sys.maxsize, ""
    room = allowed - _open_files() - OWN_FILES - FILES_A_SEAT * seats
    return room // FILES_A_JOB, f"one process may have {allowed} open files (ulimit -n)"


def _open_files() -> int:
    import psutil

    return int(psutil.Process().num_fds())


def _by_processes(seats: int) -> tuple[int, str]:
    limits = [_of_the_user(), _of_our_group()]
    room, why = min(limits, key=lambda limit: limit[0])
    return room // (PROCESSES_A_JOB + PROCESSES_A_SEAT * seats), why


def _of_the_user() -> tuple[int, str]:
    """The limit on processes of one user, which does not hold for root."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NPROC)
    if allowed == resource.RLIM_INFINITY or os.geteuid() == 0:
        return sys.maxsize, ""
    return allowed - _running(), f"one user may have {allowed} processes (ulimit -u)"


def _running() -> int:
    """The processes and threads of this user."""
    import psutil

    ours = os.getuid()
    count = 0
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.uids().real == ours:
                count += process.num_threads()
    return count


def _of_our_group() -> tuple[int, str]:
    """What is left in our control group (a container), if it has a limit."""
    with suppress(OSError):
        for tree in hierarchies():
            with suppress(OSError, ValueError):
                allowed = int(read(f"{tree.folder}/pids.max"))
                running = int(read(f"{tree.folder}/pids.current"))
                return allowed - running, f"our control group may have {allowed} processes"
    return sys.maxsize, ""
