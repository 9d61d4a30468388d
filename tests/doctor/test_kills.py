"""The probes of kills: what they find, with real processes that stay where none should."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.doctor import kills
from arena.doctor.capability import Status
from arena.doctor.context import Inside
from arena.doctor.inside import TaskReady
from tests.doctor.probing import assert_told, here, only, without
from tests.support.groups import SLEEP

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with the arena."""
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", SLEEP])
    yield process
    process.kill()
    process.wait()


async def test_a_daemon_that_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bystander: subprocess.Popen[bytes]
) -> None:
    async def hear(self: Inside, kind: type[TaskReady]) -> TaskReady:
        return TaskReady(bystander.pid)

    monkeypatch.setattr(Inside, "hear", hear)
    async with here(tmp_path) as context:
        assert_told(only(await kills.daemon(context)), Status.FAIL, "outlived its bot")
    assert bystander.wait(20) == -9  # and it is not left behind


async def test_a_bot_that_outlives_the_keeper(
    monkeypatch: pytest.MonkeyPatch, bystander: subprocess.Popen[bytes]
) -> None:
    monkeypatch.setattr(kills, "_start_bot", lambda link: bystander.pid)
    one = only(await kills.keeper_death(without(why="")))
    assert_told(one, Status.FAIL, f"process {bystander.pid} outlived it")
    assert bystander.wait(20) == -9  # and it is not left behind


@pytest.mark.parametrize(("ms", "clean"), [(900.0, True), (1.0, False)])
async def test_kills_that_are_slow_or_not_clean(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ms: float, clean: bool
) -> None:
    async def kill(self: Inside) -> float:
        await self.child.kill()
        self.child.clean = clean
        return ms

    monkeypatch.setattr(Inside, "kill_ms", kill)
    async with here(tmp_path) as context:
        one = only(await kills.kills(context))
    assert_told(one, Status.DEGRADED if clean else Status.FAIL, f"process {ms:.0f} ms")


async def test_an_idle_bot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(kills, "IDLE", 0.05)
    async with here(tmp_path) as context:
        assert only(await kills.idle(context)).status is Status.PASS
        monkeypatch.setattr(Inside, "tell", lambda self, line: os.kill(self.child.pid, 19))
        assert_told(only(await kills.idle(context)), Status.FAIL, "no answer")


async def test_aborts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bystander: subprocess.Popen[bytes]
) -> None:
    monkeypatch.setattr(kills, "ABORTS", 5)
    async with here(tmp_path) as context:
        assert only(await kills.aborts(context)).status is Status.PASS
        below = iter([set(), {bystander.pid}])
        monkeypatch.setattr(kills, "_all_below", lambda: next(below))
        assert_told(only(await kills.aborts(context)), Status.FAIL, "1 processes left")
