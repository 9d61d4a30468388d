"""Start the keeper process.

This module does not import Trio, so the keeper's interpreter starts while the arena still imports.
(A match of five rounds by ``arena play`` takes 395 ms of CPU time. With a keeper that is a fork of
the arena it takes 354, but on two free cores 4 % more real time: medians of 21 pairs.)
"""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import tempfile
from collections import deque
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

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

    process: subprocess.Popen[bytes]
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


def launch_keeper(mode: SandboxWish = Level.OFF) -> KeeperProcess:
    """Start a keeper. The caller need not wait: early requests are served once it is up.

    Where the walls of `mode` may include control groups, and the system allows them, the keeper
    makes one for each bot.
    """
    ours, theirs = socket.socketpair()
    groups = "groups" if wants_groups(mode) else "plain"
    tempfile.tempdir = os.path.abspath(tempfile.gettempdir())  # the keeper has another folder
    terms = groups, tempfile.tempdir, owner()
    with theirs:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", KEEPER, str(ROOT), str(theirs.fileno()), *terms],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # Ctrl-C at the terminal must reach the arena only
            cwd=os.path.sep,
        )
    ours.setblocking(False)
    return KeeperProcess(process, ours)
