"""Processes that matches leave behind."""

from __future__ import annotations

from contextlib import suppress

import psutil

from arena.sandbox.keeper.proc import is_leaving


def left_behind(keeper: int) -> list[psutil.Process]:
    """The living descendants of a keeper (on Linux nothing can leave its tree), except for forks
    made in advance: copies of the keeper that wait to become bots."""
    own = psutil.Process(keeper).cmdline()
    found = []
    for process in psutil.Process(keeper).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.cmdline() != own:
                found.append(process)
    _, alive = psutil.wait_procs(found, timeout=2)
    leaving = [one for one in alive if is_leaving(one.pid)]  # killed ones wait for a core, too
    _, stuck = psutil.wait_procs(leaving, timeout=60)
    return [*stuck, *(one for one in alive if one not in leaving)]
