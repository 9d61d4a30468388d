"""Sins of a greedy program: files, descriptors, memory that hides. See `bot` for how to name one.

What it got is told on stderr: ``COUNT name number``, ``ATTEMPT name ok|refused why``.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

from bot import out, report  # type: ignore[import-not-found]  # they lie in one folder when run

CHUNK = b"x" * (1 << 20)


def count(name: str, number: int) -> None:
    """Tell the test how much it was."""
    print(f"COUNT {name} {number}", file=sys.stderr, flush=True)


def fill(folder: str, megabytes: int) -> int:
    """Write files there until it is refused; the bytes that went in."""
    written = 0
    with suppress(OSError):
        for i in range(megabytes):
            with open(os.path.join(folder, f"fill{i}"), "wb", buffering=0) as file:
                written += file.write(CHUNK)
    return written


def fill_disk() -> None:
    """Fill every place that might be writable, with 200 MiB at most in each."""
    for name, folder in (("home", os.getcwd()), ("shm", "/dev/shm"), ("tmp", "/tmp")):
        count(name, fill(folder, 200))
    for folder in ("/", "/usr", "/etc", "/var/tmp", "/run", "/dev", "/bot"):
        count("root", fill(folder, 2))
    out("1\n")


def one_large_file() -> None:
    """One file beyond the limit, and one that is all hole."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    written = 0
    with suppress(OSError), open("large", "wb", buffering=0) as file:
        for _ in range(200):
            written += file.write(CHUNK)
    count("large", written)
    with suppress(OSError):
        os.unlink("large")
    report("sparse", lambda: os.truncate(os.open("hole", os.O_CREAT | os.O_WRONLY), 1 << 40))
    out("1\n")


def many_files() -> None:
    """Fifteen hundred empty files in its folder."""
    made = 0
    with suppress(OSError):
        for made in range(1_500):
            os.close(os.open(f"f{made}", os.O_CREAT | os.O_WRONLY))
    count("files", made + 1)
    out("1\n")


def many_descriptors() -> None:
    """As many open files as there are to be had, up to ten thousand."""
    held: list[int] = []
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    with suppress(OSError):
        while len(held) < 10_000:
            held.append(os.open("/dev/null", os.O_RDONLY))
    for descriptor in held:
        os.close(descriptor)
    count("descriptors", len(held))
    sockets: list[socket.socket] = []
    with suppress(OSError):
        while len(sockets) < 10_000:
            sockets.append(socket.socket(socket.AF_UNIX))
    count("sockets", len(sockets))
    for one in sockets:
        one.close()
    out("1\n")


def hidden_memory() -> None:
    """Memory that belongs to no process: a file of memory, System V, pipes."""
    report("memfd", lambda: os.write(os.memfd_create("hoard"), CHUNK))
    report("sysv", system_v)
    report("posix_queue", message_queue)
    report("pipes", lambda: os.write(os.pipe()[1], b"x"))
    out("1\n")


def libc_says(result: int) -> None:
    """Raise what a call of the C library left in errno."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def system_v() -> None:
    """A segment of System V memory, taken and given back."""
    libc = ctypes.CDLL(None, use_errno=True)
    segment = libc.shmget(0, 1 << 20, 0o1600)
    libc_says(segment)
    libc.shmctl(segment, 0, None)  # 0: IPC_RMID


def message_queue() -> None:
    """A POSIX message queue, taken and given back."""
    libc = ctypes.CDLL(None, use_errno=True)
    name = b"/arena-%d" % os.getpid()
    queue = libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None)
    libc_says(queue)
    libc.mq_unlink(name)


def lock_memory() -> None:
    """Pin 16 MiB into real memory; ask for huge pages."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    place = mmap.mmap(-1, 16 << 20)
    address = ctypes.addressof(ctypes.c_char.from_buffer(place))
    report("mlock", lambda: libc_says(libc.mlock(ctypes.c_void_p(address), 16 << 20)))
    report("mlockall", lambda: libc_says(libc.mlockall(2)))
    libc.munlockall()
    out("1\n")


def dump_core() -> None:
    """Allow a core of any size, and crash."""
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CORE, (-1, -1))
    count("core", resource.getrlimit(resource.RLIMIT_CORE)[0])
    os.kill(os.getpid(), signal.SIGSEGV)


def read_everything() -> None:
    """Pull some 150 MiB of the system's files through the page cache."""
    seen = 0
    for folder, _, names in os.walk("/usr"):
        for name in names:
            with suppress(OSError), open(Path(folder, name), "rb", buffering=0) as file:
                while size := len(file.read(1 << 20)):
                    seen += size
        if seen > 150 << 20:
            break
    count("read", seen)
    out("1\n")
