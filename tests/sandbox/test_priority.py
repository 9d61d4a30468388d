"""The class of the arena's thread."""

from __future__ import annotations

import os
import sys

import pytest
import trio

from arena.sandbox.priority import before_others, expect_prompt_answers
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


async def test_W3_the_arena_runs_before_others_where_it_may(real_time: int) -> None:
    with before_others():
        assert os.sched_getscheduler(0) == real_time
        child = await trio.run_process([sys.executable, "-S", "-c", TOLD], capture_stdout=True)
        with before_others():  # one in the other changes nothing
            pass
        assert os.sched_getscheduler(0) == real_time
    assert os.sched_getscheduler(0) == os.SCHED_OTHER
    assert int(child.stdout) == os.SCHED_OTHER


async def test_it_is_an_ordinary_program_between_prompt_answers(real_time: int) -> None:
    ordinary = os.SCHED_OTHER | os.SCHED_RESET_ON_FORK
    with before_others():
        expect_prompt_answers()
        assert os.sched_getscheduler(0) == ordinary
        await trio.lowlevel.checkpoint()  # the loop looks at its pipes, and does not wait
        assert os.sched_getscheduler(0) == ordinary
        await trio.sleep(0.001)
        assert os.sched_getscheduler(0) == real_time


async def test_where_it_may_not_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    with before_others():
        expect_prompt_answers()
        await trio.sleep(0.001)
        assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_without_a_run_nothing_is_expected() -> None:
    expect_prompt_answers()
    assert os.sched_getscheduler(0) == os.SCHED_OTHER
