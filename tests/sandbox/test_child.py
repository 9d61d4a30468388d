"""One program between its request and its end, without a keeper."""

from __future__ import annotations

import os

import pytest
import trio

from arena.sandbox.child import Child
from arena.sandbox.keeper.messages import Exit, StartFailed


class Nothing:
    """Stands for the arena's side of a keeper that kills at once."""

    def request_kill(self, child: Child) -> None:
        """It is gone."""
        assert child.killed is not None
        child.killed.set()


def child(gate: int = -1) -> Child:
    return Child(Nothing(), 0, None, -1, -1, -1, gate)


async def test_the_gate_opens_once_and_is_closed() -> None:
    reader, gate = os.pipe()
    one = child(gate)
    one.open_gate()
    assert one.gate == -1
    assert (os.read(reader, 9), os.read(reader, 9)) == (b"\n", b"")
    os.close(reader)


async def test_the_gate_of_a_program_that_is_gone_may_be_opened() -> None:
    reader, gate = os.pipe()
    os.close(reader)
    child(gate).open_gate()


async def test_a_kill_waits_until_there_is_a_process(autojump_clock: object) -> None:
    one = child()
    with trio.move_on_after(5) as scope:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(one.kill)
            await trio.sleep(1)
            assert one.killed is not None
            assert not one.killed.is_set()
            one.spawned.set()
    assert not scope.cancelled_caught


@pytest.mark.parametrize("how", ["failed", "exit"])
async def test_what_has_failed_or_ended_ended_early(how: str) -> None:
    one = child()
    assert not one.ended_early
    if how == "failed":
        one.fail(StartFailed("no room", True))
        assert one.executed.is_set()
        assert one.spawned.is_set()
    else:
        one.exit = Exit(1, None, 0.0)
    assert one.ended_early
