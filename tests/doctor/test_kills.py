"""The probes of kills: what they find, with real processes that stay where none should."""

from __future__ import annotations

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


@pytest.mark.dear
async def test_a_bot_that_outlives_the_keeper(
    monkeypatch: pytest.MonkeyPatch, bystander: subprocess.Popen[bytes]
) -> None:
    monkeypatch.setattr(kills, "_start_bot", lambda *_: bystander.pid)
    one = only(await kills.keeper_death(without(why="")))
    assert_told(one, Status.FAIL, f"process {bystander.pid} outlived it")
    assert bystander.wait(20) == -9  # and it is not left behind
