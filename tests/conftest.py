"""Test functions may be ``async``: they run under Trio, on a mock clock that jumps when they ask
for one with the fixture `autojump_clock`."""

from __future__ import annotations

import inspect
from collections.abc import Generator
from typing import Any

import pytest
import trio
import trio.testing


@pytest.fixture
def autojump_clock() -> trio.testing.MockClock:
    """Time stands still while anything can run, and jumps when everything waits."""
    return trio.testing.MockClock(autojump_threshold=0)


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Run coroutine functions with Trio."""
    function = pyfuncitem.obj
    if inspect.iscoroutinefunction(function):

        def run(**fixtures: Any) -> None:
            clock = fixtures.get("autojump_clock")

            async def inside() -> None:
                with trio.fail_after(60 if clock is None else 10**9):
                    await function(**fixtures)

            trio.run(inside, clock=clock)

        pyfuncitem.obj = run
    return (yield)
