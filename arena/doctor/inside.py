"""The doctor's test program behind the walls: tries to get out, take too much or stay, and reports.

    python inside.py '["Task", …]'

The task is the only argument, and the results are lines of output; both are types of this file,
encoded by `encode`. The arena imports the file for these types. The program imports nothing of the
arena, which a sandbox does not contain.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple, TypeAlias, TypeVar, get_args

CHUNK = 1 << 20
CLONE_NEWUSER = 0x10000000
libc = ctypes.CDLL(None, use_errno=True)


# -- results -------------------------------------------------------------------------------------


class TaskReady(NamedTuple):
    """The task is set up and keeps running."""

    pid: int
    """The reporting process."""


class Wall(NamedTuple):
    """Whether a wall holds."""

    name: str
    holds: bool
    found: str
    """What was possible, or how the rest was refused."""


class Reached(NamedTuple):
    """The sockets that accepted a connection."""

    paths: Sequence[str]


class ChildEnd(NamedTuple):
    """How a child ended."""

    status: int
    """Its exit code; negative for a signal."""


class Forked(NamedTuple):
    """Number of started children, and the system's error text when it refused one more."""

    made: int
    refused: str


class CpuUsed(NamedTuple):
    """CPU time that was used."""

    seconds: float


T = TypeVar("T", bound=tuple[object, ...])


def encode(value: tuple[object, ...]) -> str:
    """A task, or something said, as one line of JSON."""
    return json.dumps([type(value).__name__, *value])


def decode(line: str, *kinds: type[T]) -> T:
    """Decode a line of `encode` to a value of one of these types. Raises ValueError for any other
    line."""
    match json.loads(line):
        case [name, *fields]:
            for kind in kinds:
                if kind.__name__ == name:
                    return kind(*fields)
    raise ValueError(f"not {' or '.join(kind.__name__ for kind in kinds)}: {line}")


def say(value: tuple[object, ...]) -> None:
    """Send one line to the doctor."""
    print(encode(value), flush=True)


# -- tasks ---------------------------------------------------------------------------------------


class Escape(NamedTuple):
    """Try every wall, and say a `Wall` for each."""

    port: int
    """The port on which the doctor listens on this machine."""
    pid: int
    started: str
    """Start time of the doctor's process `pid`, as the kernel writes it."""
    secret: str
    """The path of a file that only the caller may read."""
    disk: int
    """Bytes that may be written to the working folder."""

    def run(self) -> None:
        network(self.port)
        others(self.pid, self.started)
        secrets(self.secret)
        writing(self.secret)
        disk(self.disk)
        descriptors()
        rights()


class Sockets(NamedTuple):
    """Connect to unix sockets, and say a `Reached`."""

    paths: Sequence[str]

    def run(self) -> None:
        say(Reached([path for path in self.paths if not refused(partial(knock, path))]))


class Bomb(NamedTuple):
    """Take memory in a child, and say a `ChildEnd`."""

    most: int
    """Bytes."""

    def run(self) -> None:
        child = os.fork()
        if child == 0:
            hoard = [bytearray(b"x") * CHUNK for _ in range(self.most // CHUNK)]
            os._exit(0 if hoard else 1)
        say(ChildEnd(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])))


class Forks(NamedTuple):
    """Start children until that is refused, say a `Forked`, and hold them."""

    most: int
    """Children."""

    def run(self) -> None:
        made, words = 0, ""
        while made < self.most:
            try:
                child = os.fork()
            except OSError as error:
                words = error.strerror or str(error)
                break
            if child == 0:
                signal.pause()
            made += 1
        say(Forked(made, words))
        signal.pause()


class UseCpu(NamedTuple):
    """Use some CPU time, say a `CpuUsed`, and stay."""

    seconds: float

    def run(self) -> None:
        while time.process_time() < self.seconds:
            pass
        use = resource.getrusage(resource.RUSAGE_SELF)
        say(CpuUsed(use.ru_utime + use.ru_stime))
        signal.pause()


class Stay(NamedTuple):
    """Be `TaskReady`, and wait to be ended."""

    def run(self) -> None:
        say(TaskReady(os.getpid()))
        signal.pause()


class LeaveDaemon(NamedTuple):
    """Wait to be ended, after a daemon has left, which is `TaskReady`."""

    def run(self) -> None:
        """Fork twice, into a session of its own; the daemon ignores polite signals. It keeps its
        parent until it has spoken: one that has lost it may be ended at any time."""
        spoken, speak = os.pipe()
        if os.fork() == 0:
            os.setsid()
            for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
                signal.signal(number, signal.SIG_IGN)
            if os.fork() == 0:
                say(TaskReady(os.getpid()))
                os.write(speak, b"1")
                signal.pause()
            os.read(spoken, 1)
            os._exit(0)
        os.wait()
        signal.pause()


Task: TypeAlias = Escape | Sockets | Bomb | Forks | UseCpu | Stay | LeaveDaemon
TASKS: tuple[type[Task], ...] = get_args(Task)


# -- checks of single walls, and helpers of tasks ----------------------------------------------


def refused(act: Callable[[], object]) -> str:
    """The system's error text when it refuses an act; empty when it does not."""
    try:
        act()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def wall(name: str, broken: list[str], found: str) -> None:
    """Report a wall: `broken` is what was possible, `found` the text when nothing was."""
    say(Wall(name, not broken, ", ".join(broken) or found))


def network(port: int) -> None:
    """A TCP connection and a UDP packet to the doctor, and a bare socket of the kernel's."""
    tries = {
        "TCP to this machine": lambda: connect(socket.SOCK_STREAM, port),
        "UDP to this machine": lambda: connect(socket.SOCK_DGRAM, port),
        "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0),
    }
    said = {name: refused(act) for name, act in tries.items()}
    broken = [name for name, words in said.items() if not words]
    wall("network", broken, f"refused ({said['TCP to this machine']})")


def connect(kind: int, port: int) -> None:
    """Say something to a port of this machine."""
    with socket.socket(socket.AF_INET, kind) as link:
        link.settimeout(1)
        link.connect(("127.0.0.1", port))
        link.send(b"doctor")


def knock(path: str) -> None:
    """Connect to a socket by its path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(1)
        link.connect(path)


def others(pid: int, started: str) -> None:
    """Try to see and to touch another process: the doctor itself."""
    seen = stat_of(pid) == started
    count = sum(name.isdigit() for name in os.listdir("/proc"))
    text = f"{count} processes in sight"
    wall("processes unseen", [text] if seen else [], f"{text}, all of its own")
    tries = {
        "a signal": lambda: os.kill(pid, 0),
        "its environment": lambda: peek(f"/proc/{pid}/environ"),
        "its descriptors": lambda: os.readlink(f"/proc/{pid}/fd/0"),
    }
    broken = [name for name, act in tries.items() if seen and not refused(act)]
    wall("processes untouched", broken, "out of reach")


def peek(path: str) -> bytes:
    """The first byte of a file."""
    with open(path, "rb") as file:
        return file.read(1)


def stat_of(pid: int) -> str:
    """Start time of a process, as the kernel writes it: a pid alone may be another process's."""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return str(file.read().rpartition(b")")[2].split()[19].decode())
    return ""


def secrets(secret: str) -> None:
    """Try to read files of other users and of the caller."""
    paths = [secret, "/etc/shadow"]
    broken = [path for path in paths if not refused(partial(peek, path))]
    wall("secrets", broken, "neither /etc/shadow nor the caller's files can be read")


def writing(secret: str) -> None:
    """Try to write outside the working folder."""
    places = ["/", "/usr", "/etc", "/dev", "/var/tmp", os.path.dirname(secret)]
    broken = [place for place in places if wrote(f"{place}/arena-doctor-{os.getpid()}")]
    wall("writing", broken, "refused outside its own folder")


def wrote(path: str) -> bool:
    """Whether a file could be created (it is removed again)."""
    if refused(lambda: os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))):
        return False
    with suppress(OSError):
        os.unlink(path)
    return True


def disk(allowed: int) -> None:
    """Try to fill the working folder with twice what is allowed."""
    written, words = 0, ""
    for i in range(2 * allowed // CHUNK):
        words = refused(partial(fill, f"fill{i}"))
        if words:
            break
        written += CHUNK
    bounded = bool(words) and written <= allowed
    text = f"{written >> 20} MiB of {allowed >> 20}"
    wall("disk", [] if bounded else [f"wrote {text}"], f"full after {text} ({words})")
    for i in range(2 * allowed // CHUNK):
        with suppress(OSError):
            os.unlink(f"fill{i}")


def fill(path: str) -> None:
    """Write one chunk to a new file."""
    with open(path, "wb", buffering=0) as file:
        if file.write(bytes(CHUNK)) < CHUNK:
            raise OSError(0, "No space left on device")


def descriptors() -> None:
    """Look for descriptors beyond the standard three (the listing itself is one more)."""
    with os.scandir("/proc/self/fd") as listing:
        names = {int(entry.name) for entry in listing}
    more = sorted(fd for fd in names - {0, 1, 2} if not refused(partial(os.fstat, fd)))
    wall("descriptors", [f"inherited {fd}" for fd in more], "stdin, stdout, stderr")


def rights() -> None:
    """Check the privileges of this process as the kernel reports them."""
    with open("/proc/self/status") as file:
        status = {name: value.strip() for name, _, value in (li.partition(":") for li in file)}
    wall("no new rights", [] if status["NoNewPrivs"] == "1" else ["not set"], "no_new_privs is set")
    mode = status.get("Seccomp", "0")
    calls = [] if mode == "2" else [f"mode {mode}, no filter"]
    wall("system calls", calls + rare_calls(), "seccomp filter (mode 2), 3 of 3 calls refused")
    held = [name for name in ("CapEff", "CapPrm", "CapInh", "CapAmb") if int(status[name], 16)]
    wall("capabilities", [f"{name} {status[name]}" for name in held], "none")
    root = [] if os.getuid() and os.geteuid() else ["user id 0 (root)"]
    wall("identity", root, f"user id {os.getuid()}")


def rare_calls() -> list[str]:
    """The system calls that should be refused by the filter but were not."""
    tries = {
        "memfd_create": lambda: os.close(os.memfd_create("doctor")),
        "a user namespace": new_user_namespace,
        "a vsock socket": lambda: socket.socket(40, socket.SOCK_STREAM).close(),
    }
    return [name for name, act in tries.items() if not refused(act)]


def new_user_namespace() -> None:
    """Make a user namespace in a child. Raises OSError when that is refused."""
    child = os.fork()
    if child == 0:
        failed = libc.unshare(CLONE_NEWUSER) != 0
        os._exit(ctypes.get_errno() if failed else 0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        raise OSError(status, os.strerror(status) if status > 0 else "killed")


if __name__ == "__main__":
    decode(sys.argv[1], *TASKS).run()
