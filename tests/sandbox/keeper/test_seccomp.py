"""The filter of system calls: its verdicts by an interpreter, and the kernel's own."""

from __future__ import annotations

import errno
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from arena.sandbox.keeper import landlock, seccomp
from tests.sandbox.walls import behind, ci_or_skip, python_behind, within
from tests.support.tools import every, needs_tool

KILLED, ALLOWED = "killed", "allowed"
X86, ARM, I386 = 0xC000_003E, 0xC000_00B7, 0x4000_0003
ARCHITECTURES = {"x86_64": X86, "aarch64": ARM}

REFUSED = {
    errno.EPERM: """
        ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd process_madvise
        mount umount2 pivot_root chroot move_mount open_tree fsopen fsconfig fsmount fspick
        mount_setattr open_tree_attr unshare setns add_key request_key keyctl bpf perf_event_open
        userfaultfd init_module finit_module delete_module kexec_load kexec_file_load reboot
        swapon swapoff shmget shmat shmctl shmdt msgget msgsnd msgrcv msgctl semget semop semctl
        semtimedop mq_open mq_unlink mq_timedsend mq_timedreceive mq_notify mq_getsetattr acct
        quotactl quotactl_fd settimeofday clock_settime clock_adjtime adjtimex sethostname
        setdomainname iopl ioperm open_by_handle_at name_to_handle_at fanotify_init
        lookup_dcookie syslog vhangup setpriority ioprio_set vmsplice sync syncfs
        seccomp mbind set_mempolicy set_mempolicy_home_node migrate_pages move_pages""",
    errno.ENOSYS: """clone3 io_uring_setup io_uring_enter io_uring_register memfd_create
        memfd_secret inotify_init inotify_init1 io_setup membarrier
        sysinfo statfs fstatfs ustat cachestat
        landlock_create_ruleset landlock_add_rule landlock_restrict_self""",
    errno.ENOTSUP: "setxattr lsetxattr fsetxattr setxattrat",
    errno.ENOLCK: "flock",
}
"""What must be refused whatever the arguments, written down apart from the module's table."""
SELF_ONLY = ["prlimit64", "sched_setattr", "sched_setparam", "sched_setscheduler"]
CHECKED = {
    *(
        "clone",
        "socket",
        "socketpair",
        "fcntl",
        "ioctl",
        "mmap",
        "fadvise64",
        "setsockopt",
        "prctl",
        "preadv2",
        "sched_setaffinity",
    ),
    *SELF_ONLY,
}
X86_ONLY = {"iopl", "ioperm", "inotify_init", "ustat"}

HIGH = 1 << 32
ARGUMENTS = [
    ("clone", (0x1200011,), ALLOWED),  # fork
    ("clone", (0x3D0F00,), ALLOWED),  # a thread
    *(("clone", (17 | 1 << bit,), errno.EPERM) for bit in (17, 25, 26, 27, 28, 29, 30)),
    ("socket", (1, 1, 0), ALLOWED),
    *(("socket", (family, 2, 0), errno.EACCES) for family in (0, 2, 10, 16, 17, 38, 40, 44)),
    ("socketpair", (1, 1, 0), ALLOWED),
    ("socketpair", (30, 1, 0), errno.EACCES),
    *(("fcntl", (3, command), ALLOWED) for command in (0, 1, 2, 3, 4, 8, 10, 1030, 1031, 1033)),
    *(
        ("fcntl", (3, command), errno.ENOLCK)
        for command in (5, 6, 7, 36, 37, 38, 1024, 1025, 1026, 1036, 6 + HIGH)
    ),
    ("ioctl", (0, 0x5401), ALLOWED),  # is it a terminal?
    ("ioctl", (0, 0x5412), errno.EPERM),
    ("ioctl", (0, 0x5412 + HIGH), errno.EPERM),
    ("ioctl", (0, 0x541C + 0xFF * HIGH), errno.EPERM),
    *(("ioctl", (0, call), ALLOWED) for call in (0x5413, 0x541B, 0x5421, 0x5450, 0x5451)),
    *(  # RNDGETENTCNT, XFS_IOC_FSCOUNTS, BTRFS_IOC_SPACE_INFO, SIOCGSTAMP
        ("ioctl", (0, call), errno.ENOTTY) for call in (0x80045200, 0x80205871, 0xC0109414, 0x8906)
    ),
    *(("preadv2", (3, 0, 1, 0, 0, flags), ALLOWED) for flags in (0, 1, 7, 16)),
    *(("preadv2", (3, 0, 1, 0, 0, flags), errno.ENOTSUP) for flags in (8, 9, 8 + HIGH)),
    *((name, (0, 7), ALLOWED) for name in SELF_ONLY),
    *((name, (HIGH, 7), ALLOWED) for name in SELF_ONLY),  # the kernel reads it as 0 too
    *((name, (1, 7), errno.EPERM) for name in SELF_ONLY),
    *(("sched_setaffinity", (thread, 8), 0) for thread in (0, 1)),  # succeeds, does nothing
    ("sched_setscheduler", (4711, 0), 0),  # what the caller has anyway: succeeds, does nothing
    ("sched_setscheduler", (4711, 1), errno.EPERM),
    ("mmap", (0, 4096, 3, 0x22), ALLOWED),  # private memory
    ("mmap", (0, 4096, 3, 0x4022), ALLOWED),
    ("mmap", (0, 4096, 3, 0x01), ALLOWED),  # a shared file
    *(("mmap", (0, 4096, 3, flags), errno.EPERM) for flags in (0x21, 0x4021, 0x8021, 0x21 + HIGH)),
    *(("fadvise64", (3, 0, 0, advice), ALLOWED) for advice in (0, 1, 2, 3, 5)),
    ("fadvise64", (3, 0, 0, 4), errno.EPERM),
    *(("setsockopt", (3, 1, option), ALLOWED) for option in (2, 8, 9, 16)),
    *(("setsockopt", (3, 1, option), 0) for option in (7, 32)),
    *(("setsockopt", (3, 1, option), errno.EPERM) for option in (26, 50, 51, 52)),
    ("setsockopt", (3, 1 + HIGH, 26 + HIGH), errno.EPERM),
    ("setsockopt", (3 + HIGH, 1, 50 + 0xFF * HIGH), errno.EPERM),
    *(("prctl", (option,), ALLOWED) for option in (1, 4, 15, 21, 23, 24, 29, 38, 40, 53)),
    *(("prctl", (22, mode), errno.EPERM) for mode in (1, 2)),
    ("prctl", (22 + HIGH, 2), errno.EPERM),
    *(("prctl", (option, 0), errno.EINVAL) for option in (0x53564D41, 62, 62 + HIGH)),
]
"""Calls whose arguments decide."""


def verdict(
    machine: str,
    number: int,
    arguments: tuple[int, ...] = (),
    architecture: int | None = None,
    allow: tuple[str, ...] = (),
) -> str | int:
    """Run the filter as the kernel does: what becomes of this call?"""
    words = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    architecture = ARCHITECTURES[machine] if architecture is None else architecture
    data = struct.pack("=IIQ6Q", number, architecture, 0, *words)
    code = list(struct.iter_unpack("=HBBI", seccomp.program(machine, allow)))
    accumulator = at = 0
    while True:
        operation, then, otherwise, value = code[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("=I", data, value)
            case 0x15:
                at += then if accumulator == value else otherwise
            case 0x45:
                at += then if accumulator & value else otherwise
            case 0x06:
                return meaning(value)
            case _:
                raise AssertionError(f"an instruction that the filter has no need of: {operation}")


def meaning(value: int) -> str | int:
    named = {0x8000_0000: KILLED, 0x7FFF_0000: ALLOWED}
    if value in named:
        return named[value]
    assert value >> 16 == 0x0005
    return value & 0xFFFF


def numbers(machine: str) -> dict[str, int]:
    return {name: number for name, number, _ in seccomp.calls(machine)}


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_every_call_of_the_list_is_refused(machine: str) -> None:
    known = numbers(machine)
    listed = set(CHECKED)
    for error, names in REFUSED.items():
        for name in set(names.split()) - (X86_ONLY if machine == "aarch64" else set()):
            assert verdict(machine, known[name], (1, 2, 3)) == error, name
            listed.add(name)
    assert set(known) == listed


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_everything_else_is_allowed(machine: str) -> None:
    others = set(range(600)) - set(numbers(machine).values())
    assert {verdict(machine, number, (1, 2, 3)) for number in others} == {ALLOWED}


@every("machine", ARCHITECTURES)
@every("name, arguments, expected", ARGUMENTS)
def test_arguments_that_decide(
    machine: str, name: str, arguments: tuple[int, ...], expected: str | int
) -> None:
    assert verdict(machine, numbers(machine)[name], arguments) == expected


@pytest.mark.parametrize("machine", ARCHITECTURES)
def test_another_numbering_is_the_end(machine: str) -> None:
    for architecture in {X86, ARM, I386, 0x4000_0028, 0} - {ARCHITECTURES[machine]}:
        for number in (0, 1, 41, 101, 400):
            assert verdict(machine, number, (), architecture) == KILLED
    x32 = KILLED if machine == "x86_64" else ALLOWED
    assert {verdict(machine, number | 0x4000_0000) for number in (0, 41, 101, 512)} == {x32}


def test_a_machine_without_a_table() -> None:
    with pytest.raises(ValueError, match="'riscv64': only for x86_64, aarch64"):
        seccomp.program("riscv64")


@pytest.mark.parametrize(
    ("machine", "header"),
    [
        ("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"),
        ("aarch64", "/usr/include/asm-generic/unistd.h"),
    ],
)
def test_the_numbers_are_those_of_the_kernel(machine: str, header: str) -> None:
    if not Path(header).exists():
        ci_or_skip(f"no {header}: apt-get install linux-libc-dev")
    defined = re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text())
    kernel = {name: int(number) for name, number in defined}
    newer = {"open_tree_attr", "setxattrat", "cachestat"}  # later than many a header
    for name, number in numbers(machine).items():
        if name in kernel or name not in newer:
            assert kernel[name] == number, name


@pytest.mark.parametrize("machine", ARCHITECTURES)
@pytest.mark.parametrize("allow", seccomp.KINDS)
def test_what_is_allowed_to_some_is_allowed_whatever_the_arguments(
    machine: str, allow: tuple[str, ...]
) -> None:
    for name in allow:
        for arguments in ((1, 7, 0, 0), (4711, 1, 3, 0x21)):
            number = numbers(machine)[name]
            assert verdict(machine, number, arguments, allow=allow) == ALLOWED


# From here on, real processes and the kernel's own verdict.

linux = pytest.mark.skipif(
    sys.platform != "linux" or os.uname().machine not in seccomp.MACHINES,
    reason="the filter is for Linux on x86_64 and aarch64",
)
WALL = (
    "from arena.sandbox.keeper import seccomp; seccomp.install(seccomp.program(os.uname().machine))"
)

CALL = """
import ctypes, errno
libc = ctypes.CDLL(None, use_errno=True)
result = libc.syscall(*map(ctypes.c_long, {words}))
print(errno.errorcode[ctypes.get_errno()] if result == -1 else "allowed")
"""


@linux
@pytest.mark.parametrize(
    ("name", "arguments", "expected"),
    [
        ("ptrace", (0, 0, 0, 0), "EPERM"),
        ("unshare", (0x1000_0000,), "EPERM"),
        ("clone", (0x1000_0011, 0, 0, 0, 0), "EPERM"),
        ("clone3", (0, 0), "ENOSYS"),
        ("memfd_create", (0, 0), "ENOSYS"),
        ("inotify_init1", (0,), "ENOSYS"),
        ("io_uring_setup", (1, 0), "ENOSYS"),
        ("keyctl", (0, -3, 0), "EPERM"),
        ("shmget", (0, 4096, 0o1600), "EPERM"),
        ("mq_open", (0, 0), "EPERM"),
        ("socket", (2, 1, 0), "EACCES"),
        ("socket", (2, 2, 0), "EACCES"),
        ("socket", (10, 1, 0), "EACCES"),
        ("socket", (16, 3, 0), "EACCES"),
        ("socket", (40, 1, 0), "EACCES"),
        ("socket", (1, 1, 0), "allowed"),
        ("flock", (0, 2), "ENOLCK"),
        ("fcntl", (0, 6, 0), "ENOLCK"),
        ("fcntl", (0, 38, 0), "ENOLCK"),
        ("fcntl", (0, 1), "allowed"),
        ("ioctl", (0, 0x5412, 0), "EPERM"),
        ("ioctl", (0, 0x5412 + HIGH, 0), "EPERM"),
        ("ioctl", (0, 0x80045200, 0), "ENOTTY"),
        ("preadv2", (0, 0, 0, 0, 0, 8), "ENOTSUP"),
        ("sysinfo", (0,), "ENOSYS"),
        ("fstatfs", (0, 0), "ENOSYS"),
        ("prlimit64", (1, 7, 0, 0), "EPERM"),
        ("prlimit64", (0, 7, 0, 0), "allowed"),
        ("setpriority", (0, 0, 5), "EPERM"),
        ("mmap", (0, 4096, 3, 0x21, -1, 0), "EPERM"),
        ("mmap", (0, 4096, 3, 0x22, -1, 0), "allowed"),
        ("membarrier", (0, 0), "ENOSYS"),
        ("fadvise64", (0, 0, 0, 4), "EPERM"),
        ("sched_setscheduler", (1, 0, 0), "allowed"),
        ("sched_setscheduler", (1, 1, 0), "EPERM"),
        ("seccomp", (2, 0, 0), "EPERM"),  # SECCOMP_GET_ACTION_AVAIL: loads nothing
        ("prctl", (22, 99, 0, 0, 0), "EPERM"),  # PR_SET_SECCOMP in a mode that does not exist
        ("prctl", (0x53564D41, 0, 0, 0, 0), "EINVAL"),
        ("prctl", (38, 1, 0, 0, 0), "allowed"),
        ("setsockopt", (-1, 1, 26, 0, 0), "EPERM"),
        ("setsockopt", (-1, 1, 50, 0, 0), "EPERM"),
        ("setsockopt", (-1, 1, 16, 0, 0), "EBADF"),
        ("setxattr", (0, 0, 0, 0, 0), "ENOTSUP"),
        ("set_mempolicy", (0, 0, 0), "EPERM"),
        ("mbind", (0, 0, 0, 0, 0, 0), "EPERM"),
        ("landlock_create_ruleset", (0, 0, 1), "ENOSYS"),
    ],
)
def test_the_kernel_refuses(name: str, arguments: tuple[int, ...], expected: str) -> None:
    words = (numbers(os.uname().machine)[name], *arguments)
    code = CALL.format(words=words)
    assert within(WALL, code) == expected


@linux
@pytest.mark.parametrize(
    ("name", "arguments"),
    [("flock", (0, 2)), ("socket", (2, 1, 0)), ("unshare", (0,)), ("inotify_init1", (0,))],
)
def test_without_the_filter_nothing_is_refused(name: str, arguments: tuple[int, ...]) -> None:
    code = CALL.format(words=(numbers(os.uname().machine)[name], *arguments))
    assert within("", code) == "allowed"


@linux
@pytest.mark.skipif(os.uname().machine != "x86_64", reason="only x86_64 has x32 calls")
def test_an_x32_call_kills() -> None:
    code = CALL.format(words=(0x4000_0000 + 39,))
    done = behind(WALL, [sys.executable, "-I", "-c", code])
    assert done.returncode == -signal.SIGSYS


@linux
def test_a_broken_filter_is_an_error() -> None:
    wall = "from arena.sandbox.keeper import seccomp\ntry: seccomp.install(bytes(8))\n"
    wall += "except OSError as error: print(error, flush=True)"
    done = behind(wall, ["/bin/true"])
    assert done.stdout == "[Errno 22] cannot load the system call filter: Invalid argument\n"


ORDINARY = """
import os, socket, subprocess, sys, tempfile, threading, multiprocessing, resource, select
heard = []
threads = [threading.Thread(target=heard.append, args=(n,)) for n in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
ours, theirs = socket.socketpair()
ours.send(b"hello")
with tempfile.TemporaryFile() as file:
    file.write(b"x" * 100)
child = subprocess.run([sys.executable, "-I", "-c", "print(6 * 7)"], capture_output=True)
with multiprocessing.get_context("fork").Pool(2) as pool:
    squares = pool.map(int, "123")
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
select.epoll().close()
os.sched_setaffinity(0, os.sched_getaffinity(0))
shell = subprocess.run("echo $((1 + 1)) | cat", shell=True, capture_output=True)
root = bool(open("/etc/passwd").read(4))
print(sorted(heard), theirs.recv(9), child.stdout, squares, shell.stdout, root)
"""


@linux
def test_ordinary_things_still_work() -> None:
    expected = r"[0, 1, 2, 3] b'hello' b'42\n' [1, 2, 3] b'2\n' True"
    assert python_behind(WALL, ORDINARY) == expected


@linux
def test_a_later_stage_may_give_up_its_user() -> None:
    if os.getuid() != 0:
        pytest.skip("only root can become another user")
    code = "import os; os.setgroups([]); os.setgid(65534); os.setuid(65534); print(os.getuid())"
    assert python_behind(WALL, code) == "65534"


@linux
@pytest.mark.tool
def test_bubblewrap_loads_it(tmp_path: Path) -> None:
    """What it reads from a descriptor is what `program` returns."""
    bwrap = needs_tool("bwrap", "bubblewrap")
    (tmp_path / "filter").write_bytes(seccomp.program(os.uname().machine))
    code = CALL.format(words=(numbers(os.uname().machine)["socket"], 2, 1, 0))
    with (tmp_path / "filter").open("rb") as file:
        done = subprocess.run(
            [bwrap, "--ro-bind", "/", "/", "--dev", "/dev", "--seccomp", str(file.fileno()),
             sys.executable, "-I", "-c", code],
            pass_fds=[file.fileno()], capture_output=True, text=True, timeout=60, check=False,
        )  # fmt: skip
    assert done.stdout == "EACCES\n", done.stderr


@linux
def test_behind_landlock() -> None:
    if landlock.abi() < landlock.NEEDED:
        ci_or_skip(f"landlock version {landlock.NEEDED} is needed")
    first = "from arena.sandbox.keeper import landlock; landlock.restrict(['/'], ['/dev/null'])"
    code = "import os; open('/dev/null', 'w'); print(os.access('/etc/passwd', os.R_OK))"
    assert python_behind(f"{first}\n{WALL}", code) == "True"


# Runtimes of other languages: each reads a line, starts a thread or the like, and answers.

JAVA = """
public class Main {
    public static void main(String[] a) throws Exception {
        Thread t = new Thread(() -> System.out.println("from a thread"));
        t.start();
        t.join();
        System.out.println(new java.util.Scanner(System.in).nextInt() * 2);
    }
}
"""
GO = """
package main
import "fmt"
func main() {
    var n int
    said := make(chan string)
    go func() { said <- "from a thread" }()
    fmt.Println(<-said)
    fmt.Scan(&n)
    fmt.Println(n * 2)
}
"""
NODE = """
const { Worker } = require("worker_threads");
new Worker("require('worker_threads').parentPort.postMessage('from a thread')", { eval: true })
  .on("message", (text) => {
    console.log(text);
    process.stdin.once("data", (line) => { console.log(line * 2); process.exit(0); });
  });
"""
MONO = """
class Program {
    static void Main() {
        var thread = new System.Threading.Thread(() => System.Console.WriteLine("from a thread"));
        thread.Start();
        thread.Join();
        System.Console.WriteLine(int.Parse(System.Console.ReadLine()) * 2);
    }
}
"""
RUBY = "Thread.new { puts 'from a thread' }.join; puts gets.to_i * 2"


def doubled(argv: list[str]) -> None:
    done = behind(WALL, argv, "21\n")
    assert (done.returncode, done.stdout) == (0, "from a thread\n42\n"), done.stderr


@pytest.mark.dear
@linux
@pytest.mark.tool
def test_java(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Unless told to keep no performance data, the virtual machine complains on stdout, where the
    # moves go, that it cannot lock their file.
    monkeypatch.setenv("JDK_JAVA_OPTIONS", "-XX:-UsePerfData")
    java, javac = needs_tool("java", "default-jdk"), needs_tool("javac", "default-jdk")
    (tmp_path / "Main.java").write_text(JAVA)
    subprocess.run([javac, "-d", str(tmp_path), str(tmp_path / "Main.java")], check=True)
    doubled([java, "-cp", str(tmp_path), "Main"])


@pytest.mark.dear
@linux
@pytest.mark.tool
def test_go(tmp_path: Path) -> None:
    go = needs_tool("go", "golang")
    (tmp_path / "main.go").write_text(GO)
    program = str(tmp_path / "main")
    subprocess.run([go, "build", "-o", program, str(tmp_path / "main.go")], check=True)
    doubled([program])


@linux
@pytest.mark.tool
def test_node() -> None:
    doubled([needs_tool("node", "nodejs"), "-e", NODE])


@linux
@pytest.mark.tool
def test_mono(tmp_path: Path) -> None:
    mono, mcs = needs_tool("mono", "mono-runtime"), needs_tool("mcs", "mono-mcs")
    (tmp_path / "main.cs").write_text(MONO)
    subprocess.run([mcs, f"-out:{tmp_path}/main.exe", str(tmp_path / "main.cs")], check=True)
    doubled([mono, str(tmp_path / "main.exe")])


@linux
@pytest.mark.tool
def test_ruby() -> None:
    doubled([needs_tool("ruby", "ruby"), "-e", RUBY])


@linux
def test_no_program_chooses_its_cores() -> None:
    code = (
        "import os; before = os.sched_getaffinity(0); os.sched_setaffinity(0, {max(before)});"
        "print(os.sched_getaffinity(0) == before)"
    )
    assert len(os.sched_getaffinity(0)) > 1 or pytest.skip("one core: there is nothing to choose")
    assert python_behind(WALL, code) == "True"
    assert python_behind("", code) == "False"
