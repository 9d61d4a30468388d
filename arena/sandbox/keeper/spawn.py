"""Fork processes, put up walls and execute programs.

The keeper forks a process for each `SpawnRequest`. It joins its control group, puts up the walls
one by one, waits at the gate, and executes the program. In a sandbox it executes bubblewrap, whose
last step waits at the gate.

**Fail closed.** If a wall cannot be put up, nothing is executed: the process reports the wall and
ends. The failure is marked as *ours* unless the program itself could not be executed or its command
line was too long.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import functools
import os
import resource
import signal
import sys
from collections.abc import Sequence
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
    ProcessLimits,
    Sandbox,
    SelfWalls,
    SpawnRequest,
    StartFailed,
    decode_message,
    encode_message,
)

if TYPE_CHECKING:
    from arena.sandbox.keeper.cgroup import Group


PR_SET_PDEATHSIG = 1
PR_CAPBSET_DROP = 24
MFD_NOEXEC_SEAL = 8
LINK = OPTIONS + 1
"""Descriptor number, in a process that becomes a program, of its link to the keeper."""
HIGH = LINK + 1
"""Descriptor number above all that a process has when it executes its program or bubblewrap."""
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


# The start of a program, seen from the keeper.


class StartingProcess:
    """A process that becomes the program of a request."""

    def __init__(
        self, request: SpawnRequest, descriptors: Sequence[int], group: Group | None = None
    ) -> None:
        """Fork the process, which joins the group. Raises OSError.

        `descriptors` are the program's stdin, stdout, stderr and gate; for a sandbox, also a fifth
        one, on which the last step reports that the walls are up.
        """
        if request.walls is not None:
            _cache_walls(request.walls.allow)
        self.link, theirs = os.pipe()
        """Becomes readable when `outcome` is known."""
        keeper = os.getpid()
        try:
            self.pid = os.fork()
            if self.pid == 0:
                become(request, descriptors, group, theirs, keeper)
        except BaseException:
            self.dismiss()
            raise
        finally:
            os.close(theirs)

    def outcome(self) -> StartFailed | None:
        """None when the program (or bubblewrap) runs, else the failure; then the process has ended
        or is about to. (It sends `EXECUTES` last: if it was killed before, it has sent nothing.)"""
        with open(self.link, "rb", buffering=0) as link:
            said = link.readall() or b""
        if said == EXECUTES:
            return None
        if not said:
            return StartFailed("the process meant for it was killed", True)
        return _failure(said.removeprefix(EXECUTES))

    def dismiss(self) -> None:
        """Close the link."""
        os.close(self.link)


def _failure(said: bytes) -> StartFailed:
    message = decode_message(said)
    assert isinstance(message, StartFailed)
    return message


def _cache_walls(allow: tuple[str, ...]) -> None:
    """Compute in the keeper what is the same for all walls, so that forked processes inherit it."""
    with suppress(OSError, ValueError):  # such walls do not exist here: the process reports that
        user_ids()
        _filter(allow)


# The same, inside the process.


def become(
    request: SpawnRequest,
    descriptors: Sequence[int],
    group: Group | None,
    link: int,
    keeper: int,
) -> NoReturn:
    """Become the program of a request. Never returns to the keeper's code.

    Runs little code: after a fork, each touched page of memory must be copied first.
    """
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        signal.set_wakeup_fd(-1)  # the keeper's descriptor: its number will be reused
        if os.getppid() == keeper:
            os.write(LINK, encode_message(exec_bot(request, descriptors, group, link)))
    finally:
        os._exit(1)


def exec_bot(
    request: SpawnRequest, descriptors: Sequence[int], group: Group | None, link: int
) -> StartFailed:
    """Put up the walls of a request and execute its program. Returns only on failure, having sent
    `EXECUTES` or nothing on `LINK`."""
    what = "its pipes"
    try:
        inside = isinstance(request.walls, Sandbox)
        places = (STDIN, STDOUT, 2, GATE, ENTERED) if inside else (0, 1, 2, GATE)
        _place({**dict(zip(places, descriptors, strict=True)), LINK: link})
        os.set_inheritable(LINK, False)
        if group is not None:
            what = "its control group"
            group.join()
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
                _enter_sandbox(request, request.walls)
    except Exception as error:  # any error: no wall, no bot
        is_own = isinstance(error, ForeignLink) or getattr(error, "errno", 0) == errno.E2BIG
        return StartFailed(f"cannot put up {what}: {error}", not is_own)
    if not os.read(GATE, 1):  # the program is no longer wanted
        os._exit(0)
    os.close(GATE)
    try:
        os.write(LINK, EXECUTES)
        os.chdir(request.cwd)
        os.execve(request.argv[0], request.argv, request.env)
    except (OSError, ValueError) as error:
        return StartFailed(str(error), False)


def _place(descriptors: dict[int, int]) -> None:
    """Move descriptors to their numbers, and close all others from 3 on: most are the keeper's.
    (Its own stdin and stdout are /dev/null.)"""
    moved = {
        place: fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, HIGH)
        for place, descriptor in descriptors.items()
    }
    os.closerange(3, HIGH)
    for place, descriptor in moved.items():
        os.dup2(descriptor, place)
    os.closerange(HIGH, os.sysconf("SC_OPEN_MAX"))


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
    with suppress(OSError):
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


def _enter_sandbox(request: SpawnRequest, walls: Sandbox) -> NoReturn:
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
    os.write(LINK, EXECUTES)
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
