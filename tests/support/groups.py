"""Real processes in real control groups, for the tests that need them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from arena.sandbox.keeper.cgroup import Group, Groups
from arena.sandbox.keeper.hierarchies import PREFIX, SEAT, hierarchies
from arena.sandbox.keeper.tempdirs import owner
from tests.support.keepers import close_keepers

SLEEP = "import time; time.sleep(99)"
BUSY = "while True: pass"
DAEMON = f"""
import os, sys
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print(1, flush=True)
        {BUSY}
    os._exit(0)
os.wait()
{BUSY}
"""
"""A busy loop, and a second one in a daemon. The program prints 1 when both run."""
FORK_BOMB = """
import os
os.write(1, b"1\\n")
while True:
    try:
        os.fork()
    except OSError:
        pass
"""


@contextmanager
def open_groups(proc: str = "/proc") -> Iterator[Groups]:
    """The groups of this process. Without writable controllers the test is skipped, or fails if
    the environment variable CI is ``true``."""
    try:
        groups = Groups.open(owner(), proc)
    except OSError as error:
        if os.environ.get("CI") == "true":
            pytest.fail(str(error), pytrace=False)
        pytest.skip(str(error))
    try:
        yield groups
    finally:
        assert groups.close()


@contextmanager
def open_group(
    memory: int | None = 64 << 20, processes: int | None = 32, proc: str = "/proc"
) -> Iterator[Group]:
    """A group with limits; at the end its members are killed and its folders removed."""
    with open_groups(proc) as groups:
        group = groups.make("bot")
        try:
            group.limit(memory, processes)
            yield group
        finally:
            group.kill()
            wait_until(lambda: not group.populated())
            wait_until(group.remove)


@contextmanager
def running(group: Group, code: str, proc: str = "/proc") -> Iterator[subprocess.Popen[bytes]]:
    """A Python program that starts once it is in the group, and is killed at the end."""
    argv = [sys.executable, "-I", "-S", "-c", f"input()\n{code}"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            if proc != "/proc":
                Path(proc, str(process.pid)).symlink_to(f"/proc/{process.pid}")
            group.join(process.pid)
            assert process.stdin is not None
            process.stdin.write(b"\n")
            process.stdin.flush()
            yield process
        finally:
            process.kill()
            thaw(group)
            group.kill()  # otherwise its daemons would hold the pipe


@contextmanager
def above_others() -> Iterator[None]:
    """Give this process, and those it starts meanwhile, priority over all other programs of the
    machine, if possible (v1, and the right to make a group)."""
    cpu = [tree for tree in hierarchies() if "cpu" in tree.controllers.split(",")]
    if not cpu or not os.access(cpu[0].folder, os.W_OK):
        yield
        return
    old, new = Path(cpu[0].folder), Path(cpu[0].folder, f"arena-tests-{os.getpid()}")
    new.mkdir()
    try:
        Path(new, "cpu.shares").write_text("262144")
        with suppress(OSError):  # so that the arena can get real-time priority there too
            Path(new, "cpu.rt_runtime_us").write_text("200000")
        Path(new, "cgroup.procs").write_text(str(os.getpid()))
        close_keepers()  # keepers started here are in this group, like their bots
        yield
    finally:
        Path(old, "cgroup.procs").write_text(str(os.getpid()))
        close_keepers()
        wait_until(lambda: _removed(new))


def _removed(folder: Path) -> bool:
    with suppress(OSError):
        folder.rmdir()
    return not folder.exists()


def thaw(group: Group) -> None:
    """Thaw a group, so that a failing test leaves nothing frozen."""
    path = group.files.get("freeze")
    if path is not None and os.path.exists(path):
        Path(path).write_text("THAWED" if path.endswith("state") else "0")


def hear(process: subprocess.Popen[bytes]) -> str:
    """The next line of a process's output."""
    assert process.stdout is not None
    return process.stdout.readline().decode().strip()


def wait_until(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    """Poll for a condition that no event announces. Fails after `seconds`."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never happened"
        time.sleep(0.001)


def proc_without_v2(folder: Path) -> str:
    """A /proc without a mounted v2 hierarchy; everything else in it is real, even processes."""
    proc = folder / "proc"
    (proc / "self").mkdir(parents=True)
    mounts = Path("/proc/self/mountinfo").read_text().splitlines(keepends=True)
    v1 = [line for line in mounts if " - cgroup2 " not in line]
    (proc / "self/mountinfo").write_text("".join(v1))
    places = Path("/proc/self/cgroup").read_text().splitlines(keepends=True)
    (proc / "self/cgroup").write_text("".join(p for p in places if not p.startswith("0::")))
    return str(proc)


def folders_of(name: str) -> list[Path]:
    """The group folders of an owner, in all hierarchies."""
    places = [Path(hierarchy.folder, f"{PREFIX}{name}") for hierarchy in hierarchies()]
    return [place for place in places if place.exists()] + groups_of(name)


def groups_of(name: str) -> list[Path]:
    """The group folders of an owner's bots, which are beside its own."""
    pattern = f"{PREFIX}{name}{SEAT}*"
    return [place for one in hierarchies() for place in Path(one.folder).glob(pattern)]
