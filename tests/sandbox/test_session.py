"""Running asynchronous code with a keeper from ordinary code."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trio

from arena.sandbox import priority
from arena.sandbox.children import Children
from arena.sandbox.session import keeper_running, run_with, trio_run


def test_the_result_comes_back() -> None:
    async def main(children: Children) -> int:
        await trio.lowlevel.checkpoint()
        return 7

    with keeper_running() as keeper:
        assert run_with(keeper, main) == 7
        assert run_with(keeper, main) == 7  # a keeper serves one run after the other


def test_of_a_group_of_exceptions_the_cause_is_raised() -> None:
    async def fail() -> None:
        async with trio.open_nursery() as outer, trio.open_nursery() as inner:
            outer.start_soon(trio.sleep_forever)
            inner.start_soon(_raise)

    async def _raise() -> None:
        raise LookupError("the cause")

    with pytest.raises(LookupError, match="the cause") as caught:
        trio_run(fail)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__, "no group is shown above it"


def test_an_exception_ends_the_keeper() -> None:
    with pytest.raises(LookupError), keeper_running() as keeper:
        raise LookupError
    assert keeper.process.returncode == 0


def test_the_arena_runs_before_others_for_the_time_of_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    inside = False

    @contextmanager
    def before_others() -> Iterator[None]:
        nonlocal inside
        inside = True
        yield
        inside = False

    async def main(children: Children) -> bool:
        await trio.lowlevel.checkpoint()
        return inside

    monkeypatch.setattr(priority, "before_others", before_others)
    with keeper_running() as keeper:
        assert run_with(keeper, main)
    assert not inside


def test_the_second_ctrl_c_is_armed_only_for_the_time_of_a_run() -> None:
    async def main(children: Children) -> object:
        await trio.lowlevel.checkpoint()
        return signal.getsignal(signal.SIGINT)

    before = signal.getsignal(signal.SIGINT)
    with keeper_running() as keeper:
        assert run_with(keeper, main) is not before
    assert signal.getsignal(signal.SIGINT) is before
