"""Arenas in separate processes, forked from one that has already imported everything.

Imports take three quarters of the CPU time of a short ``arena play``. The forks run the command
line, or Python code that uses the arena (``python -c``).

`ArenaProcess` and `ArenaTerminal` replace `subprocess.Popen` and `pexpect.spawn`. If a test needs
what a fork cannot give (another program, other variables for the interpreter, a `preexec_fn` that
cannot be pickled), they start the command in the ordinary way.
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
import runpy
import signal
import socket
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

import pexpect
import ptyprocess

ROOT = Path(__file__).parents[2]
ARENA = [sys.executable, "-m", "arena"]
USED = (
    *("arena.bots.find", "arena.cli.check", "arena.cli.main", "arena.cli.play"),
    *("arena.cli.text.live", "arena.match.play", "arena.record.verify", "arena.runtime.pool"),
)
"""Modules that most command lines import."""
CLONE_PARENT = 0x8000
CLONE = {"x86_64": 56, "aarch64": 220}
"""The number of the system call ``clone``, by machine."""
USUAL = dict(os.environ)
"""The variables of fork servers: whatever the test changes that happens to start one."""
CAN_FORK = sys.platform == "linux" and platform.machine() in CLONE


class ArenaProcess(subprocess.Popen[Any]):
    """A process in its own session, forked if its command line is one of the arena."""

    script = __file__
    """The script of the fork server."""
    modules: tuple[str, ...] = ("arena",)
    """Modules that a fork can run, besides code."""

    def _execute_child(self, *given: Any) -> None:
        names = inspect.getfullargspec(subprocess.Popen._execute_child).args[1:]  # type: ignore[attr-defined]
        how = dict(zip(names, given, strict=True))
        first = pickled(how["preexec_fn"])
        plain = first is not None and how["start_new_session"] and not how["pass_fds"]
        if not (plain and can_be_forked(how["args"], how["env"], self.modules)):
            super()._execute_child(*given)  # type: ignore[misc]
            return
        pipes = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
        theirs = [how["p2cread"], how["c2pwrite"], how["errwrite"]]
        streams = [number if end == -1 else end for number, end in enumerate(theirs)]
        self.pid = fork_server(self.script).start(
            how["args"], how["env"], how["cwd"], streams, first=first, mask=how["umask"]
        )
        self._child_created = True
        self._close_pipe_fds(*(how[name] for name in pipes))  # type: ignore[attr-defined]


class ArenaTerminal(pexpect.spawn):  # type: ignore[misc]  # it has no types
    """Like `ArenaProcess`, at a terminal."""

    def _spawnpty(self, args: list[Any], **how: Any) -> Any:
        args = [os.fsdecode(word) for word in args]  # bytes if the terminal has an encoding
        if how.get("preexec_fn") or not can_be_forked(args, how["env"]):
            return super()._spawnpty(args, **how)
        ours, theirs = pty.openpty()
        terminal = ptyprocess.PtyProcess
        pid = fork_server().start(args, how["env"], how["cwd"], [theirs] * 3, terminal=True)
        started = terminal(pid, ours)
        started.setwinsize(*how.get("dimensions") or (24, 80))
        os.close(theirs)
        return started


def can_be_forked(
    args: Sequence[str], env: Mapping[str, str] | None, modules: Sequence[str] = ("arena",)
) -> bool:
    """Whether a command runs one of `modules`, or Python code, in an interpreter like this one."""
    python, option, program = (*args, "", "", "")[:3]
    known = option == "-c" or (option == "-m" and program in modules)
    return (
        CAN_FORK
        and (python == sys.executable and known)
        and for_the_interpreter(env) == for_the_interpreter(USUAL)
        and folders_in_front(env) is not None
    )


def pickled(first: Callable[[], object] | None) -> bytes | None:
    """The pickled function to call first in the new process; None if it cannot be pickled."""
    with suppress(pickle.PicklingError, AttributeError):
        return pickle.dumps(first)
    return None


def for_the_interpreter(env: Mapping[str, str] | None) -> dict[str, str]:
    """The variables that Python itself reads at its start, except for `folders_in_front`."""
    found = os.environ if env is None else env
    return {
        name: found[name]
        for name in found
        if name.startswith(("PYTHON", "LC_", "LANG")) and name != "PYTHONPATH"
    }


def folders_in_front(env: Mapping[str, str] | None) -> list[str] | None:
    """The folders that Python searches for modules before our sources; None if it should find the
    arena elsewhere."""
    usual = USUAL.get("PYTHONPATH")
    path = (os.environ if env is None else env).get("PYTHONPATH")
    if path == usual:
        return []
    folders = (path or "").split(os.pathsep)
    return folders[:-1] if folders[-1] == str(ROOT) else None


class ForkServer:
    """The process that has imported everything. Its forks become children of this process."""

    def __init__(self, script: str = __file__) -> None:
        self._link, theirs = socket.socketpair(type=socket.SOCK_SEQPACKET)
        with theirs:
            self._process = subprocess.Popen(
                [sys.executable, script, str(theirs.fileno())],
                pass_fds=[theirs.fileno()],
                cwd=ROOT,
                env=USUAL,
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
        """Fork a process that runs this command line with these streams in its own session.
        Returns its pid."""
        order = {
            "words": list(args[1:]),
            "env": dict(os.environ if env is None else env),
            "cwd": os.fspath(cwd or os.getcwd()),
            "terminal": terminal,
            "folders": folders_in_front(env),
            "first": first or pickle.dumps(None),
            "mask": mask,
        }
        socket.send_fds(self._link, [pickle.dumps(order)], streams)
        return int(self._link.recv(64))

    def close(self) -> None:
        self._link.close()
        self._process.wait()


@cache
def fork_server(script: str = __file__) -> ForkServer:
    """This process's fork server for a script."""
    server = ForkServer(script)
    atexit.register(server.close)
    return server


def serve(link: socket.socket) -> list[str]:
    """Fork for each order received; in the fork, set the process up and return its command."""
    while True:
        data, streams, _, _ = socket.recv_fds(link, 1 << 18, 3)
        if not data:
            os._exit(0)
        pid = fork_sibling()
        if pid == 0:
            link.close()
            order = pickle.loads(data)
            become(order, streams)
            return list(order["words"])
        for stream in streams:
            os.close(stream)
        link.send(b"%d" % pid)


def fork_sibling() -> int:
    """Like `os.fork`, but the new process has the same parent as this one."""
    system, python = ctypes.PyDLL(None), ctypes.pythonapi
    python.PyOS_BeforeFork()
    pid: int = system.syscall(CLONE[platform.machine()], CLONE_PARENT | signal.SIGCHLD, 0, 0, 0, 0)
    (python.PyOS_AfterFork_Parent if pid else python.PyOS_AfterFork_Child)()
    return pid


def become(order: dict[str, Any], streams: list[int]) -> None:
    """Set up this process as ordered: streams, environment, folders."""
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
    sys.path[:1] = ["", *order["folders"]]  # for the folder of the script
    sys.stdout.reconfigure(line_buffering=os.isatty(1))  # type: ignore[union-attr]
    if order["mask"] >= 0:
        os.umask(order["mask"])
    first = pickle.loads(order["first"])
    if first is not None:
        first()


def run(option: str, program: str, *words: str) -> None:
    """Run like ``python -m PROGRAM WORDS`` or ``python -c PROGRAM WORDS``."""
    sys.argv = [option, *words]
    if option == "-m":
        runpy.run_module(program, run_name="__main__", alter_sys=True)
    else:
        exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})


def main() -> None:
    """Serve on the socket whose number is on the command line."""
    from arena.core.registry import GAMES, find_game

    for name in GAMES:
        find_game(name)
    for module in USED:
        import_module(module)
    gc.freeze()
    run(*serve(socket.socket(fileno=int(sys.argv[1]))))


if __name__ == "__main__":
    main()
