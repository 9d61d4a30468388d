"""The keeper: one small process that starts, reaps and ends every bot of an arena.

Why bots are not children of the arena itself:

* Whoever is killed with -9 cannot clean up. The keeper reads the end of file on its socket and
  ends every bot, also when the arena had no time to say goodbye.
* A bot may leave a daemon behind: a grandchild in a session of its own, which no process group
  reaches. The keeper is a *subreaper*: whatever loses its parent below it becomes its child. It
  starts nothing but bots, so every child that is not one of them is such a stray, and dies.
* Forking from a large process with threads is slow and full of traps. This one is neither.

It runs by its file name in a bare interpreter (``python -I -S keeper.py FD``) and imports nothing
but the standard library. On the socket it speaks JSON lines:

    in   {"op": "spawn", "argv": […], "cwd": …, "env": {…}}  with three descriptors attached
    out  {"op": "spawned", "pid": 7}  or  {"op": "failed", "error": "…"}
    in   {"op": "kill", "pid": 7}                ends the whole tree of 7
    out  {"op": "killed", "pid": 7, "clean": true}
    out  {"op": "exit", "pid": 7, "code": 0, "signal": null, "cpu_ms": 1.5}

Where the system has no subreaper (macOS), a kill reaches the process group only.
"""

import json
import os
import resource
import select
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any

TICK = 0.2
"""Seconds between looks for strays while bots run: nobody signals a re-parented process."""
KILL_TICK = 0.001
KILL_LIMIT = 2.0
"""Seconds after which a tree that will not die is reported as not clean."""
PR_SET_CHILD_SUBREAPER = 36


class Keeper:
    """The state of the keeper process: its bots by pid, and those whose trees are ending."""

    def __init__(self, link: socket.socket) -> None:
        self.link = link
        self.bots: dict[int, subprocess.Popen[bytes]] = {}
        self.ending: dict[int, float] = {}
        self._input = b""
        self._descriptors: list[int] = []

    def run(self) -> None:
        """Serve until the arena is gone, then end everything."""
        wake = self._catch_signals()
        poll = select.poll()
        poll.register(self.link, select.POLLIN)
        poll.register(wake, select.POLLIN)
        while True:
            events = poll.poll(self._patience())
            if any(fd == wake for fd, _ in events):
                os.read(wake, 4096)
            self.reap()
            if any(fd != wake for fd, _ in events) and not self.receive():
                break
            self.sweep()
            self.report_ended()
        self.end_all()

    def _patience(self) -> float | None:
        if self.ending:
            return KILL_TICK * 1000
        return TICK * 1000 if self.bots else None

    def _catch_signals(self) -> int:
        """A descriptor that becomes readable with every signal. Handlers, unlike ignored
        signals, are not inherited by the bots."""
        reader, writer = os.pipe()
        os.set_blocking(writer, False)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
        for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: None)
        return reader

    def receive(self) -> bool:
        """Carry out what the arena asked for; false at end of file."""
        try:
            data, descriptors, _, _ = socket.recv_fds(self.link, 1 << 16, 3)
        except ConnectionError:
            return False
        self._descriptors += descriptors
        self._input += data
        *lines, self._input = self._input.split(b"\n")
        for line in lines:
            order = json.loads(line)
            if order["op"] == "spawn":
                self.spawn(order)
            else:
                self.kill(order["pid"])
        return bool(data)

    def spawn(self, order: dict[str, Any]) -> None:
        """Start a bot in a session of its own, on the three descriptors that came along."""
        pipes, self._descriptors = self._descriptors, []
        try:
            bot = subprocess.Popen(
                order["argv"],
                cwd=order["cwd"],
                env=order["env"],
                stdin=pipes[0],
                stdout=pipes[1],
                stderr=pipes[2],
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self.send({"op": "failed", "error": str(error)})
        else:
            self.bots[bot.pid] = bot
            self.send({"op": "spawned", "pid": bot.pid})
        finally:
            for descriptor in pipes:
                os.close(descriptor)

    def kill(self, pid: int) -> None:
        """Begin to end the tree of `pid`; `report_ended` says when it is done."""
        self.ending[pid] = time.monotonic() + KILL_LIMIT
        if pid not in self.bots:
            return
        # A snapshot of the tree would miss what forks meanwhile; that has the bot's group, or
        # becomes a stray.
        family = descendants(pid)
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(pid, signal.SIGKILL)
        for member in (pid, *family):
            kill_one(member)

    def reap(self) -> None:
        """Collect whatever ended, bots and strays, and report the bots."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            bot = self.bots.pop(pid, None)
            if bot is not None:
                bot.returncode = os.waitstatus_to_exitcode(status)
                self.report_exit(pid, bot.returncode, usage)

    def report_exit(self, pid: int, code: int, usage: resource.struct_rusage) -> None:
        """Tell the arena how a bot ended."""
        self.send(
            {
                "op": "exit",
                "pid": pid,
                "code": code if code >= 0 else None,
                "signal": signal_name(-code) if code < 0 else None,
                "cpu_ms": round((usage.ru_utime + usage.ru_stime) * 1000, 3),
            }
        )

    def strays(self) -> list[int]:
        """Children that are no bots: what bots left behind."""
        return [pid for pid in children(os.getpid()) if pid not in self.bots]

    def sweep(self) -> None:
        """End all strays."""
        for pid in self.strays():
            kill_one(pid)

    def report_ended(self) -> None:
        """Report the trees that are gone, or that will not go."""
        for pid, deadline in list(self.ending.items()):
            gone = pid not in self.bots and not self.strays()
            if gone or time.monotonic() > deadline:
                del self.ending[pid]
                self.send({"op": "killed", "pid": pid, "clean": gone})

    def end_all(self) -> None:
        """The arena is gone: end every bot and every stray, then leave."""
        for pid in list(self.bots):
            self.kill(pid)
        deadline = time.monotonic() + KILL_LIMIT
        while (self.bots or self.strays()) and time.monotonic() < deadline:
            self.reap()
            self.sweep()
            time.sleep(KILL_TICK)

    def send(self, message: dict[str, Any]) -> None:
        """Say it to the arena. When nobody listens any more, the end of file will say so."""
        with suppress(OSError):
            self.link.sendall(json.dumps(message).encode() + b"\n")


def children(pid: int) -> list[int]:
    """The direct children of a process; empty where the system cannot tell."""
    found: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError), open(f"/proc/{pid}/task/{task}/children") as listing:
                found += map(int, listing.read().split())
    return found


def descendants(pid: int) -> list[int]:
    """All processes below `pid`, parents before children."""
    found: list[int] = []
    for child in children(pid):
        found += (child, *descendants(child))
    return found


def kill_one(pid: int) -> None:
    """SIGKILL, if it is still there and ours to kill."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11; real-time signals have only numbers."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def become_subreaper() -> None:
    """Inherit the orphans below us, where the system can do that (Linux)."""
    if sys.platform == "linux":
        import ctypes

        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def main() -> None:
    """Serve on the descriptor named on the command line."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # inherited by every bot
    become_subreaper()
    Keeper(socket.socket(fileno=int(sys.argv[1]))).run()


if __name__ == "__main__":
    main()
