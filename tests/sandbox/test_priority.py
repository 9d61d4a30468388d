"""The class of the arena's thread."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.sandbox.priority import before_others
from tests.sandbox.programs import linux_only

pytestmark = linux_only
TOLD = "import os; print(os.sched_getscheduler(0))"


@pytest.fixture
def real_time() -> int:
    """The class that the arena takes."""
    kind = os.SCHED_RR | os.SCHED_RESET_ON_FORK
    try:
        os.sched_setscheduler(0, kind, os.sched_param(1))
    except PermissionError:
        pytest.skip("only root, or who has CAP_SYS_NICE, may be of real-time class")
    os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    return kind


def test_W3_the_arena_runs_before_others_where_it_may(real_time: int) -> None:
    with before_others():
        assert os.sched_getscheduler(0) == real_time
        child = subprocess.run([sys.executable, "-S", "-c", TOLD], capture_output=True, check=True)
        with before_others():  # one in the other changes nothing
            pass
        assert os.sched_getscheduler(0) == real_time
    assert os.sched_getscheduler(0) == os.SCHED_OTHER
    assert int(child.stdout) == os.SCHED_OTHER


def test_where_it_may_not_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with before_others():
        assert os.sched_getscheduler(0) == os.SCHED_OTHER
