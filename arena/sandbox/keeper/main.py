"""The keeper: one small process that starts, reaps and ends every bot of an arena.

Why bots are not children of the arena itself:

* An arena that is killed with -9 cannot clean up. The keeper reads the end of file on its socket
  and ends every bot. (And when it is the keeper that is killed, each bot has the kernel's order to
  follow.)
* A bot may leave a daemon behind: a grandchild in a session of its own, which no process group
  reaches. The keeper is a *subreaper*: a process that loses its parent below it becomes its child,
  and is ended.
* Forking from a large process with threads is slow and full of traps. This one is neither.

When its own arena was killed, the keeper clears away what that left behind; and when it is up and
has nothing to do, what arenas left that were killed together with their keeper: private folders and
control groups whose owner is dead.

It runs in a bare interpreter (see `launch`) and imports nothing but the standard library. On its
socket come lines of `request`, and leave lines of `messages`; the four descriptors of a program
come with its `SpawnRequest`. The first line that leaves is `KeeperReady`. Each `SpawnRequest` is
answered by `Spawned` or `StartFailed`, in their order; each `Spawned` is followed by `Executed` or
`StartFailed` some time later (without walls or at the guard, when its gate was opened), and each
`KillRequest` by `Killed`; `Exited` is told when a program ends by itself or by a kill.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NoReturn

from arena.sandbox.keeper.bots import KILL_TICK, KeptBots
from arena.sandbox.keeper.kills import kill_children
from arena.sandbox.keeper.messages import (
    KeeperReady,
    Message,
    SpawnRequest,
    decode_request,
    encode_message,
)
from arena.sandbox.keeper.spawn import PreforkedProcesses, prctl

if TYPE_CHECKING:
    from arena.sandbox.keeper.cgroup import Groups

STRAYS_TICK = 0.2
"""Seconds between looks for strays while bots run: no signal tells of a process that got a new
parent."""
PREFORK_DELAY = 0.02
"""Seconds without requests after which processes are forked ahead: not beside bots that are just
starting."""
DESCRIPTORS = 4
"""Those that come with each `SpawnRequest`: stdin, stdout, stderr and the gate."""
GONE_WITHIN = 5.0
"""Seconds for an arena to be gone after its socket has closed."""
PR_SET_CHILD_SUBREAPER = 36
CAUGHT = (
    *(signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP),
    *(signal.SIGPIPE, signal.SIGXFSZ),
)


class Keeper:
    """The loop of the keeper, and what goes over its socket."""

    def __init__(
        self, link: socket.socket, groups: Groups | None, folder: str, *, walls: bool
    ) -> None:
        """In `folder` dead arenas may have left folders of bots. With `walls`, bots behind walls
        are to be expected."""
        self._link = link
        self._groups = groups
        self._unswept: str | None = folder
        self._preforked = PreforkedProcesses(groups, walls=walls)
        self._poll = select.poll()
        self._bots = KeptBots(self._preforked, self._tell, self._poll)
        self._input = b""
        self._descriptors: list[int] = []
        """Those of requests that have not come whole."""

    def run(self, hello: KeeperReady) -> None:
        """Say hello and serve until the arena is gone. Then, or when this fails, end everything."""
        try:
            self._serve(hello)
            self._bots.end_all()
            self._sweep()  # there may always have been a bot
        except BaseException:
            kill_children(os.getpid())
            raise
        finally:
            if self._groups is not None:
                self._groups.close()

    def _serve(self, hello: KeeperReady) -> None:
        wake = _catch_signals()
        self._tell(hello)
        link = self._link.fileno()
        for descriptor in (link, wake):
            self._poll.register(descriptor, select.POLLIN)
        while True:
            events = {descriptor for descriptor, _ in self._poll.poll(self._patience_ms())}
            if wake in events:
                os.read(wake, 4096)
            for descriptor in events - {link, wake}:
                self._bots.see_start(descriptor)
            ended = self._bots.reap()
            if link in events and not self._receive():
                break
            if ended or not events or self._bots.killing():
                self._bots.end_remains()
            if not events and not self._bots.killing():
                self._prepare()

    def _tell(self, message: Message) -> None:
        """Tell the arena. When it has gone, the end of file on the socket will say so."""
        with suppress(OSError):
            self._link.sendall(encode_message(message))

    def _patience_ms(self) -> float | None:
        """How long to wait for something to happen; None for ever."""
        if self._bots.killing():
            return KILL_TICK * 1000
        if not self._preforked.complete() or self._may_sweep():
            return 0 if self._bots.empty() else PREFORK_DELAY * 1000
        return None if self._bots.empty() else STRAYS_TICK * 1000

    def _receive(self) -> bool:
        """Do what the arena asks for; false at the end of file."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self._link, 1 << 16, DESCRIPTORS)
        except ConnectionError:
            return False
        self._descriptors += descriptors
        *lines, self._input = (self._input + data).split(b"\n")
        for line in lines:
            request = decode_request(line)
            if isinstance(request, SpawnRequest):
                self._spawn(request, line + b"\n")
            else:
                self._bots.kill(request.pid)
        return bool(data)

    def _spawn(self, request: SpawnRequest, line: bytes) -> None:
        descriptors = self._descriptors[:DESCRIPTORS]
        del self._descriptors[:DESCRIPTORS]
        try:
            self._bots.spawn(request, line, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _prepare(self) -> None:
        """While there is nothing else to do: fork one process ahead, or sweep."""
        if self._may_sweep():
            self._sweep()
        elif not self._preforked.complete():
            self._preforked.add()

    def _may_sweep(self) -> bool:
        return bool(self._unswept) and self._bots.empty() and self._preforked.complete()

    def _sweep(self) -> None:
        folder, self._unswept = self._unswept, None
        if folder:
            sweep_leftovers(folder, groups=self._groups is not None)


def _catch_signals() -> int:
    """A descriptor that becomes readable with every signal. (SIGPIPE and SIGXFSZ Python ignores,
    and so would programs: what is caught is as usual again after an exec.)"""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in CAUGHT:
        signal.signal(number, lambda *_: None)
    return reader


def open_groups() -> tuple[Groups | None, str | None]:
    """Control groups for bots, or why there are none."""
    from arena.sandbox.keeper.cgroup import Groups
    from arena.sandbox.keeper.tempdirs import owner

    try:
        return Groups.open(owner()), None
    except OSError as error:
        return None, str(error)


def sweep_leftovers(folder: str, *, groups: bool) -> None:
    """Clear away the folders and control groups of arenas that were killed."""
    from arena.sandbox.keeper import cgroup, tempdirs
    from arena.sandbox.keeper.tempdirs import alive

    with suppress(OSError):
        tempdirs.sweep(folder, alive)
    if groups:
        with suppress(OSError):
            cgroup.sweep(alive)


def clean_up_after(arena: str, folder: str, *, groups: bool) -> None:
    """Clear away what an arena (named as an owner) has left that did not end in good order. Its
    socket closes a moment before it is gone."""
    from arena.sandbox.keeper.tempdirs import alive

    deadline = time.monotonic() + GONE_WITHIN
    while alive(arena) and time.monotonic() < deadline:
        time.sleep(0.002)
    sweep_leftovers(folder, groups=groups)


def _is_closed(link: socket.socket) -> bool:
    """Whether the other end is closed, and not only shut by an arena that waits for us."""
    poll = select.poll()
    poll.register(link, 0)
    return any(happened & select.POLLHUP for _, happened in poll.poll(0))


def main() -> NoReturn:
    """Serve on the descriptor named on the command line, and end the process."""
    _, link_number, mode, folder, arena = sys.argv[1:]
    link = socket.socket(fileno=int(link_number))
    link.set_inheritable(False)
    os.umask(0o022)  # for every bot, as what follows
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # as is what the arena blocks
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    groups, problem = open_groups() if mode == "groups" else (None, "not asked for")
    keeper = Keeper(link, groups, folder, walls=mode != "plain")
    keeper.run(KeeperReady(problem))
    if _is_closed(link):
        clean_up_after(arena, folder, groups=mode == "groups")
    os._exit(0)  # the arena waits: taking an interpreter down in good order takes 10 ms
