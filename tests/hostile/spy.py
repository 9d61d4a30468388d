"""Sins of a curious program: attempts to get out, to look at others and to be heard. See `bot` for
how to name one. Its ARGUMENT is a JSON object with what the test laid out for it.

Every attempt is told on stderr as ``ATTEMPT name ok|refused why``; whatever happens, it plays on.
"""

from __future__ import annotations

import ctypes
import fcntl
import json
import mmap
import os
import platform
import re
import resource
import signal
import socket
import struct
import subprocess
import sys
import termios
import time
from contextlib import suppress
from functools import partial
from typing import Any

from bot import out, report  # type: ignore[import-not-found]  # they lie in one folder when run

LIBC = ctypes.CDLL(None, use_errno=True)
X86 = platform.machine() == "x86_64"
PIDFD_GETFD, OPEN_TREE = 438, 428
PROCESS_VM_READV, KCMP, ADD_KEY, REQUEST_KEY = (310, 312, 248, 249) if X86 else (270, 272, 217, 218)
SECCOMP, SET_MEMPOLICY = (317, 238) if X86 else (277, 237)
PAGES = "SC_PHYS_PAGES", "SC_AVPHYS_PAGES"
POSSESSOR_USER_RING = -4
CLONE_NEWUSER, CLONE_NEWNS = 0x10000000, 0x00020000


def given() -> dict[str, Any]:
    """What the test laid out."""
    laid_out: dict[str, Any] = json.loads(sys.argv[3])
    return laid_out


def check(result: int) -> int:
    """Raise what a call of the C library left in errno."""
    if result < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return result


def call(number: int, *words: object) -> int:
    """A bare system call."""
    return check(LIBC.syscall(number, *words))


def read(path: str) -> bytes:
    """The beginning of a file; a file without a byte is as good as none."""
    with open(path, "rb") as file:
        data = file.read(64)
    if not data:
        raise OSError(0, "empty")
    return data


def write(path: str) -> None:
    """Append to a file."""
    with open(path, "ab") as file:
        file.write(b"spy\n")


# -- other processes -----------------------------------------------------------------------------


def processes() -> None:
    """S01, S02: the process `pid` and this one's parent."""
    pid = given()["pid"]
    report("signal", partial(os.kill, pid, 0))
    report("ptrace", partial(attach, pid))
    report("read_memory", partial(read_memory, pid, given()["address"]))
    report("kcmp", partial(call, KCMP, pid, pid, 0, 0, 0))
    report("pidfd_getfd", partial(steal_descriptor, pid))
    report("environ", partial(read, f"/proc/{pid}/environ"))
    report("memory_file", partial(read_at, f"/proc/{pid}/mem", given()["address"]))
    report("descriptors", partial(os.listdir, f"/proc/{pid}/fd"))
    report("priority", partial(os.setpriority, os.PRIO_PROCESS, pid, 5))
    out("1\n")


def attach(pid: int) -> None:
    """Become its tracer, and let go."""
    check(LIBC.ptrace(0x4206, pid, 0, 0))  # SEIZE, which does not stop it
    LIBC.ptrace(0x4207, pid, 0, 0)  # INTERRUPT
    os.waitpid(pid, 0x40000000)
    LIBC.ptrace(17, pid, 0, 0)  # DETACH


def read_memory(pid: int, address: int) -> None:
    """Copy 8 bytes out of another process."""

    class Piece(ctypes.Structure):
        _fields_ = [("base", ctypes.c_void_p), ("size", ctypes.c_size_t)]

    room = ctypes.create_string_buffer(8)
    mine, its = Piece(ctypes.addressof(room), 8), Piece(address, 8)
    call(
        PROCESS_VM_READV,
        ctypes.c_long(pid),
        ctypes.byref(mine),
        ctypes.c_ulong(1),
        ctypes.byref(its),
        ctypes.c_ulong(1),
        ctypes.c_ulong(0),
    )


def steal_descriptor(pid: int) -> None:
    """Copy its descriptor 0 over here."""
    call(PIDFD_GETFD, os.pidfd_open(pid), 0, 0)


def read_at(path: str, address: int) -> None:
    """Read 8 bytes far into a file."""
    descriptor = os.open(path, os.O_RDONLY)
    os.pread(descriptor, 8, address)


def itself() -> None:
    """S07, S12, S14: what it inherited, and what it may change about itself."""
    print("ENVIRONMENT " + json.dumps(dict(os.environ)), file=sys.stderr)
    print("DESCRIPTORS " + json.dumps(sorted(os.listdir("/proc/self/fd"))), file=sys.stderr)
    print("IDENTITY " + json.dumps([os.getuid(), os.geteuid(), os.getpid()]), file=sys.stderr)
    report("oom_score_adj", lower_oom_score)
    report("nofile", partial(resource.setrlimit, resource.RLIMIT_NOFILE, (1 << 19, 1 << 19)))
    out("1\n")


def lower_oom_score() -> None:
    """Ask to be the last to die when memory runs out."""
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")


def rename() -> None:
    """S12: look like the arena, and have a child with a huge environment."""
    LIBC.prctl(15, b"arena", 0, 0, 0)
    out("1\n")
    subprocess.Popen(["sleep", "60"], executable="/bin/sleep", env={"X": "y" * 100_000})


# -- files ---------------------------------------------------------------------------------------


def files() -> None:
    """S03, S11, S13: the rival's file, the replay, a secret, its own files, the system."""
    for name, path in given()["read"].items():
        report(name, partial(read, path))
    for name, path in given()["write"].items():
        report(name, partial(write, path))
    report("own_file", partial(write, os.path.abspath(__file__)))
    report("shadow", partial(read, "/etc/shadow"))
    report("device", partial(os.mknod, "disk", 0o60600, os.makedev(8, 0)))
    with suppress(OSError):
        os.symlink("/etc/passwd", "r.jsonl")
    out("1\n")


# -- network -------------------------------------------------------------------------------------


def network() -> None:
    """S04, S05: TCP, UDP, vsock, netlink, and sockets of the host."""
    laid_out = given()
    report(
        "tcp", partial(connect, socket.AF_INET, socket.SOCK_STREAM, ("127.0.0.1", laid_out["port"]))
    )
    report(
        "udp", partial(connect, socket.AF_INET, socket.SOCK_DGRAM, ("127.0.0.1", laid_out["port"]))
    )
    report("tcp6", partial(socket.socket, socket.AF_INET6, socket.SOCK_STREAM))
    report("netlink", partial(socket.socket, 16, socket.SOCK_RAW, 0))
    report("vsock", partial(socket.socket, 40, socket.SOCK_STREAM))
    report("packet", partial(socket.socket, 17, socket.SOCK_RAW))
    report("path_socket", partial(connect, socket.AF_UNIX, socket.SOCK_STREAM, laid_out["path"]))
    abstract = "\0" + laid_out["abstract"]
    report("abstract_socket", partial(connect, socket.AF_UNIX, socket.SOCK_STREAM, abstract))
    out("1\n")


def connect(family: int, kind: int, address: object) -> None:
    """Connect, and for datagrams send one."""
    with socket.socket(family, kind) as link:
        link.settimeout(2)
        link.connect(address)  # type: ignore[arg-type]  # the type depends on the family
        link.send(b"spy")


# -- two bots of one author ----------------------------------------------------------------------


def leave_signs() -> None:
    """S06: leave a sign in every place with a name, where the other may find it."""
    mark = given()["mark"]
    held: list[object] = []
    for folder in given()["folders"]:
        with suppress(OSError), open(os.path.join(folder, mark), "w") as file:
            file.write("sign")
    with suppress(OSError):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("\0" + mark)
        listener.listen()
        held.append(listener)
    with suppress(OSError):
        fcntl.flock(os.open("/etc/passwd", os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    with suppress(OSError):
        words = (b"user", mark.encode(), b"sign", ctypes.c_size_t(4))
        call(ADD_KEY, *words, ctypes.c_int(POSSESSOR_USER_RING))
    out("1\n")
    from bot import play_on

    play_on()
    del held


def look_for_signs() -> None:
    """S06: what of it is to be seen from here?"""
    mark = given()["mark"]
    time.sleep(0.5)
    for folder in given()["folders"]:
        report(f"file:{folder}", partial(read, os.path.join(folder, mark)))
    report("abstract", partial(connect, socket.AF_UNIX, socket.SOCK_STREAM, "\0" + mark))
    report("flock", find_lock)
    report("keyring", partial(call, REQUEST_KEY, b"user", mark.encode(), None, 0))
    out("1\n")


def find_lock() -> None:
    """Succeeds when another process holds the lock."""
    with open("/etc/passwd", "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return
    raise OSError(0, "no process holds it")


# -- rights --------------------------------------------------------------------------------------


def rights() -> None:
    """S08: more rights through namespaces, mounts, or a program that has them."""
    for name, flags in (("user_namespace", CLONE_NEWUSER), ("mount_namespace", CLONE_NEWNS)):
        report(name, partial(in_child, partial(unshare, flags)))
    report("mount", partial(in_child, mount))
    report("chroot", partial(in_child, partial(os.chroot, "/")))
    report("setuid_program", run_setuid)
    report("become_root", partial(in_child, become_root))
    out("1\n")


def in_child(act: Any) -> None:
    """Try it in a child, so that this process stays what it is."""
    child = os.fork()
    if child == 0:
        try:
            act()
        except OSError as error:
            os._exit(error.errno or 1)
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status:
        raise OSError(abs(status), os.strerror(status) if status > 0 else "killed")


def unshare(flags: int) -> None:
    """Enter namespaces of one's own."""
    check(LIBC.unshare(flags))


def mount() -> None:
    """Mount an empty file system over a folder of one's own."""
    check(LIBC.unshare(CLONE_NEWNS))
    check(LIBC.mount(b"none", os.getcwd().encode(), b"tmpfs", 0, None))


def become_root() -> None:
    """Ask for the uid that may do everything."""
    os.setuid(0)


def run_setuid() -> None:
    """Does a set-user-id program of the system get other rights than this one?"""
    with open("/proc/self/status") as file:
        if "NoNewPrivs:\t1" in file.read():
            raise OSError(1, "no new privileges")


def kernel_memory() -> None:
    """S09: memory of the kernel that no limit counts, one piece of each kind."""
    report("seccomp", partial(in_child, partial(filter_calls, seccomp)))
    report("prctl_seccomp", partial(in_child, partial(filter_calls, prctl_seccomp)))
    report("socket_filter", filter_socket)
    report("set_mempolicy", partial(call, SET_MEMPOLICY, 0, None, 0))
    report("landlock", partial(in_child, landlock_rules))
    report("memory_name", name_memory)
    report("attribute", set_attribute)
    out("1\n")


class Program(ctypes.Structure):
    """`struct sock_fprog`: how many instructions, and where."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_char_p))


ALLOW_ALL = struct.pack("=HBBI", 0x06, 0, 0, 0x7FFF_0000)  # for a socket: pass so many bytes


def filter_calls(load: Any) -> None:
    """Load a filter that allows every call."""
    check(LIBC.prctl(38, 1, 0, 0, 0))
    load(ctypes.byref(Program(1, ALLOW_ALL)))


def seccomp(program: Any) -> None:
    """By the call of that name."""
    call(SECCOMP, 1, 0, program)


def prctl_seccomp(program: Any) -> None:
    """By the older way."""
    check(LIBC.prctl(22, 2, program, 0, 0))


def filter_socket() -> None:
    """Load one on a socket of one's own."""
    one, other = socket.socketpair()
    with one, other:
        one.setsockopt(socket.SOL_SOCKET, 26, bytes(Program(1, ALLOW_ALL)))


def landlock_rules() -> None:
    """A set of rules that are never in force."""
    call(444, struct.pack("=Q", 1), ctypes.c_size_t(8), 0)


def name_memory() -> None:
    """Give a piece of memory a name, which the kernel keeps."""
    piece = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    address = ctypes.addressof(ctypes.c_char.from_buffer(piece))
    check(LIBC.prctl(0x53564D41, *map(ctypes.c_ulong, (0, address, 4096)), b"spy"))


def set_attribute() -> None:
    """Give a file of one's own an attribute."""
    with open("spied", "w") as file:
        os.setxattr(file.fileno(), "user.spy", b"x" * 100)


def terminal() -> None:
    """S10: put words into the terminal of the operator."""
    report("controlling_terminal", partial(os.open, "/dev/tty", os.O_RDWR))
    for name in given()["terminals"]:
        report("open_terminal", partial(type_into, name))
    for descriptor in (0, 1, 2):
        report(f"inject_{descriptor}", partial(fcntl.ioctl, descriptor, termios.TIOCSTI, b"x"))
    out("1\n")


def type_into(name: str) -> None:
    """Open it and inject a key press."""
    descriptor = os.open(name, os.O_RDWR | os.O_NOCTTY)
    os.close(descriptor)


# -- the machine ---------------------------------------------------------------------------------


def machine() -> None:
    """S16: all that can be read of the machine, twice with a `pause` of seconds between, and what
    of it has changed meanwhile."""
    before = all_counters()
    time.sleep(given()["pause"])
    after = all_counters()
    changed = sorted({name_of(path) for path in before if after.get(path) != before[path]})
    print(f"CHANGED {json.dumps(changed)}", file=sys.stderr)
    memory = [os.sysconf(name) * os.sysconf("SC_PAGESIZE") for name in PAGES]
    print(f"MEMORY {json.dumps(memory)}", file=sys.stderr)
    for place in ("/", "/usr", "/tmp", "/proc"):
        report(f"statfs:{place}", partial(os.statvfs, place))
    random = os.open("/dev/urandom", os.O_RDONLY)
    report("entropy", partial(fcntl.ioctl, random, 0x80045200, b"xxxx"))
    report("cached", partial(read_if_cached, sys.executable))
    out("1\n")


def all_counters() -> dict[str, bytes]:
    """The beginning of all readable files of ``/proc`` and ``/sys``, and the numbers of calls that
    tell of the machine."""
    found = {}
    for top in ("/proc", "/sys"):
        for folder, folders, names in os.walk(top):
            folders[:] = [name for name in folders if name not in ("fd", "map_files")]
            for name in names:
                with suppress(OSError):
                    path = f"{folder}/{name}"
                    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
                    try:
                        found[path] = os.read(descriptor, 1 << 16)
                    finally:
                        os.close(descriptor)
    for place in ("/", "/usr", "/etc", "/tmp", "/dev/shm", "/proc", "/bot"):
        with suppress(OSError):
            found[f"statfs({place})"] = repr(os.statvfs(place)).encode()
    room = ctypes.create_string_buffer(128)
    if LIBC.sysinfo(room) == 0:
        found["sysinfo"] = room.raw
    return found


def name_of(path: str) -> str:
    """The path of a file of a process or thread, whatever its number; ``self`` is one of them."""
    number = r"(?:\d+|self|thread-self)"
    return re.sub(rf"^/proc/{number}/(?:task/{number}/)?", "", path)


def read_if_cached(path: str) -> None:
    """Read a byte of a file if it lies in the page cache."""
    with open(path, "rb") as file:
        os.preadv(file.fileno(), [bytearray(1)], 0, os.RWF_NOWAIT)


def outlive() -> None:
    """Double fork and setsid; the daemon says on the rival's way out that it still lives."""
    if os.fork() == 0:
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        if os.fork() == 0:
            time.sleep(60)
        os._exit(0)
    os.wait()
    out("1\n")
