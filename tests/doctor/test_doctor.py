"""The doctor's probes: each passes on a machine that has everything, and each finds what it is
there to find, on real processes where the cause can be had, else with the cause put in its way."""

from __future__ import annotations

import json
import os
import platform
import socket
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest
import trio

from arena import doctor, wasm
from arena.doctor import endings, groups, machine, remedy, walls
from arena.doctor import ground as grounds
from arena.doctor.capability import Capability, Diagnosis, Status, passed
from arena.doctor.ground import Ground, Inside
from arena.players.groupmeter import GroupMeter
from arena.players.treemeter import TreeMeter
from arena.run import keeper_running
from arena.sandbox import landlock
from arena.sandbox.children import open_children
from arena.sandbox.levels import Level, Wish
from tests.groups import SLEEP
from tests.hostile.arena_runs import nothing_left, strongest

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the walls are Linux's")

GROUPS = ("control groups", *groups.WITHOUT)
SANE = (
    *("daemons", "keeper's death", "kills", "namespaces", "bubblewrap", "landlock"),
    *walls.WALLS,
    *("process clock", "temp folder", "room", "wasm"),
)
"""What passes wherever the tests can run at all. The rest is the machine's own affair."""


@cache
def diagnosis() -> Diagnosis:
    """Of this machine."""
    strongest()  # or skip
    return doctor.examine()


@pytest.mark.parametrize("name", [*SANE, *GROUPS])
def test_it_passes_here(name: str) -> None:
    found = diagnosis()
    if name in GROUPS and found.level is not Level.CGROUP:
        pytest.skip("this machine has no control groups")
    one = found.named(name)
    if name == "landlock" and "within reach at" in one.found:
        pytest.skip("there are sockets of services here")
    assert (one.status, one.consequence, one.repair) == (Status.PASS, "", ""), one.found
    assert one.found


def test_it_looks_at_everything_and_explains_what_is_not_well() -> None:
    found = diagnosis()
    names = [one.name for one in found.capabilities]
    assert len(names) == len(set(names))
    assert set(SANE) | {"system", "user", "core dumps", "languages", "clock"} <= set(names)
    for one in found.capabilities:
        assert (one.status is Status.PASS) == (one.consequence == ""), one
    assert found.granted
    assert found.wished == "auto"


@asynccontextmanager
async def here(folder: Path) -> AsyncIterator[Ground]:
    """The ground of a single probe, with the best level of this machine."""
    with keeper_running(Wish.AUTO) as keeper:
        async with open_children(keeper) as children:
            yield Ground(children, folder, await doctor._missing(children))


@asynccontextmanager
async def with_groups(folder: Path) -> AsyncIterator[Ground]:
    """The same, where there are control groups."""
    async with here(folder) as ground:
        if ground.best is not Level.CGROUP:
            pytest.skip("this machine has no control groups")
        yield ground


class NoChildren:
    """What stands for the bots where none can be started."""

    groups: str | None = None

    async def no_groups_because(self) -> str | None:
        """As set."""
        return self.groups


def without(*levels: Level, why: str) -> Any:
    """A ground on which nothing can be started, since those levels are not to be had."""
    return Ground(NoChildren(), Path("/"), dict.fromkeys(levels, why))  # type: ignore[arg-type]


def only(found: list[Capability]) -> Capability:
    [one] = found
    return one


def assert_told(one: Capability, status: Status, *words: str) -> None:
    assert one.status is status, one
    assert one.consequence
    for word in words:
        assert word in f"{one.found} {one.repair}", one


# -- the machine -----------------------------------------------------------------------------------


def test_a_strange_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(platform, "machine", lambda: "riscv64")
    assert_told(only(machine.system(without(why=""))), Status.DEGRADED, "riscv64", "x86_64")


@pytest.mark.parametrize("uid", [0, 1000])
def test_who_runs_the_arena(monkeypatch: pytest.MonkeyPatch, uid: int) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: uid)
    one = only(machine.user(without(why="")))
    assert one.status is (Status.PASS if uid else Status.DEGRADED)
    assert uid or "user id of their own" in one.consequence


@pytest.mark.parametrize("pattern", ["|/usr/lib/systemd/systemd-coredump %P", "core"])
def test_core_dumps(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, pattern: str) -> None:
    (tmp_path / "core_pattern").write_text(pattern + "\n")
    monkeypatch.setattr(machine, "CORE_PATTERN", tmp_path / "core_pattern")
    one = only(machine.core_pattern(without(why="")))
    if pattern == "core":
        assert one.status is Status.PASS
    else:
        assert_told(one, Status.DEGRADED, "systemd-coredump", "sysctl -w kernel.core_pattern=core")


@pytest.mark.parametrize("shortage", ["space", "files", "noexec", "nothing"])
def test_the_temporary_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, shortage: str
) -> None:
    ground = without(why="")
    ground.folder = tmp_path
    monkeypatch.setattr(machine, "SPACE", 1 << 62 if shortage == "space" else 0)
    monkeypatch.setattr(machine, "INODES", 1 << 62 if shortage == "files" else 0)
    monkeypatch.setattr(machine, "mounted_noexec", lambda path: shortage == "noexec")
    one = only(machine.temporary(ground))
    assert one.status is (Status.PASS if shortage == "nothing" else Status.DEGRADED)
    assert shortage == "nothing" or "TMPDIR" in one.repair


def test_little_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "jobs_that_fit", lambda wanted, seats: (0, "100 open files"))
    assert_told(only(machine.room(without(why=""))), Status.DEGRADED, "0 matches", "ulimit -n")


async def test_no_wasmtime(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wasm, "library", lambda: None)
    one = only(await machine.webassembly(without(why="")))
    assert_told(one, Status.DEGRADED, "not installed", "pip install 'arena[wasm]'")


@pytest.mark.parametrize("level", [Level.OFF, Level.GUARD])
async def test_a_module_runs_at_the_lower_levels_too(tmp_path: Path, level: Level) -> None:
    async with here(tmp_path) as ground:
        ground.level = level
        assert only(await machine.webassembly(ground)).status is Status.PASS


def test_missing_languages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "find_command", lambda name: None if name == "ruby" else "/x")
    assert_told(only(machine.languages(without(why=""))), Status.DEGRADED, "not .rb", " ruby")
    monkeypatch.setattr(machine, "find_command", lambda name: "/x")
    assert only(machine.languages(without(why=""))).status is Status.PASS


@pytest.mark.parametrize(("source", "cores"), [("hpet", 2), ("tsc", 1), ("tsc", 2)])
def test_the_clock(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, source: str, cores: int
) -> None:
    (tmp_path / "clock").write_text(f"{source}\n")
    monkeypatch.setattr(machine, "CLOCK", tmp_path / "clock")
    monkeypatch.setattr(os, "sched_getaffinity", lambda pid: set(range(cores)))
    one = only(machine.clock(without(why="")))
    assert one.status is (Status.PASS if (source, cores) == ("tsc", 2) else Status.DEGRADED)
    assert source in one.found


async def test_processes_that_cannot_be_measured(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with here(tmp_path) as ground:
        monkeypatch.setattr(machine, "HAS_SCHEDSTAT", False)
        assert_told(only(await machine.process_clock(ground)), Status.DEGRADED, "no run delay")
        monkeypatch.setattr(TreeMeter, "cpu_ns", lambda self: 0)
        assert_told(only(await machine.process_clock(ground)), Status.FAIL, "counted 0 ms")


# -- endings ---------------------------------------------------------------------------------------


@pytest.fixture
def bystander() -> Iterator[subprocess.Popen[bytes]]:
    """A process that has nothing to do with the arena."""
    process = subprocess.Popen([sys.executable, "-I", "-S", "-c", SLEEP])
    yield process
    process.kill()
    process.wait()


async def test_a_daemon_that_stays(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bystander: subprocess.Popen[bytes]
) -> None:
    async def hear(self: Inside) -> dict[str, Any]:
        return {"pid": bystander.pid}

    monkeypatch.setattr(Inside, "hear", hear)
    async with here(tmp_path) as ground:
        assert_told(only(await endings.daemon(ground)), Status.FAIL, "outlived its bot")
    assert bystander.wait(20) == -9  # and it is not left behind


async def test_a_bot_that_outlives_the_keeper(
    monkeypatch: pytest.MonkeyPatch, bystander: subprocess.Popen[bytes]
) -> None:
    monkeypatch.setattr(endings, "_start_bot", lambda link: bystander.pid)
    one = only(await endings.keeper_death(without(why="")))
    assert_told(one, Status.FAIL, f"process {bystander.pid} outlived it")
    assert bystander.wait(20) == -9  # and it is not left behind


@pytest.mark.parametrize(("ms", "clean"), [(900.0, True), (1.0, False)])
async def test_kills_that_are_slow_or_not_clean(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, ms: float, clean: bool
) -> None:
    async def kill(self: Inside) -> float:
        await self.child.kill()
        self.child.clean = clean
        return ms

    monkeypatch.setattr(Inside, "kill_ms", kill)
    async with here(tmp_path) as ground:
        one = only(await endings.kills(ground))
    assert_told(one, Status.DEGRADED if clean else Status.FAIL, f"process {ms:.0f} ms")


async def test_an_idle_bot(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(endings, "IDLE", 0.05)
    async with here(tmp_path) as ground:
        assert only(await endings.idle(ground)).status is Status.PASS
        monkeypatch.setattr(Inside, "tell", lambda self, line: os.kill(self.child.pid, 19))
        assert_told(only(await endings.idle(ground)), Status.FAIL, "no answer")


async def test_aborts(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, bystander: subprocess.Popen[bytes]
) -> None:
    monkeypatch.setattr(endings, "ABORTS", 5)
    async with here(tmp_path) as ground:
        assert only(await endings.aborts(ground)).status is Status.PASS
        below = iter([set(), {bystander.pid}])
        monkeypatch.setattr(endings, "_all_below", lambda: next(below))
        assert_told(only(await endings.aborts(ground)), Status.FAIL, "1 processes left")


# -- walls -----------------------------------------------------------------------------------------


async def test_namespaces_that_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    async def hear(self: Ground, task: str, level: Level, **given: Any) -> dict[str, Any]:
        return {"refused": "Operation not permitted"}

    monkeypatch.setattr(Ground, "hear", hear)
    one = only(await walls.namespaces(without(why="")))
    assert_told(one, Status.FAIL, "refused", "Operation not permitted")


FORBIDDEN = (
    "bwrap: No permissions to create new namespace, likely because the kernel does not allow "
    "non-privileged user namespaces. On e.g. debian this can be enabled with 'sysctl "
    "kernel.unprivileged_userns_clone=1'."
)


def root_with(folder: Path, name: str = "nothing", text: str = "") -> str:
    """A root of a file system with one file."""
    (folder / name).parent.mkdir(parents=True)
    (folder / name).write_text(text)
    return str(folder)


def test_causes_and_repairs_of_a_sandbox_that_fails(tmp_path: Path) -> None:
    plain = root_with(tmp_path / "plain")
    off = root_with(tmp_path / "off", "proc/sys/user/max_user_namespaces", "0\n")
    switch = "proc/sys/kernel/apparmor_restrict_unprivileged_userns"
    armoured = root_with(tmp_path / "armoured", switch, "1\n")
    podman = root_with(tmp_path / "podman", "run/.containerenv")
    nspawn = root_with(tmp_path / "nspawn", "run/systemd/container", "systemd-nspawn\n")
    for problem, root, cause, repair in [
        ("bubblewrap is not installed", plain, "not installed", "apt-get install bubblewrap"),
        ("sh: /usr/bin/setpriv: not found", plain, "setpriv", "apt-get install util-linux"),
        (FORBIDDEN, plain, "No permissions", "sysctl -w kernel.unprivileged_userns_clone=1"),
        (FORBIDDEN, off, "user.max_user_namespaces is 0", "sysctl -w user.max_user_namespaces="),
        (FORBIDDEN, armoured, "apparmor", "apparmor_restrict_unprivileged_userns=0"),
        (FORBIDDEN, nspawn, "container (systemd-nspawn)", "seccomp=unconfined"),
        ("bwrap: Can't mount proc: Operation not permitted", podman, "Podman", "systempaths"),
        ("bwrap: something else", plain, "something else", "bwrap --ro-bind"),
    ]:
        told = remedy.of_sandbox(problem, root)
        assert cause in told[0], (problem, root)
        assert repair in told[1], (problem, root)


async def test_bubblewrap_that_fails() -> None:
    ground = without(Level.CGROUP, Level.SANDBOX, why="bubblewrap is not installed")
    assert_told(only(await walls.bubblewrap(ground)), Status.FAIL, "apt-get install bubblewrap")
    assert ground.level is Level.GUARD


async def test_no_landlock() -> None:
    ground = without(Level.GUARD, why="landlock version 6 is needed")
    assert_told(only(await walls.guard(ground)), Status.FAIL, "version 6 is needed", "Linux 6.12")


async def test_a_socket_within_reach(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not landlock.NEEDED <= landlock.abi() < 9:
        pytest.skip("this kernel's landlock has no guard, or keeps sockets out of reach")
    path = str(tmp_path / "docker.sock")
    monkeypatch.setattr(walls, "well_known_sockets", lambda: [path, "/no/such/socket"])
    async with here(tmp_path) as ground:
        with socket.socket(socket.AF_UNIX) as service:
            service.bind(path)
            service.listen()
            assert_told(only(await walls.guard(ground)), Status.DEGRADED, path)
        assert only(await walls.guard(ground)).status is Status.PASS  # nobody listens any more


async def test_the_escape_succeeds_where_there_are_no_walls(tmp_path: Path) -> None:
    async with here(tmp_path) as ground:
        ground.level = Level.OFF
        found = {one.name: one for one in await walls.escape(ground)}
    assert set(found) == set(walls.WALLS)
    for name in ("capabilities", "identity") if os.getuid() else ():
        assert found.pop(name).status is Status.PASS
    assert found.pop("descriptors").status is Status.PASS  # nothing is inherited at any level
    for one in found.values():
        assert_told(one, Status.DEGRADED, "level off")
    assert str(tmp_path / "secret") in found["secrets"].found
    assert os.listdir(tmp_path) == ["secret"]


def test_a_wall_that_is_promised_and_does_not_stand_is_a_failure() -> None:
    for name in walls.WALLS:
        one = walls._judge(name, False, "it got out", Level.SANDBOX)
        assert_told(one, Status.FAIL, "it got out")
        assert doctor.broken([one], Level.CGROUP) == [one]
    unseen = walls._judge("processes unseen", False, "9 processes", Level.GUARD)
    assert unseen.status is Status.DEGRADED


def test_a_leaked_descriptor_is_seen() -> None:
    with open("/dev/null") as leak:
        number = leak.fileno()
        code = "import sys; sys.path.insert(0, sys.argv[1]); import inside; inside.descriptors()"
        ran = subprocess.run(
            [sys.executable, "-I", "-S", "-c", code, str(grounds.INSIDE.parent)],
            pass_fds=[number], capture_output=True, text=True, check=True,
        )  # fmt: skip
    said = json.loads(ran.stdout)
    assert (said["name"], said["holds"]) == ("descriptors", False)
    assert said["found"] == f"inherited {number}"


async def test_an_escape_program_that_ends_early(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    program = tmp_path / "inside.py"
    program.write_text("raise SystemExit('I broke')")
    program.chmod(0o644)
    monkeypatch.setattr(grounds, "INSIDE", program)
    async with here(tmp_path) as ground:
        ground.level = Level.OFF
        found = await walls.escape(ground)
    assert {one.found for one in found} == {
        "the escape program ended early: I broke (level off)",
        "the escape program ended early: I broke",
    }


# -- control groups --------------------------------------------------------------------------------


async def test_no_control_groups() -> None:
    ground = without(Level.CGROUP, why="no writable memory controller")
    ground.children.groups = "no writable memory controller"
    found = await groups.groups(ground)
    assert [one.name for one in found] == list(GROUPS)
    assert_told(found[0], Status.FAIL, "no writable memory controller")
    for one in found[1:]:
        assert_told(one, Status.DEGRADED, "by looking")
    assert doctor.broken(found, Level.SANDBOX) == []


async def test_control_groups_without_a_sandbox() -> None:
    ground = without(Level.CGROUP, Level.SANDBOX, why="bubblewrap is not installed")
    assert_told((await groups.groups(ground))[0], Status.FAIL, "apt-get install bubblewrap")


class Unlimited(Ground):
    """A ground on which every limit is forgotten."""

    def started(self, task: str, level: Any = None, limits: Any = None, **given: Any) -> Any:
        limits = msgspec.structs.replace(grounds.LIMITS, memory=None, processes=256)
        return super().started(task, level, limits, **given)


async def test_limits_that_nobody_keeps(tmp_path: Path) -> None:
    async with with_groups(tmp_path) as ground:
        forgetful = Unlimited(ground.children, tmp_path, {})
        memory = await groups.memory(forgetful, {})
        assert_told(memory, Status.FAIL, "took 2", "MiB of 64 MiB")
        processes = await groups.processes(forgetful, {})
        assert_told(processes, Status.FAIL, f"made {4 * groups.PROCESSES} of")
    assert len(doctor.broken([memory, processes], Level.CGROUP)) == 2


async def test_a_freezer_and_books_that_do_not_work(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async with with_groups(tmp_path) as ground:
        monkeypatch.setattr(GroupMeter, "freeze", lambda self: None)
        assert_told(await groups.freeze(ground, {"freeze": ""}), Status.DEGRADED, "a busy loop")
        monkeypatch.setattr(GroupMeter, "delay_ns", lambda self: None)
        told = await groups.pressure(ground, {"pressure": ""})
        assert_told(told, Status.DEGRADED, "not counted")
        monkeypatch.setattr(GroupMeter, "cpu_ns", lambda self: 0)
        assert_told(await groups.cpu(ground, {"cpu": ""}), Status.FAIL, "counted 0 ms")


@pytest.mark.parametrize("probe", [groups.freeze, groups.kill, groups.cpu, groups.pressure])
async def test_what_a_kernel_does_not_have(probe: Any) -> None:
    one = await probe(without(why=""), {})
    assert_told(one, Status.DEGRADED)
    assert one.consequence == groups.WITHOUT[one.name]


@pytest.mark.parametrize("swap", [True, False])
async def test_swap(monkeypatch: pytest.MonkeyPatch, swap: bool) -> None:
    monkeypatch.setattr(groups, "_no_swap", lambda: not swap)
    one = await groups.swap(without(why=""), {})
    assert one.status is (Status.DEGRADED if swap else Status.PASS)


# -- the whole -------------------------------------------------------------------------------------


async def test_a_probe_that_crashes_or_hangs_is_a_failure_with_its_reason() -> None:
    async def crash(ground: Ground) -> list[Capability]:
        raise RuntimeError("out of luck")

    one = only(await doctor.bounded("x", crash, without(why=""), 5))
    assert_told(one, Status.FAIL, "RuntimeError: out of luck")

    async def hang(ground: Ground) -> list[Capability]:
        await trio.sleep_forever()
        return []

    one = only(await doctor.bounded("x", hang, without(why=""), 0.05))
    assert_told(one, Status.FAIL, "did not end within 0.05 s")


def test_what_is_granted(monkeypatch: pytest.MonkeyPatch) -> None:
    async def found(ground: Ground) -> list[Capability]:
        return [passed("nothing", "is well")]

    async def missing(children: object) -> dict[Level, str]:
        return {Level.CGROUP: "no groups", Level.SANDBOX: "no bwrap"}

    monkeypatch.setattr(doctor, "PROBES", {"nothing": found})
    monkeypatch.setattr(doctor, "_missing", missing)
    assert not doctor.examine(Wish.STRICT).granted
    assert doctor.examine(Wish.AUTO).granted
    assert doctor.examine(Wish.AUTO).level is Level.GUARD
    assert doctor.examine(Level.OFF).granted
    lost = Capability("daemons", Status.FAIL, "outlived")
    monkeypatch.setattr(doctor, "PROBES", {"daemons": doctor.at_once(lambda ground: [lost])})
    assert not doctor.examine(Level.OFF).granted


def test_slow_probes_are_left_out_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    slow = {"idle bot": doctor.at_once(lambda ground: [passed("idle bot", "yes")])}
    monkeypatch.setattr(doctor, "PROBES", {})
    monkeypatch.setattr(doctor, "SLOW", slow)
    assert doctor.examine().capabilities == []
    assert [one.name for one in doctor.examine(slow=True).capabilities] == ["idle bot"]


def test_nothing_is_left_of_an_examination(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # where nobody else leaves anything
    with nothing_left():
        assert doctor.examine().capabilities
