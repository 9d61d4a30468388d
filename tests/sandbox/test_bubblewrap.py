"""The sandbox that bubblewrap builds: what of the disk it shows, and what a program finds in it."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest
import trio

from arena.core.limits import Limits
from arena.sandbox import bubblewrap, installations
from arena.sandbox.children import Children
from arena.sandbox.keeper import copies
from arena.sandbox.levels import Level
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.session import keeper_running, run_with
from tests.sandbox.programs import (
    WALLED,
    lay_out,
    linux_only,
    needs,
    open_to_all,
    run_code,
    run_program,
)
from tests.support.tools import needs_tool


def test_without_bubblewrap_there_is_a_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(OSError, match="apt-get install bubblewrap"):
        bubblewrap.find()


@pytest.mark.parametrize(
    ("file_mode", "folder_mode", "readable"),
    [(0o644, 0o755, True), (0o640, 0o755, False), (0o644, 0o754, False), (0o644, 0o750, False)],
)
def test_what_only_its_owner_can_read_is_refused_where_bots_get_another_user(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    file_mode: int,
    folder_mode: int,
    readable: bool,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    folder = tmp_path / "bot"
    lay_out(folder / "deep" / "file").chmod(file_mode)
    (folder / "deep").chmod(folder_mode)
    folder.chmod(0o755)
    problem = ""
    try:
        bubblewrap.options({folder: "/bot"}, (), Limits(), etc=tmp_path)
    except OSError as error:
        problem = str(error)
    assert (problem == "") == readable
    assert readable or "chmod -R o+rX bot" in problem


def test_a_link_to_the_path_that_its_folder_has_outside_is_named(tmp_path: Path) -> None:
    """It would lead nowhere, since the folder has another path behind the walls."""
    folder = tmp_path / "bot"
    open_to_all(lay_out(folder / "deep" / "file"), tmp_path)
    for link, target in [("a", "deep/file"), ("b", "/usr/bin"), ("c", str(tmp_path)), ("d", "/d")]:
        (folder / link).symlink_to(target)
    bubblewrap.options({folder: "/bot"}, (), Limits(), etc=tmp_path)
    (folder / "deep" / "own").symlink_to(folder / "deep" / "file")
    bubblewrap.options({folder: str(folder)}, (), Limits(), etc=tmp_path)
    bubblewrap._check.cache_clear()
    with pytest.raises(
        OSError, match=r"^deep/own is a link to the path .*: make the link relative"
    ):
        bubblewrap.options({folder: "/bot"}, (), Limits(), etc=tmp_path)
    (folder / "deep" / "own").unlink()
    (folder / "deep" / "own").symlink_to("file")
    bubblewrap.options({folder: "/bot"}, (), Limits(), etc=tmp_path)


# -- what a program finds --------------------------------------------------------------------------


MOUNTS = """
mounts = {}
for line in open('/proc/self/mountinfo'):
    before, after = line.split(' - ')
    mounts[before.split()[4]] = before.split()[5].split(','), after.split()[2].split(',')
"""


@linux_only
def test_all_but_tmp_is_read_only(tmp_path: Path) -> None:
    """The root lies in memory: a program could fill that which is its own user's."""
    code = f"{MOUNTS}print(*sorted(place for place, kinds in mounts.items() if 'rw' in kinds[0]))"
    argv = [sys.executable, "-I", "-S", "-c", code]
    open_to_all(tmp_path, tmp_path)
    ended = run_program(Program(argv, (tmp_path,), tmp_path), Level.SANDBOX)
    devices = [f"/dev/{name}" for name in bubblewrap.DEVICES]
    assert set(ended.out.split()) - set(devices) == {"/tmp", "/dev/shm", "/proc"}


@linux_only
def test_the_memory_file_systems_have_their_sizes(tmp_path: Path) -> None:
    code = f"{MOUNTS}print(*(mounts[place][1] for place in ('/tmp', '/dev/shm')))"
    limits = Limits(disk=3 << 20, shared_memory=1 << 20)
    out = run_code(tmp_path, code, Level.SANDBOX, limits).out
    assert "'size=3072k'" in out
    assert "'size=1024k'" in out


@linux_only
def test_nothing_counts_the_whole_machine(tmp_path: Path) -> None:
    """The C library says nothing of the machine's memory, since the keeper answers in its place."""
    code = (
        "import os\npages = os.sysconf('SC_PHYS_PAGES'), os.sysconf('SC_AVPHYS_PAGES')\n"
        "print(*(count * os.sysconf('SC_PAGESIZE') for count in pages))\n"
        "print(*(name for name in os.listdir('/proc') if not name.isdigit()))\n"
        "print([os.path.exists(f'/proc/{name}') for name in ('stat', 'sys/fs/file-nr')])\n"
        "print(os.access('/proc/self/net/softnet_stat', os.R_OK), os.cpu_count())\n"
    )
    memory, names, exist, net = run_code(tmp_path, code, Level.SANDBOX).out.splitlines()
    assert memory == f"{1 << 30} {1 << 30}"
    assert set(names.split()) <= {"self", "thread-self", "irq", "bus", "sysrq-trigger"}
    assert exist == "[False, False]"
    cores = len(os.sched_getaffinity(0))  # fewer than there are, under taskset
    assert net in (f"{os.geteuid() != 0} {count}" for count in (os.cpu_count(), cores))


@linux_only
def test_a_program_in_a_sandbox_is_alone(tmp_path: Path) -> None:
    code = "import os, socket; print(socket.gethostname(), *os.listdir('/proc'))"
    host, *names = run_code(tmp_path, code, Level.SANDBOX).out.split()
    assert host == "arena"
    assert len(list(filter(str.isdigit, names))) == 2  # and bubblewrap, as the first of all


@linux_only
def test_a_program_in_a_sandbox_can_close_its_stdout(tmp_path: Path) -> None:
    """No process of bubblewrap keeps it open."""
    needs(Level.SANDBOX)
    argv = [sys.executable, "-I", "-S", "-c", "import os, time; os.close(1); time.sleep(99)"]

    async def main(children: Children) -> None:
        program = Program(argv, (), tmp_path)
        request = bot_request(program, Level.SANDBOX, Limits(), children.keeper)
        async with children.running(request, name="bot") as child:
            with trio.fail_after(60):
                await trio.lowlevel.wait_readable(child.stdout)
            assert os.read(child.stdout, 1) == b""
            assert child.exit is None

    with keeper_running(Level.SANDBOX) as keeper:
        run_with(keeper, main)


SHOWS_PATHS = """
import os, sys
for path in ("/proc/1/cmdline", "/proc/self/cmdline", "/proc/self/mountinfo", "/proc/self/maps"):
    print(open(path).read().replace("\\0", " "))
print(sys.argv, sys.path, os.getcwd(), dict(os.environ), __file__)
print([(place, names, files) for place, names, files in os.walk("/bot")])
print("open:", [fd for fd in range(99) if os.path.exists(f"/proc/self/fd/{fd}")])
"""


@linux_only
@pytest.mark.parametrize("mount", [copies.BY_DESCRIPTOR, copies.BY_NAME])
def test_a_program_of_many_files_is_mounted(
    tmp_path: Path, mount: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where an older bubblewrap mounts by names alone. No descriptor of it is left open."""
    python = needs_tool("/usr/bin/python3", "python3")
    bot = lay_out(tmp_path / "bots" / "bot.py", SHOWS_PATHS)
    for number in range(copies.MOST_FILES):
        lay_out(bot.parent / str(number))
    (tmp_path / "link").symlink_to("bots")
    open_to_all(bot.parent, tmp_path)
    (tmp_path / "own").mkdir()
    monkeypatch.setattr(bubblewrap, "_mount", lambda: mount)
    folder = tmp_path / "link"
    program = Program([python, "-I", str(folder / "bot.py")], (folder,), tmp_path / "own")
    said = run_program(program, Level.SANDBOX).out
    assert "/bot/bot.py" in said
    assert "open: [0, 1, 2]" in said


@linux_only
@pytest.mark.parametrize("is_folder", [True, False])
def test_a_program_in_a_sandbox_sees_no_folder_that_its_files_are_in(
    tmp_path: Path, is_folder: bool
) -> None:
    python = needs_tool("/usr/bin/python3", "python3")
    bot = lay_out(tmp_path / "secret" / "bots" / "bot.py", SHOWS_PATHS)
    (bot.parent / "link").symlink_to("bot.py")
    open_to_all(bot.parent, tmp_path)
    (tmp_path / "own").mkdir()
    folder = bot.parent if is_folder else None
    program = Program([python, "-I", str(bot)], (folder or bot,), tmp_path / "own", files=folder)
    said = run_program(program, Level.SANDBOX).out
    assert "/bot/bot.py" in said
    assert "open: [0, 1, 2]" in said
    assert "secret" not in said
    assert str(tmp_path) not in said


@linux_only
@pytest.mark.parametrize("kind", ["pid", "net", "ipc", "uts", "cgroup", "mnt"])
def test_a_sandbox_has_namespaces_of_its_own(tmp_path: Path, kind: str) -> None:
    path = f"/proc/self/ns/{kind}"
    inside = run_code(tmp_path, f"import os; print(os.readlink({path!r}))", Level.SANDBOX).out
    assert inside.startswith(f"{kind}:[")
    assert inside != os.readlink(path)


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_a_package_database_outside_of_the_system_is_shown(
    level: Level, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As Debian's GHC has one: a link in /usr leads to /var/lib/ghc."""
    database = tmp_path / "var" / "lib" / "tool"
    lay_out(database / "package.conf", "base")
    open_to_all(database, tmp_path)
    monkeypatch.setattr(installations, "LINKED", (str(database),))
    (tmp_path / "own").mkdir()
    program = Program(["/bin/cat", str(database / "package.conf")], (), tmp_path / "own")
    assert run_program(program, level).out == "base"
