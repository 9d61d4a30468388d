"""One core for a match and its bots, for a while."""

from __future__ import annotations

import os

from arena.runtime.affinity import pinned


def test_pinning_is_undone() -> None:
    before = os.sched_getaffinity(0)
    with pinned(1):
        assert os.sched_getaffinity(0) == {sorted(before)[1 % len(before)]}
    assert os.sched_getaffinity(0) == before


def test_no_core_is_any_core() -> None:
    before = os.sched_getaffinity(0)
    with pinned(None):
        assert os.sched_getaffinity(0) == before
