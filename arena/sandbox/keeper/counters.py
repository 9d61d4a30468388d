"""Hide from a sandbox what counts the whole machine.

Most files of ``/proc`` count packets, interrupts, memory or files of the whole machine, and so a
program without a network could hear whoever can make the machine work: a bot read 100 ms bits from
packets that a stranger sent. Bubblewrap mounts ``/proc`` without options. So, when all mounts are
made and before the program runs, the keeper changes the mount from outside: with ``subset=pid``
(Linux 5.8) it shows processes alone. This takes 0.1 ms, and a bind mount over each file would take
0.25 ms for each.

Each process also has a folder ``net``, of which some files count all networks
(`NETWORK_COUNTERS`). They belong to root, so only a keeper that runs as root can close them (50
µs).
"""

from __future__ import annotations

import ctypes
import os
from contextlib import suppress

from arena.sandbox.keeper.proc import children

FSPICK, FSCONFIG = 433, 431
"""The numbers of these system calls, on all machines."""
FSPICK_CLOEXEC, FSPICK_EMPTY_PATH = 1, 8
SET_STRING, RECONFIGURE = 1, 7
NETWORK_COUNTERS = (
    *("softnet_stat", "sockstat", "sockstat6", "protocols"),
    *("ptype", "rt_acct", "rt_cache", "stat"),
)
"""Files of ``/proc/PID/net`` that count more than the network of the process."""
CLONE_NEWNS, CLONE_NEWUSER = 0x0002_0000, 0x1000_0000

_libc = ctypes.CDLL(None, use_errno=True)


def hide_counters(sandbox: int, link: int) -> int | None:
    """Hide what counts the whole machine from the sandbox of a bubblewrap, and write a line to
    `link` when that is done, or impossible here (``arena doctor`` tells).

    Returns the process that does it, a child of ours; None when it is done. An ordinary user may
    change mounts only within the sandbox, which no process that enters it can leave.
    """
    if os.geteuid() == 0:
        with suppress(OSError, IndexError):
            inside = children(sandbox, sandbox)[0]
            _show_processes_only(f"/proc/{inside}/root/proc")
            _close_network_counters(inside)
        _answer(link)
        return None
    helper = os.fork()
    if helper:
        return helper
    try:
        _enter(children(sandbox, sandbox)[0])
        _show_processes_only("/proc")
    finally:
        _answer(link)
        os._exit(0)


def _enter(pid: int) -> None:
    """Enter the namespaces of users and mounts of a process."""
    handle = os.pidfd_open(pid)
    _checked(_libc.setns(handle, CLONE_NEWUSER | CLONE_NEWNS))


def _show_processes_only(proc: str) -> None:
    """Change a mount of ``/proc``. What was looked up there before is forgotten."""
    place = os.open(proc, os.O_PATH | os.O_CLOEXEC)
    try:
        mount = _checked(_libc.syscall(FSPICK, place, b"", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH))
    finally:
        os.close(place)
    try:
        _checked(_libc.syscall(FSCONFIG, mount, SET_STRING, b"subset", b"pid", 0))
        _checked(_libc.syscall(FSCONFIG, mount, RECONFIGURE, None, None, 0))
    finally:
        os.close(mount)


def _close_network_counters(pid: int) -> None:
    """Leave them to root alone, in the network of a process."""
    for name in NETWORK_COUNTERS:
        with suppress(FileNotFoundError):
            os.chmod(f"/proc/{pid}/net/{name}", 0)


def _answer(link: int) -> None:
    with suppress(OSError):  # the sandbox may have ended
        os.write(link, b"\n")


def _checked(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result
