"""Processes that wait: how many, in which order they are taken, and what is left of one."""

from __future__ import annotations

import os
from typing import Any

import pytest

from arena.sandbox.keeper import spawn
from arena.sandbox.keeper.spawn import AHEAD, PreforkedProcess, PreforkedProcesses


class Waiting:
    """Stands for a process, of which none is made here."""

    made = 0
    fails = False

    def __init__(self, group: Any = None, *, walls: bool = True) -> None:
        if Waiting.fails:
            raise BlockingIOError("Resource temporarily unavailable")
        Waiting.made += 1
        self.pid, self.group, self.walls, self.dismissed = Waiting.made, group, walls, False

    def dismiss(self) -> None:
        """Remember it."""
        self.dismissed = True


class Group:
    """Stands for a control group."""

    def __init__(self, name: str) -> None:
        self.name, self.removed = name, False

    def remove(self) -> bool:
        """Remember it."""
        self.removed = True
        return True


class Groups:
    """Stands for those of a keeper."""

    def __init__(self) -> None:
        self.made: list[Group] = []

    def make(self, name: str) -> Group:
        """A new one."""
        self.made.append(Group(name))
        return self.made[-1]


@pytest.fixture(autouse=True)
def _no_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(spawn, "PreforkedProcess", Waiting)
    monkeypatch.setattr(Waiting, "made", 0)
    monkeypatch.setattr(Waiting, "fails", False)


def filled(groups: Any = None, *, walls: bool = True) -> PreforkedProcesses:
    """As many as are wanted."""
    processes = PreforkedProcesses(groups, walls=walls)
    while not processes.complete():
        processes.add()
    return processes


def test_so_many_are_made_and_the_first_is_taken_first() -> None:
    processes = filled()
    assert processes.pids() == set(range(1, AHEAD + 1))
    assert processes.take().pid == 1
    assert not processes.complete()
    assert processes.take().pid == 2
    assert processes.take().pid == 3  # made when none waits
    assert processes.pids() == set()


@pytest.mark.parametrize("walls", [False, True])
def test_they_get_ready_for_walls_where_there_will_be_some(walls: bool) -> None:
    process: Any = filled(walls=walls).take()
    assert process.walls == walls


def test_each_has_a_group_of_its_own() -> None:
    groups = Groups()
    processes = filled(groups)
    assert [group.name for group in groups.made] == ["1", "2"]
    assert processes.take().group is groups.made[0]  # type: ignore[comparison-overlap]


def test_where_none_can_be_made_none_is_wanted_and_the_next_request_is_told() -> None:
    groups = Groups()
    processes = PreforkedProcesses(groups, walls=True)  # type: ignore[arg-type]
    Waiting.fails = True
    processes.add()
    assert processes.complete()
    with pytest.raises(BlockingIOError):
        processes.take()
    assert [group.removed for group in groups.made] == [True, True]


def test_one_that_has_ended_is_taken_out() -> None:
    processes = filled()
    lost: Any = processes.remove(2)
    assert (lost.pid, lost.dismissed) == (2, True)
    assert processes.remove(2) is None
    assert processes.pids() == {1}
    assert not processes.complete()


def test_at_the_end_none_is_wanted() -> None:
    processes = filled()
    assert [process.pid for process in processes.clear()] == [1, 2]
    assert processes.complete()
    assert processes.pids() == set()


def test_a_process_that_is_gone_is_a_failure_of_ours() -> None:
    process = object.__new__(PreforkedProcess)
    ours, theirs = __import__("socket").socketpair()
    process.link = ours
    theirs.close()
    with open(os.devnull) as null:
        failed = process.become(b"x", [null.fileno()])
    process.dismiss()
    assert failed is not None
    assert failed.ours
    assert "the process meant for it is gone" in failed.error
