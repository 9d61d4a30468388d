"""The keeper: one small process that starts, reaps and ends every bot of an arena.

Why bots are not children of the arena itself:

* An arena killed with SIGKILL cannot clean up. The keeper sees the end of file on its socket and
  ends every bot. (If the keeper itself is killed, the kernel kills each bot: by its parent-death
  signal, or by its lifeline.)
* A bot may leave a daemon behind: a grandchild in its own session, which no process group reaches.
  The keeper is a *subreaper*: orphans below it become its children, and it ends them.
* Forking from a large process with threads is slow and full of traps. The keeper is small and has
  no threads.

When its own arena was killed, the keeper removes what that left behind. When idle, it also removes
what arenas left that were killed together with their keeper: private folders and control groups
whose owner is dead.

The keeper runs in a bare interpreter (see `launch`), and imports only the standard library. Its
socket receives requests and sends messages (`messages`), one per line; the four descriptors of a
program arrive with its `SpawnRequest`, and a fifth if it has no walls. The first message is
`KeeperReady`. Each `SpawnRequest` is answered by `Spawned` or `StartFailed`, in order; each
`Spawned` is followed by `Executed` or `StartFailed` (at the guard, once the gate was opened), and
each `KillRequest` by `Killed`. `Exited` reports the end of a program, by itself or by a kill.
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
from arena.sandbox.keeper.spawn import prctl, reserve_descriptors

if TYPE_CHECKING:
    from arena.sandbox.keeper.cgroup import Groups

STRAYS_TICK = 0.2
"""Seconds between looks for strays while bots run: no signal reports a process that got a new
parent."""
DESCRIPTORS = 4
"""Number of descriptors with a `SpawnRequest`: stdin, stdout, stderr and the gate. Without walls
there is one more: both ends of the lifeline take the place of the gate."""
GONE_WITHIN = 5.0
"""Seconds in which an arena should be gone after its socket has closed."""
PR_SET_CHILD_SUBREAPER = 36
KEEPER_NAME = "arena-keeper"
"""The name of the process (Linux), by which one is recognised whatever its command line."""
CAUGHT = (
    *(signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP),
    *(signal.SIGPIPE, signal.SIGXFSZ),
)


class Keeper:
    """The event loop of the keeper and its socket."""

    def __init__(self, link: socket.socket, groups: Groups | None, folder: str) -> None:
        """`folder` is where dead arenas may have left folders of bots."""
        self._link = link
        self._groups = groups
        self._unswept: str | None = folder
        self._poll = select.poll()
        self._bots = KeptBots(groups, self._tell, self._poll)
        self._input = b""
        self._output = b""
        """Messages that are not sent yet."""
        self._descriptors: list[int] = []
        """Descriptors of requests that have not arrived completely."""

    def run(self, hello: KeeperReady) -> None:
        """Send `hello` and serve until the arena is gone. Then, or on failure, end everything."""
        try:
            self._serve(hello)
            self._bots.end_all()
            self._send()
            self._sweep()  # bots may have kept the keeper busy until now
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
            self._send()
            events = {descriptor for descriptor, _ in self._poll.poll(self._patience_ms())}
            if wake in events:
                os.read(wake, 4096)
            for descriptor in events - {link, wake}:
                self._bots.see_start(descriptor)
            ended = self._bots.reap()
            if link in events and not self._receive():
                break
            if ended or not events & {link, wake} or self._bots.killing():
                self._bots.end_remains()
            if not events and self._may_sweep():
                self._sweep()

    def _tell(self, message: Message) -> None:
        """Have a message sent before the next wait: the arena wakes up once for all of them."""
        self._output += encode_message(message)

    def _send(self) -> None:
        """Send what the arena is to be told. If it is gone, the end of file on the socket shows
        that."""
        data, self._output = self._output, b""
        if data:
            with suppress(OSError):
                self._link.sendall(data)

    def _patience_ms(self) -> float | None:
        """Timeout of the next poll, in milliseconds; None for none."""
        if self._bots.answer_calls() or self._bots.killing():
            return KILL_TICK * 1000
        if self._may_sweep():
            return 0
        return None if self._bots.empty() else STRAYS_TICK * 1000

    def _receive(self) -> bool:
        """Receive and carry out requests; returns False at the end of file."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self._link, 1 << 16, DESCRIPTORS + 1)
        except ConnectionError:
            return False
        for descriptor in descriptors:
            os.set_inheritable(descriptor, False)  # `recv_fds` heeds no flag that would say so
        self._descriptors += descriptors
        *lines, self._input = (self._input + data).split(b"\n")
        for line in lines:
            request = decode_request(line)
            if isinstance(request, SpawnRequest):
                self._spawn(request)
            else:
                self._bots.kill(request.pid)
        return bool(data)

    def _spawn(self, request: SpawnRequest) -> None:
        count = DESCRIPTORS + (request.walls is None)
        descriptors = self._descriptors[:count]
        del self._descriptors[:count]
        try:
            self._bots.spawn(request, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _may_sweep(self) -> bool:
        return bool(self._unswept) and self._bots.empty()

    def _sweep(self) -> None:
        folder, self._unswept = self._unswept, None
        if folder:
            sweep_leftovers(folder, groups=self._groups is not None)


def _catch_signals() -> int:
    """A descriptor that becomes readable on every signal. (Python ignores SIGPIPE and SIGXFSZ, and
    programs would inherit that; caught signals get their default action again at the exec.)"""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    for number in CAUGHT:
        signal.signal(number, lambda *_: None)
    return reader


def open_groups() -> tuple[Groups | None, str | None]:
    """Open control groups for bots. Returns them, or None and the reason."""
    from arena.sandbox.keeper.cgroup import Groups
    from arena.sandbox.keeper.tempdirs import owner

    try:
        return Groups.open(owner()), None
    except OSError as error:
        return None, str(error)


def sweep_leftovers(folder: str, *, groups: bool) -> None:
    """Remove the folders and control groups of arenas that were killed."""
    from arena.sandbox.keeper import tempdirs
    from arena.sandbox.keeper.tempdirs import alive

    with suppress(OSError):
        tempdirs.sweep(folder, alive)
    if groups:
        from arena.sandbox.keeper import cgroup

        with suppress(OSError):
            cgroup.sweep(alive)


def clean_up_after(arena: str, folder: str, *, groups: bool) -> None:
    """Remove what a killed arena (named as an owner) has left. First wait until it is gone: its
    socket closes a moment earlier."""
    from arena.sandbox.keeper.tempdirs import alive

    deadline = time.monotonic() + GONE_WITHIN
    while alive(arena) and time.monotonic() < deadline:
        time.sleep(0.002)
    sweep_leftovers(folder, groups=groups)


def _is_closed(link: socket.socket) -> bool:
    """Whether the other end is closed, rather than shut down by an arena that waits for us."""
    poll = select.poll()
    poll.register(link, 0)
    return any(happened & select.POLLHUP for _, happened in poll.poll(0))


def main() -> NoReturn:
    """Serve on the socket given on the command line, then end the process."""
    _, link_number, mode, folder, arena = sys.argv[1:]
    link = socket.socket(fileno=int(link_number))
    link.set_inheritable(False)
    os.umask(0o022)  # inherited by every bot, like the core limit
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])  # the arena may block it
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    with suppress(OSError), open("/proc/self/comm", "w") as file:
        file.write(KEEPER_NAME)
    groups, problem = open_groups() if mode == "groups" else (None, "not asked for")
    reserve_descriptors()
    keeper = Keeper(link, groups, folder)
    keeper.run(KeeperReady(problem))
    if _is_closed(link):
        clean_up_after(arena, folder, groups=mode == "groups")
    os._exit(0)  # the arena waits, and a regular interpreter exit takes 10 ms
