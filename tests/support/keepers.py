"""One keeper for many tests: to start one takes as much CPU time as a short match, and to prove
walls with it twice as much.

What a test proves is the stricter for it: a match must leave nothing behind while its keeper lives
on, and a keeper that a program has harmed serves no further test.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from arena.errors import UsageError
from arena.sandbox.launch import KeeperProcess, launch_keeper
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import prove_level
from arena.sandbox.session import run_with

_kept: dict[Level | SandboxMode, KeeperProcess] = {}
_free: dict[object, Lent] = {}


@contextmanager
def shared_keeper(mode: Level | SandboxMode = Level.OFF) -> Iterator[KeeperProcess]:
    """A keeper for the walls of `mode`, which lives on for other tests (`close_keepers`). It
    has served without harm when the ``with`` ends."""
    keeper = _kept.get(mode)
    if keeper is None:
        keeper = _kept[mode] = _make(mode)
    try:
        yield keeper
        assert not keeper.is_gone()
    except BaseException:
        _kept.pop(mode).close()
        raise


def _make(mode: Level | SandboxMode) -> KeeperProcess:
    """With all that is made once for a keeper, outside the folder of this test."""
    with usual_place():
        keeper = launch_keeper(mode)
        with suppress(UsageError):
            run_with(keeper, lambda children: prove_level(children, mode))
    return keeper


@contextmanager
def usual_place() -> Iterator[str]:
    """The folder for temporary files that tests have when they make none of their own."""
    before, tempfile.tempdir = tempfile.tempdir, None
    try:
        yield tempfile.gettempdir()
    finally:
        tempfile.tempdir = before


with usual_place() as USUAL_PLACE:
    pass
PROCESS = os.getpid()


class Lent(KeeperProcess):
    """A keeper that serves one command after the other: what each believes to be its own."""

    terms: object = None
    """How it was started."""

    def close(self) -> None:
        """The command is over. This keeper serves the next one, which hears of the end of those
        programs that waited at their gates."""
        is_idle = not self.is_gone() and (self.ahead or not self.alive)
        while self.ahead:
            self.ahead.pop().close()
        if not is_idle or _free.setdefault(self.terms, self) is not self:
            self.end()

    def end(self) -> None:
        """No command needs it any more."""
        super().close()


def lend(mode: Level | SandboxMode = Level.OFF) -> KeeperProcess:
    """In place of `launch_keeper`: a keeper that was started as this one would be, with the same
    surroundings, on the same cores, and that serves no other command now. Worker processes, and
    tests with a temporary folder of their own, get keepers of their own."""
    if tempfile.gettempdir() != USUAL_PLACE or os.getpid() != PROCESS:
        return launch_keeper(mode)
    cores = tuple(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else ()
    terms = mode, os.environ.get("PATH"), cores
    keeper = _free.pop(terms, None)
    if keeper is None:
        started = launch_keeper(mode)
        keeper = Lent(started.process, started.link)
        keeper.terms = terms
    return keeper


def close_keepers() -> None:
    """End those that were shared."""
    while _kept:
        _kept.popitem()[1].close()
    while _free:
        _free.popitem()[1].end()
