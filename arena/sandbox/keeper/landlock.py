"""Landlock: walls that a process puts around itself, without privileges or another program.

A ruleset *handles* kinds of access: everything handled is refused from then on, except what a rule
allows beneath a path. It binds the process and all its descendants permanently; a further ruleset
can only restrict more. Open descriptors stay open: they are the caller's responsibility.

The ruleset here handles everything that version 6 (Linux 6.12) knows, so that anything not listed
below is refused: files, TCP, ioctl on devices, signals to processes outside, and abstract unix
sockets of others. From version 9 (Linux 7.1) on, other programs' sockets with a path are blocked
too; before that, only file permissions protect them. Versions older than 6 are not used at all:
half a wall would be taken for a whole one.
"""

import ctypes
import errno
import os
import stat
import struct
from collections.abc import Sequence

from arena.sandbox.keeper.copies import open_path

NEEDED = 6
"""The oldest version that provides everything that `restrict` promises."""

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446  # the same numbers on every machine
GET_VERSION = 1
PATH_BENEATH = 1
PR_SET_NO_NEW_PRIVS = 38

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = (1 << bit for bit in range(4))
MAKE_CHAR, MAKE_BLOCK = 1 << 6, 1 << 11
TRUNCATE, IOCTL_DEVICE, RESOLVE_UNIX = 1 << 14, 1 << 15, 1 << 16
FILES = (1 << 16) - 1
"""Every kind of access to files that version 6 knows; `RESOLVE_UNIX` came with version 9."""
TCP = 0b11  # bind and connect
SCOPED = 0b11  # abstract unix sockets and signals

READ = EXECUTE | READ_FILE | READ_DIR
WRITE = FILES & ~(MAKE_CHAR | MAKE_BLOCK | IOCTL_DEVICE)
OF_A_FILE = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE
"""The access that a rule may grant to a path that is not a folder."""

_libc = ctypes.CDLL(None, use_errno=True)


def abi() -> int:
    """The version of landlock in this kernel; 0 where it is missing or disabled."""
    version: int = _libc.syscall(
        ctypes.c_long(CREATE_RULESET), None, ctypes.c_size_t(0), ctypes.c_uint(GET_VERSION)
    )
    return max(version, 0)


def restrict(read: Sequence[str], write: Sequence[str], *, missing_ok: bool = False) -> None:
    """Restrict this process and its descendants: they may read and execute only beneath the `read`
    paths, and do anything except device ioctl and making device nodes beneath the `write` paths.
    They can use no TCP port, signal no process outside and reach no abstract socket of another.

    A path may be a folder, a file, or a device such as /dev/null; links are resolved now. A missing
    path is an error unless `missing_ok`, meant for lists of possible library folders, not for a
    bot's own folder. Sets no_new_privs. The caller must be single-threaded: other threads would
    stay unrestricted.

    Raises OSError, and then only no_new_privs is in force: there is no weaker form."""
    version = abi()
    if version < NEEDED:
        text = (
            f"landlock version {NEEDED} is needed (Linux 6.12), this kernel has {version or 'none'}"
        )
        raise OSError(errno.EOPNOTSUPP, text)
    ruleset = _create(FILES | (RESOLVE_UNIX if version >= 9 else 0))
    try:
        for paths, access in ((read, READ), (write, WRITE)):
            for path in paths:
                _allow(ruleset, path, access, missing_ok)
        _enforce(ruleset)
    finally:
        os.close(ruleset)


def _create(files: int) -> int:
    """Create a ruleset (the kernel's `struct landlock_ruleset_attr`) and return its descriptor."""
    handled = struct.pack("=QQQ", files, TCP, SCOPED)
    size = ctypes.c_size_t(len(handled))
    return _call("create a landlock ruleset", CREATE_RULESET, handled, size, ctypes.c_uint(0))


def _allow(ruleset: int, path: str, access: int, missing_ok: bool) -> None:
    """Add a rule (the kernel's `struct landlock_path_beneath_attr`)."""
    try:
        place = open_path(path)
    except FileNotFoundError:
        if missing_ok:
            return
        raise
    try:
        allowed = access if stat.S_ISDIR(os.fstat(place).st_mode) else access & OF_A_FILE
        rule = struct.pack("=Qi", allowed, place)
        kind = ctypes.c_int(PATH_BENEATH)
        _call(f"allow {path} in landlock", ADD_RULE, ruleset, kind, rule, ctypes.c_uint(0))
    finally:
        os.close(place)


def _enforce(ruleset: int) -> None:
    zeros = [ctypes.c_ulong(0)] * 3
    if _libc.prctl(PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), *zeros) != 0:
        raise _failure("set no_new_privs")
    _call("put landlock in force", RESTRICT_SELF, ruleset, ctypes.c_uint(0))


def _call(purpose: str, number: int, *arguments: object) -> int:
    result: int = _libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        raise _failure(purpose)
    return result


def _failure(purpose: str) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, f"cannot {purpose}: {os.strerror(number)}")
