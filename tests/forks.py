"""Arenas in processes of their own that need not import anything: they are forked from one process
that has. To import takes three quarters of the CPU time of a short ``arena play``. They run the
command line, or a piece of Python that uses the arena (``python -c``).

`ArenaProcess` and `ArenaTerminal` are `subprocess.Popen` and `pexpect.spawn`. Where a test wants
what a fork cannot give (another program, other variables for the interpreter, a `preexec_fn` that
cannot be pickled), they start the command as these do.
"""

from __future__ import annotations

import atexit
import ctypes
import fcntl
import gc
import inspect
import os
import pickle
import platform
import pty
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pexpect
import ptyprocess

ROOT = Path(__file__).parents[1]
ARENA = [sys.executable, "-m", "arena"]
CODE = [sys.executable, "-c"]
CLONE_PARENT = 0x8000
CLONE = {"x86_64": 56, "aarch64": 220}
"""The number of the system call, by machine."""
CAN_FORK = sys.platform == "linux" and platform.machine() in CLONE


class ArenaProcess(subprocess.Popen[Any]):
    """A command line that may be one of the arena, in a session of its own."""

    def _execute_child(self, *given: Any) -> None:
        names = inspect.getfullargspec(subprocess.Popen._execute_child).args[1:]  # type: ignore[attr-defined]
        how = dict(zip(names, given, strict=True))
        first = pickled(how["preexec_fn"])
        plain = first is not None and how["start_new_session"] and not how["pass_fds"]
        if not (plain and can_be_forked(how["args"], how["env"])):
            super()._execute_child(*given)  # type: ignore[misc]
            return
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        theirs = [how["p2cread"], how["c2pwrite"], how["errwrite"]]
        streams = [number if end == -1 else end for number, end in enumerate(theirs)]
        self.pid = fork_server().start(
            how["args"], how["env"], how["cwd"], streams, first=first, mask=how["umask"]
        )
        self._child_created = True
        self._close_pipe_fds(*(how[name] for name in pipes))  # type: ignore[attr-defined]


class ArenaTerminal(pexpect.spawn):  # type: ignore[misc]  # it has no types
    """The same at a terminal."""

    def _spawnpty(self, args: list[Any], **how: Any) -> Any:
        args = [os.fsdecode(word) for word in args]  # bytes, where the terminal has an encoding
        if how.get("preexec_fn") or not can_be_forked(args, how["env"]):
            return super()._spawnpty(args, **how)
        ours, theirs = pty.openpty()
        terminal = ptyprocess.PtyProcess
        pid = fork_server().start(args, how["env"], how["cwd"], [theirs] * 3, terminal=True)
        started = terminal(pid, ours)
        started.setwinsize(*how.get("dimensions") or (24, 80))
        os.close(theirs)
        return started


def can_be_forked(args: Sequence[str], env: Mapping[str, str] | None) -> bool:
    """Whether it is a command line of the arena, or Python code, for an interpreter like this
    one."""
    words = list(args)
    known = words[:3] == ARENA or (words[:2] == CODE and len(words) > 2)
    return CAN_FORK and known and for_the_interpreter(env) == for_the_interpreter()


def pickled(first: Callable[[], object] | None) -> bytes | None:
    """What is to be called first in the new process; None when it cannot be sent there."""
    with suppress(pickle.PicklingError, AttributeError):
        return pickle.dumps(first)
    return None


def for_the_interpreter(env: Mapping[str, str] | None = None) -> dict[str, str]:
    """The variables that Python itself reads when it starts."""
    found = os.environ if env is None else env
    return {name: found[name] for name in found if name.startswith(("PYTHON", "LC_", "LANG"))}


class ForkServer:
    """The process that has imported everything. Its forks are children of this one."""

    def __init__(self) -> None:
        self._link, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, __file__, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=ROOT,
                start_new_session=True,
            )

    def start(
        self,
        args: Sequence[str],
        env: Mapping[str, str] | None,
        cwd: str | os.PathLike[str] | None,
        streams: list[int],
        *,
        terminal: bool = False,
        first: bytes | None = None,
        mask: int = -1,
    ) -> int:
        """The pid of a new arena with these streams, in a session of its own."""
        order = {
            "args": list(args),
            "env": dict(os.environ if env is None else env),
            "cwd": os.fspath(cwd or os.getcwd()),
            "terminal": terminal,
            "first": first or pickle.dumps(None),
            "mask": mask,
        }
        socket.send_fds(self._link, [pickle.dumps(order)], streams)
        return int(self._link.recv(64))

    def close(self) -> None:
        self._link.close()
        self._process.wait()


@cache
def fork_server() -> ForkServer:
    """The one of this process."""
    server = ForkServer()
    atexit.register(server.close)
    return server


def serve(link: socket.socket) -> list[str]:
    """Fork an arena for each order that comes; in the fork, return its command line when it has
    everything."""
    while True:
        data, streams, _, _ = socket.recv_fds(link, 1 << 18, 3)
        if not data:
            os._exit(0)
        pid = fork_sibling()
        if pid == 0:
            link.close()
            order = pickle.loads(data)
            become(order, streams)
            return list(order["args"])
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
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    if order["mask"] >= 0:
        os.umask(order["mask"])
    first = pickle.loads(order["first"])
    if first is not None:
        first()


def run_code(code: str, words: list[str]) -> None:
    """As ``python -c CODE WORDS``."""
    sys.argv = ["-c", *words]
    sys.path.insert(0, "")
    exec(compile(code, "<string>", "exec"), {"__name__": "__main__"})


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
    args = serve(socket.socket(fileno=int(sys.argv[1])))
    if args[: len(CODE)] == CODE:
        run_code(args[2], args[3:])
        return
    sys.argv[1:] = args[len(ARENA) :]
    arena.cli.main.main()


if __name__ == "__main__":
    main()
