"""The keeper: one small process that starts, reaps and ends every bot of an arena.

Why bots are not children of the arena itself:

* Whoever is killed with -9 cannot clean up. The keeper reads the end of file on its socket and
  ends every bot, also when the arena had no time to say goodbye. (And when it is the keeper that
  is killed, each bot has the kernel's order to follow.)
* A bot may leave a daemon behind: a grandchild in a session of its own, which no process group
  reaches. The keeper is a *subreaper*: whatever loses its parent below it becomes its child. It
  starts nothing but bots, so every child that is not one of them is such a stray, and dies.
* Forking from a large process with threads is slow and full of traps. This one is neither.

When it is up and nobody waits, it clears away what arenas left behind that were killed together
with their keeper: private folders and control groups whose owner is dead.

It runs in a bare interpreter (see `launch`) and imports nothing but the standard library. On the
socket it speaks JSON lines:

    out  {"op": "hello", "groups": null}         or why there are no control groups
    in   {"op": "spawn", "argv": […], …}         an order as `birth` knows it, three descriptors
    out  {"op": "spawned", "pid": 7, "group": {…}}  or null: its control group
         or  {"op": "failed", "error": "…", "ours": false}
    in   {"op": "kill", "pid": 7}                ends the whole tree of 7
    out  {"op": "killed", "pid": 7, "clean": true}
    out  {"op": "exit", "pid": 7, "code": 0, "signal": null, "cpu_ms": 1.5, "entered": true}
         entered: false when the sandbox failed before the bot was executed

**Kill order**: the control group, the process group and all descendants, then strays until none is
left, then the group's folder. What is not gone after two seconds is reported as not clean.

Where the system has no subreaper (macOS), a kill reaches the process group only.
"""

from __future__ import annotations

import json
import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from arena.sandbox.birth import Order, Spare, prctl
from arena.sandbox.procfs import below, descendants, is_below, parent

TICK = 0.2
"""Seconds between looks for strays while bots run: nobody signals a re-parented process."""
KILL_TICK = 0.001
KILL_LIMIT = 2.0
"""Seconds after which a tree that will not die is reported as not clean."""
BREAK = 0.02
"""Seconds without orders after which spares are made: not beside bots that are just starting."""
SPARES = 2
"""Processes that wait to become bots: what most matches need."""
COUNTED = "sandbox+cgroup"
"""The level whose limits the control group keeps."""
PR_SET_CHILD_SUBREAPER = 36


class Bot:
    """A bot that was started, until its tree and its control group are gone."""

    def __init__(self, group: Any, status: int | None) -> None:
        self.group = group
        self.status = status
        """Where bubblewrap tells what became of the program inside."""
        self.running = True
        self.kill_until: float | None = None

    def entered(self) -> bool:
        """Whether the program was executed, once it has ended. (Bubblewrap tells the exit code of
        nothing that never ran.)"""
        if self.status is None:
            return True
        os.set_blocking(self.status, False)  # what was killed early may have left it open
        with open(self.status, "rb", buffering=0) as file:
            return b"exit-code" in (file.read(1 << 16) or b"")


class Keeper:
    """The state of the keeper process: its spares, and its bots by pid."""

    def __init__(
        self, link: socket.socket, groups: Any = None, place: str = "", *, walls: bool = True
    ) -> None:
        self.link = link
        self.walls = walls
        """Whether bots behind walls are to be expected."""
        self.groups = groups
        self.place: str | None = place
        """Where dead arenas may have left folders of bots, until they are swept."""
        self.wanted = SPARES
        self.spares: list[Spare] = []
        self.bots: dict[int, Bot] = {}
        self.quarantine: set[int] = set()
        """What does not die (it sleeps in the kernel, say). Nobody waits for it any more."""
        self._made = 0
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
            if not events and not self._is_ending():
                self.prepare()
        self.end_all()

    def _patience(self) -> float | None:
        if self._is_ending():
            return KILL_TICK * 1000
        if len(self.spares) < self.wanted or self._is_untidy():
            return BREAK * 1000 if self.bots else 0
        return TICK * 1000 if self.bots else None

    def _is_ending(self) -> bool:
        return any(bot.kill_until for bot in self.bots.values())

    def _catch_signals(self) -> int:
        """A descriptor that becomes readable with every signal."""
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

    # -- birth -----------------------------------------------------------------------------

    def prepare(self) -> None:
        """While nobody waits, make one spare, or clear away what dead arenas left behind."""
        if self._is_untidy():
            self._tidy()
        elif len(self.spares) < self.wanted:
            try:
                self.spares.append(self._spare())
            except OSError:
                self.wanted = 0  # the order that needs one will say why there is none

    def _is_untidy(self) -> bool:
        return bool(self.place) and not self.bots and len(self.spares) >= self.wanted

    def _tidy(self) -> None:
        place, self.place = self.place, None
        if place:
            sweep_leftovers(place, groups=self.groups is not None)

    def _spare(self) -> Spare:
        if self.groups is None:
            return Spare(walls=self.walls)
        self._made += 1
        group = self.groups.make(str(self._made))
        try:
            return Spare(group)
        except BaseException:
            group.remove()
            raise

    def spawn(self, order: Order) -> None:
        """Make a spare a bot on the three descriptors that came along."""
        descriptors, self._descriptors = self._descriptors, []
        try:
            spare = self.spares.pop(0) if self.spares else self._spare()
        except OSError as error:
            self.send({"op": "failed", "error": f"cannot make a process: {error}", "ours": True})
        else:
            self._become(spare, order, descriptors)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)

    def _become(self, spare: Spare, order: Order, descriptors: list[int]) -> None:
        counted = order["level"] == COUNTED
        status, theirs = os.pipe() if order.get("wall") else (None, None)
        try:
            if counted:
                limits = order["limits"]
                spare.group.limit(limits["memory"], limits["processes"])
            failed = spare.become(order, [*descriptors, *([theirs] if theirs else [])])
        except OSError as error:
            spare.dismiss()
            failed = {"error": f"cannot set its limits: {error}", "ours": True}
        finally:
            if theirs is not None:
                os.close(theirs)
        if failed:
            if status is not None:
                os.close(status)
            os.waitpid(spare.pid, 0)  # it is leaving
            self._forget(spare)
            self.send({"op": "failed", **failed})
        else:
            group = spare.group
            self.bots[spare.pid] = Bot(group, status)
            files = {"files": group.files, "limits": group.limits} if counted else None
            self.send({"op": "spawned", "pid": spare.pid, "group": files})

    # -- ends ------------------------------------------------------------------------------

    def kill(self, pid: int) -> None:
        """Begin to end the tree of `pid`; `report_ended` says when it is done."""
        bot = self.bots.get(pid)
        if bot is None:
            self.send({"op": "killed", "pid": pid, "clean": True})
            return
        bot.kill_until = time.monotonic() + KILL_LIMIT
        if bot.group is not None:
            bot.group.kill()
        if bot.running:
            # A snapshot of the tree would miss what forks meanwhile; that has the bot's group, or
            # becomes a stray.
            family = descendants(pid)
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            kill_one(pid)
            for member in family:
                self.kill_member(member, pid)

    def kill_member(self, pid: int, bot: int) -> None:
        """SIGKILL to a process seen below a bot. It is not our child, so its number may have gone
        to another since: asked after opening a handle, the answer stays true."""
        with suppress(OSError):
            handle = os.pidfd_open(pid)
            try:
                orphaned = parent(pid) == os.getpid() and pid in self.strays()
                if orphaned or is_below(pid, bot):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
            finally:
                os.close(handle)

    def reap(self) -> None:
        """Collect whatever ended, bots and strays, and report the bots."""
        while True:
            try:
                pid, status, usage = os.wait4(-1, os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                return
            bot = self.bots.get(pid)
            if bot is not None:
                bot.running = False
                self.report_exit(pid, bot, os.waitstatus_to_exitcode(status), usage)
            self._drop_spare(pid)
            self.quarantine.discard(pid)

    def _drop_spare(self, pid: int) -> None:
        """A spare that ended by itself."""
        for spare in [spare for spare in self.spares if spare.pid == pid]:
            self.spares.remove(spare)
            spare.dismiss()
            self._forget(spare)

    def _forget(self, spare: Spare) -> None:
        """It has ended without ever being a bot: what is left is its control group."""
        self.bots[spare.pid] = bot = Bot(spare.group, None)
        bot.running, bot.kill_until = False, time.monotonic() + KILL_LIMIT

    def report_exit(self, pid: int, bot: Bot, code: int, usage: resource.struct_rusage) -> None:
        """Tell the arena how a bot ended."""
        if bot.status is not None and code > 128:  # how bubblewrap passes a signal on
            code = 128 - code
        self.send(
            {
                "op": "exit",
                "pid": pid,
                "code": code if code >= 0 else None,
                "signal": signal_name(-code) if code < 0 else None,
                "cpu_ms": round((usage.ru_utime + usage.ru_stime) * 1000, 3),
                "entered": bot.entered(),
            }
        )

    def strays(self) -> list[int]:
        """Children that are no bots and no spares: what bots left behind."""
        ours = {spare.pid for spare in self.spares}
        ours |= {pid for pid, bot in self.bots.items() if bot.running}
        return [pid for pid in below(os.getpid()) if pid not in ours]

    def sweep(self) -> None:
        """End all strays."""
        for pid in self.strays():
            kill_one(pid)

    def report_ended(self) -> None:
        """Report the trees that are gone, or that will not go."""
        for pid, bot in list(self.bots.items()):
            if bot.kill_until is None:
                continue
            gone = not bot.running and self.quarantine.issuperset(self.strays())
            gone = gone and (bot.group is None or bot.group.remove())
            if gone or time.monotonic() > bot.kill_until:
                del self.bots[pid]
                if not gone:
                    self.quarantine.update(self.strays())
                self.send({"op": "killed", "pid": pid, "clean": gone})

    def end_all(self) -> None:
        """The arena is gone: end every bot and every stray, then leave."""
        for spare in self.spares:
            self.bots[spare.pid] = Bot(spare.group, None)
        self.spares = []
        for pid in list(self.bots):
            self.kill(pid)
        while self.bots:
            self.reap()
            self.sweep()
            self.report_ended()
            time.sleep(KILL_TICK)
        if self.groups is not None:
            self.groups.close()

    def send(self, message: dict[str, Any]) -> None:
        """Say it to the arena. When nobody listens any more, the end of file will say so."""
        with suppress(OSError):
            self.link.sendall(json.dumps(message).encode() + b"\n")


def kill_one(pid: int) -> None:
    """SIGKILL to a child of ours, whose number is its own until we reap it."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, signal.SIGKILL)


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11; real-time signals have only numbers."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def open_groups() -> tuple[Any, str | None]:
    """Control groups for bots, or why there are none."""
    from arena.sandbox.cgroup import Groups
    from arena.sandbox.owner import owner

    try:
        return Groups.open(owner()), None
    except OSError as error:
        return None, str(error)


def sweep_leftovers(place: str, *, groups: bool) -> None:
    """Clear away the folders and control groups of arenas that were killed."""
    from arena.sandbox import ending, folders
    from arena.sandbox.owner import alive

    with suppress(OSError):
        folders.sweep(place, alive)
    if groups:
        with suppress(OSError):
            ending.sweep(alive)


def main() -> None:
    """Serve on the descriptor named on the command line."""
    _, link_number, mode, place = sys.argv[1:]
    link = socket.socket(fileno=int(link_number))
    link.set_inheritable(False)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # inherited by every bot
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    groups, problem = open_groups() if mode == "groups" else (None, "not asked for")
    keeper = Keeper(link, groups, place, walls=mode != "plain")
    keeper.send({"op": "hello", "groups": problem})
    keeper.run()
