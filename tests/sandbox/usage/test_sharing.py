"""Asking what processes share."""

from __future__ import annotations

import threading

import pytest
import trio

from arena.sandbox.keeper import proc
from arena.sandbox.usage import procfs
from tests.sandbox.programs import linux_only
from tests.sandbox.usage.trees import IDLE, running

pytestmark = linux_only


async def test_a_program_that_holds_its_map_holds_up_no_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The kernel does not tell: the loop runs on, and does not wait for ever."""
    released, ticks = threading.Event(), 0
    monkeypatch.setattr(proc, "proportional", lambda pid: released.wait())
    monkeypatch.setattr(procfs, "PATIENCE", 0.1)

    async def tick() -> None:
        nonlocal ticks
        while True:
            await trio.sleep(0.005)
            ticks += 1

    async with trio.open_nursery() as nursery:
        nursery.start_soon(tick)
        assert await procfs.resident_once([1]) is None
        nursery.cancel_scope.cancel()
    released.set()
    assert ticks > 1


async def test_what_is_gone_counts_nothing() -> None:
    with running(IDLE) as process:
        there = await procfs.resident_once([process.pid])
    assert (there or 0) > 1 << 20
    assert await procfs.resident_once([process.pid]) == 0


def test_a_child_of_vfork_has_no_memory_of_its_own() -> None:
    """Here a thread in its place: the kernel has one notion for both."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    own, other = threading.get_native_id(), thread.native_id or 0
    try:
        with running(IDLE) as process:
            tree = {own: [[other], [process.pid]], other: [], process.pid: []}
            assert procfs.with_own_memory(tree) == [own, process.pid]
    finally:
        done.set()
        thread.join()
