"""The meter of a control group, on real programs that misbehave."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from arena.errors import MachineError
from arena.sandbox.keeper.cgroup import FILES, Group
from arena.sandbox.keeper.hierarchies import hierarchies
from arena.sandbox.usage.cgroup import CgroupMeter, GroupLost
from arena.sandbox.usage.procfs import ProcfsMeter
from tests.support.descriptors import watched_descriptors
from tests.support.groups import (
    BUSY,
    DAEMON,
    FORK_BOMB,
    SLEEP,
    hear,
    open_group,
    open_groups,
    proc_without_v2,
    running,
    wait_until,
)

MEMORY = 48 << 20
BOMB = "hoard = []\nwhile True: hoard.append(bytearray(b'x') * (1 << 22))"
BOMB_IN_CHILD = f"""
import os
if os.fork() == 0:
    {BOMB.replace(chr(10), chr(10) + "    ")}
print(os.waitstatus_to_exitcode(os.wait()[1]), flush=True)
{SLEEP}
"""
BRIEF_CHILDREN = """
import os, resource, time
def used(who):
    use = resource.getrusage(who)
    return use.ru_utime + use.ru_stime
before = used(resource.RUSAGE_SELF)
for _ in range(80):
    if os.fork() == 0:
        end = time.process_time() + 0.005
        while time.process_time() < end:
            pass
        os._exit(0)
    os.wait()
print(used(resource.RUSAGE_SELF) - before + used(resource.RUSAGE_CHILDREN), flush=True)
input()
"""
TWO_ON_ONE_CORE = f"""
import os
os.sched_setaffinity(0, {{min(os.sched_getaffinity(0))}})
os.fork()
{BUSY}
"""


@contextmanager
def metered(group: Group) -> Iterator[CgroupMeter]:
    meter = CgroupMeter(group.files, group.limits)
    try:
        yield meter
    finally:
        meter.close()


@pytest.fixture(params=["as found", "v1 only"])
def proc(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """This machine as it is, and as if it had no v2 tree (where it has v1)."""
    if request.param == "as found":
        return "/proc"
    if not any(tree.version == "v1" for tree in hierarchies()):
        pytest.skip("this machine has no v1 trees")
    return proc_without_v2(tmp_path)


def test_a_memory_bomb_never_exceeds_the_limit() -> None:
    with open_group(memory=MEMORY) as group, metered(group) as meter:
        assert meter.oom_kills() == 0
        with running(group, BOMB) as process:
            assert process.wait(60) == -9
        assert meter.oom_kills() >= 1
        assert MEMORY / 2 < meter.peak_memory() <= MEMORY


@pytest.mark.dear
def test_a_group_that_gives_way_leaves_the_core_to_others() -> None:
    """Of two busy programs on one core, however busy that is with others."""
    pin = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    with open_groups() as groups:
        if groups.found["share"] == "none":
            pytest.skip("no cpu controller is writable here")
        polite, other = groups.make("polite"), groups.make("other")
        with (
            metered(polite) as meter,
            metered(other) as rival,
            running(polite, pin + BUSY),
            running(other, pin + BUSY),
        ):
            meter.give_way(True)
            before = meter.cpu_ns(), rival.cpu_ns()
            wait_until(lambda: rival.cpu_ns() - before[1] > 200_000_000, 60)
            assert meter.cpu_ns() - before[0] < 20_000_000 + (rival.cpu_ns() - before[1]) / 10
            meter.give_way(False)
            before = meter.cpu_ns(), rival.cpu_ns()
            wait_until(lambda: meter.cpu_ns() - before[0] > 200_000_000, 60)
            rivals = rival.cpu_ns() - before[1]  # read first: both go on while the test waits
            assert rivals < 5 * (meter.cpu_ns() - before[0])
        wait_until(lambda: polite.remove() and other.remove())


def test_a_bomb_in_a_child_is_seen_while_the_parent_lives() -> None:
    with (
        open_group(memory=MEMORY) as group,
        metered(group) as meter,
        running(group, BOMB_IN_CHILD) as process,
    ):
        assert hear(process) == "-9"
        assert process.poll() is None
        assert meter.oom_kills() == 1
        assert meter.peak_memory() <= MEMORY


def test_memory_that_no_process_maps_is_counted() -> None:
    code = "import os\nfd = os.memfd_create('m')\nos.write(fd, bytes(20 << 20))\n"
    code += "print(1, flush=True)\ninput()"
    with (
        open_group(memory=MEMORY) as group,
        metered(group) as meter,
        running(group, code) as process,
    ):
        assert hear(process) == "1"
        assert 20 << 20 <= meter.memory() <= MEMORY


@pytest.mark.dear
def test_T02_groups_share_the_cores_not_their_members() -> None:
    """Eight busy loops in one group, one in the other, all on one core."""
    core = min(os.sched_getaffinity(0))
    begin = f"import os\nos.sched_setaffinity(0, {{{core}}})\n"
    with open_groups() as groups:
        if groups.found["share"] == "none":
            pytest.skip("this machine shares its cores among processes only")
        crowd, single = groups.make("crowd"), groups.make("single")
        eight = "[os.fork() for _ in range(3)]\n"
        spin = f"print(1, flush=True)\n{BUSY}"
        try:
            with (
                running(crowd, begin + eight + spin) as first,
                running(single, begin + spin) as second,
                metered(crowd) as of_crowd,
                metered(single) as of_single,
            ):
                assert hear(first) == hear(second) == "1"
                before = of_crowd.cpu_ns(), of_single.cpu_ns()
                wait_until(lambda: of_single.cpu_ns() - before[1] > 200_000_000)
                used = of_crowd.cpu_ns() - before[0], of_single.cpu_ns() - before[1]
        finally:
            for group in (crowd, single):
                group.kill()
                wait_until(group.remove)
    assert used[0] < 3 * used[1]  # process by process it would be eight times as much


def test_a_fork_bomb_is_stopped() -> None:
    with open_group(processes=20) as group, metered(group) as meter:
        assert meter.refused_forks() == 0
        with running(group, FORK_BOMB):
            wait_until(lambda: meter.refused_forks() > 0)
            assert meter.tasks() <= 20


@pytest.mark.dear
def test_brief_children_are_counted(proc: str) -> None:
    with (
        open_group(proc=proc) as group,
        metered(group) as meter,
        running(group, BRIEF_CHILDREN, proc) as process,
    ):
        true_ns = float(hear(process)) * 1e9
        assert true_ns > 80 * 5e6
        assert 0.95 < meter.cpu_ns() / true_ns < 1.05


def test_a_freeze_holds_daemons_too(proc: str) -> None:
    with (
        open_group(proc=proc) as group,
        metered(group) as meter,
        running(group, DAEMON, proc) as process,
    ):
        assert hear(process) == "1"
        wait_until(meter.freeze)
        before = meter.cpu_ns()
        time.sleep(0.1)  # it would have burnt as much
        assert meter.cpu_ns() - before < 0.01e9
        meter.thaw()
        wait_until(lambda: meter.cpu_ns() - before > 0.02e9)


def test_what_is_frozen_can_be_killed(proc: str) -> None:
    with open_group(proc=proc) as group, metered(group) as meter:
        with running(group, DAEMON, proc) as process:
            assert hear(process) == "1"
            wait_until(meter.freeze)
            group.kill()
            assert process.wait(20) == -9
            wait_until(lambda: not group.populated())
        assert group.remove()


@pytest.mark.alone
def test_a_process_that_waits_for_a_core_is_delayed() -> None:
    with open_group() as group, metered(group) as meter, running(group, TWO_ON_ONE_CORE):
        first = meter.delay_ns()
        if first is None:
            pytest.skip("this machine does not count pressure")
        start = time.monotonic_ns()
        wait_until(lambda: meter.cpu_ns() > 0.2e9)
        elapsed = time.monotonic_ns() - start
        assert elapsed * 0.2 < (meter.delay_ns() or 0) - first < elapsed * 1.5


def test_where_delay_is_not_counted_it_is_unknown(tmp_path: Path) -> None:
    meter = meter_of_files(tmp_path, "v1", {"cpuacct.usage": "5\n"})
    assert meter.delay_ns() is None
    meter.close()


REWRITTEN = {"memory_limit": 32 << 20, "swap_limit": 65 << 20, "pids_limit": 33}


@pytest.mark.parametrize("name", REWRITTEN)
def test_a_rewritten_limit_is_noticed(name: str) -> None:
    with open_group() as group, metered(group) as meter:
        if name not in group.files:
            pytest.skip("this kernel has no limit for swap")
        assert meter.intact()
        Path(group.files[name]).write_text(str(REWRITTEN[name]))
        assert not meter.intact()


def test_a_group_that_is_gone_is_neither_intact_nor_readable() -> None:
    with open_group() as group, metered(group) as meter:
        assert group.remove()
        assert not meter.intact()
        for count in (
            meter.memory,
            meter.peak_memory,
            meter.cpu_ns,
            meter.tasks,
            meter.oom_kills,
            meter.refused_forks,
            meter.freeze,
            meter.thaw,
        ):
            with pytest.raises(OSError, match="No such device"):
                count()


def test_descriptors_are_closed() -> None:
    with open_group() as group, watched_descriptors() as opened:
        meter = CgroupMeter(group.files, group.limits)
        assert opened() != {}
        meter.close()
        meter.close()
        with pytest.raises(GroupLost, match="No such file"):
            CgroupMeter({**group.files, "more": "/no/such/file"}, {})
        assert opened() == {}


class CountingTree(ProcfsMeter):
    """How often all processes were looked at."""

    looks = 0

    def look(self) -> int:
        """Counted."""
        self.looks += 1
        return super().look()


def test_the_tree_is_walked_when_it_has_changed_and_not_else() -> None:
    """Also when one child has taken the place of another."""
    code = """
import os, signal
def child():
    pid = os.fork()
    return pid or signal.pause()
first = child(); print(1, flush=True); input()
os.kill(first, 9); os.wait(); child(); print(1, flush=True); input()
"""
    with open_group() as group, running(group, code) as process:
        tree = CountingTree(process.pid)
        meter = CgroupMeter(group.files, group.limits, tree)
        for looks in (1, 2):
            assert hear(process) == "1"
            for _ in range(3):
                meter.memory()
                assert tree.looks == looks
                assert len(tree._processes) == 2
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
        meter.close()


# -- formats, on plain files: the kernel is not involved ------------------------------------


def meter_of_files(
    folder: Path, version: str, contents: dict[str, str], limit: int | None = None
) -> CgroupMeter:
    """A meter on plain files with these contents; other files are missing."""
    files = {}
    for (_, kind), names in FILES.items():
        for name, file in names.items():
            if kind == version and file in contents:
                (folder / file).write_text(contents[file])
                files[name] = str(folder / file)
    return CgroupMeter(files, {} if limit is None else {"memory_limit": limit})


V2 = {
    "memory.current": "5000\n",
    "memory.stat": "anon 4096\nfile 9\nkernel 3\nshmem 100\nfile_shmem 7\n",
    "memory.events": "low 0\nhigh 0\nmax 12\noom 2\noom_kill 1\noom_group_kill 0\n",
    "pids.current": "3\n",
    "pids.max": "max\n",
    "pids.events": "max 4\n",
    "cpu.stat": "usage_usec 70\nuser_usec 60\nsystem_usec 10\n",
    "cpu.pressure": "some avg10=0.00 avg60=0.00 avg300=0.00 total=35\nfull avg10=0 total=9\n",
}


KILLED = {
    "a bot at its limit (v2)": ("v2", {"memory.events": "max 9\noom 1\noom_kill 1\n"}, 1),
    "a machine without memory (v2)": ("v2", {"memory.events": "max 9\noom 0\noom_kill 1\n"}, None),
    "a bot at its limit (v1)": ("v1", {"memory.max_usage_in_bytes": f"{63 << 20}\n"}, 1),
    "a bot whose memory is on the disk (v1)": (
        "v1",
        {
            "memory.max_usage_in_bytes": f"{20 << 20}\n",
            "memory.memsw.max_usage_in_bytes": f"{64 << 20}\n",
        },
        1,
    ),
    "a machine without memory (v1)": ("v1", {"memory.max_usage_in_bytes": f"{20 << 20}\n"}, None),
}


@pytest.mark.parametrize("case", KILLED)
def test_a_bot_that_is_killed_within_its_limit_is_not_blamed(tmp_path: Path, case: str) -> None:
    """When the machine is out of memory, the kernel ends the largest program, and not the one that
    took the rest."""
    version, files, kills = KILLED[case]
    usual = {"memory.current": "20\n", "memory.peak": f"{20 << 20}\n"}
    if version == "v1":
        usual = {"memory.usage_in_bytes": "20\n", "memory.oom_control": "oom_kill 1\n"}
    meter = meter_of_files(tmp_path, version, {**usual, **files}, limit=64 << 20)
    with closing(meter):
        if kills is not None:
            assert meter.oom_kills() == kills
            return
        with pytest.raises(MachineError, match=r"machine ran out of memory.* 20 MiB of 64 MiB: "):
            meter.oom_kills()


def test_without_a_limit_only_the_machine_can_run_out_of_memory(tmp_path: Path) -> None:
    v1 = {"memory.oom_control": "oom_kill 1\n", "memory.max_usage_in_bytes": f"{20 << 20}\n"}
    with (
        closing(meter_of_files(tmp_path, "v1", v1)) as meter,
        pytest.raises(MachineError, match="20 MiB, without a limit"),
    ):
        meter.oom_kills()


def test_the_formats_of_v2(tmp_path: Path) -> None:
    meter = meter_of_files(tmp_path, "v2", V2)
    assert meter.memory() == meter.peak_memory() == 5000
    (tmp_path / "memory.current").write_text("4000\n")
    assert (meter.memory(), meter.peak_memory()) == (4000, 5000)
    assert (meter.oom_kills(), meter.tasks(), meter.refused_forks()) == (1, 3, 4)
    assert (meter.cpu_ns(), meter.delay_ns()) == (70_000, 35_000)
    assert meter.pressure() == (35_000, 9_000)
    (tmp_path / "cpu.pressure").write_text("some avg10=0.00 total=36\n")  # before Linux 5.13
    assert meter.pressure() == (36_000, 0)
    with pytest.raises(OSError, match="does not count or control"):
        meter.freeze()
    meter.close()


def test_stalls_are_those_of_the_disk_and_of_memory(tmp_path: Path) -> None:
    def tell(file: str, full: int) -> None:
        (tmp_path / file).write_text(f"some avg10=0.00 total=9999\nfull avg10=0.00 total={full}\n")

    without = meter_of_files(tmp_path, "v2", V2)
    assert without.stalled_ns() is None
    without.close()
    meter = meter_of_files(tmp_path, "v2", V2 | {"io.pressure": "", "memory.pressure": ""})
    tell("io.pressure", 50)
    tell("memory.pressure", 7)
    assert (meter.stalled_ns(), meter.memory(), meter.stalled_before) == (57_000, 5000, 57_000)
    tell("io.pressure", 90)
    assert meter.stalled_before == 57_000
    assert meter.stalled_ns() == 97_000
    meter.close()


def test_the_peak_of_v2_where_the_kernel_keeps_it(tmp_path: Path) -> None:
    meter = meter_of_files(tmp_path, "v2", {**V2, "memory.peak": "9000\n"})
    assert meter.peak_memory() == 9000
    meter.close()


@pytest.mark.parametrize("content", ["", "max\n", "oom_killer 3\n", "oom_kill x\n"])
def test_what_cannot_be_read_is_not_zero(tmp_path: Path, content: str) -> None:
    broken = dict.fromkeys(V2, content)
    meter = meter_of_files(tmp_path, "v2", broken)
    for count in (meter.memory, meter.cpu_ns, meter.oom_kills, meter.delay_ns):
        with pytest.raises(OSError, match="reads b"):
            count()
    meter.close()


def test_a_group_that_does_not_stand_still_yet_is_not_waited_for(tmp_path: Path) -> None:
    files = {"cgroup.freeze": "0", "cgroup.events": "populated 1\nfrozen 0\n"}
    meter = meter_of_files(tmp_path, "v2", files)
    assert not meter.freeze()
    assert (tmp_path / "cgroup.freeze").read_text() == "1"
    (tmp_path / "cgroup.events").write_text("populated 1\nfrozen 1\n")
    assert meter.freeze()
    meter.thaw()
    assert (tmp_path / "cgroup.freeze").read_text() == "0"
    meter.close()


@pytest.mark.parametrize(
    ("version", "files", "low", "usual"),
    [
        ("v1", {"cpu.shares": "1024"}, ["2024"], ["1024"]),  # these files keep their length
        ("v2", {"cpu.weight": "100"}, ["100"], ["100"]),
        ("v1", {}, [], []),
    ],
)
def test_a_group_gives_way_by_its_weight(
    tmp_path: Path, version: str, files: dict[str, str], low: list[str], usual: list[str]
) -> None:
    meter = meter_of_files(tmp_path, version, files)
    for way, expected in ((True, low), (False, usual)):
        meter.give_way(way)
        assert [(tmp_path / name).read_text() for name in files] == expected
    meter.close()
