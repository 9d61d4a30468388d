"""Build and load a seccomp filter that refuses system calls to bots.

The kernel runs a small classic BPF program before every system call of a process that loaded one,
and of all its descendants; it cannot be removed. The program reads `struct seccomp_data` (number,
architecture, instruction pointer, six arguments of 64 bits) and returns a verdict: allow, kill, or
an error number that the caller sees as the call's result.

The filter is a deny list. Runtimes need a few hundred calls and change from version to version, so
an allow list would break honest bots. The main walls are landlock or namespaces; the filter closes
what those leave open. How a call is refused depends on how its callers react:

* EPERM for what no bot needs;
* ENOSYS where libraries fall back to something older (clone3 hides its flags behind a pointer,
  which no filter can follow; clone shows them in a register);
* ENOSYS also for membarrier, with which one program halts every core for a moment;
* ENOTSUP for extended attributes: copying a file then goes on without them;
* EINVAL for the options of prctl that a kernel may be built without;
* EACCES for sockets other than unix ones, and ENOLCK for file locks: two bots that may read the
  same system files must not communicate by locking them. Watching files is refused for the same
  reason.

Builds may lock files (`FILE_LOCKS`): their tools need it, and they have no rival.

No program chooses its cores: one could leave the core to which its match is pinned, and take that
of another match. The call succeeds and does nothing: runtimes that ask for cores work without them.

A process may change limits and scheduling only for itself: where bots share a user id, one could
otherwise slow down its rival or the arena, or take away its descriptors. A pid namespace has no
other programs, so a program may schedule every process in it (`OWN_PROCESSES`). Elsewhere a filter
cannot know which ids are the caller's own threads. Some runtimes (mono) request the ordinary policy
by thread id, which every thread has from the start: that call succeeds and does nothing.

Shared anonymous memory belongs to no process: once its pages are dropped (MADV_DONTNEED), no look
at the resident memory finds it. It is allowed where a control group counts it (`COUNTED_MEMORY`).

Some kernel memory counts towards no limit at all: filters on system calls or sockets (181 MiB for
one bot), landlock rules, extended attributes, and names and policies of memory areas. So no bot may
create any of these. (The arena's own filters are loaded before this one is in force, or are this
one.)

What counts the whole machine is heard from outside: by sysinfo its memory, load and processes, by
statfs and the ioctls of file systems the free blocks of its disks. So statfs is refused, sysinfo
where the keeper cannot answer it (`sysinfo`), and of ioctl all that is not for terminals, pipes or
descriptors. preadv2 with RWF_NOWAIT and cachestat say
which parts of a file are in the page cache, by which a bot could leave exact bits for the next
match.

PR_SCHED_CORE is refused since it keeps all other programs off the sibling of the caller's core.

No bot needs to drop the system's libraries from the page cache (POSIX_FADV_DONTNEED; sync makes
more pages droppable): it slowed a rival down from 5 ms a move to up to 212 ms.

32-bit and x32 calls have other numbers; a process that makes one is killed, since the filter knows
only the native numbering.

BPF jumps reach 255 instructions. Here nothing jumps beyond its own verdict: every call has its own
comparison and return. At load time the kernel works out which calls are allowed whatever their
arguments, and skips the filter for them (Linux 5.11). So the order matters only for calls whose
arguments are checked, and these come first.

Only the low 32 bits of arguments are compared, as the kernel itself reads them: otherwise a caller
could set a high bit and pass.
"""

import ctypes
import errno
import os
import struct
from collections.abc import Sequence
from typing import NamedTuple

PR_SET_SECCOMP = 22
PR_SET_NO_NEW_PRIVS = 38
SECCOMP_MODE_FILTER = 2
SECCOMP_SET_MODE_FILTER = 1
FILTER_FLAG_NEW_LISTENER = 8
FILTER_FLAG_WAIT_KILLABLE = 32
"""A thread whose call was received waits for the answer whatever signals it gets (Linux 5.19):
otherwise timers make it call again without end."""

KILL = 0x8000_0000
ALLOW = 0x7FFF_0000
ASK = 0x7FC0_0000
REFUSE = 0x0005_0000
"""Verdicts; `REFUSE` is combined with an error number, and prevails over `ASK`."""

LOAD = 0x20
RETURN = 0x06
EQUAL = 0x15
ANY_BIT = 0x45
"""Instructions: load 32 bits, return, jump if equal, jump if any of the bits is set."""

NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
"""Offsets in `struct seccomp_data`. Both machines are little-endian."""

MACHINES = {"x86_64": 0xC000_003E, "aarch64": 0xC000_00B7}
"""The kernel's architecture codes, in the order of the columns of `TABLE`."""
X32 = 0x4000_0000

TABLE = """
clone               56 220 checked
socket              41 198 checked
socketpair          53 199 checked
fcntl               72  25 checked
mmap                 9 222 checked
fadvise64          221 223 checked
setsockopt          54 208 checked
ioctl               16  29 checked
prlimit64          302 261 checked
sched_setaffinity  203 122 checked
sched_setattr      314 274 checked
sched_setparam     142 118 checked
sched_setscheduler 144 119 checked
prctl              157 167 checked
preadv2            327 286 checked

# other processes
ptrace             101 117 EPERM
process_vm_readv   310 270 EPERM
process_vm_writev  311 271 EPERM
process_madvise    440 440 EPERM
kcmp               312 272 EPERM
pidfd_getfd        438 438 EPERM
setpriority        141 140 EPERM
ioprio_set         251  30 EPERM

# namespaces and mounts
clone3             435 435 ENOSYS
unshare            272  97 EPERM
setns              308 268 EPERM
mount              165  40 EPERM
umount2            166  39 EPERM
pivot_root         155  41 EPERM
chroot             161  51 EPERM
open_tree          428 428 EPERM
open_tree_attr     467 467 EPERM
move_mount         429 429 EPERM
fsopen             430 430 EPERM
fsconfig           431 431 EPERM
fsmount            432 432 EPERM
fspick             433 433 EPERM
mount_setattr      442 442 EPERM

# large surfaces of the kernel that no bot needs
io_uring_setup     425 425 ENOSYS
io_uring_enter     426 426 ENOSYS
io_uring_register  427 427 ENOSYS
bpf                321 280 EPERM
perf_event_open    298 241 EPERM
userfaultfd        323 282 EPERM
add_key            248 217 EPERM
request_key        249 218 EPERM
keyctl             250 219 EPERM

# memory that no limit on files or folders sees
memfd_create       319 279 ENOSYS
memfd_secret       447 447 ENOSYS
vmsplice           278  75 EPERM
io_setup           206   0 ENOSYS

# memory of the kernel that no limit sees
seccomp                 317 277 EPERM
landlock_create_ruleset 444 444 ENOSYS
landlock_add_rule       445 445 ENOSYS
landlock_restrict_self  446 446 ENOSYS
setxattr                188   5 ENOTSUP
lsetxattr               189   6 ENOTSUP
fsetxattr               190   7 ENOTSUP
setxattrat              463 463 ENOTSUP
mbind                   237 235 EPERM
set_mempolicy           238 237 EPERM
set_mempolicy_home_node 450 450 EPERM
migrate_pages           256 238 EPERM
move_pages              279 239 EPERM

# holding up the whole machine
membarrier         324 283 ENOSYS
sync               162  81 EPERM
syncfs             306 267 EPERM

# what counts the whole machine
sysinfo             99 179 ENOSYS
statfs             137  43 ENOSYS
fstatfs            138  44 ENOSYS
ustat              136   - ENOSYS
cachestat          451 451 ENOSYS

# talking to other bots
flock               73  32 ENOLCK
inotify_init       253   - ENOSYS
inotify_init1      294  26 ENOSYS
fanotify_init      300 262 EPERM
shmget              29 194 EPERM
shmat               30 196 EPERM
shmctl              31 195 EPERM
shmdt               67 197 EPERM
msgget              68 186 EPERM
msgsnd              69 189 EPERM
msgrcv              70 188 EPERM
msgctl              71 187 EPERM
semget              64 190 EPERM
semop               65 193 EPERM
semctl              66 191 EPERM
semtimedop         220 192 EPERM
mq_open            240 180 EPERM
mq_unlink          241 181 EPERM
mq_timedsend       242 182 EPERM
mq_timedreceive    243 183 EPERM
mq_notify          244 184 EPERM
mq_getsetattr      245 185 EPERM

# files by other ways than their path
name_to_handle_at  303 264 EPERM
open_by_handle_at  304 265 EPERM

# running the machine
init_module        175 105 EPERM
finit_module       313 273 EPERM
delete_module      176 106 EPERM
kexec_load         246 104 EPERM
kexec_file_load    320 294 EPERM
reboot             169 142 EPERM
swapon             167 224 EPERM
swapoff            168 225 EPERM
acct               163  89 EPERM
quotactl           179  60 EPERM
quotactl_fd        443 443 EPERM
settimeofday       164 170 EPERM
clock_settime      227 112 EPERM
clock_adjtime      305 266 EPERM
adjtimex           159 171 EPERM
sethostname        170 161 EPERM
setdomainname      171 162 EPERM
iopl               172   - EPERM
ioperm             173   - EPERM
lookup_dcookie     212  18 EPERM
syslog             103 116 EPERM
vhangup            153  58 EPERM
"""
"""Name, number on each machine, and how the call is refused."""


class ArgumentCheck(NamedTuple):
    """Check of one argument: gives the verdict `then` if `test` holds for any of `values`."""

    argument: int
    test: int
    values: tuple[int, ...]
    then: int


NAMESPACES = 0x7E02_0000  # every CLONE_NEW… flag but that of time, which clone cannot express
AF_UNIX = 1
LOCKS = (5, 6, 7, 36, 37, 38)  # F_GETLK to F_SETLKW, F_OFD_GETLK to F_OFD_SETLKW
LEASES = (1024, 1025, 1026)  # F_SETLEASE, F_GETLEASE, F_NOTIFY
HINTS = (1036,)  # F_SET_RW_HINT: before Linux 6.9 a mark left on a file that one may only read
TIOCSTI, TIOCLINUX = 0x5412, 0x541C  # both type into a terminal as if its user did
NOT_TERMINAL = 0xFFFF_AB00  # bits that no call of terminals, pipes and plain descriptors has
RWF_NOWAIT = 8
SELF = 0
SCHED_OTHER = 0
MAP_PRIVATE, MAP_ANONYMOUS = 0x02, 0x20
FADV_DONTNEED = 4
SEND_BUFFERS = (7, 32)  # SO_SNDBUF, SO_SNDBUFFORCE: in these, what is not read waits
SOCKET_FILTERS = (26, 50, 51, 52)  # SO_ATTACH_FILTER, _BPF, _REUSEPORT_CBPF, _REUSEPORT_EBPF
PR_SCHED_CORE, PR_SET_VMA = 62, 0x5356_4D41

FILE_LOCKS = ("flock", "fcntl")
OWN_PROCESSES = ("sched_setattr", "sched_setparam", "sched_setscheduler")
COUNTED_MEMORY = ("mmap",)
"""Calls that may be exempt from the filter."""
KINDS = ((), OWN_PROCESSES, (*OWN_PROCESSES, *COUNTED_MEMORY))
"""Exemptions of bots: at the guard, in a sandbox, in a sandbox with a control group."""

_FORBID = REFUSE | errno.EPERM
_PRETEND = REFUSE | 0
_IF_UNIX = (ArgumentCheck(0, EQUAL, (AF_UNIX,), ALLOW), REFUSE | errno.EACCES)
_IF_SELF = (ArgumentCheck(0, EQUAL, (SELF,), ALLOW), _FORBID)
_IF_ORDINARY = ArgumentCheck(1, EQUAL, (SCHED_OTHER,), _PRETEND)
_LOCKING = ArgumentCheck(1, EQUAL, (*LOCKS, *LEASES, *HINTS), REFUSE | errno.ENOLCK)
CHECKS: dict[str, tuple[ArgumentCheck | int, ...]] = {
    "clone": (ArgumentCheck(0, ANY_BIT, (NAMESPACES,), _FORBID), ALLOW),
    "socket": _IF_UNIX,
    "socketpair": _IF_UNIX,
    "fcntl": (_LOCKING, ALLOW),
    "ioctl": (
        ArgumentCheck(1, EQUAL, (TIOCSTI, TIOCLINUX), _FORBID),
        ArgumentCheck(1, ANY_BIT, (NOT_TERMINAL,), REFUSE | errno.ENOTTY),
        ALLOW,
    ),
    "mmap": (
        ArgumentCheck(3, ANY_BIT, (MAP_PRIVATE,), ALLOW),
        ArgumentCheck(3, ANY_BIT, (MAP_ANONYMOUS,), _FORBID),
        ALLOW,
    ),
    "fadvise64": (ArgumentCheck(3, EQUAL, (FADV_DONTNEED,), _FORBID), ALLOW),
    "setsockopt": (  # the level is ignored: unix sockets have options at only one
        ArgumentCheck(2, EQUAL, SEND_BUFFERS, _PRETEND),
        ArgumentCheck(2, EQUAL, SOCKET_FILTERS, _FORBID),
        ALLOW,
    ),
    "prctl": (
        ArgumentCheck(0, EQUAL, (PR_SET_SECCOMP,), _FORBID),
        ArgumentCheck(0, EQUAL, (PR_SCHED_CORE, PR_SET_VMA), REFUSE | errno.EINVAL),
        ALLOW,
    ),
    "preadv2": (ArgumentCheck(5, ANY_BIT, (RWF_NOWAIT,), REFUSE | errno.EOPNOTSUPP), ALLOW),
    "prlimit64": _IF_SELF,
    "sched_setaffinity": (_PRETEND,),
    "sched_setattr": _IF_SELF,
    "sched_setparam": _IF_SELF,
    "sched_setscheduler": (_IF_SELF[0], _IF_ORDINARY, _FORBID),
}
"""Checks per call: the first one that holds gives the verdict, otherwise the final entry."""


def program(machine: str, allow: Sequence[str] = ()) -> bytes:
    """The filter for a machine, named as in `os.uname`: an array of `struct sock_filter`, as the
    kernel and ``bwrap --seccomp`` read it. `allow` names calls of the table to exempt. Raises
    ValueError for an unknown machine."""
    if machine not in MACHINES:
        raise ValueError(f"no system call filter for {machine!r}: only for {', '.join(MACHINES)}")
    rules = [_rule(*call) for call in calls(machine) if call[0] not in allow]
    return _entrance(machine) + b"".join(rules) + _return(ALLOW)


def calls(machine: str) -> list[tuple[str, int, str]]:
    """The calls of `TABLE` that this machine has: name, number, refusal."""
    column = 1 + list(MACHINES).index(machine)
    rows = [line.split() for line in TABLE.splitlines() if line and line[0] != "#"]
    return [(row[0], int(row[column]), row[3]) for row in rows if row[column] != "-"]


def install(program: bytes) -> None:
    """Load a filter into this process permanently. Also sets no_new_privs, without which only root
    may load one. The caller must be single-threaded: other threads would stay unfiltered. Raises
    OSError."""
    forbid_new_rights()
    header = _Program(program)
    _prctl(
        "load the system call filter",
        PR_SET_SECCOMP,
        SECCOMP_MODE_FILTER,
        ctypes.addressof(header),
    )


def forbid_new_rights() -> None:
    """Set no_new_privs for this process, permanently: no program that it executes gains rights."""
    _prctl("set no_new_privs", PR_SET_NO_NEW_PRIVS, 1)


def load_listener(machine: str, name: str) -> int:
    """Load a filter into this process permanently with which the kernel asks what a call of the
    table shall do. Returns the descriptor on which it asks. Raises OSError."""
    numbers = {call: number for call, number, _ in calls(machine)}
    rule = _jump(EQUAL, numbers[name], 0, 1) + _return(ASK)
    native = _load(ARCHITECTURE) + _jump(EQUAL, MACHINES[machine], 1, 0) + _return(ALLOW)
    header = _Program(native + _load(NUMBER) + rule + _return(ALLOW))
    for flags in (FILTER_FLAG_NEW_LISTENER | FILTER_FLAG_WAIT_KILLABLE, FILTER_FLAG_NEW_LISTENER):
        words = numbers["seccomp"], SECCOMP_SET_MODE_FILTER, flags
        listener = _libc.syscall(*words, ctypes.byref(header))
        if listener >= 0:
            return int(listener)
    raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


class _Program(ctypes.Structure):
    """`struct sock_fprog`."""

    _fields_ = (("length", ctypes.c_ushort), ("code", ctypes.c_void_p))

    def __init__(self, program: bytes) -> None:
        self._code = ctypes.create_string_buffer(program, len(program))
        super().__init__(len(program) // _INSTRUCTION.size, ctypes.addressof(self._code))


_INSTRUCTION = struct.Struct("=HBBI")
_libc = ctypes.CDLL(None, use_errno=True)


def _prctl(purpose: str, option: int, *arguments: int) -> None:
    words = [ctypes.c_ulong(word) for word in (*arguments, 0, 0, 0, 0)[:4]]
    if _libc.prctl(option, *words) != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"cannot {purpose}: {os.strerror(number)}")


def _entrance(machine: str) -> bytes:
    """Kill a process that uses another numbering; then load the call number."""
    right = _load(ARCHITECTURE) + _jump(EQUAL, MACHINES[machine], 1, 0) + _return(KILL)
    known = _jump(ANY_BIT, X32, 0, 1) + _return(KILL) if machine == "x86_64" else b""
    return right + _load(NUMBER) + known


def _rule(name: str, number: int, refusal: str) -> bytes:
    """Return the verdict if it is this call; otherwise continue with the next rule."""
    if refusal == "checked":
        verdict = b"".join(map(_verdict, CHECKS[name]))
    else:
        verdict = _return(REFUSE | getattr(errno, refusal))
    return _jump(EQUAL, number, 0, len(verdict) // _INSTRUCTION.size) + verdict


def _verdict(check: ArgumentCheck | int) -> bytes:
    """Return the verdict if the check holds; otherwise continue with the next one."""
    if isinstance(check, int):
        return _return(check)
    last = len(check.values) - 1
    tests = [
        _jump(check.test, value, last - index, 1 if index == last else 0)
        for index, value in enumerate(check.values)
    ]
    return _load(ARGUMENTS + 8 * check.argument) + b"".join(tests) + _return(check.then)


def _load(offset: int) -> bytes:
    return _INSTRUCTION.pack(LOAD, 0, 0, offset)


def _return(verdict: int) -> bytes:
    return _INSTRUCTION.pack(RETURN, 0, 0, verdict)


def _jump(test: int, value: int, then: int, otherwise: int) -> bytes:
    """Skip `then` instructions if the test holds, `otherwise` instructions if not."""
    return _INSTRUCTION.pack(test, then, otherwise, value)
