"""Prefork processes, put up walls and execute programs.

A process that the keeper has preforked waits for its `SpawnRequest`, which brings the program's
pipes and its gate. Then it puts up the walls one by one, waits at the gate, and executes the
program. In a sandbox it executes bubblewrap, whose last step waits at the gate.

**Fail closed.** If a wall cannot be put up, nothing is executed: the process reports the wall and
ends. The failure is marked as *ours* unless the program itself could not be executed or its command
line was too long.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import fcntl
import functools
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from arena.sandbox.keeper import landlock, seccomp
from arena.sandbox.keeper.copies import ForeignLink, expanded
from arena.sandbox.keeper.hierarchies import write
from arena.sandbox.keeper.messages import (
    ENTERED,
    FILTER,
    GATE,
    OPTIONS,
    SIGNALS,
    STDIN,
    STDOUT,
    UID,
    GroupLimits,
    ProcessLimits,
    Sandbox,
    SelfWalls,
    SpawnRequest,
    StartFailed,
    decode_message,
    decode_request,
    encode_message,
)

if TYPE_CHECKING:
    from arena.sandbox.keeper.cgroup import Group, Groups


PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
MFD_NOEXEC_SEAL = 8
HIGH = 10
"""Descriptor number of a preforked process's end of the link, above those that programs and
bubblewrap get."""
FIRST_UID = 1_600_000_000
"""Bots of an arena that runs as root get the user id FIRST_UID + pid: no other process has it."""
OOM_SCORE = 500
"""Thousandths of all memory that the kernel adds to a bot's use when it runs out of memory, so that
it kills bots and not the arena. (In a sandbox, bubblewrap's: see `bubblewrap.OOM_SCORE`.)"""
EXECUTES = b"\n"
"""Sent before the exec, to distinguish the end of file on the link from the process's death."""
MOST_WORDS = 9000
"""Maximum words of a command line for bubblewrap. They include a bot's own arguments, and three for
each file at the top of its folder."""

libc = ctypes.CDLL(None, use_errno=True)


def link_pair() -> tuple[socket.socket, socket.socket]:
    """Make a link: the keeper's end and that of a preforked process."""
    ours, low = socket.socketpair()
    with low:
        return ours, socket.socket(fileno=fcntl.fcntl(low.fileno(), fcntl.F_DUPFD_CLOEXEC, HIGH))


def wait_and_exec(link: socket.socket, keeper: int) -> NoReturn:
    """Run a preforked process. Never returns to the keeper's code.

    Runs little code: after a fork, each touched page of memory must be copied first.
    """
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        signal.set_wakeup_fd(-1)  # the keeper's descriptor: its number will be reused
        _keep_only(link.fileno())
        request, descriptors = _receive(link)
        if request is not None and os.getppid() == keeper:
            link.sendall(encode_message(exec_bot(request, descriptors, link)))
    finally:
        os._exit(1)


def prepare_walls() -> None:
    """Cache what is the same for all walls, once in the keeper, so that the processes forked from
    it inherit it."""
    with contextlib.suppress(OSError, ValueError):  # such walls do not exist here
        user_ids()
        for allow in seccomp.KINDS:
            _filter(allow)


def _keep_only(descriptor: int) -> None:
    """Close all descriptors of the keeper except the standard three and this one."""
    os.closerange(3, descriptor)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))


def _receive(link: socket.socket) -> tuple[SpawnRequest | None, list[int]]:
    """Receive the request and its descriptors; None at the end of file (process not needed)."""
    data, descriptors = b"", []
    while not data.endswith(b"\n"):
        chunk, some, _, _ = socket.recv_fds(link, 1 << 16, 5)
        if not chunk:
            return None, []
        data += chunk
        descriptors += some
    request = decode_request(data)
    assert isinstance(request, SpawnRequest)
    return request, descriptors


def exec_bot(request: SpawnRequest, descriptors: list[int], link: socket.socket) -> StartFailed:
    """Put up the walls of a request and execute its program. Returns only on failure, having sent
    `EXECUTES` or nothing on the link.

    `descriptors` are the program's stdin, stdout, stderr and gate; for a sandbox, also a fifth one,
    on which the last step reports that the walls are up.
    """
    what = "its pipes"
    try:
        inside = isinstance(request.walls, Sandbox)
        places = (STDIN, STDOUT, 2, GATE, ENTERED) if inside else (0, 1, 2, GATE)
        _place(dict(zip(places, descriptors, strict=True)))
        if request.walls is not None:
            what = "its limits"
            _limit(request.walls.limits)
        match request.walls:
            case SelfWalls():
                what = "its guard"
                os.chdir(request.cwd)
                _guard(request.walls)
            case Sandbox():
                what = "its sandbox"
                _enter_sandbox(request, request.walls, link)
    except Exception as error:  # any error: no wall, no bot
        is_own = isinstance(error, ForeignLink) or getattr(error, "errno", 0) == errno.E2BIG
        return StartFailed(f"cannot put up {what}: {error}", not is_own)
    if not os.read(GATE, 1):  # the program is no longer wanted
        os._exit(0)
    os.close(GATE)
    try:
        link.sendall(EXECUTES)
        os.chdir(request.cwd)
        os.execve(request.argv[0], request.argv, request.env)
    except (OSError, ValueError) as error:
        return StartFailed(str(error), False)


def _place(descriptors: dict[int, int]) -> None:
    """Move descriptors to their numbers and close all others from 3 to below `HIGH`. (The keeper's
    own stdin and stdout are /dev/null.)"""
    for place, descriptor in descriptors.items():
        descriptors[place] = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)
    os.closerange(3, HIGH)
    for place, descriptor in descriptors.items():
        os.dup2(descriptor, place)


def _limit(limits: ProcessLimits) -> None:
    """Set the process's resource limits. (The address space has none: Java, Node and Go reserve far
    more of it than they use.)"""
    most = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: limits.files,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_MEMLOCK: 0,
    }
    if os.geteuid() == 0:  # these apply to the bot's own user; root itself is exempt
        most |= {resource.RLIMIT_NPROC: limits.processes, resource.RLIMIT_SIGPENDING: SIGNALS}
    for what, limit in most.items():
        resource.setrlimit(what, (limit, limit))
    with contextlib.suppress(OSError):
        write("/proc/self/oom_score_adj", str(OOM_SCORE))


def _guard(walls: SelfWalls) -> None:
    if os.geteuid() == 0:
        _drop_capabilities()
    landlock.restrict(walls.read, walls.write)
    seccomp.install(_filter(walls.allow))


@functools.cache
def _filter(allow: tuple[str, ...]) -> bytes:
    return seccomp.program(os.uname().machine, allow)


def _drop_capabilities() -> None:
    """Leave root without capabilities: an empty bounding set empties the other sets at the exec."""
    for capability in range(64):
        if libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) != 0:
            return  # beyond the last one that this kernel knows


def _enter_sandbox(request: SpawnRequest, walls: Sandbox, link: socket.socket) -> NoReturn:
    """Execute bubblewrap, which puts up the other walls and executes the bot."""
    for place in (FILTER, OPTIONS):
        os.dup2(STDIN, place)  # reserves the number: no file opened here may get it
    reader, writer = (fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH) for fd in os.pipe())
    os.write(writer, _filter(walls.allow))
    os.dup2(reader, FILTER)
    os.close(writer)
    options = expanded(walls.options)
    os.dup2(_in_memory(b"".join(os.fsencode(word) + b"\0" for word in options)), OPTIONS)
    uid = str(unprivileged_uid())
    command = [uid if word == UID else word for word in walls.command]
    words = [*command, *request.argv]
    if (count := len(words) + len(options)) > MOST_WORDS:
        raise OSError(errno.E2BIG, f"{count} words and files, a sandbox takes {MOST_WORDS}")
    link.sendall(EXECUTES)
    os.execve(command[0], words, request.env)


def _in_memory(data: bytes) -> int:
    """A descriptor from which `data` can be read. (A pipe may be too small.)"""
    try:
        file = os.memfd_create("options", os.MFD_CLOEXEC | MFD_NOEXEC_SEAL)
    except OSError:  # before Linux 6.3
        file = os.memfd_create("options", os.MFD_CLOEXEC)
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def unprivileged_uid() -> int:
    """A user id that no other process has and that exists in our user namespace."""
    ids = user_ids()
    if len(ids) < 3:
        raise OSError("no user id of this container is free for bots: map more of them into it")
    if ids.stop > FIRST_UID + (1 << 22):
        return FIRST_UID + os.getpid()
    return ids.stop - 2 - os.getpid() % min(len(ids) // 2, 10_000)  # in a container


@functools.cache
def user_ids() -> range:
    """The last range of user ids in our user namespace."""
    with open("/proc/self/uid_map") as file:
        first, _, count = map(int, file.readlines()[-1].split())
    return range(first, first + count)


def prctl(option: int, argument: int) -> None:
    """Call prctl(2); does nothing on other systems than Linux. Raises OSError."""
    if sys.platform == "linux" and libc.prctl(option, argument, 0, 0, 0) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))


# Preforked processes: copies of the keeper that wait for their requests.
#
# A preforked process is already in its own control group: joining one may take 20 ms, which no bot
# should wait for.

AHEAD = 2
"""Number of processes that wait at a time: as many as most matches need."""


class PreforkedProcess:
    """A process that waits to become a bot, seen from the keeper."""

    def __init__(self, group: Group | None = None, *, walls: bool = True) -> None:
        """Fork the process. `walls`: its request may have walls. Raises OSError."""
        self.group = group
        if walls:
            prepare_walls()
        self.link, theirs = link_pair()
        keeper = os.getpid()
        self.pid = os.fork()
        if self.pid == 0:
            wait_and_exec(theirs, keeper)
        theirs.close()
        if group is not None:
            group.join(self.pid)

    def limit(self, limits: GroupLimits) -> None:
        """Set the limits of the control group. Raises OSError unless all are in force."""
        if self.group is None:
            raise OSError("this keeper has no control groups")
        self.group.limit(limits.memory, limits.processes)

    def become(self, request: bytes, descriptors: list[int]) -> StartFailed | None:
        """Send an encoded request to the process. Returns an immediate failure; otherwise the link
        becomes readable once `outcome` does not block."""
        try:
            while request:
                sent = socket.send_fds(self.link, [request], descriptors)
                request, descriptors = request[sent:], []
        except OSError as error:
            return StartFailed(f"the process meant for it is gone ({error})", True)
        return None

    def outcome(self) -> StartFailed | None:
        """None when the program (or bubblewrap) runs, else the failure; then the process has ended
        or is about to. (It sends `EXECUTES` last: if it was killed before, it has sent nothing.)"""
        said = b""
        with self.link, suppress(ConnectionError):  # it ended before it read its request
            said = b"".join(iter(lambda: self.link.recv(4096), b""))
        if said == EXECUTES:
            return None
        if not said:
            return StartFailed("the process meant for it was killed", True)
        return _failure(said.removeprefix(EXECUTES))

    def dismiss(self) -> None:
        """Close the link, which ends a waiting process."""
        self.link.close()


def _failure(said: bytes) -> StartFailed:
    message = decode_message(said)
    assert isinstance(message, StartFailed)
    return message


class PreforkedProcesses:
    """The preforked processes of one keeper."""

    def __init__(self, groups: Groups | None, *, walls: bool) -> None:
        self._groups = groups
        self._walls = walls
        self._wanted = AHEAD
        self._waiting: list[PreforkedProcess] = []
        self._made = 0

    def complete(self) -> bool:
        """Whether as many processes wait as are wanted."""
        return len(self._waiting) >= self._wanted

    def add(self) -> None:
        """Prefork one more process. On failure, stop preforking: the request that needs a process
        will report the reason."""
        try:
            self._waiting.append(self._make())
        except OSError:
            self._wanted = 0

    def take(self) -> PreforkedProcess:
        """The process that has waited longest, or a new one. Raises OSError."""
        return self._waiting.pop(0) if self._waiting else self._make()

    def _make(self) -> PreforkedProcess:
        if self._groups is None:
            return PreforkedProcess(walls=self._walls)
        self._made += 1
        group = self._groups.make(str(self._made))
        try:
            return PreforkedProcess(group)
        except BaseException:
            group.remove()
            raise

    def pids(self) -> set[int]:
        """The pids of the waiting processes."""
        return {process.pid for process in self._waiting}

    def remove(self, pid: int) -> PreforkedProcess | None:
        """Remove a process that ended while it waited; None when `pid` was not waiting."""
        for process in self._waiting:
            if process.pid == pid:
                self._waiting.remove(process)
                process.dismiss()
                return process
        return None

    def clear(self) -> list[PreforkedProcess]:
        """Remove and return all waiting processes, and stop preforking."""
        self._wanted, waiting, self._waiting = 0, self._waiting, []
        return waiting
