"""What a worker promises, and which matches it may play."""

from __future__ import annotations

import logging

import pytest
from msgspec.structs import replace

from arena import __version__
from arena.api.conditions import make_spec
from arena.cluster.work import Failed, keeps, promise, silence_dask, why_unfit
from arena.errors import BotError, MachineError
from arena.sandbox.levels import Level, SandboxMode

SPEC = make_spec("warlight", ["/usr/bin/true", "/usr/bin/true"], {"sandbox": "strict"})
STRONG = promise(Level.CGROUP)


def test_a_worker_of_this_release_is_fit() -> None:
    assert STRONG.release == __version__
    assert why_unfit(STRONG, SPEC) == ""


def test_O10_another_release_is_not_fit() -> None:
    assert "release 0.0.1" in why_unfit(replace(STRONG, release="0.0.1"), SPEC)


def test_O10_other_rules_are_not() -> None:
    older = replace(STRONG, rules={**STRONG.rules, "warlight": 0})
    assert "the rules version 0 of warlight" in why_unfit(older, SPEC)
    assert "the rules version None" in why_unfit(replace(STRONG, rules={}), SPEC)


def test_O10_weaker_walls_are_not() -> None:
    weak = promise(Level.GUARD)
    assert why_unfit(weak, SPEC) == "its walls are guard, and the matches ask for strict"


def test_failures_travel_as_values() -> None:
    void, broken = MachineError("no room"), BotError("does not build", "line 1: no")
    again = [Failed.of("t", error).as_error() for error in (void, broken)]
    assert [type(error) for error in again] == [MachineError, BotError]
    assert [str(error) for error in again] == ["no room", "does not build"]
    assert getattr(again[1], "output", "") == "line 1: no"


@pytest.mark.parametrize(
    ("level", "wanted", "kept"),
    [
        (Level.SANDBOX, SandboxMode.STRICT, True),
        (Level.GUARD, SandboxMode.STRICT, False),
        (Level.OFF, SandboxMode.AUTO, True),
        (Level.OFF, Level.OFF, True),
        (Level.SANDBOX, Level.CGROUP, False),
        (Level.CGROUP, Level.SANDBOX, True),
    ],
)
def test_what_a_level_keeps(level: Level, wanted: Level | SandboxMode, kept: bool) -> None:
    assert keeps(level, wanted) is kept


def test_dask_logs_no_page_of_tracebacks(monkeypatch: pytest.MonkeyPatch) -> None:
    loggers = [logging.getLogger("distributed.client"), logging.getLogger("another")]
    for one in loggers:
        monkeypatch.setattr(one, "level", logging.WARNING)
    silence_dask()
    assert [one.level for one in loggers] == [logging.CRITICAL, logging.WARNING]
