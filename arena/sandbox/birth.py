"""A bot's birth: what happens between the keeper's fork and the first instruction of the bot.

The keeper forks *spares* ahead of need: a spare is a copy of the keeper that waits for its order,
already in a control group of its own (joining one may take 20 ms, which no bot should wait for).
An order brings it the bot's pipes. The spare then puts up the walls one by one and becomes the
bot, or, at the levels with namespaces, bubblewrap, which becomes the bot.

**Fail closed.** A wall that cannot be put up means that nothing is executed: the spare says which
one it was and ends. What it says is marked as *ours* unless it was the bot's own program that
could not be executed.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import functools
import json
import os
import resource
import signal
import socket
import sys
from typing import Any, NoReturn

from arena.sandbox import landlock, seccomp

PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
FILTER, STATUS, STDIN, STDOUT = 3, 4, 5, 6
"""The descriptors at which bubblewrap finds the system call filter, writes its status, and passes
on the bot's pipes."""
HIGH = 10
"""Where a spare keeps its own end of the socket, out of the way of those."""
FIRST_UID = 1_600_000_000
"""Bots of an arena that runs as root get the user id FIRST_UID + pid, which nobody else has."""
VICTIM = 500
"""Added to a bot's badness, so that the kernel, short of memory, ends bots and not the arena."""

Order = dict[str, Any]

libc = ctypes.CDLL(None, use_errno=True)


class Spare:
    """A process that waits to become a bot, seen from the keeper."""

    def __init__(self, group: Any = None, *, walls: bool = True) -> None:
        """With `walls` it gets ready to put some up."""
        self.group = group
        """Its control group, or None."""
        self.link, theirs = socket.socketpair()
        keeper = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            _wait_and_be_born(theirs, keeper, walls)
        theirs.close()
        if group is not None:
            group.join(self.pid)

    def become(self, order: Order, descriptors: list[int]) -> dict[str, Any]:
        """Send it on its way. Returns {} when the bot (or bubblewrap) runs, else what failed:
        {"error": text, "ours": whether the bot is not to blame}."""
        data = json.dumps(order).encode() + b"\n"
        with self.link:
            try:
                while data:
                    sent = socket.send_fds(self.link, [data], descriptors)
                    data, descriptors = data[sent:], []
                said = b"".join(iter(lambda: self.link.recv(4096), b""))
            except OSError as error:
                return {"error": f"the process meant for it is gone ({error})", "ours": True}
        return dict(json.loads(said)) if said else {}

    def dismiss(self) -> None:
        """It is not needed: the end of its input ends it."""
        self.link.close()


def _wait_and_be_born(link: socket.socket, keeper: int, walls: bool) -> NoReturn:
    """The life of a spare. Never returns to the keeper's code."""
    try:
        link = _only(link)
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        _leave_the_keeper()
        if walls:
            _rehearse()
        order, descriptors = _receive(link)
        if order and os.getppid() == keeper:
            link.sendall(json.dumps(be_born(order, descriptors)).encode())
    finally:
        os._exit(1)


def _rehearse() -> None:
    """Do now what an order will need. After a fork whatever is touched first must be copied, and
    that costs 3 ms, which no bot should wait for."""
    with contextlib.suppress(OSError, ValueError):  # then there are no such walls here
        _filter(())
        unprivileged_uid()
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj") as file:
        json.loads(json.dumps({"score": int(file.read()), "words": ["--a", 1.5, None, True]}))
    for what in (resource.RLIMIT_CORE, resource.RLIMIT_NOFILE):
        resource.setrlimit(what, resource.getrlimit(what))


def _only(link: socket.socket) -> socket.socket:
    """Let go of all descriptors of the keeper but the standard three and this one."""
    kept = socket.socket(fileno=fcntl.fcntl(link.fileno(), fcntl.F_DUPFD_CLOEXEC, HIGH))
    os.closerange(3, kept.fileno())
    os.closerange(kept.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    link.detach()
    return kept


def _receive(link: socket.socket) -> tuple[Order, list[int]]:
    data, descriptors = b"", []
    while not data.endswith(b"\n"):
        chunk, some, _, _ = socket.recv_fds(link, 1 << 16, 4)
        if not chunk:
            return {}, []
        data += chunk
        descriptors += some
    return json.loads(data), descriptors


def be_born(order: Order, descriptors: list[int]) -> dict[str, Any]:
    """Put up the walls of `order` and execute its program. Returns only on failure.

    `order` has ``argv``, ``env`` and ``cwd``; ``level``; at other levels than ``off`` also
    ``limits`` (``files``, ``file_size``, ``processes``), and ``wall`` (the command that leads into
    the sandbox) or ``read`` and ``write`` (what the guard leaves open); and perhaps ``allow``, the
    system calls that are not refused to it.
    """
    what = "its pipes"
    try:
        places = (STDIN, STDOUT, 2, STATUS) if order.get("wall") else (0, 1, 2)
        _place(dict(zip(places, descriptors, strict=True)))
        if order["level"] != "off":
            what = "its limits"
            _limit(order["limits"])
        if order["level"] == "guard":
            what = "its guard"
            os.chdir(order["cwd"])
            _guard(order)
        elif order["level"] != "off":
            what = "its sandbox"
            _enter_sandbox(order)
    except Exception as error:  # whatever it was: no wall, no bot
        return {"error": f"cannot put up {what}: {error}", "ours": True}
    try:
        os.chdir(order["cwd"])
        os.execve(order["argv"][0], order["argv"], order["env"])
    except (OSError, ValueError) as error:
        return {"error": str(error), "ours": False}


def _leave_the_keeper() -> None:
    """A session of its own, ordinary signals."""
    os.setsid()
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    os.umask(0o022)


def _place(descriptors: dict[int, int]) -> None:
    """Put descriptors where they belong, and close what else stands below `HIGH`. (The keeper's
    own stdin and stdout are /dev/null.)"""
    for place, descriptor in descriptors.items():
        descriptors[place] = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)
    os.closerange(3, HIGH)
    for place, descriptor in descriptors.items():
        os.dup2(descriptor, place)


def _limit(limits: dict[str, int]) -> None:
    """The limits that a process carries with it. (No limit of the address space: Java, Node and
    Go reserve far more of it than they use.)"""
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, limits["files"]),
        (resource.RLIMIT_FSIZE, limits["file_size"]),
        (resource.RLIMIT_MEMLOCK, 0),
    ):
        resource.setrlimit(what, (most, most))
    if os.geteuid() == 0:  # it will count for the bot's own user; root itself is exempt
        most = limits["processes"]
        resource.setrlimit(resource.RLIMIT_NPROC, (most, most))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write(str(VICTIM))


def _guard(order: Order) -> None:
    if os.geteuid() == 0:
        _drop_capabilities()
    landlock.restrict(order["read"], order["write"])
    seccomp.install(_filter(tuple(order.get("allow", ()))))


@functools.cache
def _filter(allow: tuple[str, ...]) -> bytes:
    return seccomp.program(os.uname().machine, allow)


def _drop_capabilities() -> None:
    """Of root, leave the name only: an empty bounding set empties the others at the exec."""
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            return  # beyond the last one that this kernel knows


def _enter_sandbox(order: Order) -> NoReturn:
    """Become bubblewrap, which puts up the other walls and becomes the bot."""
    reader, writer = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH) for fd in os.pipe())
    os.write(writer, _filter(tuple(order.get("allow", ()))))
    os.dup2(reader, FILTER)
    os.close(writer)
    uid = str(unprivileged_uid())
    wall = [word.replace("{uid}", uid) for word in order["wall"]]
    os.execve(wall[0], [*wall, *order["argv"]], order["env"])


@functools.cache
def unprivileged_uid() -> int:
    """A user id that no other process has, and that exists in our user namespace."""
    with open("/proc/self/uid_map") as file:
        inside, _, count = map(int, file.readlines()[-1].split())
    if inside + count > FIRST_UID + (1 << 22):
        return FIRST_UID + os.getpid()
    return inside + count - 2 - os.getpid() % min(count // 2, 10_000)  # in a container


def prctl(option: int, argument: int) -> None:
    """The system call, where there is one (Linux). Raises OSError."""
    if sys.platform == "linux" and libc.prctl(option, argument, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
