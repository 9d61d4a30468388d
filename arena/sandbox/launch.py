"""Start the keeper process.

This module does not import Trio, so the keeper's interpreter starts while the arena still imports.

**The keeper of ``arena play`` is a fork of it**, made before Trio is imported: what both need is
imported once. (A match of five rounds takes 380 ms of CPU time this way, and 415 with a keeper that
is a new interpreter.) All others are interpreters of their own, since what starts them may be
large, have threads, or be a program of somebody else.
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from arena.sandbox.folders import PrivateFolders
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.messages import KeeperReady
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.levels import Level, SandboxWish, wants_groups

if TYPE_CHECKING:
    from arena.sandbox.child import Child, Prepared
    from arena.sandbox.keeper.messages import SpawnRequest

KEEPER = (
    "import gc, sys; gc.set_threshold(50_000); sys.path.insert(0, sys.argv[1]); "
    "from arena.sandbox.keeper.main import main; main()"
)
ROOT = Path(__file__).parents[2]


@dataclass(slots=True, eq=False)
class KeeperProcess:
    """A running keeper and our end of its socket. When the arena ends or shuts down its end of the
    socket, the keeper and all bots end."""

    process: subprocess.Popen[bytes] | ForkedProcess
    link: socket.socket
    greeting: KeeperReady | None = None
    """The keeper's first message, once received."""
    levels: dict[SandboxWish, Level] = field(default_factory=dict)
    """Proven isolation levels, by requested mode (`probe.prove_level`)."""
    etc: Path | None = None
    """The folder that sandboxes see as ``/etc`` (`placement.shared_etc`)."""
    folders: PrivateFolders = field(default_factory=PrivateFolders)
    """The private folders of programs."""
    requests: dict[object, SpawnRequest] = field(default_factory=dict)
    """Requests that equal programs share (`placement.bot_request`)."""
    unheard: bytes = b""
    """Received bytes of an incomplete message."""
    asked: deque[Child] = field(default_factory=deque)
    """Requested programs without an answer yet, in order of the requests."""
    alive: dict[int, Child] = field(default_factory=dict)
    """Programs whose end was not reported yet, by pid."""
    ahead: list[Prepared] = field(default_factory=list)
    """Programs that wait at their gates (`prestart`)."""

    def is_gone(self) -> bool:
        """Whether the keeper has ended."""
        poll = select.poll()
        poll.register(self.link, 0)
        return bool(poll.poll(0))

    def close(self) -> None:
        """End every bot and the keeper, and wait for it. Idempotent."""
        # Nothing may be left to do once the keeper has gone, which cleans up if the arena is killed
        # meanwhile.
        while self.ahead:
            self.ahead.pop().close()
        self.folders.close()
        if self.etc is not None:
            tempdirs.remove(str(self.etc))
        with suppress(OSError):  # it may be gone
            self.link.shutdown(socket.SHUT_WR)  # not closed: the arena is still there
        self.process.wait()
        self.link.close()


@dataclass(slots=True, eq=False)
class ForkedProcess:
    """A keeper that is a fork of this process, with what is needed of `subprocess.Popen`."""

    pid: int
    returncode: int | None = None

    def wait(self) -> int:
        """Wait until it has ended. Returns its exit status, as `subprocess.Popen.wait` does."""
        if self.returncode is None:
            self.returncode = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        return self.returncode

    def kill(self) -> None:
        """Kill it, unless its end is known."""
        if self.returncode is None:
            os.kill(self.pid, signal.SIGKILL)


def launch_keeper(mode: SandboxWish = Level.OFF, *, fork: bool = False) -> KeeperProcess:
    """Start a keeper. The caller need not wait: early requests are served once it is up.

    Where the walls of `mode` may include control groups, and the system allows them, the keeper
    makes one for each bot. With `fork` it is a fork of this process, if that has no other thread.
    """
    ours, theirs = socket.socketpair()
    groups = "groups" if wants_groups(mode) else "plain"
    terms = groups, tempfile.gettempdir(), owner()
    with theirs:
        start = _fork if fork and _can_fork() else _execute
        process = start(theirs.fileno(), *terms)
    ours.setblocking(False)
    return KeeperProcess(process, ours)


def _can_fork() -> bool:
    return sys.platform == "linux" and threading.active_count() == 1


def _execute(link: int, *terms: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-I", "-S", "-c", KEEPER, str(ROOT), str(link), *terms],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        pass_fds=[link],
        start_new_session=True,  # Ctrl-C at the terminal must reach the arena only
        cwd=os.path.sep,
    )


def _fork(link: int, *terms: str) -> ForkedProcess:
    from arena.sandbox.keeper.main import serve  # before the fork: a part is ours, too

    pid = os.fork()
    if pid == 0:
        _become_keeper(partial(serve, link, *terms), link)
    return ForkedProcess(pid)


def _become_keeper(serve: Callable[[], NoReturn], link: int) -> NoReturn:
    """What `_execute` asks for, and then `serve`. Never returns to the code of the arena: what is
    open there is closed here by its number alone."""
    try:
        os.setsid()
        os.chdir(os.path.sep)
        null = os.open(os.devnull, os.O_RDWR)
        for number in (0, 1):
            os.dup2(null, number)
        os.closerange(3, link)
        os.closerange(link + 1, os.sysconf("SC_OPEN_MAX"))
        gc.freeze()  # a collection would copy the pages of all that the arena has imported
        serve()
    except BaseException:
        sys.excepthook(*sys.exc_info())
        raise
    finally:
        os._exit(1)
