"""The doctor's escape program: try every wall and limit of a bot, and report each.

    python escape.py '["port", …]'

The only argument is an `Targets` as JSON; each line of output is a `Report` as JSON. The doctor
imports the file for these types. The program imports nothing of the arena, which a sandbox does not
contain.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import NamedTuple

CHUNK = 1 << 20
NEW_USER = 0x10000000
AF_VSOCK = 40
libc = ctypes.CDLL(None, use_errno=True)


class Targets(NamedTuple):
    """What to try to get at, and which limits to exceed."""

    port: int
    """The port on which the doctor listens on this machine."""
    pid: int
    started: str
    """Start time of the doctor's process `pid`, as the kernel writes it."""
    secret: str
    """The path of a file that only the caller may read."""
    sockets: Sequence[str]
    """Unix sockets of services."""
    disk: int
    """Bytes that may be written to the working folder."""
    processes: int
    """Processes that may run; 0 where no limit is tried."""
    memory: int
    """Bytes of memory that may be used; 0 where no limit is tried."""


class Report(NamedTuple):
    """What came of trying one wall or limit."""

    name: str
    broken: str
    """What was possible; empty when the wall holds."""
    found: str
    """How all of it was refused."""


CPU_USED = "CPU used"
"""The name of the last report, which has the seconds of CPU time that the program used."""


def report(name: str, broken: Sequence[str], found: str) -> None:
    """Send one report to the doctor."""
    print(json.dumps(Report(name, ", ".join(broken), found)), flush=True)


def refusal(act: Callable[[], object]) -> str:
    """The system's error text when it refuses an act; empty when it does not."""
    try:
        act()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def possible(acts: dict[str, Callable[[], object]]) -> list[str]:
    """The names of the acts that the system does not refuse."""
    return [name for name, act in acts.items() if not refusal(act)]


def main(targets: Targets) -> None:
    """Try everything, limits last, and wait to be ended."""
    network(targets.port)
    report("services", possible({path: partial(knock, path) for path in targets.sockets}),
           "no well-known socket within reach")  # fmt: skip
    processes(targets.pid, targets.started)
    files(targets.secret)
    disk(targets.disk)
    descriptors()
    rights()
    counters()
    if targets.processes:
        fork_bomb(targets.processes)
    if targets.memory:
        memory_bomb(targets.memory)
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    report(CPU_USED, [], str(sum(part.ru_utime + part.ru_stime for part in used)))
    os.close(1)
    signal.pause()


def network(port: int) -> None:
    """Try to reach the doctor by TCP and UDP, and the kernel by a bare socket."""
    acts: dict[str, Callable[[], object]] = {
        "TCP to this machine": lambda: connect(socket.SOCK_STREAM, port),
        "UDP to this machine": lambda: connect(socket.SOCK_DGRAM, port),
        "netlink": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close(),
    }
    report("network", possible(acts), "TCP, UDP and netlink are refused")


def connect(kind: int, port: int) -> None:
    """Send something to a port of this machine."""
    with socket.socket(socket.AF_INET, kind) as link:
        link.settimeout(1)
        link.connect(("127.0.0.1", port))
        link.send(b"doctor")


def knock(path: str) -> None:
    """Connect to a socket by its path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(1)
        link.connect(path)


def processes(pid: int, started: str) -> None:
    """Try to see and to touch another process: the doctor itself."""
    count = sum(name.isdigit() for name in os.listdir("/proc"))
    text = f"{count} processes in sight"
    is_seen = start_of(pid) == started
    report("processes unseen", [text] if is_seen else [], f"{text}, all of its own")
    acts: dict[str, Callable[[], object]] = {
        "a signal": lambda: os.kill(pid, 0),
        "its environment": lambda: peek(f"/proc/{pid}/environ"),
        "its descriptors": lambda: os.readlink(f"/proc/{pid}/fd/0"),
    }
    report("processes untouched", possible(acts) if is_seen else [], "out of reach")


def start_of(pid: int) -> str:
    """Start time of a process, as the kernel writes it: a pid alone may be another process's."""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return str(file.read().rpartition(b")")[2].split()[19].decode())
    return ""


def peek(path: str) -> bytes:
    """Read the first byte of a file."""
    with open(path, "rb") as file:
        return file.read(1)


def files(secret: str) -> None:
    """Try to read files of other users and of the caller, and to write outside the own folder."""
    broken = possible({path: partial(peek, path) for path in (secret, "/etc/shadow")})
    report("secrets", broken, "neither /etc/shadow nor the caller's files can be read")
    places = ["/", "/usr", "/etc", "/dev", "/var/tmp", os.path.dirname(secret)]
    broken = possible({place: partial(create, f"{place}/arena-doctor") for place in places})
    report("writing", broken, "refused outside its own folder")


def create(path: str) -> None:
    """Create a file, and remove it again."""
    path = f"{path}-{os.getpid()}"
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    with suppress(OSError):
        os.unlink(path)


def disk(allowed: int) -> None:
    """Try to fill the working folder with twice what is allowed."""
    written = number = 0
    words = ""
    while not words and written < 2 * allowed:
        words = refusal(partial(fill, f"fill{number}"))
        written, number = written + (0 if words else CHUNK), number + 1
    text = f"{written >> 20} MiB of {allowed >> 20}"
    report("disk", [] if written <= allowed else [f"wrote {text}"], f"full after {text} ({words})")
    for name in range(number):
        with suppress(OSError):
            os.unlink(f"fill{name}")


def fill(path: str) -> None:
    """Write one chunk to a new file."""
    with open(path, "wb", buffering=0) as file:
        if file.write(bytes(CHUNK)) < CHUNK:
            raise OSError(0, "No space left on device")


def descriptors() -> None:
    """Look for descriptors beyond the standard three (the listing itself is one more)."""
    with os.scandir("/proc/self/fd") as listing:
        numbers = {int(entry.name) for entry in listing} - {0, 1, 2}
    broken = possible({f"inherited {fd}": partial(os.fstat, fd) for fd in sorted(numbers)})
    report("descriptors", broken, "stdin, stdout, stderr")


def rights() -> None:
    """Check the privileges of this process as the kernel reports them."""
    with open("/proc/self/status") as file:
        status = {name: value.strip() for name, _, value in (li.partition(":") for li in file)}
    broken = [] if status["NoNewPrivs"] == "1" else ["not set"]
    report("no new rights", broken, "no_new_privs is set")
    mode = status.get("Seccomp", "0")
    broken = [] if mode == "2" else [f"mode {mode}, no filter"]
    report("system calls", broken + rare_calls(), "seccomp filter (mode 2), 3 of 3 calls refused")
    held = [name for name in ("CapEff", "CapPrm", "CapInh", "CapAmb") if int(status[name], 16)]
    report("capabilities", [f"{name} {status[name]}" for name in held], "none")
    broken = [] if os.getuid() and os.geteuid() else ["user id 0 (root)"]
    report("identity", broken, f"user id {os.getuid()}")


def rare_calls() -> list[str]:
    """The system calls that should be refused by the filter but were not."""
    return possible(
        {
            "memfd_create": lambda: os.close(os.memfd_create("doctor")),
            "a user namespace": new_user_namespace,
            "a vsock socket": lambda: socket.socket(AF_VSOCK, socket.SOCK_STREAM).close(),
        }
    )


def counters() -> None:
    """Read what counts the whole machine: by a file of it, a file of a process, and a call."""
    paths = ("/proc/stat", "/proc/self/net/softnet_stat")
    acts: dict[str, Callable[[], object]] = {path: partial(peek, path) for path in paths}
    broken = possible({**acts, "statfs": partial(os.statvfs, "/usr")})
    report("counters", broken, "nothing that counts the whole machine can be read")


def new_user_namespace() -> None:
    """Make a user namespace in a child. Raises OSError when that is refused."""
    child = os.fork()
    if child == 0:
        failed = libc.unshare(NEW_USER) != 0
        os._exit(ctypes.get_errno() if failed else 0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        raise OSError(status, os.strerror(status) if status > 0 else "killed")


def fork_bomb(allowed: int) -> None:
    """Start children until that is refused, at most twice as many as are allowed."""
    children: list[int] = []
    words = ""
    while not words and len(children) < 2 * allowed:
        try:
            children.append(os.fork())
        except OSError as error:
            words = error.strerror or str(error)
        else:
            if children[-1] == 0:
                signal.pause()
    for child in children:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    broken = [] if len(children) < allowed else [f"made {len(children)} of {allowed} processes"]
    text = f"a fork bomb was stopped at {len(children)} of {allowed} ({words})"
    report("process limit", broken, text)


def memory_bomb(allowed: int) -> None:
    """Take four times the allowed memory in a child, which the kernel must kill."""
    child = os.fork()
    if child == 0:
        hoard = [bytearray(b"x") * CHUNK for _ in range(4 * allowed // CHUNK)]
        os._exit(0 if hoard else 1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    text = f"a bomb of {4 * allowed >> 20} MiB ended with status {status}, not by a kill"
    broken = [] if status == -signal.SIGKILL else [text]
    report("memory limit", broken, f"a bomb was ended at {allowed >> 20} MiB")


if __name__ == "__main__":
    main(Targets(*json.loads(sys.argv[1])))
