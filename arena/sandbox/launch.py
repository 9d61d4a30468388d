"""Starting the keeper. No Trio here, so that the keeper's interpreter can start while the arena
still imports."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.sandbox.levels import Level, Wish, wants_groups

KEEPER = (
    "import sys; sys.path.insert(0, sys.argv[1]); from arena.sandbox import keeper; keeper.main()"
)
ROOT = Path(__file__).parents[2]


@dataclass(slots=True)
class KeeperProcess:
    """A running keeper and our end of its socket. Closing the socket ends it and all bots."""

    process: subprocess.Popen[bytes]
    link: socket.socket
    greeting: dict[str, Any] | None = None
    """What it said when it was up; kept by the first who listens to it."""
    levels: dict[str, Level] = field(default_factory=dict)
    """The isolation levels that were proven here, by what was wished for (`choose`)."""
    etc: Path | None = None
    """What sandboxes see as ``/etc`` (`bubblewrap.system`)."""

    def close(self) -> None:
        """End every bot and the keeper itself, and wait for it."""
        self.link.close()
        self.process.wait()
        if self.etc is not None:
            shutil.rmtree(self.etc, ignore_errors=True)


def _mode(wish: Level | Wish) -> str:
    if wish is Level.OFF:
        return "plain"
    return "groups" if wants_groups(wish) else "walls"


def launch_keeper(wish: Level | Wish = Level.OFF) -> KeeperProcess:
    """Start a keeper. It needs no waiting: orders sent early are carried out when it is up.

    It gets ready for bots behind such walls; where the system lets it, it makes a control group for
    each of them, if that may be wished for.
    """
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [
                *(sys.executable, "-I", "-S", "-c", KEEPER, str(ROOT)),
                *(str(theirs.fileno()), _mode(wish), tempfile.gettempdir()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # a Ctrl-C at the terminal is for the arena, not for it
            cwd=os.path.sep,
        )
    ours.setblocking(False)
    return KeeperProcess(process, ours)
