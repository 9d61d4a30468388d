"""Processes that matches leave behind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

import psutil

from arena.sandbox.keeper.proc import is_leaving


@contextmanager
def watched_processes() -> Iterator[Callable[[], list[psutil.Process]]]:
    """A function that returns the processes that this one has started inside, and all that are
    below them. When the block ends, all of them must end.

    What is below older children does not count: keepers of earlier tests fork when they like."""
    before = set(psutil.Process().children())

    def started() -> list[psutil.Process]:
        new = set(psutil.Process().children()) - before
        for process in list(new):
            with suppress(psutil.NoSuchProcess):
                new.update(process.children(recursive=True))
        return list(new)

    yield started
    _, alive = psutil.wait_procs(started(), timeout=20)
    assert alive == []


def kill_all(processes: Iterable[psutil.Process]) -> None:
    """Kill those that have not ended: the end of one may be that of the next."""
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            process.kill()


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
