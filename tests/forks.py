"""Arenas in processes of their own that need not import anything: they are forked from one process
that has. To import takes three quarters of the CPU time of a short ``arena play``.

`ArenaProcess` and `ArenaTerminal` are `subprocess.Popen` and `pexpect.spawn`. Where a test wants
what a fork cannot give (another program, other variables for the interpreter, limits, a mask), they
start the command as these do.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import inspect
import json
import os
import platform
import pty
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import pexpect
import ptyprocess

ROOT = Path(__file__).parents[1]
ARENA = [sys.executable, "-m", "arena"]
CLONE_PARENT = 0x8000
CLONE = {"x86_64": 56, "aarch64": 220}
"""The number of the system call, by machine."""
CAN_FORK = sys.platform == "linux" and platform.machine() in CLONE


class ArenaProcess(subprocess.Popen[str]):
    """A command line that may be one of the arena."""

    def _execute_child(self, *given: Any) -> None:
        names = inspect.getfullargspec(subprocess.Popen._execute_child).args[1:]  # type: ignore[attr-defined]
        how = dict(zip(names, given, strict=True))
        plain = how["preexec_fn"] is None and how["umask"] < 0 and how["start_new_session"]
        found = self.forked_by(how["args"], how["env"]) if plain else None
        if found is None:
            super()._execute_child(*given)  # type: ignore[misc]
            return
        server, words = found
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        theirs = [how["p2cread"], how["c2pwrite"], how["errwrite"]]
        streams = [number if end == -1 else end for number, end in enumerate(theirs)]
        self.pid = server.start(words, how["env"], how["cwd"], streams)
        self._child_created = True
        self._close_pipe_fds(*(how[name] for name in pipes))  # type: ignore[attr-defined]

    @staticmethod
    def forked_by(
        args: Sequence[str], env: Mapping[str, str] | None
    ) -> tuple[ForkServer, Sequence[str]] | None:
        """Which process is to be forked, and what the fork is told; None if the command must be
        started."""
        return (fork_server(), args[len(ARENA) :]) if can_be_forked(args, env) else None


class ArenaTerminal(pexpect.spawn):  # type: ignore[misc]  # it has no types
    """The same at a terminal."""

    def _spawnpty(self, args: list[Any], **how: Any) -> Any:
        args = [os.fsdecode(word) for word in args]  # bytes, where the terminal has an encoding
        if how.get("preexec_fn") or not can_be_forked(args, how["env"]):
            return super()._spawnpty(args, **how)
        ours, theirs = pty.openpty()
        terminal = ptyprocess.PtyProcess
        pid = fork_server().start(
            args[len(ARENA) :], how["env"], how["cwd"], [theirs] * 3, terminal=True
        )
        started = terminal(pid, ours)
        started.setwinsize(*how.get("dimensions") or (24, 80))
        os.close(theirs)
        return started


def can_be_forked(args: Sequence[str], env: Mapping[str, str] | None) -> bool:
    """Whether it is a command line of the arena, for an interpreter like this one."""
    return (
        CAN_FORK
        and list(args[:3]) == ARENA
        and for_the_interpreter(env) == for_the_interpreter()
        and folders_in_front(env) is not None
    )


def for_the_interpreter(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that Python itself reads when it starts, but for `folders_in_front`."""
    found = os.environ if env is None else env
    return {
        name: found[name]
        for name in found
        if name.startswith(("PYTHON", "LC_", "LANG")) and name != "PYTHONPATH"
    }


def folders_in_front(env: Mapping[str, str] | None) -> list[str] | None:
    """The folders in which Python shall look for modules before our sources; None if it shall
    look for the arena elsewhere."""
    usual = os.environ.get("PYTHONPATH")
    path = usual if env is None else env.get("PYTHONPATH")
    if path == usual:
        return []
    folders = (path or "").split(os.pathsep)
    return folders[:-1] if folders[-1] == str(ROOT) else None


class ForkServer:
    """The process that has imported everything. Its forks are children of this one."""

    def __init__(self, script: str = __file__) -> None:
        self._link, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, script, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=ROOT,
                start_new_session=True,
            )

    def start(
        self,
        words: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: str | os.PathLike[str] | None,
        streams: list[int],
        *,
        terminal: bool = False,
    ) -> int:
        """The pid of a fork with these words on its command line and these streams, in a session
        of its own."""
        order = {
            "words": list(words),
            "env": dict(os.environ if env is None else env),
            "cwd": os.fspath(cwd or os.getcwd()),
            "terminal": terminal,
            "folders": folders_in_front(env),
        }
        socket.send_fds(self._link, [json.dumps(order).encode()], streams)
        return int(self._link.recv(64))

    def close(self) -> None:
        self._link.close()
        self._process.wait()


@cache
def fork_server(script: str = __file__) -> ForkServer:
    """The one of this process for a script that imports and serves."""
    server = ForkServer(script)
    atexit.register(server.close)
    return server


def serve(link: socket.socket) -> None:
    """Fork an arena for each order that comes; in the fork, return when it has everything."""
    while True:
        data, streams, _, _ = socket.recv_fds(link, 1 << 18, 3)
        if not data:
            os._exit(0)
        pid = fork_sibling()
        if pid == 0:
            link.close()
            become(json.loads(data), streams)
            return
        for stream in streams:
            os.close(stream)
        link.send(b"%d" % pid)


def fork_sibling() -> int:
    """As `os.fork`, but the new process has the same parent as this one."""
    system, python = ctypes.PyDLL(None), ctypes.pythonapi
    python.PyOS_BeforeFork()
    pid: int = system.syscall(CLONE[platform.machine()], CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    (python.PyOS_AfterFork_Parent if pid else python.PyOS_AfterFork_Child)()
    return pid


def become(order: dict[str, Any], streams: list[int]) -> None:
    """Have what a process is started with."""
    os.setsid()
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    for stream in streams:
        os.close(stream)
    if order["terminal"]:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    os.chdir(order["cwd"])
    os.environ.clear()
    os.environ.update(order["env"])
    tempfile.tempdir = None
    sys.path[:0] = order["folders"]
    sys.argv[1:] = order["words"]
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]


def main() -> None:
    """Serve on the socket with the number on the command line."""
    import arena.bots.find
    import arena.cli.check
    import arena.cli.main
    import arena.cli.play
    import arena.cli.text.live
    import arena.match.play
    import arena.record.verify
    import arena.runtime.pool
    from arena.core.registry import GAMES, find_game

    for name in GAMES:
        find_game(name)
    gc.freeze()
    serve(socket.socket(fileno=int(sys.argv[1])))
    arena.cli.main.main()


if __name__ == "__main__":
    main()
