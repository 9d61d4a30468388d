"""The program that the doctor starts behind the walls: it tries to get out, to take too much, or
to stay, and says how that went, one JSON object per line.

    python inside.py TASK '{"what": "it needs to know"}'

It imports nothing of the arena: inside a sandbox there is none.
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
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

CHUNK = 1 << 20
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000
libc = ctypes.CDLL(None, use_errno=True)


def say(**words: Any) -> None:
    """One line for the doctor."""
    print(json.dumps(words), flush=True)


def refused(act: Callable[[], object]) -> str:
    """The system's words when it refuses; empty when it does not."""
    try:
        act()
    except OSError as error:
        return error.strerror or str(error)
    return ""


def wall(name: str, broken: list[str], found: str) -> None:
    """Whether a wall stands: `broken` is what was possible, `found` what to say when nothing."""
    say(name=name, holds=not broken, found=", ".join(broken) or found)


# -- the escape ----------------------------------------------------------------------------------


def escape(given: dict[str, Any]) -> None:
    """Try every wall."""
    network(given["port"])
    others(given["pid"], given["started"])
    secrets(given["secret"])
    writing(given["secret"])
    disk(given["disk"])
    descriptors()
    rights()


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


def others(pid: int, started: str) -> None:
    """The doctor itself, as one that is to be neither seen nor touched."""
    seen = stat_of(pid) == started
    count = sum(name.isdigit() for name in os.listdir("/proc"))
    text = f"{count} processes in sight"
    wall("processes unseen", [text] if seen else [], f"{text}, all its own")
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
    """When a process was started, as the kernel writes it: numbers alone may be another's."""
    with suppress(OSError), open(f"/proc/{pid}/stat", "rb") as file:
        return str(file.read().rpartition(b")")[2].split()[19].decode())
    return ""


def secrets(secret: str) -> None:
    """Files that are somebody else's."""
    paths = [secret, "/etc/shadow"]
    broken = [path for path in paths if not refused(partial(peek, path))]
    wall("secrets", broken, "neither /etc/shadow nor the caller's files can be read")


def writing(secret: str) -> None:
    """Places that are not its own."""
    places = ["/", "/usr", "/etc", "/dev", "/var/tmp", os.path.dirname(secret)]
    broken = [place for place in places if wrote(f"{place}/arena-doctor-{os.getpid()}")]
    wall("writing", broken, "refused outside its own folder")


def wrote(path: str) -> bool:
    """Whether a file could be made (it is removed again)."""
    if refused(lambda: os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY))):
        return False
    with suppress(OSError):
        os.unlink(path)
    return True


def disk(allowed: int) -> None:
    """Fill the working folder, to twice of what is allowed."""
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
    """Beyond the standard three (the listing itself is one more)."""
    with os.scandir("/proc/self/fd") as listing:
        names = {int(entry.name) for entry in listing}
    more = sorted(fd for fd in names - {0, 1, 2} if not refused(partial(os.fstat, fd)))
    wall("descriptors", [f"inherited {fd}" for fd in more], "stdin, stdout, stderr")


def rights() -> None:
    """What the kernel says of this process."""
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
    """System calls that no bot needs and the filter refuses."""
    tries = {
        "memfd_create": lambda: os.close(os.memfd_create("doctor")),
        "a user namespace": lambda: in_child(CLONE_NEWUSER),
        "a vsock socket": lambda: socket.socket(40, socket.SOCK_STREAM).close(),
    }
    return [name for name, act in tries.items() if not refused(act)]


def in_child(flags: int) -> None:
    """Make namespaces in a child. Raises OSError when that is refused."""
    child = os.fork()
    if child == 0:
        failed = libc.unshare(flags) != 0
        os._exit(ctypes.get_errno() if failed else 0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        raise OSError(status, os.strerror(status) if status > 0 else "killed")


# -- taking and staying --------------------------------------------------------------------------


def namespaces(given: dict[str, Any]) -> None:
    """Make the namespaces that a sandbox needs: as root, or with a user namespace first."""
    flags = CLONE_NEWNS if os.geteuid() == 0 else CLONE_NEWNS | CLONE_NEWUSER
    say(refused=refused(lambda: in_child(flags)))


def sockets(given: dict[str, Any]) -> None:
    """Which of the named unix sockets take a connection."""
    say(reached=[path for path in given["paths"] if not refused(partial(knock, path))])


def knock(path: str) -> None:
    """Connect to a socket by its path."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as link:
        link.settimeout(1)
        link.connect(path)


def bomb(given: dict[str, Any]) -> None:
    """Take memory in a child, up to `most` bytes, and say how the child ended."""
    child = os.fork()
    if child == 0:
        hoard = [bytearray(b"x") * CHUNK for _ in range(given["most"] // CHUNK)]
        os._exit(0 if hoard else 1)
    say(ended=os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))


def forks(given: dict[str, Any]) -> None:
    """Start children until that is refused, at most `most`, and hold them."""
    made, words = 0, ""
    while made < given["most"]:
        try:
            child = os.fork()
        except OSError as error:
            words = error.strerror or str(error)
            break
        if child == 0:
            signal.pause()
        made += 1
    say(made=made, refused=words)
    signal.pause()


def spin(given: dict[str, Any]) -> None:
    """Compute for ever, with a companion on the same core: one of them always waits."""
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if os.fork():
        say(pid=os.getpid())
    while True:
        pass


def use_cpu(given: dict[str, Any]) -> None:
    """Use some CPU time, say how much, and stay."""
    while time.process_time() < given["seconds"]:
        pass
    use = resource.getrusage(resource.RUSAGE_SELF)
    say(seconds=use.ru_utime + use.ru_stime)
    signal.pause()


def stay(given: dict[str, Any]) -> None:
    """Wait to be ended, with `children` in a chain below, or a `daemon` that has left."""
    if given.get("daemon"):
        leave_a_daemon()
    else:
        for _ in range(given.get("children", 0)):
            if os.fork():
                break
        else:
            say(pid=os.getpid())
    signal.pause()


def leave_a_daemon() -> None:
    """Fork twice, into a session of its own; the daemon says its name and ignores politeness."""
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            say(pid=os.getpid())
            signal.pause()
        os._exit(0)
    os.wait()


def echo(given: dict[str, Any]) -> None:
    """Say each line of the input again."""
    say(up=True)
    for line in lines():
        say(line=line)


def lines() -> Iterator[str]:
    """The input, line by line, without reading ahead."""
    while line := sys.stdin.readline():
        yield line.rstrip("\n")


TASKS = (escape, namespaces, sockets, bomb, forks, spin, use_cpu, stay, echo)


if __name__ == "__main__":
    {task.__name__: task for task in TASKS}[sys.argv[1]](json.loads(sys.argv[2]))
