"""Start processes, put up walls and execute programs.

Without walls, the keeper executes the program itself, with `posix_spawn`. A fork of the keeper
copies and maps hundreds of pages that the program does not need: two starts took 8.1 ms of CPU
time that way, and 3.4 this way. Only a process itself can ask to be killed when the keeper dies, so
a socket does that instead (`tie`).

At the guard, the keeper forks a process for each `SpawnRequest`. It puts up its walls one by one,
waits at the gate, and executes the program.

For a sandbox, the keeper executes a shell, which waits until the keeper has set its limits and
moved it into its control group. Then it executes bubblewrap, whose last step waits at the gate.
(Two starts took 17.7 ms of CPU time this way, and 21.4 by a fork.)

**Fail closed.** If a wall cannot be put up, nothing is executed. The failure is marked as *ours*
unless the program itself could not be executed or its command line was too long.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import functools
import os
import resource
import shlex
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
SHELL = "/bin/sh"
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


class StartError(Exception):
    """A program cannot be started."""

    def __init__(self, text: str, *, ours: bool) -> None:
        """`ours` is False when it is the program's own doing."""
        super().__init__(text)
        self.ours = ours


# The start of a program without walls.


def execute(request: SpawnRequest, descriptors: Sequence[int]) -> int:
    """Execute a program without walls. Returns its process id.

    `descriptors` are its stdin, stdout and stderr, and both ends of its lifeline. Raises
    StartError.
    """
    try:
        os.chdir(request.cwd)
        pid = os.posix_spawn(
            request.argv[0],
            request.argv,
            request.env,
            file_actions=[
                (os.POSIX_SPAWN_DUP2, descriptor, place)
                for place, descriptor in enumerate(descriptors[:3])
            ],
            setsid=True,
        )
    except (OSError, ValueError, IndexError) as error:
        if getattr(error, "errno", 0) in (errno.EAGAIN, errno.ENOMEM):
            raise StartError(f"cannot make a process: {error}", ours=True) from error
        raise StartError(str(error), ours=False) from error
    finally:
        os.chdir(os.path.sep)
    try:
        for end in descriptors[3:]:
            tie(end, pid)
    except OSError as error:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        raise StartError(f"cannot tie it to its keeper: {error}", ours=True) from error
    return pid


def tie(end: int, pid: int) -> None:
    """Have the kernel kill a process when the other end of this socket is closed, which must send
    nothing. (No effect on other systems than Linux.)

    The keeper has one end of a lifeline, and the arena the other. If one of them dies, its end
    closes while the other end is open; and if both are killed at once, one of them closes first."""
    if sys.platform == "linux":
        fcntl.fcntl(end, fcntl.F_SETOWN, pid)  # the process, not whatever has its number later
        fcntl.fcntl(end, fcntl.F_SETSIG, signal.SIGKILL)
        fcntl.fcntl(end, fcntl.F_SETFL, fcntl.fcntl(end, fcntl.F_GETFL) | os.O_ASYNC)


# The start of a program at the guard, seen from the keeper.


class StartingProcess:
    """A process that becomes the program of a request, at the guard."""

    def __init__(
        self, request: SpawnRequest, descriptors: Sequence[int], group: Group | None = None
    ) -> None:
        """Fork the process, which joins the group. Raises OSError.

        `descriptors` are the program's stdin, stdout, stderr and gate.
        """
        assert isinstance(request.walls, SelfWalls)
        _cache_filter(request.walls.allow)
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
        """None when the program runs, else the failure; then the process has ended or is about to.
        (It sends `EXECUTES` last: if it was killed before, it has sent nothing.)"""
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


def _cache_filter(allow: tuple[str, ...]) -> None:
    """Compute a filter in the keeper, so that the processes forked from it inherit it."""
    with suppress(OSError, ValueError):  # there is none here: the process reports that
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
        _place({**dict(zip((0, 1, 2, GATE), descriptors, strict=True)), LINK: link})
        os.set_inheritable(LINK, False)
        if group is not None:
            what = "its control group"
            group.join()
        assert isinstance(request.walls, SelfWalls)
        what = "its limits"
        _limit(request.walls.limits)
        what = "its guard"
        os.chdir(request.cwd)
        _guard(request.walls)
    except Exception as error:  # any error: no wall, no bot
        return StartFailed(f"cannot put up {what}: {error}", True)
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


def _limit(limits: ProcessLimits, pid: int = 0) -> None:
    """Set the resource limits of a process (0: the caller). (The address space has none: Java, Node
    and Go reserve far more of it than they use.)"""
    most = {
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NOFILE: limits.files,
        resource.RLIMIT_FSIZE: limits.file_size,
        resource.RLIMIT_MEMLOCK: 0,
    }
    if os.geteuid() == 0:  # these apply to the bot's own user; root itself is exempt
        most |= {resource.RLIMIT_NPROC: limits.processes, resource.RLIMIT_SIGPENDING: SIGNALS}
    for what, limit in most.items():
        resource.prlimit(pid, what, (limit, limit))
    with suppress(OSError):
        write(f"/proc/{pid or 'self'}/oom_score_adj", str(OOM_SCORE))


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


# The start of a sandbox.


def reserve_descriptors() -> None:
    """Occupy the numbers below `HIGH`, so that what this process opens from now on can be moved to
    them in a program."""
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) < HIGH:
        pass
    os.close(descriptor)


FIRST_STEP = f'read uid <&{LINK} || exit; exec {{command}} "$@" {LINK}<&-'
"""The shell script that waits until the keeper has set the limits of its process, and then executes
bubblewrap. If the keeper dies before, it reads the end of file, and nothing is executed. If the
keeper dies before bubblewrap has tied itself to it, the last step finds nobody who reads `ENTERED`,
and executes nothing either."""


def start_sandbox(
    request: SpawnRequest, walls: Sandbox, descriptors: Sequence[int], group: Group | None
) -> int:
    """Start bubblewrap in the group, with its limits. Returns its process id.

    `descriptors` are the program's stdin, stdout, stderr and gate, and one on which the last step
    reports that the walls are up. Raises StartError; then no process is left.
    """
    what, opened = "its sandbox", list[int]()
    try:
        pid, link = _execute_first_step(request, walls, descriptors, opened)
        try:
            if group is not None:
                what = "its control group"
                group.join(pid)
            what = "its limits"
            _limit(walls.limits, pid)
            os.write(link, b"%d\n" % unprivileged_uid(pid))
        except BaseException:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise
        return pid
    except Exception as error:  # any error: no wall, no bot
        is_own = isinstance(error, ForeignLink) or getattr(error, "errno", 0) == errno.E2BIG
        raise StartError(f"cannot put up {what}: {error}", ours=not is_own) from error
    finally:
        for descriptor in opened:
            os.close(descriptor)


def _execute_first_step(
    request: SpawnRequest, walls: Sandbox, descriptors: Sequence[int], opened: list[int]
) -> tuple[int, int]:
    """Execute `FIRST_STEP`. Returns its process and the link on which it waits for a user id. What
    is opened on the way is added to `opened`."""
    theirs, link = os.pipe()
    opened += [theirs, link]
    options = expanded(walls.options, walls.limits.files, opened)
    if (count := len(walls.command) + len(request.argv) + len(options)) > MOST_WORDS:
        raise OSError(errno.E2BIG, f"{count} words and files, a sandbox takes {MOST_WORDS}")
    os.stat(walls.command[0])  # the shell would not tell that it is missing
    places = dict(zip((STDIN, STDOUT, 2, GATE, ENTERED), descriptors, strict=True))
    text = os.fsencode("".join(f"{word}\0" for word in options))
    for place, data in ((FILTER, _filter(walls.allow)), (OPTIONS, text)):
        places[place] = _in_memory(data)
        opened.append(places[place])
    pid = os.posix_spawn(
        SHELL,
        [SHELL, "-c", _first_step(walls.command), SHELL, *request.argv],
        request.env,
        file_actions=[
            (os.POSIX_SPAWN_DUP2, descriptor, place)
            for place, descriptor in (places | {LINK: theirs}).items()
        ],
        setsid=True,
    )
    return pid, link


@functools.cache
def _first_step(command: tuple[str, ...]) -> str:
    words = ['"$uid"' if word == UID else shlex.quote(word) for word in command]
    return FIRST_STEP.format(command=" ".join(words))


def _in_memory(data: bytes) -> int:
    """A descriptor from which `data` can be read. (A pipe may be too small.)"""
    try:
        file = os.memfd_create("options", os.MFD_CLOEXEC | MFD_NOEXEC_SEAL)
    except OSError:  # before Linux 6.3
        file = os.memfd_create("options", os.MFD_CLOEXEC)
    os.write(file, data)
    os.lseek(file, 0, os.SEEK_SET)
    return file


def unprivileged_uid(pid: int) -> int:
    """A user id for this process that no other one has and that exists in our user namespace."""
    ids = user_ids()
    if len(ids) < 3:
        raise OSError("no user id of this container is free for bots: map more of them into it")
    if ids.stop > FIRST_UID + (1 << 22):
        return FIRST_UID + pid
    return ids.stop - 2 - pid % min(len(ids) // 2, 10_000)  # in a container


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
