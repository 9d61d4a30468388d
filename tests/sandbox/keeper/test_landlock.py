"""Landlock with real processes: what is refused, and what still works."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from arena.sandbox.keeper import landlock
from tests.sandbox.walls import behind, ci_or_skip, python_behind, within
from tests.support.tools import short_folder

SYSTEM = [
    *("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/dev/null", "/dev/urandom"),
    *(sys.prefix, sys.base_prefix),
]


@pytest.fixture(autouse=True)
def kernel() -> None:
    if sys.platform != "linux":
        pytest.skip("landlock is a part of Linux")
    if landlock.abi() < landlock.NEEDED:
        ci_or_skip(
            f"landlock version {landlock.NEEDED} is needed, this kernel has {landlock.abi()}"
        )


def wall(
    read: Sequence[str | Path] = (), write: Sequence[str | Path] = (), missing_ok: bool = True
) -> str:
    """The code that puts up a wall: the system can be read, and what is named besides."""
    readable = [*SYSTEM, *map(str, read)]
    return (
        "from arena.sandbox.keeper import landlock\n"
        f"landlock.restrict({readable}, {[*map(str, write)]}, missing_ok={missing_ok})"
    )


def attempt(wall: str, code: str, fds: Sequence[int] = (), how: Callable[..., str] = within) -> str:
    """What became of it: ``done``, or the class of the error."""
    indented = "\n".join(f"    {line}" for line in code.splitlines())
    program = f"""
import os, socket
try:
{indented}
except OSError as error: print(type(error).__name__)
else: print("done")
"""
    return how(wall, program, fds)


@pytest.fixture
def rooms(tmp_path: Path) -> tuple[Path, Path]:
    """A bot's own folder and another one, each with a file."""
    for name in ("mine", "theirs"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    return tmp_path / "mine", tmp_path / "theirs"


READING = [
    "open({path!r} + '/file').read()",
    "os.listdir({path!r})",
    "os.execv({path!r} + '/program', ['program'])",
]
WRITING = [
    "open({path!r} + '/file', 'a').write('more')",
    "open({path!r} + '/new', 'w').write('new')",
    "os.truncate({path!r} + '/file', 0)",
    "os.mkdir({path!r} + '/folder')",
    "os.unlink({path!r} + '/file')",
    "os.symlink('/etc/passwd', {path!r} + '/link')",
    "os.mkfifo({path!r} + '/fifo')",
    "os.rename({path!r} + '/file', {path!r} + '/other')",
]


@pytest.mark.parametrize("code", READING + WRITING)
def test_outside_nothing_goes(rooms: tuple[Path, Path], code: str) -> None:
    mine, theirs = rooms
    (theirs / "program").write_bytes(Path("/bin/true").read_bytes())
    (theirs / "program").chmod(0o755)
    before = {path.name: path.read_bytes() for path in theirs.iterdir()}
    code = code.format(path=str(theirs))
    assert attempt(wall(write=[mine]), code) == "PermissionError"
    assert {path.name: path.read_bytes() for path in theirs.iterdir()} == before


@pytest.mark.parametrize("code", WRITING)
def test_what_can_be_read_cannot_be_written(rooms: tuple[Path, Path], code: str) -> None:
    mine, theirs = rooms
    code = code.format(path=str(theirs))
    assert attempt(wall(read=[theirs], write=[mine]), code) == "PermissionError"
    assert attempt(wall(read=[theirs]), READING[0].format(path=str(theirs))) == "done"


@pytest.mark.parametrize("code", READING[:2] + WRITING)
def test_inside_everything_goes(rooms: tuple[Path, Path], code: str) -> None:
    mine, _ = rooms
    assert attempt(wall(write=[mine]), code.format(path=str(mine))) == "done"


def test_files_move_between_folders_that_can_be_written(rooms: tuple[Path, Path]) -> None:
    mine, theirs = rooms
    move = f"os.rename({str(mine / 'file')!r}, {str(theirs / 'moved')!r})"
    assert attempt(wall(write=[mine]), move) in ("PermissionError", "OSError")
    assert attempt(wall(write=[mine, theirs]), move) == "done"


def test_links_lead_nowhere(rooms: tuple[Path, Path]) -> None:
    mine, theirs = rooms
    (mine / "link").symlink_to(theirs / "file")
    assert attempt(wall(write=[mine]), f"open({str(mine / 'link')!r})") == "PermissionError"
    hard = f"os.link({str(theirs / 'file')!r}, {str(mine / 'hard')!r})"
    assert attempt(wall(write=[mine]), hard) in ("PermissionError", "OSError")


def test_a_rule_for_one_file(rooms: tuple[Path, Path]) -> None:
    _, theirs = rooms
    (theirs / "secret").write_text("secret")
    here = wall(read=[theirs / "file"], write=["/dev/null"])
    assert attempt(here, f"open({str(theirs / 'file')!r}).read()") == "done"
    assert attempt(here, f"open({str(theirs / 'secret')!r}).read()") == "PermissionError"
    assert attempt(here, "open('/dev/null', 'w').write('x')") == "done"
    assert attempt(here, "open('/dev/urandom', 'rb').read(1)") == "done"
    assert attempt(here, "open('/dev/urandom', 'wb')") == "PermissionError"


def test_no_tcp() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        connect = f"socket.create_connection(('127.0.0.1', {port}))"
        assert attempt(wall(), connect) == "PermissionError"
        assert attempt("", connect) == "done"
    assert attempt(wall(), "socket.create_server(('127.0.0.1', 0))") == "PermissionError"


def test_no_signal_to_the_outside() -> None:
    kill = f"os.kill({os.getpid()}, 0)"
    assert attempt(wall(), kill) == "PermissionError"
    assert attempt("", kill) == "done"
    inside = (
        f"p = os.fork()\nif p == 0:\n  import time; time.sleep(60)\nos.kill(p, {signal.SIGKILL})"
    )
    assert attempt(wall(), inside) == "done"


def test_no_abstract_socket_of_another() -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind("")  # the kernel picks an abstract name
        listener.listen()
        connect = f"socket.socket(socket.AF_UNIX).connect({listener.getsockname()!r})"
        assert attempt(wall(), connect) == "PermissionError"
        assert attempt("", connect) == "done"


def test_no_path_socket_of_another_where_the_kernel_can() -> None:
    with short_folder() as folder, socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "socket"))
        listener.listen()
        connect = f"socket.socket(socket.AF_UNIX).connect({str(folder / 'socket')!r})"
        expected = "PermissionError" if landlock.abi() >= 9 else "done"
        assert attempt(wall(), connect) == expected


def test_no_ioctl_on_devices() -> None:
    ask = "import fcntl, termios\nfcntl.ioctl(open('/dev/null', 'r+'), termios.TCGETS, bytes(64))"
    assert attempt(wall(write=["/dev/null"]), ask) == "PermissionError"
    assert attempt("", ask) == "OSError"  # it is no terminal


def test_no_device_nodes(tmp_path: Path) -> None:
    if os.getuid() != 0:
        pytest.skip("only root makes device nodes at all")
    make = (
        f"import stat\nos.mknod({str(tmp_path / 'node')!r}, stat.S_IFCHR | 0o666, os.makedev(1, 3))"
    )
    assert attempt(wall(write=[tmp_path]), make) == "PermissionError"


NO_ROOT_EYES = """
import ctypes
for capability in (21, 38):  # CAP_SYS_ADMIN and CAP_PERFMON read any process, landlock or not
    ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)
"""
"""For the program that is executed next."""


@pytest.mark.parametrize("name", ["environ", "maps", "mem"])
def test_the_memory_of_an_outsider_is_out_of_reach(name: str) -> None:
    code = "open('/proc/{}/" + name + "', 'rb')"
    here = NO_ROOT_EYES + wall(read=["/proc"])
    assert attempt(here, code.format(os.getpid()), how=python_behind) == "PermissionError"
    assert attempt(here, code.format("self"), how=python_behind) == "done"


def test_without_landlock_it_is_in_reach() -> None:
    code = f"open('/proc/{os.getpid()}/environ', 'rb')"
    assert attempt(NO_ROOT_EYES, code, how=python_behind) == "done"


def test_python_starts_and_its_children_are_bound_too(rooms: tuple[Path, Path]) -> None:
    mine, theirs = rooms
    code = f"""
import subprocess
child = subprocess.run(["/bin/cat", {str(theirs / "file")!r}], capture_output=True, text=True)
print(child.returncode, "Permission denied" in child.stderr)
print(subprocess.run(["/bin/cat", {str(mine / "file")!r}], capture_output=True).stdout)
"""
    assert python_behind(wall(write=[mine]), code) == "1 True\nb'mine'"


def test_no_new_privileges() -> None:
    code = "print([line for line in open('/proc/self/status') if line.startswith('NoNewPrivs')])"
    assert python_behind(wall(read=["/proc"]), code) == r"['NoNewPrivs:\t1\n']"


def test_an_open_descriptor_stays_open(rooms: tuple[Path, Path]) -> None:
    _, theirs = rooms
    with (theirs / "file").open() as file:
        assert attempt(wall(), f"os.read({file.fileno()}, 9)", [file.fileno()]) == "done"


def test_a_missing_path_is_an_error_unless_said_otherwise(rooms: tuple[Path, Path]) -> None:
    mine, _ = rooms
    for read, write in (([mine / "gone"], []), ([], [mine / "gone"])):
        assert behind(wall(read, write), ["/bin/true"]).returncode == 0
    load = "from arena.sandbox.keeper import landlock"
    strict = f"{load}\nlandlock.restrict([], [{str(mine / 'gone')!r}])"
    done = behind(strict, ["/bin/true"])
    assert done.returncode == 1
    assert "No such file or directory: " in done.stderr
    assert "gone" in done.stderr


def test_a_failure_leaves_no_descriptor(rooms: tuple[Path, Path]) -> None:
    code = f"""
import sys; sys.path.insert(0, {str(Path(__file__).parents[3])!r})
import os
from arena.sandbox.keeper import landlock
before = os.listdir("/proc/self/fd")
try: landlock.restrict(["/usr", "/no/such/place"], [])
except FileNotFoundError: print(len(os.listdir("/proc/self/fd")) - len(before))
landlock.restrict(["/usr", "/proc"], ["/dev/null"])
print(len(os.listdir("/proc/self/fd")) - len(before))
"""
    assert python_behind("", code) == "0\n0"


@pytest.mark.parametrize("version", [0, 1, 5])
def test_an_old_kernel_is_refused(version: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(landlock, "abi", lambda: version)
    with pytest.raises(OSError, match=rf"version 6 is needed .* has {version or 'none'}"):
        landlock.restrict(["/usr"], [])
    assert subprocess.run(["/bin/ls", "/"], stdout=subprocess.DEVNULL, check=False).returncode == 0
