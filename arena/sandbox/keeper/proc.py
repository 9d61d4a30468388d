"""Read Linux's /proc: what a process uses, and its descendants. Standard library only.

Every value is read with open, read and close (5 to 7 µs) instead of from open descriptors: a bot
with 256 processes would need a thousand of them in the arena. /proc itself is never listed, so that
a look costs the same on a busy host as on an idle one.
"""

from __future__ import annotations

import os
import re
import signal
from typing import NamedTuple

INODE = 1024
"""Bytes of kernel memory per file of a memory file system, even if it is empty (957 measured, 1226
with a name of 200 letters)."""
FREE_SOCKETS = 64
"""Sockets of a sandbox that are assumed empty: programs have them without sending data."""
SEND_BUFFER = 212_992
"""Bytes that a socket may hold unread, unless the machine has another ``wmem_default``."""
_STATUS = re.compile(rb"\n(VmRSS|VmPTE|VmSwap|Threads):\s+(\d+)")
_PENDING = re.compile(rb"\nSigPnd:\s+([0-9a-f]+)")
KILLED = 1 << (signal.SIGKILL - 1)
"""Bit in a thread's pending signals: the thread ends as soon as it runs."""
PF_EXITING = 0x4
"""Bit in a thread's flags: the thread is ending."""


def read(path: str) -> bytes:
    """The content of a small file; empty when the file (that is, the process) does not exist."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        data = part = os.read(descriptor, 4096)
        while len(part) > 2048:  # the kernel gives long lists by the page
            part = os.read(descriptor, 4096)
            data += part
        return data
    except OSError:
        return b""
    finally:
        os.close(descriptor)


class ProcessMemory(NamedTuple):
    """Memory of one process, in bytes, and its number of threads."""

    resident: int
    hidden: int
    """Swapped out, or in page tables (reading one byte every 2 MiB fills only these)."""
    threads: int


def held(pid: int) -> ProcessMemory | None:
    """The memory and threads of a process; None when it is gone. A zombie has no memory."""
    status = _of_living_thread(pid, "status", b"VmRSS:")
    if not status:
        return None
    found = {name: int(number) for name, number in _STATUS.findall(status)}
    hidden = found.get(b"VmPTE", 0) + found.get(b"VmSwap", 0)
    return ProcessMemory(found.get(b"VmRSS", 0) * 1024, hidden * 1024, found.get(b"Threads", 0))


def proportional(pid: int) -> int | None:
    """Resident bytes, each shared page divided by the number of its users. Costs 4 µs per MiB."""
    for line in _of_living_thread(pid, "smaps_rollup", b"Pss:").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return None


def _of_living_thread(pid: int, file: str, word: bytes) -> bytes:
    """Read a file about a process's memory, preferably one that contains `word`. Once the first
    thread has ended, only the other threads' files describe their shared memory."""
    content = read(f"/proc/{pid}/{file}")
    if word not in content:
        for tid in threads(pid)[1:]:
            if word in (other := read(f"/proc/{tid}/{file}")):
                return other
    return content


def threads(pid: int) -> list[int]:
    """The ids of all threads of a process, the main thread first."""
    try:
        return sorted(map(int, os.listdir(f"/proc/{pid}/task")), key=lambda tid: (tid != pid, tid))
    except OSError:
        return []


def children(pid: int, tid: int) -> list[int]:
    """The child processes of one thread of a process."""
    return [int(word) for word in read(f"/proc/{pid}/task/{tid}/children").split()]


def below(pid: int) -> list[int]:
    """The child processes of all threads of a process."""
    return [child for tid in threads(pid) for child in children(pid, tid)]


def descendants(pid: int) -> list[int]:
    """All processes below `pid`, parents before children."""
    found: dict[int, None] = {}  # ordered; a reused pid is not followed again
    ahead = below(pid)[::-1]
    while ahead:
        one = ahead.pop()
        if one not in found:
            found[one] = None
            ahead += below(one)[::-1]
    return list(found)


def parent(pid: int) -> int:
    """The parent's process id; 0 when the process is gone."""
    fields = read(f"/proc/{pid}/stat").rpartition(b")")[2].split()
    return int(fields[1]) if len(fields) > 1 else 0


def cpu_ticks(pid: int) -> int:
    """The CPU time that a process and those below it have used, in clock ticks."""
    stats = [
        read(f"/proc/{one}/stat").rpartition(b")")[2].split() for one in (pid, *descendants(pid))
    ]
    return sum(int(ticks) for fields in stats for ticks in fields[11:13])


def is_leaving(pid: int) -> bool:
    """Whether a process is gone or exiting with all its threads: its files close before it has
    ended. (The first thread may end while others run on.)"""
    return all(_ends(tid) for tid in threads(pid))


def _ends(tid: int) -> bool:
    # A thread takes the signal first and sets the flag a moment later. Read in the other order, a
    # thread that does both between the reads would seem to run on.
    pending = _PENDING.search(read(f"/proc/{tid}/status"))
    if pending is not None and int(pending[1], 16) & KILLED:
        return True
    fields = read(f"/proc/{tid}/stat").rpartition(b")")[2].split()
    return not fields or fields[0] in (b"Z", b"X") or bool(int(fields[6]) & PF_EXITING)


def room_used(pid: int, folder: str, size: int) -> int:
    """Bytes of memory used by the memory file system of `size` that a process sees at `folder`,
    including empty files; 0 while something else is mounted there (the walls are still going
    up)."""
    try:
        room = os.statvfs(f"/proc/{pid}/root{folder}")
    except OSError:
        return 0
    if room.f_blocks * room.f_frsize != size:
        return 0
    content = (room.f_blocks - room.f_bfree) * room.f_frsize
    return content + (room.f_files - room.f_ffree) * INODE


def sockets_hold(pid: int) -> int:
    """Bytes that may be unread in the sockets of the process's network namespace beyond
    `FREE_SOCKETS`. (The system does not report the actual amount.)"""
    words = read(f"/proc/{pid}/net/sockstat").split()
    sockets = int(words[2]) if words[:2] == [b"sockets:", b"used"] else 0
    buffer = int(read("/proc/sys/net/core/wmem_default") or SEND_BUFFER)
    return max(sockets - FREE_SOCKETS, 0) * buffer
