"""Starting and ending bots: the keeper process, and the arena's side of it.

This module starts the keeper and imports no Trio, so that the keeper's interpreter can start
while the arena still imports; `children` talks to it.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class KeeperProcess:
    """A running keeper and our end of its socket. Closing the socket ends it and all bots."""

    process: subprocess.Popen[bytes]
    link: socket.socket

    def close(self) -> None:
        """End every bot and the keeper itself, and wait for it."""
        self.link.close()
        self.process.wait()


def launch_keeper() -> KeeperProcess:
    """Start a keeper. It needs no waiting: orders sent early are carried out when it is up."""
    ours, theirs = socket.socketpair()
    with theirs:
        process = subprocess.Popen(
            [
                sys.executable,
                "-I",
                "-S",
                str(Path(__file__).with_name("keeper.py")),
                str(theirs.fileno()),
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            start_new_session=True,  # a Ctrl-C at the terminal is for the arena, not for it
            cwd=os.path.sep,
        )
    ours.setblocking(False)
    return KeeperProcess(process, ours)
