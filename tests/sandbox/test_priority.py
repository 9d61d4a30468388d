"""The class of the arena's thread."""

from __future__ import annotations

import os
import resource
import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor

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


async def test_the_arena_runs_before_others_where_it_may(real_time: int) -> None:
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


async def test_what_never_comes_back_holds_no_core(real_time: int) -> None:
    """A player or a game in Python that loops after a wait."""
    ordinary = os.SCHED_OTHER | os.SCHED_RESET_ON_FORK
    limit, heard = resource.getrlimit(resource.RLIMIT_RTTIME), signal.getsignal(signal.SIGXCPU)
    with before_others():
        for _ in range(2):  # each time anew
            await trio.sleep(0.001)
            assert os.sched_getscheduler(0) == real_time
            until = time.monotonic() + 60
            while os.sched_getscheduler(0) == real_time:
                assert time.monotonic() < until
            assert os.sched_getscheduler(0) == ordinary
    assert resource.getrlimit(resource.RLIMIT_RTTIME) == limit
    assert signal.getsignal(signal.SIGXCPU) == heard


async def test_it_is_an_ordinary_program_before_nobody_hears_that_it_ran_long(
    real_time: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the kernel may tell in between: that left a limit behind, and ended the arena in one of
    some thousand matches of Python functions."""
    limit, heard = resource.getrlimit(resource.RLIMIT_RTTIME), signal.getsignal(signal.SIGXCPU)
    set_limit, hear, late = resource.setrlimit, signal.signal, []

    def long_run() -> None:
        if os.sched_getscheduler(0) == real_time:
            late.append(signal.getsignal(signal.SIGXCPU))
            signal.raise_signal(signal.SIGXCPU)

    def setrlimit(which: int, limits: tuple[int, int]) -> None:
        set_limit(which, limits)
        long_run()

    def listen(number: signal.Signals, handler: signal.Handlers) -> object:
        long_run()
        return hear(number, handler)

    with before_others():
        await trio.sleep(0.001)
        assert os.sched_getscheduler(0) == real_time
        monkeypatch.setattr(resource, "setrlimit", setrlimit)
        monkeypatch.setattr(signal, "signal", listen)
    monkeypatch.undo()
    assert late == []
    assert resource.getrlimit(resource.RLIMIT_RTTIME) == limit
    assert signal.getsignal(signal.SIGXCPU) == heard
    assert os.sched_getscheduler(0) == os.SCHED_OTHER


def test_a_thread_that_hears_no_signals_is_an_ordinary_one(real_time: int) -> None:
    async def seen() -> int:
        with before_others():
            await trio.sleep(0.001)
            return os.sched_getscheduler(0)

    with ThreadPoolExecutor(1) as threads:
        assert threads.submit(trio.run, seen).result() == os.SCHED_OTHER


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
