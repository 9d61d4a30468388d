"""The bots of a keeper, from their start until all their processes are gone.

**Kill order**: the control group, all descendants and the process group, then strays until none is
left, then the group's folder. A tree that is not gone after two seconds, and uses no more CPU time,
is reported as not clean. (The kernel may take ten seconds to take down the memory of 200 processes,
and on the cores of the next match.)

A *stray* is a process that lost its parent: the keeper is a subreaper, so the stray becomes the
keeper's child. The keeper starts only bots, so every child that is not a bot is a stray. Where the
system has no subreaper (macOS), a kill reaches only the process group.
"""

from __future__ import annotations

import os
import resource
import select
import signal
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from arena.sandbox.keeper import sysinfo
from arena.sandbox.keeper.counters import hide_counters
from arena.sandbox.keeper.kills import WALK, kill_below, kill_child
from arena.sandbox.keeper.messages import (
    MOUNTED,
    Executed,
    Exit,
    Exited,
    GroupFiles,
    GroupLimits,
    Killed,
    Message,
    Sandbox,
    Spawned,
    SpawnRequest,
    StartFailed,
)
from arena.sandbox.keeper.proc import children, cpu_ticks, parent
from arena.sandbox.keeper.spawn import StartError, StartingProcess, execute, start_sandbox

if TYPE_CHECKING:
    from arena.sandbox.keeper.cgroup import Group, Groups


DEFAULT_MEMORY = 1 << 30
MOST_ANCESTORS = 64
MOUNTED_LINE = f"{MOUNTED}\n".encode()

# One bot of a keeper and its exit.


class Bot:
    """A started bot, until its tree and its control group are gone."""

    def __init__(
        self,
        pid: int,
        group: Group | None = None,
        entered: socket.socket | None = None,
        lifeline: int | None = None,
    ) -> None:
        self.pid = pid
        self.group = group
        self.entered_at = entered
        """Socket on which the last step of a sandbox reports that the walls are up."""
        self.lifeline = lifeline
        """Descriptor that is open as long as a program without walls may run (`spawn.tie`)."""
        self.memory = DEFAULT_MEMORY
        """Bytes of memory that it is told of."""
        self.announced = True
        """Whether the arena waits for its end. (Not if the program could not be executed.)"""
        self.running = True
        self.kill_until: float | None = None
        self.kill_most = 0.0
        """When it is reported as killed, even if it still works on its end."""
        self.cpu_dying = -1
        """CPU time of its group, or else of what was left, as of the last look."""

    def let_go(self) -> None:
        """Close the lifeline, whose process has ended or cannot be ended. Idempotent."""
        if self.lifeline is not None:
            os.close(self.lifeline)
            self.lifeline = None

    def entered(self) -> bool:
        """Whether the program of an ended bot was executed. If so, the end of the sandbox counts as
        the program's doing."""
        if self.entered_at is None:
            return True
        with self.entered_at:
            return self._next_line() == b"\n"

    def is_mounted(self) -> bool:
        """Whether the last step of its sandbox waits until the counters are hidden. Takes its line
        if so."""
        if self._next_line(socket.MSG_PEEK) != MOUNTED_LINE:
            return False
        self._next_line()
        return True

    def _next_line(self, flags: int = 0) -> bytes:
        """The line of the last step; empty if there is none."""
        assert self.entered_at is not None
        with suppress(OSError):  # after an early kill it may still be open
            return self.entered_at.recv(len(MOUNTED_LINE), flags | socket.MSG_DONTWAIT)
        return b""


def exit_of(bot: Bot, code: int, usage: resource.struct_rusage) -> Exit:
    """The exit of a bot, from the exit code and resource usage of its process."""
    if bot.entered_at is not None and code > 128:  # bubblewrap reports signals this way
        code = 128 - code
    cpu_ms = round((usage.ru_utime + usage.ru_stime) * 1000, 3)
    if code < 0:
        return Exit(None, signal_name(-code), cpu_ms, bot.entered())
    return Exit(code, None, cpu_ms, bot.entered())


def signal_name(number: int) -> str:
    """``SIGSEGV`` for 11; real-time signals have only numbers."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


KILL_TICK = 0.001
"""Seconds between looks for what a kill has left."""
KILL_LIMIT = 2.0
"""Seconds after which a tree that survives its kill is reported as not clean, unless it works."""
KILL_LOOK = 1.0
"""Seconds in which a tree that takes longer must use CPU time."""
KILL_MOST = 60.0
"""Maximum seconds of a kill."""


class KeptBots:
    """All bots of a keeper and the strays that they leave behind."""

    def __init__(
        self, groups: Groups | None, tell: Callable[[Message], None], poll: select.poll
    ) -> None:
        """Each bot gets one of the control `groups`, if there are any. `tell` sends a message to
        the arena. This class registers descriptors with `poll`; the caller passes their events to
        `see_start`."""
        self._groups = groups
        self._groups_made = 0
        self._tell = tell
        self._poll = poll
        self._bots: dict[int, Bot] = {}
        self._starting: dict[int, StartingProcess] = {}
        """Processes at the guard that have not executed their program yet, by link."""
        self._entering: dict[int, Bot] = {}
        """Bots whose walls bubblewrap is putting up, by the descriptor of `Bot.entered_at`."""
        self._listener: int | None = None
        """Descriptor on which the kernel asks for `sysinfo`, from the first sandbox on."""
        self._calls: sysinfo.Calls | None = None
        self._helpers: set[int] = set()
        """Processes that hide counters from a sandbox."""
        self._quarantine: set[int] = set()
        """Processes that survive SIGKILL (in uninterruptible sleep, say). No kill waits for
        them."""

    def empty(self) -> bool:
        """Whether there are no bots and no remains of any."""
        return not self._bots

    def killing(self) -> bool:
        """Whether a kill is under way."""
        return any(bot.kill_until is not None for bot in self._bots.values())

    # -- the start -------------------------------------------------------------------------

    def spawn(self, request: SpawnRequest, descriptors: list[int]) -> None:
        """Start a program on three descriptors and its gate as a fourth, or both ends of its
        lifeline; the caller closes them.

        One without walls gets no control group: to move a process into one, the kernel waits until
        no core can see its old place (8 to 18 ms, four times as long as such a start). What it
        leaves behind is found as it is where there are no groups.
        """
        limits = request.walls.group if isinstance(request.walls, Sandbox) else None
        group = None
        try:
            group = None if request.walls is None else self._make_group(limits)
            bot = self._start(request, descriptors, group)
        except (OSError, StartError) as error:
            if group is not None:
                group.remove()
            self._tell(
                StartFailed(str(error), error.ours)
                if isinstance(error, StartError)
                else StartFailed(f"cannot make a process: {error}", True)
            )
            return
        self._bots[bot.pid] = bot
        counted = group if limits is not None else None
        files = None if counted is None else GroupFiles(counted.files, counted.limits)
        self._tell(Spawned(bot.pid, files))
        if request.walls is None:
            self._tell(Executed(bot.pid))

    def _start(self, request: SpawnRequest, descriptors: list[int], group: Group | None) -> Bot:
        """Start the process of a program. Raises OSError and StartError."""
        walls = request.walls
        if walls is None:
            return Bot(execute(request, descriptors), lifeline=os.dup(descriptors[3]))
        if not isinstance(walls, Sandbox):
            process = StartingProcess(request, descriptors, group)
            self._starting[process.link] = process
            self._poll.register(process.link, select.POLLIN)
            return Bot(process.pid, group, None)
        if self._listener is None and (listener := sysinfo.listen()) is not None:
            self._listener, self._calls = listener, sysinfo.Calls(listener, self._bot_of)
            self._poll.register(listener, select.POLLIN)
        if self._listener is not None:
            walls = walls._replace(allow=(*walls.allow, sysinfo.CALL))
        entered, theirs = socket.socketpair()
        try:
            pid = start_sandbox(request, walls, [*descriptors, theirs.fileno()], group)
        except BaseException:
            entered.close()
            raise
        finally:
            theirs.close()
        self._entering[entered.fileno()] = bot = Bot(pid, group, entered)
        bot.memory = walls.memory or DEFAULT_MEMORY
        self._poll.register(entered, select.POLLIN)
        return bot

    def _make_group(self, limits: GroupLimits | None) -> Group | None:
        """A new control group with these limits; None where there are no groups. Raises OSError."""
        if self._groups is None:
            if limits is not None:
                raise OSError("this keeper has no control groups")
            return None
        self._groups_made += 1
        group = self._groups.make(str(self._groups_made))
        try:
            if limits is not None:
                group.limit(limits.memory, limits.processes)
        except BaseException:
            group.remove()
            raise
        return group

    def see_start(self, descriptor: int) -> None:
        """Report whether a program was executed. (No effect if already reported.) In a sandbox this
        waits until all walls are up: that may take long on a busy machine, and a request sent
        earlier would be charged for it. (Or receive a call of `sysinfo`.)"""
        if descriptor == self._listener and self._calls is not None:
            self._calls.receive()
            return
        mounted = self._entering.get(descriptor)
        if mounted is not None and mounted.is_mounted():
            helper = hide_counters(mounted.pid, descriptor)
            self._helpers |= {helper} if helper else set()
            return
        process, bot = self._starting.pop(descriptor, None), self._entering.pop(descriptor, None)
        if process is None and bot is None:
            return
        self._poll.unregister(descriptor)
        if process is None:
            assert bot is not None
            self._tell(Executed(bot.pid))
        else:
            self._see_outcome(process)

    def answer_calls(self) -> bool:
        """Answer calls of `sysinfo`. Returns whether some wait for a later answer."""
        if self._calls is None:
            return False
        self._calls.answer()
        return bool(self._calls)

    def _bot_of(self, pid: int) -> tuple[int, int]:
        """The bot to which a process belongs (0: none), and the memory that it is told of."""
        for _ in range(MOST_ANCESTORS):
            if pid in self._bots:
                return pid, self._bots[pid].memory
            pid = parent(pid)
        return 0, DEFAULT_MEMORY

    def _see_outcome(self, process: StartingProcess) -> None:
        failed, bot = process.outcome(), self._bots[process.pid]
        if failed is not None:
            bot.announced, bot.kill_until = False, time.monotonic() + KILL_LIMIT
            self._tell(failed._replace(pid=process.pid))
        else:
            self._tell(Executed(process.pid))

    # -- the end ---------------------------------------------------------------------------

    def kill(self, pid: int) -> None:
        """Begin to end the tree of `pid`; `end_remains` reports when it is gone."""
        bot = self._bots.get(pid)
        if bot is None:
            self._tell(Killed(pid, True))
            return
        now = time.monotonic()
        bot.kill_until, bot.kill_most = now + KILL_LIMIT, now + KILL_MOST
        if bot.group is not None:
            bot.group.kill()
        if bot.running:
            kill_below(pid, now + WALK)  # including processes in their own sessions
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
            kill_child(pid)

    def reap(self) -> bool:
        """Reap all ended processes and report the bots among them. Returns whether there were
        any."""
        some = False
        with suppress(ChildProcessError):
            while (ended := os.wait4(-1, os.WNOHANG))[0]:
                some = True
                self._see_end(*ended)
        return some

    def _see_end(self, pid: int, status: int, usage: resource.struct_rusage) -> None:
        self._see_start_of(pid)
        bot = self._bots.get(pid)
        if bot is not None:
            bot.running = False
            bot.let_go()
            end = exit_of(bot, os.waitstatus_to_exitcode(status), usage)
            if bot.announced:
                self._tell(Exited(pid, end))
        self._quarantine.discard(pid)
        self._helpers.discard(pid)

    def _see_start_of(self, pid: int) -> None:
        """Report the start of an ended process before its end."""
        for descriptor, process in list(self._starting.items()):
            if process.pid == pid:
                self.see_start(descriptor)
        for descriptor, bot in list(self._entering.items()):
            if bot.pid == pid:
                self.see_start(descriptor)

    def _forget_start(self, bot: Bot) -> None:
        """Stop waiting for the start of a bot that does not die. (The descriptor's number may
        already be reused if the bot has ended.)"""
        link = bot.entered_at
        if link is not None and self._entering.get(link.fileno()) is bot:
            del self._entering[link.fileno()]
            self._poll.unregister(link)

    def _strays(self) -> set[int]:
        """The keeper's children that are no bots."""
        keeper = os.getpid()
        bots = {pid for pid, bot in self._bots.items() if bot.running}
        return set(children(keeper, keeper)) - bots - self._helpers

    def end_remains(self) -> None:
        """End all strays and, as far as time allows, their descendants. Report the trees that are
        gone or have survived their kill."""
        strays, deadline = self._strays(), time.monotonic() + WALK
        for pid in strays:
            kill_below(pid, deadline)
            kill_child(pid)
        for pid, bot in list(self._bots.items()):
            if bot.kill_until is not None:
                self._report_killed(pid, bot, bot.kill_until, strays)

    def _report_killed(self, pid: int, bot: Bot, until: float, strays: set[int]) -> None:
        gone = not bot.running and strays <= self._quarantine
        cpu_ns = None if bot.group is None or not gone else bot.group.cpu_ns()
        gone = gone and (bot.group is None or bot.group.remove())
        if gone or (time.monotonic() > until and not self._works(bot, strays)):
            del self._bots[pid]
            bot.let_go()
            self._forget_start(bot)
            if not gone:
                self._quarantine |= self._strays()  # the bot's process among them
            if bot.announced:
                self._tell(Killed(pid, gone, cpu_ns if gone else None))

    def _works(self, bot: Bot, strays: set[int]) -> bool:
        """Whether what is left of a bot has used CPU time since the last look, or become less.
        Grants it time until the next one if so."""
        used = None if bot.group is None else bot.group.cpu_ns()
        used = sum(map(cpu_ticks, {bot.pid, *strays})) if used is None else used
        before, bot.cpu_dying, now = bot.cpu_dying, used, time.monotonic()
        bot.kill_until = now + KILL_LOOK
        return now < bot.kill_most and used != before

    def end_all(self) -> None:
        """End every bot and every stray."""
        for pid in list(self._bots):
            self.kill(pid)
        while self._bots:
            self.reap()
            self.end_remains()
            time.sleep(KILL_TICK)
