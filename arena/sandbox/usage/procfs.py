"""Measure a process tree through Linux's /proc.

A *look* walks down from the root process and reads the memory, threads and children of each one:
22 µs per process. Memory is resident, swapped out, or in page tables; in a sandbox it includes the
content of the memory file systems and what is held through descriptors. Of a process with many
threads, each look visits `THREADS_PER_LOOK`, in turn: a Java program costs no more than ten small
processes.

*CPU* is the sum of the process CPU clocks (half a microsecond each; they cover threads, including
ended ones, but no children). A process that is gone counts with its last reading.

*Delay* is that of the threads that have run most (`delays`).
"""

from __future__ import annotations

import ctypes
import os
import signal
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache

import trio

from arena.sandbox.keeper import proc
from arena.sandbox.keeper.kills import is_there
from arena.sandbox.usage.delays import FOLLOWED, RunDelays

# Processes that share one address space.
#
# A child of ``vfork`` uses its parent's memory until its exec, for about a millisecond: Python,
# Java, Go and C's ``system`` start programs this way. The kernel reports all of the memory for both
# processes, and no page of it as shared.

_KCMP = {"x86_64": 312, "aarch64": 272}.get(os.uname().machine)
_VM = 1
_libc = ctypes.CDLL(None)


def is_one(pid: int, other: int) -> bool:
    """Whether two processes share all memory, as threads do. False where the kernel does not
    report it."""
    if _KCMP is None:
        return False
    words = (_KCMP, pid, other, _VM, 0, 0)
    return bool(_libc.syscall(*map(ctypes.c_long, words)) == 0)


# Memory with shared pages counted once, a slow query to the kernel.
#
# It is made only above a limit. It costs 4 µs per MiB, and the kernel answers only while no thread
# of the process changes its memory map. A program can exploit that: one whose changing thread
# hardly got a core blocked the event loop of an arena for 14 s. So the query runs in a thread.

PATIENCE = 1.0
"""Seconds after which the query is abandoned. (A busy machine delays the thread by some 60 ms.)"""


def with_own_memory(below: Mapping[int, Iterable[Sequence[int]]]) -> list[int]:
    """The processes of a tree that do not share their parent's memory. `below` maps each process to
    its children, by thread."""
    parents = {child: pid for pid, lists in below.items() for some in lists for child in some}
    return [pid for pid in below if not (pid in parents and is_one(pid, parents[pid]))]


async def resident_once(pids: list[int]) -> int | None:
    """Resident bytes of these processes, each shared page counted once; None when the kernel does
    not answer in time."""

    def ask() -> int:
        return sum(proc.proportional(pid) or 0 for pid in pids)

    with trio.move_on_after(PATIENCE):
        return await trio.to_thread.run_sync(ask, abandon_on_cancel=True)
    return None


# Kernel memory that a process holds through its descriptors.
#
# * Unread data in *pipes*. The kernel limits it to 64 MiB per user, plus 8 KiB per further pipe.
# * The *watches* of its epolls. The kernel allows a user as many as fit into a 25th of the memory:
#   a bot that takes them all makes every other program of that user fail. So each watch counts as
#   its share of the machine's memory: a bot may have the same share of the watches as its memory
#   limit is of all memory.
#
# A process with few descriptors is skipped (2 µs); one with many costs 1.5 µs per descriptor. 256
# processes of `FREE` descriptors hold 96 MiB in pipes and 65,536 watches.

FREE = 32
"""Descriptors of one process that do not count; runtimes have fewer."""
PIPE = 1 << 16
"""Maximum bytes in one pipe, unless it is made larger (then fewer pipes can be)."""
QUOTA = "/proc/sys/fs/epoll/max_user_watches"
EPOLL = "anon_inode:[eventpoll]"


def held_by(pid: int, pipes: set[str]) -> int:
    """Bytes that a process holds through descriptors. `pipes` are those already counted for other
    processes; the process's own are added to it."""
    links = _links(pid)
    fresh = {link for link in links if link.startswith("pipe:")} - pipes
    pipes |= fresh
    return len(fresh) * PIPE + links.count(EPOLL) * len(links) * price_of_watch()


def _links(pid: int) -> list[str]:
    """The link targets of a process's descriptors, if there are more than `FREE`. (Before Linux 6.2
    their number takes listing them.)"""
    folder = f"/proc/{pid}/fd"
    try:
        if 0 < os.stat(folder).st_size <= FREE:
            return []
        links = [_link(f"{folder}/{name}") for name in os.listdir(folder)]
    except OSError:  # the process is gone
        return []
    return links if len(links) > FREE else []


def _link(path: str) -> str:
    try:
        return os.readlink(path)
    except OSError:
        return ""


class MachineKills:
    """Tells whether the kernel has killed processes of this machine for memory. Where bots have no
    control groups of their own, nothing tells which."""

    def __init__(self) -> None:
        self._seen: int | None = None

    def begin(self) -> None:
        """Count from now on, if that has not begun. (A look takes 120 µs.)"""
        if self._seen is None:
            self._seen = _machine_kills()

    def killed(self) -> bool:
        """Whether there were some since `begin` or the last call."""
        before, self._seen = self._seen, _machine_kills()
        return before is not None and self._seen > before


def _machine_kills() -> int:
    lines = (line.split() for line in proc.read("/proc/vmstat").splitlines())
    return next((int(count) for name, count in lines if name == b"oom_kill"), 0)


@cache
def price_of_watch() -> int:
    """Bytes of the machine's memory per watch that a user may have."""
    try:
        with open(QUOTA) as file:
            quota = int(file.read())
    except (OSError, ValueError):  # this kernel has no epoll
        return 0
    return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // max(quota, 1)


# Signals to the processes of a tree, safe against reused pids.


class Signals:
    """Pidfds of the processes below `root`, each kept from its first signal on."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._pidfds: dict[int, int] = {}

    def send(self, pid: int, number: signal.Signals) -> None:
        """Signal a process if it exists and is the root or the child of a process that was already
        signalled: parents come first."""
        pidfd = self._pidfds.get(pid)
        if pidfd is None:
            pidfd = self._open(pid)
        if pidfd is not None:
            with suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(pidfd, number)

    def _open(self, pid: int) -> int | None:
        try:
            pidfd = os.pidfd_open(pid)
        except OSError:
            return None
        # The parent is read after opening: from then on the pid cannot be reused unnoticed.
        if pid == self._root or self._holds(proc.parent(pid)):
            self._pidfds[pid] = pidfd
            return pidfd
        os.close(pidfd)
        return None

    def _holds(self, pid: int) -> bool:
        """Whether a process was signalled and still has its pid."""
        return pid in self._pidfds and is_there(self._pidfds[pid])

    def last_first(self) -> list[int]:
        """The signalled processes, the last one first."""
        return list(reversed(self._pidfds))

    def forget(self, pid: int) -> None:
        """Close the pidfd of a process that is gone."""
        if pid in self._pidfds:
            os.close(self._pidfds.pop(pid))

    def close(self) -> None:
        """Close all pidfds."""
        for pid in list(self._pidfds):
            self.forget(pid)


MAX_PROCESSES = 2000
"""Maximum processes of one tree per look. A larger tree is over every limit anyway."""
THREADS_PER_LOOK = 5
"""Threads of one process, besides its first, that one look visits."""


class _Process:
    """State of one process of the tree."""

    __slots__ = ("children", "clock", "cpu", "cpu_seen", "hidden", "pid", "threads", "turn")

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.clock = (~pid << 3) | 2
        """Id of the process's CPU clock (``CPUCLOCK_SCHED`` of all its threads)."""
        self.cpu = 0
        self.cpu_seen = -1
        self.threads = 1
        self.hidden = 0
        self.turn = 0
        self.children: dict[int, list[int]] = {}
        """Child processes by the thread that started them."""

    def look(self, held: proc.ProcessMemory) -> list[int]:
        """Visit all threads or a share of them. Returns the visited ones."""
        self.threads, self.hidden = held.threads, held.hidden
        if self.threads == 1:
            visited = everyone = [self.pid]
        else:
            everyone = proc.threads(self.pid)
            visited = everyone[:1] + self._share(everyone[1:])
        known = self.children
        self.children = {tid: known[tid] for tid in everyone if tid in known}
        for tid in visited:
            self.children[tid] = proc.children(self.pid, tid)
        return visited

    def is_there(self) -> bool:
        """Whether the process still exists, at least as a zombie."""
        try:
            time.clock_gettime_ns(self.clock)
        except OSError:
            return False
        return True

    def has_run(self) -> bool:
        """Whether the CPU clock has advanced since the last call."""
        seen, self.cpu_seen = self.cpu_seen, self.cpu
        return self.cpu != seen

    def _share(self, others: list[int]) -> list[int]:
        start = self.turn if self.turn < len(others) else 0
        self.turn = start + THREADS_PER_LOOK
        return others[start : self.turn]


class ProcfsMeter:
    """A `Meter` of the process `pid` and everything below it."""

    def __init__(
        self, pid: int, *, rooms: Mapping[str, int] = {}, limit: int | None = None
    ) -> None:
        """`rooms` maps the folders of a sandbox's memory file systems to their sizes in bytes. Only
        above `limit` is it worth asking for shared memory."""
        self._root = pid
        self._rooms = rooms
        self._limit = limit
        self._processes = {pid: _Process(pid)}
        self._ended_cpu = 0
        self._used = self._rest = self._peak = 0
        """Bytes: all as of the last look, those not resident, and the peak."""
        self._doubtful = False
        """Whether the last look was above the limit, though processes may share some of that."""
        self._delays = RunDelays(pid)
        self._signals = Signals(pid)
        self._stopped: set[int] = set()

    # -- looking ---------------------------------------------------------------------------

    def memory(self) -> int:
        """Walk the tree. See `Meter`."""
        resident = self.look()
        self._rest = sum(process.hidden for process in self._processes.values())
        self._rest += self._ownerless()
        used = resident + self._rest
        self._doubtful = self._limit is not None and used > self._limit
        self._doubtful &= len(self._processes) > 1
        if not self._doubtful:
            self._peak = max(self._peak, used)
        self._used = used
        return used

    async def shared_once(self) -> int | None:
        """See `Meter`."""
        if not self._doubtful:
            return None
        tree = {pid: process.children.values() for pid, process in self._processes.items()}
        own = with_own_memory(tree)
        others = self._processes.keys() - set(own)
        used, rest = self._used, self._rest - sum(self._processes[pid].hidden for pid in others)
        resident = await resident_once(own)
        used = used if resident is None else rest + resident
        self._peak = max(self._peak, used)
        return used

    def _ownerless(self) -> int:
        """Bytes held in a sandbox that belong to no process, as bubblewrap sees it inside."""
        if not self._rooms:
            return 0
        first = next((pid for pid in self._processes if pid != self._root), self._root)
        sockets = proc.sockets_hold(first) if first != self._root else 0
        pipes: set[str] = set()
        held = sum(held_by(pid, pipes) for pid in self._processes)
        return sockets + held + sum(proc.room_used(first, *room) for room in self._rooms.items())

    def look(self) -> int:
        """Find all processes, and return the sum of their resident memory."""
        self.cpu_ns()  # the last reading of processes that are gone now
        found: dict[int, _Process] = {}
        used, ahead = 0, [self._root]
        while ahead and len(found) < MAX_PROCESSES:
            pid = ahead.pop()
            held = proc.held(pid)
            if held is None or pid in found:
                continue
            used += held.resident
            process = found[pid] = self._processes.get(pid) or _Process(pid)
            visited = process.look(held)
            if process.has_run():
                for tid in visited:
                    self._delays.visit((pid, tid))
            ahead += [child for below in process.children.values() for child in below]
        for pid in self._processes.keys() - found:
            self._ended_cpu += self._processes[pid].cpu
            self._signals.forget(pid)
        self._processes = found
        self._delays.choose((p.pid, tid) for p in found.values() for tid in p.children)
        return used

    def is_as_seen(self, tasks: int) -> bool:
        """Whether a tree with `tasks` processes and threads is unchanged since the last look: a few
        single-threaded processes, all still there and followed. 2 µs instead of a look."""
        few = tasks == len(self._processes) <= FOLLOWED
        as_seen = few and all(process.is_there() for process in self._processes.values())
        if as_seen:
            self._delays.see()
        return as_seen

    def peak_memory(self) -> int:
        """See `Meter`."""
        return self._peak

    def tasks(self) -> int:
        """See `Meter`."""
        return sum(process.threads for process in self._processes.values())

    def oom_kills(self) -> int:
        """See `Meter`. Unknown without a control group (but see `Watch.verdict_on`)."""
        return 0

    def refused_forks(self) -> int:
        """See `Meter`. Unknown without a control group."""
        return 0

    # -- time ------------------------------------------------------------------------------

    def cpu_ns(self) -> int:
        """See `Meter`. Half a microsecond per process."""
        total = self._ended_cpu
        for process in self._processes.values():
            try:
                cpu = process.cpu = time.clock_gettime_ns(process.clock)
            except OSError:  # the process is gone
                cpu = process.cpu
            total += cpu
        return total

    @property
    def counts_all(self) -> bool:
        """See `Meter`. Misses processes that live and die between two looks."""
        return False

    def delay_ns(self) -> int | None:
        """See `Meter`."""
        return self._delays.total()

    def begin(self, *, waits: bool) -> int:
        """See `Meter`."""
        return self._delays.begin(waits=waits)

    def own_part(self, cpu: int, *, at_once: bool = False) -> int:
        """See `Meter`. For `at_once`, see `RunDelays.own_part`."""
        # a program that has ended has no processes
        is_alone = [process.threads for process in self._processes.values()] == [1]
        return self._delays.own_part(None if is_alone else cpu, at_once=at_once)

    @property
    def unasked(self) -> int:
        """See `Meter`."""
        return self._delays.unasked

    def pressure(self) -> None:
        """See `Meter`. Unknown without a control group."""

    def stalled_ns(self) -> None:
        """See `Meter`. Unknown without a control group."""

    @property
    def stalled_before(self) -> int:
        """See `Meter`. Unknown without a control group."""
        return 0

    def ready(self) -> bool:
        """See `Meter`. 4 µs per thread."""
        return self._delays.any_ready(self._processes)

    # -- freezing --------------------------------------------------------------------------

    def intact(self) -> bool:
        """See `Meter`."""
        return True

    def freeze(self) -> bool:
        """See `Meter`. Uses SIGSTOP, parents before children: a stopped process cannot fork."""
        self.look()
        fresh = [pid for pid in self._processes if pid not in self._stopped]
        for pid in fresh:
            self._signals.send(pid, signal.SIGSTOP)
        self._stopped.update(fresh)
        return not fresh

    def thaw(self) -> None:
        """See `Meter`. Continues all stopped processes, children first."""
        self._stopped.clear()
        for pid in self._signals.last_first():
            self._signals.send(pid, signal.SIGCONT)

    def give_way(self, low: bool) -> None:
        """See `Meter`."""

    def close(self) -> None:
        """See `Meter`."""
        self._signals.close()
        self._delays.close()
