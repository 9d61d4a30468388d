"""One keeper for many tests.

Starting a keeper takes as much CPU time as a short match, and probing walls with it twice as much.
Sharing also makes tests stricter: a match must leave nothing behind while its keeper lives on, and
a keeper harmed by a program serves no further test.
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
    """A keeper for the walls of `mode`, which stays alive for other tests (`close_keepers`).
    Checks at the end of the ``with`` block that the keeper is unharmed."""
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
    """Make a keeper, with everything it makes once, outside the folder of this test."""
    with usual_place():
        keeper = launch_keeper(mode)
        with suppress(UsageError):
            run_with(keeper, lambda children: prove_level(children, mode))
    return keeper


@contextmanager
def usual_place() -> Iterator[str]:
    """Use the default folder for temporary files instead of the test's own."""
    before, tempfile.tempdir = tempfile.tempdir, None
    try:
        yield tempfile.gettempdir()
    finally:
        tempfile.tempdir = before


with usual_place() as USUAL_PLACE:
    pass
PROCESS = os.getpid()


class Lent(KeeperProcess):
    """A keeper that serves one command after another, each of which believes it to be its own."""

    terms: object = None
    """The terms on which it was started."""

    def close(self) -> None:
        """End a command; the keeper then serves the next one, which hears of the end of programs
        that waited at their gates."""
        is_idle = not self.is_gone() and (self.ahead or not self.alive)
        while self.ahead:
            self.ahead.pop().close()
        if not is_idle or _free.setdefault(self.terms, self) is not self:
            self.end()

    def end(self) -> None:
        """End the keeper."""
        super().close()


def lend(mode: Level | SandboxMode = Level.OFF) -> KeeperProcess:
    """Replacement for `launch_keeper`: an idle keeper that was started on the same terms, in the
    same environment, on the same cores. Worker processes, and tests with their own temporary
    folder, get their own keepers."""
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
    """End the shared keepers."""
    while _kept:
        _kept.popitem()[1].close()
    while _free:
        _free.popitem()[1].end()
