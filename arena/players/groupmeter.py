"""What a bot in a control group uses, by the kernel's own books.

The kernel counts for the whole group, with everything that ever ran in it: children that lived for
a millisecond, daemons in sessions of their own. A read costs microseconds, whatever the size.

**Memory** is all that the kernel charges to the group: anonymous memory, shared memory, tmpfs and
memfd, pages of files it read first (a *cache*, which the kernel takes back when the group comes to
its limit), stacks, page tables, buffers of pipes. Charges go in packets, up to 256 KiB a core more
than is in use.

An unreadable counter raises OSError. It never counts as zero. When the group itself is gone, that
is a `GroupLost`: a fault of the host.
"""

from __future__ import annotations

import errno
import os
import select
import time
from collections.abc import Mapping

from arena.errors import HostFault

FREEZE_WITHIN = 0.100
"""Seconds after which a group that does not stand still is reported."""
FREEZE_TICK_MS = 1
READ_SIZE = 1 << 13

USAGE = b"usage_usec "
"""How ``cpu.stat`` begins, whose first line alone is read: this is done twice a request. (In
``cpuacct.usage`` of v1 stand nanoseconds and nothing else.)"""
FREEZE = {
    "cgroup.freeze": (b"1", b"0", b"frozen 1"),
    "freezer.state": (b"FROZEN", b"THAWED", b"FROZEN"),
}
"""The words that freeze and thaw, and the one that says that all stand still."""


class GroupLost(HostFault, OSError):
    """Somebody else removed the control group of a bot that plays."""


class GroupMeter:
    """The counters of one control group. Keeps their files open until `close`."""

    def __init__(self, files: Mapping[str, str], limits: Mapping[str, int]) -> None:
        """`files` and `limits` as `arena.sandbox.cgroup.Group` has them. Raises GroupLost."""
        self._kinds = {name: os.path.basename(path) for name, path in files.items()}
        self._limits = dict(limits)
        self._files: dict[str, int] = {}
        self._most = 0
        self._cpu_is_whole = self._kinds.get("cpu") == "cpuacct.usage"
        try:
            for name, path in files.items():
                if name != "kill":
                    mode = os.O_RDWR if name == "freeze" else os.O_RDONLY
                    with _group_must_be_there():
                        self._files[name] = os.open(path, mode | os.O_CLOEXEC)
        except OSError:
            self.close()
            raise

    def close(self) -> None:
        """Close the files. May be repeated."""
        while self._files:
            os.close(self._files.popitem()[1])

    # -- counters --------------------------------------------------------------------------

    def memory(self) -> int:
        """Bytes charged to the group now."""
        used = self._number("memory")
        self._most = max(self._most, used)
        return used

    def peak_memory(self) -> int:
        """The most bytes that were ever charged at a time; before Linux 5.19 with v2, the most
        that `memory` has seen."""
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

    def delay_ns(self) -> int | None:
        """Nanoseconds in which at least one task of the group could have run and had no core.
        None where the kernel does not count that (no v2, or pressure switched off)."""
        if "pressure" not in self._files:
            return None
        try:
            data = self._read("pressure")
        except OSError as error:
            if error.errno == errno.EOPNOTSUPP:
                return None
            raise
        some = data.partition(b"\n")[0]
        return 1000 * _whole(some.rpartition(b"total=")[2])

    def tasks(self) -> int:
        """Processes and threads now. A zombie counts until it is reaped."""
        return self._number("tasks")

    def oom_kills(self) -> int:
        """Processes that the kernel has killed because the group was at its memory limit."""
        return _field(self._read("memory_events"), b"oom_kill")

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

    def freeze(self) -> None:
        """Stop every task of the group, daemons too, and wait until all stand still. Raises
        OSError where nothing can freeze, and TimeoutError (all run again) after 100 ms."""
        word, _, done = self._freezer()
        deadline = time.monotonic() + FREEZE_WITHIN
        self._write_freeze(word)
        while done not in self._read("frozen").splitlines():
            if time.monotonic() > deadline:
                self.thaw()
                raise TimeoutError(errno.ETIMEDOUT, "the control group did not freeze")
            self._await_news()

    def thaw(self) -> None:
        """Let them run on."""
        self._write_freeze(self._freezer()[1])

    def _write_freeze(self, word: bytes) -> None:
        file = self._file("freeze")
        with _group_must_be_there():
            os.pwrite(file, word, 0)

    def _freezer(self) -> tuple[bytes, bytes, bytes]:
        self._file("freeze")
        return FREEZE[self._kinds["freeze"]]

    def _await_news(self) -> None:
        """Until the state changes. Briefly: the kernel may be 10 ms late in saying so."""
        poll = select.poll()
        poll.register(self._file("frozen"), select.POLLPRI)
        poll.poll(FREEZE_TICK_MS)

    # -- reading ---------------------------------------------------------------------------

    def _file(self, name: str) -> int:
        try:
            return self._files[name]
        except KeyError:
            raise OSError(errno.ENOENT, "this host does not count or control that", name) from None

    def _read(self, name: str) -> bytes:
        file = self._file(name)
        with _group_must_be_there():
            return os.pread(file, READ_SIZE, 0)

    def _number(self, name: str) -> int:
        return _whole(self._read(name))


class _group_must_be_there:
    """A context in which a missing group is a `GroupLost`. (A class, since a generator would cost
    a microsecond more each time.)"""

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if isinstance(error, OSError) and error.errno in (errno.ENODEV, errno.ENOENT):
            text = f"somebody removed the control group of a bot: {error.strerror}"
            raise GroupLost(f"{text}: the match is void") from error


def _whole(data: bytes) -> int:
    """The number that is all of a file."""
    try:
        return int(data)
    except ValueError:
        raise _unreadable(data) from None


def _field(data: bytes, name: bytes) -> int:
    """The number behind a name, in lines of a name and a number."""
    _, found, rest = (b"\n" + data).partition(b"\n" + name + b" ")
    number = rest.partition(b"\n")[0]
    if not found or not number.isdigit():
        raise _unreadable(data)
    return int(number)


def _unreadable(data: bytes) -> OSError:
    return OSError(errno.EIO, f"a counter of a control group reads {data[:80]!r}")
