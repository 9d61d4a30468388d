"""One keeper for many tests: to start one takes as much CPU time as a short match, and to prove
walls with it twice as much.

What a test proves is the stricter for it: a match must leave nothing behind while its keeper lives
on, and a keeper that a program has harmed serves no further test.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from arena.errors import UsageError
from arena.sandbox.launch import KeeperProcess, launch_keeper
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import prove_level
from arena.sandbox.session import run_with

_kept: dict[Level | SandboxMode, KeeperProcess] = {}


@contextmanager
def shared_keeper(mode: Level | SandboxMode = Level.OFF) -> Iterator[KeeperProcess]:
    """A keeper for the walls of `mode`, which lives on for other tests of the same file
    (`close_keepers`). It has served without harm when the ``with`` ends."""
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
    before, tempfile.tempdir = tempfile.tempdir, None
    try:
        keeper = launch_keeper(mode)
        with suppress(UsageError):
            run_with(keeper, lambda children: prove_level(children, mode))
    finally:
        tempfile.tempdir = before
    return keeper


def close_keepers() -> None:
    """End those that were shared."""
    while _kept:
        _kept.popitem()[1].close()
