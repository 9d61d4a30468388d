"""The keeper's own scope, from a systemd that is two shell scripts: no test needs the real one.
(`python -m tests.vm` tries that.)"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.sandbox.keeper import scopes
from arena.sandbox.keeper.cgroup import ADVICE, Groups
from arena.sandbox.keeper.hierarchies import hierarchies
from arena.sandbox.keeper.scopes import enter_scope

SESSION = "/user.slice/user-1000.slice/session-3.scope"
TMUX = "/user.slice/user-1000.slice/user@1000.service/tmux-spawn-1.scope"


class Machine:
    """A control group of version 2 in a folder, and systemd's programs, which tell what they are
    asked."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.proc, self.bin, self.asked = folder / "proc", folder / "bin", folder / "asked"
        self.mount = folder / "groups"
        (self.proc / "self").mkdir(parents=True)
        self.bin.mkdir()
        self.mount.mkdir()
        self.asked.touch()
        monkeypatch.setenv("PATH", f"{self.bin}:{os.environ['PATH']}")
        monkeypatch.setattr(scopes, "SYSTEMD", str(folder))
        self.places = self.proc / "self/cgroup"
        self.is_in(SESSION)
        self.program("busctl", f'printf %s "0::/app.slice/$9" > {self.places}')
        self.program("systemctl", "echo no")

    def is_in(self, group: str, further: str = "") -> None:
        """Put this process into a group that it may write."""
        (self.mount / group[1:]).mkdir(parents=True, exist_ok=True)
        self.places.write_text(f"{further}0::{group}\n")
        mounts = f"1 1 0:1 / {self.mount} rw - cgroup2 none rw\n"
        (self.proc / "self/mountinfo").write_text(mounts)

    def program(self, name: str, does: str) -> None:
        path = self.bin / name
        path.write_text(f'#!/bin/sh\necho {name} "$@" >> {self.asked}\n{does}\n')
        path.chmod(0o755)

    def enter(self) -> str | None:
        (v2,) = hierarchies(str(self.proc))
        return enter_scope("4711-12", v2, str(self.proc))

    def words(self, program: str) -> list[str]:
        """The command line of a program's last call."""
        calls = [line.split() for line in self.asked.read_text().splitlines()]
        return [call for call in calls if call[0] == program][-1]


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    return Machine(tmp_path, monkeypatch)


def test_the_keeper_alone_moves_to_a_scope_that_its_bots_cannot_stop(machine: Machine) -> None:
    assert machine.enter() == "arena-4711-12.scope"
    call = machine.words("busctl")
    told = call[call.index("ssa(sv)a(sa(sv))") :]
    assert told[1:4] == ["arena-4711-12.scope", "fail", "5"]
    assert told[4:8] == ["PIDs", "au", "1", str(os.getpid())]
    properties = {told[at]: told[at + 2] for at in range(8, 8 + 3 * 4, 3)}
    assert properties["Delegate"] == "true"
    assert properties["OOMPolicy"] == "continue"
    assert told[8 + 3 * 4 :] == ["0"]


@pytest.mark.parametrize(
    ("uid", "group", "knows", "makes"),
    [
        (1000, SESSION, "--system", "--user"),
        (1000, TMUX, "--user", "--user"),
        (1000, "/system.slice/site.service", "--system", "--user"),
        (0, "/user.slice/user-0.slice/session-1.scope", "--system", "--system"),
        (0, "/system.slice/site.service", "--system", "--system"),
        (0, "/user.slice/user-0.slice/user@0.service/tmux-spawn-1.scope", "--user", "--user"),
        (0, TMUX, "--system", "--system"),  # sudo in a window of another user
    ],
)
def test_which_manager_is_asked(
    machine: Machine,
    monkeypatch: pytest.MonkeyPatch,
    uid: int,
    group: str,
    knows: str,
    makes: str,
) -> None:
    """One tells whether our unit is delegated, and one makes a scope: not always the same."""
    monkeypatch.setattr(os, "getuid", lambda: uid)
    machine.is_in(group)
    assert machine.enter() is not None
    assert (machine.words("systemctl")[1], machine.words("busctl")[1]) == (knows, makes)


def test_a_unit_that_is_delegated_is_kept(machine: Machine) -> None:
    """It may have limits, which bots shall not leave."""
    machine.program("systemctl", "echo yes")
    machine.is_in("/system.slice/site.service/arena-home")
    assert machine.enter() is None
    assert machine.words("systemctl")[-1] == "site.service"
    assert "busctl" not in machine.asked.read_text()


def test_where_the_group_is_not_ours_nobody_asks_whether_it_is_delegated(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert machine.enter() is not None
    assert "systemctl" not in machine.asked.read_text()


@pytest.mark.parametrize("kind", ["no systemd", "v1 has memory"])
def test_other_machines_are_left_alone(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    if kind == "no systemd":
        monkeypatch.setattr(scopes, "SYSTEMD", "/nowhere")
    else:
        machine.is_in(SESSION, "3:memory,hugetlb:/\n")
    assert machine.enter() is None
    assert machine.asked.read_text() == ""


def test_a_group_that_is_not_delegated_is_never_used(machine: Machine) -> None:
    """The first bot at its memory limit would end the terminal of its user."""
    machine.program("busctl", "echo Failed to connect to bus:; echo  no such file >&2; exit 1")
    group = machine.mount / SESSION[1:]
    (group / "cgroup.controllers").write_text("memory pids")
    (group / "cgroup.subtree_control").touch()
    with pytest.raises(OSError, match="bus: no such file") as caught:
        Groups.open("4711-12", str(machine.proc))
    assert str(caught.value).endswith(ADVICE)
    assert not [place for place in group.iterdir() if place.is_dir()]


def test_a_manager_that_does_nothing_is_not_waited_for_without_end(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.program("busctl", "true")
    monkeypatch.setattr(scopes, "MOVED_WITHIN", 0.01)
    with pytest.raises(OSError, match=r"did not start arena-4711-12\.scope"):
        machine.enter()


def test_without_the_programs_of_systemd(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(machine.mount))
    with pytest.raises(OSError, match="busctl: No such file"):
        machine.enter()
