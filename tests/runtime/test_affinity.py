"""One core for a match and its bots, for a while."""

from __future__ import annotations

import os
from typing import Any

import pytest

import arena
from arena.api import series as api_series
from arena.bots.program import BotProgram
from arena.core.clock import Clock
from arena.runtime.affinity import pinned, pins
from tests.sandbox.programs import linux_only


def test_pinning_is_undone() -> None:
    before = os.sched_getaffinity(0)
    with pinned(1):
        assert os.sched_getaffinity(0) == {sorted(before)[1 % len(before)]}
    assert os.sched_getaffinity(0) == before


def test_no_core_is_any_core() -> None:
    before = os.sched_getaffinity(0)
    with pinned(None):
        assert os.sched_getaffinity(0) == before


@linux_only
@pytest.mark.parametrize(
    ("wish", "jobs", "clock", "pinned_then"),
    [
        (None, 4, Clock.FAIR, True),
        (None, 3, Clock.FAIR, False),
        (None, 8, Clock.FAIR, False),
        (None, 4, Clock.WALL, False),  # bots that think at once would slow each other down
        (None, 4, Clock.CPU, False),
        (False, 4, Clock.FAIR, False),
        (True, 1, Clock.WALL, True),
    ],
)
def test_matches_are_pinned_where_there_are_as_many_as_cores(
    monkeypatch: pytest.MonkeyPatch, wish: bool | None, jobs: int, clock: Clock, pinned_then: bool
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1, 5, 7})
    assert pins(wish, jobs, clock) == pinned_then
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {3})
    assert not pins(None, 1, Clock.FAIR)


@linux_only
@pytest.mark.parametrize(("wish", "expected"), [({}, True), ({"pin": False}, False)])
def test_a_series_with_as_many_matches_as_cores_is_pinned(
    monkeypatch: pytest.MonkeyPatch, wish: dict[str, Any], expected: bool
) -> None:
    given: list[bool] = []

    def play_all(*_: object, pin: bool, **__: object) -> list[object]:
        given.append(pin)
        return []

    monkeypatch.setattr(api_series, "play_all", play_all)
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: {0, 1})
    bots = [BotProgram(name, ("/bin/true",), None, None, name) for name in "ab"]
    assert list(arena.series("warlight", bots, games=4, jobs=2, clock="fair", **wish)) == []
    assert given == [expected]
