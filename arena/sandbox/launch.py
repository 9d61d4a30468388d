"""Starting the keeper. No Trio here, so that the keeper's interpreter can start while the arena
still imports."""

from __future__ import annotations

import os
import select
import socket
import subprocess
import sys
import tempfile
from collections import deque
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.messages import KeeperReady
from arena.sandbox.keeper.tempdirs import owner
from arena.sandbox.levels import Level, SandboxMode, wants_groups

if TYPE_CHECKING:
    from arena.sandbox.child import Child, Prepared

KEEPER = (
    "import gc, sys; gc.set_threshold(50_000); sys.path.insert(0, sys.argv[1]); "
    "from arena.sandbox.keeper.main import main; main()"
)
ROOT = Path(__file__).parents[2]


class KeeperProcess(Struct):
    """A running keeper and our end of its socket. The end of the arena, or of
    its half of the socket, ends it and all bots."""

    process: subprocess.Popen[bytes]
    link: socket.socket
    greeting: KeeperReady | None = None
    """Its first message, once it was heard."""
    levels: dict[Level | SandboxMode, Level] = {}
    """The isolation levels that were proven here, by what was asked for (`probe.prove_level`)."""
    etc: Path | None = None
    """What sandboxes see as ``/etc`` (`placement.shared_etc`)."""
    unheard: bytes = b""
    """The beginning of a message."""
    asked: deque[Child] = field(default_factory=deque)
    """The programs that were asked for and not answered, in their order."""
    alive: dict[int, Child] = {}
    """The programs whose end was not told, by pid."""
    ahead: list[Prepared] = []
    """The programs that wait at their gates (`ahead`)."""

    def is_gone(self) -> bool:
        """Whether it has ended."""
        poll = select.poll()
        poll.register(self.link, 0)
        return bool(poll.poll(0))

    def close(self) -> None:
        """End every bot and the keeper itself, and wait for it. May be repeated."""
        while self.ahead:  # first: while the keeper is there, it clears away behind a killed arena
            self.ahead.pop().close()
        with suppress(OSError):  # it may be gone
            self.link.shutdown(socket.SHUT_WR)  # not closed: the arena is still there
        self.process.wait()
        self.link.close()
        if self.etc is not None:
            tempdirs.remove(str(self.etc))


def _readiness(mode: Level | SandboxMode) -> str:
    """For what the keeper gets ready, as `keeper.main` knows it."""
    if mode is Level.OFF:
        return "plain"
    return "groups" if wants_groups(mode) else "walls"


def launch_keeper(mode: Level | SandboxMode = Level.OFF) -> KeeperProcess:
    """Start a keeper. The caller need not wait: early requests are carried out when it is up.

    It gets ready for bots behind the walls of `mode`. Where those may be control groups, and the
    system allows it, it makes one for each bot.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", "-c", KEEPER, str(ROOT)),
                *(str(theirs.fileno()), _readiness(mode), tempfile.gettempdir(), owner()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # a Ctrl-C at the terminal is for the arena, not for it
            cwd=os.path.sep,
        )
    ours.setblocking(False)
    return KeeperProcess(process, ours)
