"""Finding the trees of control groups, and the way into a pure v2 tree.

The kernel is not involved here: /proc is two text files, and the v2 tree is a folder of plain
files, with a few of the kernel's rules played by `FakeTree`. These tests show that the right things
are written in the right order, not that a kernel obeys.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from arena.sandbox.keeper import cgroup, hierarchies
from arena.sandbox.keeper.cgroup import ABILITIES, Groups

V1 = "4:memory:/box\n3:cpu,cpuacct:/\n0::/user/me\n"


def fake_proc(folder: Path, mounts: list[str], places: str) -> str:
    """A /proc with these mounts (``ROOT POINT KIND OPTIONS``), and our own places."""
    lines = []
    for mount in mounts:
        root, point, kind, options = mount.split(" ")
        lines.append(f"31 23 0:28 {root} {point} rw,nosuid shared:9 - {kind} {kind} {options}\n")
    (folder / "self").mkdir(parents=True)
    (folder / "self/mountinfo").write_text("".join(lines))
    (folder / "self/cgroup").write_text(places)
    return str(folder)


def found(proc: str) -> list[tuple[str, str, str]]:
    return [(tree.version, tree.path, tree.folder) for tree in hierarchies.hierarchies(proc)]


def test_mounts_are_matched_with_our_places(tmp_path: Path) -> None:
    mounts = [
        "/ /sys/memory cgroup rw,memory",
        "/ /sys/cpu,cpuacct cgroup rw,cpuacct,cpu",
        "/ /sys/unified cgroup2 rw,nsdelegate",
        "/ /tmp tmpfs rw",
    ]
    assert found(fake_proc(tmp_path, mounts, V1)) == [
        ("v2", "/user/me", "/sys/unified/user/me"),
        ("v1", "", "/sys/cpu,cpuacct"),
        ("v1", "/box", "/sys/memory/box"),
    ]


def test_a_part_of_a_tree_may_be_mounted(tmp_path: Path) -> None:
    mounts = ["/other /else cgroup2 rw", "/user /my\\040mount cgroup2 rw", "/user/me /x cgroup2 rw"]
    assert found(fake_proc(tmp_path, mounts, "0::/user/me\n")) == [
        ("v2", "/user/me", "/my mount/me")
    ]


@pytest.mark.parametrize("place", ["/../elsewhere", "/users", "/"])
def test_a_group_outside_the_mount_is_out_of_reach(tmp_path: Path, place: str) -> None:
    assert found(fake_proc(tmp_path, ["/user /x cgroup2 rw"], f"0::{place}\n")) == []


def test_an_arena_that_was_moved_home_makes_its_groups_beside_it(tmp_path: Path) -> None:
    mounts = ["/ /sys cgroup2 rw"]
    assert found(fake_proc(tmp_path, mounts, "0::/scope/arena-home\n")) == [
        ("v2", "/scope", "/sys/scope")
    ]


def test_a_home_whose_parent_is_not_mounted_is_our_place(tmp_path: Path) -> None:
    mounts = ["/scope/arena-home /sys cgroup2 rw"]
    assert found(fake_proc(tmp_path, mounts, "0::/scope/arena-home\n")) == [
        ("v2", "/scope/arena-home", "/sys")
    ]


class FakeTree:
    """Plain files that follow the rules of v2: controllers come from the parent, and are not
    handed down while there are processes in the way."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.root = folder
        self.written: list[str] = []
        self._mkdir, self._rmdir = os.mkdir, os.rmdir
        self._make(folder, "cpu memory pids")
        for module in (hierarchies, cgroup):
            monkeypatch.setattr(module, "write", self.write)
        monkeypatch.setattr(os, "mkdir", self.mkdir)
        monkeypatch.setattr(os, "rmdir", self.rmdir)

    def _make(self, folder: Path, controllers: str) -> None:
        self._mkdir(folder)
        files = {
            "cgroup.controllers": controllers,
            "cgroup.subtree_control": "",
            "cgroup.procs": "",
        }
        files |= {"cgroup.kill": "", "cgroup.freeze": "0", "cgroup.events": "", "cpu.stat": ""}
        if "memory" in controllers:
            files |= {"memory.current": "0", "memory.max": "max", "memory.swap.max": "max"}
        if "pids" in controllers:
            files |= {"pids.current": "0", "pids.max": "max", "pids.events": "max 0"}
        if "cpu" in controllers:
            files |= {"cpu.weight": "100"}
        for name, value in files.items():
            (folder / name).write_text(value)

    def mkdir(self, path: str, mode: int = 0o777) -> None:
        if Path(path).is_relative_to(self.root):
            control = (Path(path).parent / "cgroup.subtree_control").read_text()
            self._make(Path(path), control)
        else:
            self._mkdir(path, mode)

    def rmdir(self, path: str) -> None:
        for file in Path(path).iterdir() if Path(path).is_relative_to(self.root) else ():
            if file.is_file():
                file.unlink()
        self._rmdir(path)

    def write(self, path: str, text: str) -> None:
        file = Path(path)
        self.written.append(f"{file.relative_to(self.root)} {text}")
        if file.name == "cgroup.procs":
            self.move(file, text)
        elif file.name == "cgroup.subtree_control":
            if (file.parent / "cgroup.procs").read_text():
                raise OSError(errno.EBUSY, "Device or resource busy")
            file.write_text(text.replace("+", ""))
        else:
            file.write_text(text)

    def move(self, to: Path, pid: str) -> None:
        for procs in self.root.rglob("cgroup.procs"):
            left = [line for line in procs.read_text().split() if line != pid]
            procs.write_text("".join(f"{line}\n" for line in left))
        with to.open("a") as file:
            file.write(f"{pid}\n")


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeTree:
    return FakeTree(tmp_path / "scope", monkeypatch)


def proc_of(tree: FakeTree) -> str:
    return fake_proc(tree.root.parent / "proc", [f"/scope {tree.root} cgroup2 rw"], "0::/scope\n")


def test_processes_in_the_way_move_home_first(tree: FakeTree) -> None:
    (tree.root / "cgroup.procs").write_text("11\n12\n")
    groups = Groups.open("7-8", proc_of(tree))
    assert tree.written == [
        "cgroup.subtree_control +memory +pids +cpu",
        "arena-home/cgroup.procs 11",
        "arena-home/cgroup.procs 12",
        "cgroup.subtree_control +memory +pids +cpu",
        "arena-home/cpu.weight 10000",
    ]
    assert groups.found == dict.fromkeys(ABILITIES, "v2") | {"pressure": "none"}


def test_no_process_moves_where_none_is_in_the_way(tree: FakeTree) -> None:
    (tree.root / "cgroup.subtree_control").write_text("memory pids cpu")
    (tree.root / "cgroup.procs").write_text("1\n")  # the root of all may have both
    Groups.open("7-8", proc_of(tree))
    assert tree.written == ["arena-home/cpu.weight 10000"]  # which is not there
    assert not (tree.root / "arena-home").exists()


def test_what_is_written_for_one_bot(tree: FakeTree) -> None:
    proc = proc_of(tree)
    group = Groups.open("7-8", proc).make("bot")
    tree.written.clear()
    group.limit((1 << 20) + 1, 9)
    assert tree.written == [
        f"arena-7-8.bot/memory.max {1 << 20}",
        "arena-7-8.bot/memory.swap.max 0",
        "arena-7-8.bot/pids.max 9",
    ]
    assert group.limits == {"memory_limit": 1 << 20, "swap_limit": 0, "pids_limit": 9}
    group.kill()
    assert tree.written[3:] == ["arena-7-8.bot/cgroup.kill 1"]
    assert group.remove()


def test_a_join_is_checked(tree: FakeTree) -> None:
    proc = proc_of(tree)
    group = Groups.open("7-8", proc).make("bot")
    Path(proc, "13").mkdir()
    place = Path(proc, "13/cgroup")
    place.write_text("0::/scope/arena-7-8.bot\n")
    group.join(13)
    assert tree.written[-1] == "arena-7-8.bot/cgroup.procs 13"
    place.write_text("0::/scope/arena-7-8.bot2\n")
    with pytest.raises(OSError, match=r"is in /scope/arena-7-8\.bot2"):
        group.join(13)


def test_without_the_memory_controller_there_are_no_groups(tree: FakeTree) -> None:
    (tree.root / "cgroup.controllers").write_text("cpu pids")
    with pytest.raises(OSError, match=r"^no writable memory controller: run as root"):
        Groups.open("7-8", proc_of(tree))
    assert not (tree.root / "arena-7-8").exists()


def test_processes_that_keep_coming_are_given_up(
    tree: FakeTree, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tree.root / "cgroup.procs").write_text("11\n")
    monkeypatch.setattr(tree, "move", lambda to, pid: None)
    with pytest.raises(OSError, match=r"no writable memory controller \(Device or resource busy"):
        Groups.open("7-8", proc_of(tree))
    assert tree.written.count("arena-home/cgroup.procs 11") == hierarchies.MOVES - 1


def test_a_missing_file_is_an_error_and_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        hierarchies.write(str(tmp_path / "memory.max"), "1")
    assert list(tmp_path.iterdir()) == []
