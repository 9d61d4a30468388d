"""Read what a bot uses from the kernel's counters of its control group.

The kernel counts everything that ever ran in the group, including children that lived for a
millisecond and daemons in sessions of their own. A read costs microseconds, whatever the size.

**Memory** is all that the kernel charges to the group: anonymous memory, shared memory, tmpfs and
memfd, pages of files that the group read first (a *cache*, which the kernel reclaims when the group
reaches its limit), stacks, page tables, pipe buffers. The kernel charges in batches, up to 256 KiB
per core more than is in use.

An unreadable counter raises OSError and never counts as zero. A missing group raises `GroupLost`: a
fault of the machine.
"""

from __future__ import annotations

import errno
import math
import os
from collections.abc import Mapping

from arena.errors import MachineError
from arena.sandbox.usage.meter import Pressure, out_of_memory
from arena.sandbox.usage.procfs import ProcfsMeter

READ_SIZE = 1 << 13

USAGE = b"usage_usec "
"""Start of ``cpu.stat``; only its first line is parsed, since this happens twice per request. (The
``cpuacct.usage`` of v1 contains just nanoseconds.)"""
FREEZE = {
    "cgroup.freeze": (b"1", b"0", b"frozen 1"),
    "freezer.state": (b"FROZEN", b"THAWED", b"FROZEN"),
}
"""The words that freeze and thaw, and the line that reports that all have stopped."""
WEIGHTS = {"cpu.weight": (b"1", b"100"), "cpu.shares": (b"2", b"1024")}
"""The lowest and the usual weight for competing for the cores. (An idle group, `cpu.idle`, does no
better: beside 32 threads of the rival, a move of two processes with 50 ms of work each took 105 ms,
with the lowest weight 109, and 119 with neither; nine runs had 85 to 112 and 91 to 111.)"""
AT_LIMIT = 4 << 20
"""Bytes below the limit from which on a peak counts as at the limit: what is charged in advance,
and what a refused request was for. (v1 does not count how often the group was at its limit.)"""
STALLS = ("io_pressure", "memory_pressure")
WRITTEN = ("freeze", "share")
"""The files that are also written."""


class GroupLost(MachineError, OSError):
    """Another program removed the control group of a playing bot."""


class CgroupMeter:
    """A `Meter` of one control group. Keeps the counter files open until `close`."""

    def __init__(
        self,
        files: Mapping[str, str],
        limits: Mapping[str, int],
        tree: ProcfsMeter | None = None,
    ) -> None:
        """`files` and `limits` are those of `keeper.cgroup.Group`. `tree` looks at the threads of
        the same program for their delays. Raises GroupLost."""
        self._tree = tree
        self._kinds = {name: os.path.basename(path) for name, path in files.items()}
        self._limits = dict(limits)
        self._files: dict[str, int] = {}
        self._most = self._stalled = 0
        self._cpu_is_whole = self._kinds.get("cpu") == "cpuacct.usage"
        try:
            for name, path in files.items():
                if name != "kill":
                    mode = os.O_RDWR if name in WRITTEN else os.O_RDONLY
                    with _GroupMustBeThere():
                        self._files[name] = os.open(path, mode | os.O_CLOEXEC)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close the files. Idempotent."""
        if self._tree is not None:
            self._tree.close()
        while self._files:
            os.close(self._files.popitem()[1])

    # -- counters --------------------------------------------------------------------------

    def memory(self) -> int:
        """Bytes charged to the group now."""
        if self._tree is not None and not self._tree.is_as_seen(self.tasks()):
            self._tree.look()
        self.stalled_ns()
        used = self._number("memory")
        self._most = max(self._most, used)
        return used

    async def shared_once(self) -> None:
        """See `Meter`. The kernel counts each page once."""

    def peak_memory(self) -> int:
        """The most bytes ever charged at a time; with v2 before Linux 5.19, the most that `memory`
        has seen."""
        if "memory_peak" in self._files:
            return self._number("memory_peak")
        return max(self._most, self.memory())

    def cpu_ns(self) -> int:
        """Nanoseconds of CPU time that the group has used (v2 counts in microseconds)."""
        data = self._read("cpu")
        if self._cpu_is_whole:
            return _whole(data)
        if not data.startswith(USAGE):
            raise _unreadable(data)
        return 1000 * _whole(data[len(USAGE) : data.index(b"\n")])

    @property
    def counts_all(self) -> bool:
        """See `Meter`."""
        return True

    def delay_ns(self) -> int | None:
        """Nanoseconds in which threads were ready but had no core. Without a `tree`: in which at
        least one task of the group was in that state; None where the kernel does not count that (no
        v2, or pressure disabled)."""
        if self._tree is not None:
            return self._tree.delay_ns()
        pressure = self.pressure()
        return None if pressure is None else pressure.some

    def begin(self, *, waits: bool) -> int | None:
        """See `Meter`."""
        return self.delay_ns() if self._tree is None else self._tree.begin(waits=waits)

    def own_part(self, cpu: int) -> int:
        """See `Meter`. `pressure` shows what threads waited one after the other."""
        at_once = "pressure" in self._files
        return 0 if self._tree is None else self._tree.own_part(cpu, at_once=at_once)

    @property
    def unasked(self) -> int:
        """See `Meter`."""
        return 0 if self._tree is None else self._tree.unasked

    def pressure(self) -> Pressure | None:
        """See `Meter`. None without v2, and where pressure is disabled."""
        return self._pressure("pressure")

    def stalled_ns(self) -> int | None:
        """See `Meter`."""
        disk, memory = map(self._pressure, STALLS)
        if disk is None or memory is None:
            return None
        self._stalled = disk.full + memory.full
        return self._stalled

    @property
    def stalled_before(self) -> int:
        """See `Meter`."""
        return self._stalled

    def _pressure(self, of: str) -> Pressure | None:
        if of not in self._files:
            return None
        try:
            data = self._read(of)
        except OSError as error:
            if error.errno == errno.EOPNOTSUPP:
                return None
            raise
        some, _, full = data.partition(b"\n")  # before Linux 5.13 there is only one line
        return Pressure(_waited(some), _waited(full) if full else 0)

    def ready(self) -> bool:
        """See `Meter`."""
        return self._tree is not None and self._tree.ready()

    def tasks(self) -> int:
        """Processes and threads now. A zombie counts until it is reaped."""
        return self._number("tasks")

    def oom_kills(self) -> int:
        """See `Meter`. The kernel also counts those that it killed since the machine, or a group
        above, had no more memory."""
        events = self._read("memory_events")
        kills = _field(events, b"oom_kill")
        if kills and not self._was_at_limit(events):
            raise out_of_memory(self.peak_memory(), self._limits.get("memory_limit"))
        return kills

    def _was_at_limit(self, events: bytes) -> bool:
        if self._kinds["memory_events"] == "memory.events":
            return _field(events, b"oom") > 0
        peaks = [self._number(name) for name in ("memory_peak", "both_peak") if name in self._files]
        return max(peaks) + AT_LIMIT >= self._limits.get("memory_limit", math.inf)

    def refused_forks(self) -> int:
        """New processes and threads refused because the group was at its limit."""
        return _field(self._read("pids_events"), b"max")

    def intact(self) -> bool:
        """Whether the limits are still those that were set; false when the group is gone."""
        try:
            return all(self._read(n).strip() == b"%d" % v for n, v in self._limits.items())
        except GroupLost:
            return False

    # -- freezing --------------------------------------------------------------------------

    def freeze(self) -> bool:
        """See `Meter`. Includes daemons. Raises OSError where the group cannot be frozen."""
        word, _, done = self._freezer()
        self._write_freeze(word)
        return done in self._read("frozen").splitlines()

    def thaw(self) -> None:
        """See `Meter`."""
        self._write_freeze(self._freezer()[1])

    def _write_freeze(self, word: bytes) -> None:
        file = self._file("freeze")
        with _GroupMustBeThere():
            os.pwrite(file, word, 0)

    def _freezer(self) -> tuple[bytes, bytes, bytes]:
        self._file("freeze")
        return FREEZE[self._kinds["freeze"]]

    def give_way(self, low: bool) -> None:
        """See `Meter`. 5 µs."""
        if "share" in self._files:
            least, usual = WEIGHTS[self._kinds["share"]]
            with _GroupMustBeThere():
                os.pwrite(self._files["share"], least if low else usual, 0)

    # -- reading ---------------------------------------------------------------------------

    def _file(self, name: str) -> int:
        try:
            return self._files[name]
        except KeyError:
            text = "this machine does not count or control that"
            raise OSError(errno.ENOENT, text, name) from None

    def _read(self, name: str) -> bytes:
        file = self._file(name)
        with _GroupMustBeThere():
            return os.pread(file, READ_SIZE, 0)

    def _number(self, name: str) -> int:
        return _whole(self._read(name))


class _GroupMustBeThere:
    """Context manager that turns the error for a missing group into `GroupLost`. (A class, since a
    generator would cost a microsecond more each time.)"""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and error.errno in (errno.ENODEV, errno.ENOENT):
            text = f"another program removed the control group of a bot: {error.strerror}"
            raise GroupLost(f"{text}: the match is void") from error


def _whole(data: bytes) -> int:
    """The number that is the whole content of a file."""
    try:
        return int(data)
    except ValueError:
        raise _unreadable(data) from None


def _waited(line: bytes) -> int:
    """The nanoseconds of a pressure line, which ends with microseconds."""
    return 1000 * _whole(line.rpartition(b"total=")[2])


def _field(data: bytes, name: bytes) -> int:
    """The number after a name, in lines of a name and a number."""
    _, found, rest = (b"\n" + data).partition(b"\n" + name + b" ")
    number = rest.partition(b"\n")[0]
    if not found or not number.isdigit():
        raise _unreadable(data)
    return int(number)


def _unreadable(data: bytes) -> OSError:
    return OSError(errno.EIO, f"a counter of a control group reads {data[:80]!r}")
