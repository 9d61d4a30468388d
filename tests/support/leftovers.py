"""What matches leave behind."""

from __future__ import annotations

from contextlib import suppress

import psutil


def left_behind(keeper: int) -> list[psutil.Process]:
    """The processes that still live below a keeper (on Linux nothing can leave its tree), without
    those that it has forked ahead: copies of itself that wait to become bots."""
    own = psutil.Process(keeper).cmdline()
    found = []
    for process in psutil.Process(keeper).children(recursive=True):
        with suppress(psutil.NoSuchProcess):
            if process.is_running() and process.cmdline() != own:
                found.append(process)
    _, alive = psutil.wait_procs(found, timeout=2)  # one that was just ended may be on its way out
    return list(alive)
