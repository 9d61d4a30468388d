"""Control groups with real processes in them, on this machine's kernel."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox.keeper import cgroup
from arena.sandbox.keeper.cgroup import ABILITIES, PAGE, Groups
from arena.sandbox.keeper.hierarchies import SEAT, hierarchies
from arena.sandbox.keeper.tempdirs import owner
from tests.support.groups import (
    DAEMON,
    FORK_BOMB,
    SLEEP,
    folders_of,
    groups_of,
    hear,
    open_group,
    open_groups,
    proc_without_v2,
    running,
    wait_until,
)


@pytest.fixture(params=["as found", "v1 only"])
def proc(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """This machine as it is, and as if it had no v2 hierarchy (where it has v1)."""
    if request.param == "as found":
        return "/proc"
    if not any(hierarchy.version == "v1" for hierarchy in hierarchies()):
        pytest.skip("this machine has no v1 hierarchies")
    return proc_without_v2(tmp_path)


def text(path: str) -> str:
    return Path(path).read_text().strip()


def test_what_was_found_is_told() -> None:
    with open_groups() as groups:
        assert set(groups.found) == set(ABILITIES)
        assert groups.found["memory"] in ("v1", "v2")
        assert groups.found["pids"] in ("v1", "v2")
        assert groups.found["kill"] in ("v2", "procs")
        assert folders_of(owner())
    assert not folders_of(owner())


def test_the_groups_of_bots_lie_beside_that_of_their_arena_and_go_with_it() -> None:
    """Below it, they would share what one group gets of a machine with other work."""
    with open_groups() as groups:
        groups.make("bot")
        beside = {parent.rpartition("/")[0] for _, parent in groups.parents}
        assert {str(place.parent) for place in groups_of(owner())} == beside
    assert not folders_of(owner())


def test_limits_read_back_in_whole_pages() -> None:
    with open_group(memory=(64 << 20) + 1, processes=7) as group:
        assert group.limits["memory_limit"] == 64 << 20
        assert group.limits["pids_limit"] == 7
        for name, value in group.limits.items():
            assert text(group.files[name]) == str(value)
        assert group.limits.get("swap_limit") in (None, 0, 64 << 20)


def test_no_limit_is_written_where_none_is_wanted() -> None:
    with open_group(memory=None, processes=None) as group:
        assert group.limits == {}
        assert text(group.files["pids_limit"]) == "max"


def test_a_limit_that_does_not_hold_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_groups() as groups:
        group = groups.make("bot")
        with pytest.raises(OSError, match="Invalid argument"):
            group.limit(None, 1 << 40)
        with monkeypatch.context() as patch:
            patch.setattr(cgroup, "write", lambda path, value: None)
            with pytest.raises(OSError, match=f"wrote {PAGE * 100}, reads"):
                group.limit(PAGE * 100, None)
        assert group.limits == {}
        assert group.remove()


def test_a_process_that_is_not_moved_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with open_group() as group:
        with monkeypatch.context() as patch:
            patch.setattr(cgroup, "write", lambda path, value: None)
            with pytest.raises(OSError, match="is in"):
                group.join()
        with pytest.raises(ProcessLookupError):
            group.join(2**31 - 1)


def test_the_caller_can_join_itself() -> None:
    with open_group() as group:
        argv = [sys.executable, "-I", "-S", "-c", SLEEP]
        with subprocess.Popen(argv, preexec_fn=group.join) as process:
            assert group.populated()
            group.kill()
            assert process.wait(20) == -signal.SIGKILL


def test_names_are_taken_once() -> None:
    with open_groups() as groups:
        group = groups.make("bot")
        with pytest.raises(FileExistsError):
            groups.make("bot")
        assert group.remove()
        assert groups.make("bot").remove()


def test_a_group_that_is_half_made_leaves_nothing() -> None:
    with open_groups() as groups:
        last = Path(f"{groups.parents[-1][1]}{SEAT}bot")
        last.mkdir()
        with pytest.raises(FileExistsError):
            groups.make("bot")
        last.rmdir()
        assert not groups_of(owner())


def test_an_inhabited_group_stays() -> None:
    with open_group() as group, running(group, SLEEP):
        assert group.populated()
        assert not group.remove()


@pytest.mark.parametrize("code", [SLEEP, DAEMON, FORK_BOMB], ids=["sleep", "daemon", "fork bomb"])
def test_a_kill_leaves_none(proc: str, code: str) -> None:
    with open_group(proc=proc) as group:
        with running(group, code, proc) as process:
            if code != SLEEP:
                assert hear(process) == "1"
            group.kill()
            process.wait(20)
            wait_until(lambda: not group.populated())
            group.kill()  # may be repeated
        assert group.remove()
        assert group.remove()
        group.kill()


def test_a_host_without_v2(tmp_path: Path) -> None:
    if not any(hierarchy.version == "v1" for hierarchy in hierarchies()):
        pytest.skip("this machine has no v1 hierarchies")
    with open_groups(proc_without_v2(tmp_path)) as groups:
        assert groups.found == {
            "memory": "v1",
            "pids": "v1",
            "kill": "procs",
            "freeze": "v1",
            "cpu": "v1",
            "pressure": "none",
            "share": "v1",
        }


def test_a_host_without_groups_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    (tmp_path / "self/mountinfo").write_text("")
    (tmp_path / "self/cgroup").write_text("0::/\n")
    with pytest.raises(OSError, match=r"^no writable memory controller: run as root"):
        Groups.open(owner(), str(tmp_path))


def test_why_a_hierarchy_cannot_be_used_is_told(tmp_path: Path) -> None:
    (tmp_path / "self").mkdir()
    mount = "31 23 0:28 / /no/such/place rw - cgroup cgroup rw,memory\n"
    mount += "32 23 0:29 / /nor/this rw - cgroup2 cgroup2 rw\n"
    (tmp_path / "self/mountinfo").write_text(mount)
    (tmp_path / "self/cgroup").write_text("4:memory:/\n0::/\n")
    with pytest.raises(OSError, match=r"memory controller \(No such file or directory: /no/such"):
        Groups.open(owner(), str(tmp_path))
