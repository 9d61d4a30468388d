"""What happens between the keeper's fork and the first instruction of a program: seen by the
program, which says how it finds itself."""

from __future__ import annotations

import errno
import fcntl
import io
import itertools
import os
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import psutil
import pytest

from arena.core.limits import Limits
from arena.errors import BotError, MachineError
from arena.sandbox import bubblewrap
from arena.sandbox.keeper.messages import (
    ENTERED,
    GATE,
    MOUNTED,
    SIGNALS,
    STDIN,
    STDOUT,
    ProcessLimits,
    Sandbox,
    SelfWalls,
    Spawned,
    SpawnRequest,
)
from arena.sandbox.keeper.spawn import (
    FIRST_STEP,
    FIRST_UID,
    LINK,
    OOM_SCORE,
    SHELL,
    StartError,
    execute,
    unprivileged_uid,
    user_ids,
)
from arena.sandbox.launch import ROOT
from arena.sandbox.levels import Level
from tests.sandbox.keeper.talk import Talk
from tests.sandbox.programs import (
    WALLED,
    linux_only,
    needs,
    open_to_all,
    run_code,
    run_request,
    shell,
)
from tests.support.groups import wait_until
from tests.support.leftovers import watched_processes

LEVELS = (Level.OFF, *WALLED)


# -- the process that becomes a program ------------------------------------------------------------

ADOPTED = """
import os, sys
sys.path.insert(0, sys.argv[1])
from arena.sandbox.keeper.spawn import become
from arena.sandbox.keeper.messages import ProcessLimits, SelfWalls, SpawnRequest
keeper = os.getpid() if sys.argv[2] == "own" else os.getppid()
gate, opened = os.pipe()
os.write(opened, b"\\n")
_, link = os.pipe()
pid = os.fork()
if pid == 0:
    walls = SelfWalls(ProcessLimits(64, 1 << 20, 64), (), ("/",), ())
    request = SpawnRequest(("/bin/sh", "-c", "echo it runs"), "/", {}, walls)
    become(request, [0, 1, 2, gate], None, link, keeper)
os.waitpid(pid, 0)
"""


@pytest.mark.parametrize(("keeper", "said"), [("own", "it runs\n"), ("another", "")])
def test_only_a_child_of_the_keeper_becomes_a_bot(keeper: str, said: str) -> None:
    """A keeper that was killed before the kernel knew that its child should follow has left a
    request behind: nothing would ever end the bot."""
    needs(Level.GUARD)
    argv = [sys.executable, "-I", "-S", "-c", ADOPTED, str(ROOT), keeper]
    ran = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=True)
    assert ran.stdout == said
    assert ran.stderr == ""


SLEEP = SpawnRequest(("/bin/sleep", "99"), "/", {})
GUARD = SelfWalls(ProcessLimits(64, 1 << 20, 64), (), ("/",), ())


@linux_only
@pytest.mark.parametrize("walls", [None, GUARD])
def test_programs_die_with_the_keeper(walls: SelfWalls | None) -> None:
    needs(Level.GUARD)
    with Talk() as talk:
        talk.hear()
        spawned, out = talk.spawn(SLEEP._replace(walls=walls))
        os.close(out)
        assert isinstance(spawned, Spawned)
        talk.process.kill()
        wait_until(lambda: not _lives(spawned.pid))


@linux_only
def test_processes_that_wait_die_with_the_keeper() -> None:
    needs(Level.GUARD)
    with Talk() as talk:
        talk.hear()
        out, gate = talk.ask(SLEEP._replace(walls=GUARD))
        waits = talk.hear()
        assert isinstance(waits, Spawned)
        wait_until(lambda: psutil.Process(waits.pid).num_fds() == 5)  # it is at its gate
        talk.process.kill()
        wait_until(lambda: not _lives(waits.pid))
    os.close(out)
    os.close(gate)


@linux_only
def test_the_kernel_ends_a_program_without_walls_when_the_arena_dies() -> None:
    """Also while the keeper does nothing: it may die at the same moment."""
    with Talk() as talk:
        talk.hear()
        spawned, out = talk.spawn(SLEEP)
        os.close(out)
        assert isinstance(spawned, Spawned)
        talk.process.suspend()
        try:
            assert _lives(spawned.pid)
            talk.cut_lifelines()
            wait_until(lambda: not _lives(spawned.pid))
        finally:
            talk.process.resume()


@linux_only
def test_a_program_that_cannot_be_tied_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> int:
        raise OSError(errno.EINVAL, "refused")

    monkeypatch.chdir(tmp_path)  # and back: the keeper itself is always in the root
    monkeypatch.setattr(fcntl, "fcntl", refuse)
    with watched_processes() as started:
        with open(os.devnull, "r+b") as null, pytest.raises(StartError, match="tie it") as caught:
            execute(SLEEP, [null.fileno()] * 5)
        assert started() == []
    assert caught.value.ours


def _lives(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() != "zombie")
    except psutil.NoSuchProcess:
        return False


@linux_only
def test_a_process_that_waits_holds_its_pipes_and_its_link() -> None:
    """Not the keeper's socket: a bot's stray copy of it would outlive the arena."""
    needs(Level.GUARD)
    with Talk() as talk:
        talk.hear()
        asked = [talk.ask(SLEEP._replace(walls=GUARD)) for _ in range(2)]
        spawned = [talk.hear(), talk.hear()]
        for one in spawned:
            assert isinstance(one, Spawned)
            wait_until(partial(_holds, one.pid, [0, 1, 2, GATE, LINK]))
        for descriptor in itertools.chain(*asked):
            os.close(descriptor)


def _holds(pid: int, descriptors: list[int]) -> bool:
    return sorted(map(int, os.listdir(f"/proc/{pid}/fd"))) == descriptors


@linux_only
@pytest.mark.parametrize(("line", "said"), [(b"7\n", "7"), (b"", "")])
def test_the_first_step_needs_a_word_of_the_keeper(line: bytes, said: str) -> None:
    """One that has died has set no limits, and nothing would end the sandbox."""
    script = FIRST_STEP.format(command=f'{SHELL} -c "echo $uid"')
    assert _run_step(script, {LINK: line}) == said


@linux_only
@pytest.mark.parametrize(("is_read", "said"), [(True, "it runs"), (False, "")])
def test_the_last_step_needs_a_keeper_that_reads_its_report(is_read: bool, said: str) -> None:
    """One that has died before bubblewrap was tied to it would never end the program."""
    reader, writer = socket.socketpair()
    out, stdout = os.pipe()
    reader.send(b"\n")  # the counters are hidden
    if not is_read:
        reader.close()
    with open(os.devnull, "rb") as null:
        given = {ENTERED: writer.fileno(), STDIN: null.fileno(), STDOUT: stdout}
        _run_step(bubblewrap.LAST_STEP, {GATE: b"\n"}, given, "echo", "it runs")
    writer.close()
    os.close(stdout)
    with open(out) as file:
        assert file.read().strip() == said
    reader.close()


@linux_only
def test_the_last_step_waits_until_the_counters_are_hidden() -> None:
    """A keeper that dies before ends the sandbox, whose gate is open already."""
    reader, writer = socket.socketpair()
    out, stdout = os.pipe()
    reader.shutdown(socket.SHUT_WR)
    with open(os.devnull, "rb") as null, open(out) as file:
        given = {ENTERED: writer.fileno(), STDIN: null.fileno(), STDOUT: stdout}
        _run_step(bubblewrap.LAST_STEP, {GATE: b"\n"}, given, "echo", "it runs")
        os.close(stdout)
        writer.close()
        assert reader.recv(64) == f"{MOUNTED}\n".encode()
        assert file.read() == ""
    reader.close()


def _run_step(
    script: str, lines: dict[int, bytes], given: dict[int, int] | None = None, *argv: str
) -> str:
    """What a step says, which reads these lines at descriptors, and has the given ones."""
    pipes = {number: os.pipe() for number in lines}
    out, stdout = os.pipe()
    for number, line in lines.items():
        os.write(pipes[number][1], line)
        os.close(pipes[number][1])
    places = {number: pipe[0] for number, pipe in pipes.items()} | (given or {}) | {1: stdout}
    high = {place: fcntl.fcntl(one, fcntl.F_DUPFD_CLOEXEC, 50) for place, one in places.items()}
    pid = os.posix_spawn(
        SHELL,
        [SHELL, "-c", script, SHELL, *argv],
        {"PATH": os.environ["PATH"]},
        file_actions=[(os.POSIX_SPAWN_DUP2, one, place) for place, one in high.items()],
        setsigdef=[signal.SIGPIPE],  # as from the keeper
    )
    for descriptor in [*high.values(), stdout, *(pipe[0] for pipe in pipes.values())]:
        os.close(descriptor)
    with open(out) as file:
        said = file.read().strip()
    os.waitpid(pid, 0)
    return said


# -- what a program finds --------------------------------------------------------------------------


@pytest.mark.parametrize("level", LEVELS)
def test_the_mask_of_new_files_is_the_usual_one(tmp_path: Path, level: Level) -> None:
    """Whatever the arena's own is."""
    needs(level)
    before = os.umask(0o077)
    try:
        said = run_code(tmp_path, "import os; print(oct(os.umask(0)))", level).out
    finally:
        os.umask(before)
    assert said == "0o22"


OF_LIBRARY = 1 << 32 - 1 | 1 << 33 - 1
"""The signals of the C library itself, which `posix_spawn` leaves ignored."""


@linux_only
@pytest.mark.parametrize("level", LEVELS)
def test_signals_are_ordinary(tmp_path: Path, level: Level) -> None:
    code = (
        "print(*(line for line in open('/proc/self/status') if line[:6] in ('SigIgn', 'SigBlk')))"
    )
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        said = run_code(tmp_path, f"import signal\n{code}", level).out
    finally:
        signal.signal(signal.SIGHUP, before)
    ignored = int(said.split()[3], 16)
    assert int(said.split()[1], 16) == 0
    python = 1 << signal.SIGPIPE - 1 | 1 << signal.SIGXFSZ - 1  # which it ignores by itself
    assert ignored & ~(python | OF_LIBRARY) == 0


@linux_only
def test_the_keepers_own_signals_are_not_passed_on() -> None:
    """A shell that finds SIGPIPE ignored could not even restore it."""
    said = run_request(SpawnRequest(shell("grep SigIgn /proc/self/status"), "/", {})).out
    assert int(said.split()[1], 16) & ~OF_LIBRARY == 0


@linux_only
@pytest.mark.parametrize("level", LEVELS)
def test_three_files_are_open(tmp_path: Path, level: Level) -> None:
    code = "import os; print([fd for fd in range(99) if os.path.exists(f'/proc/self/fd/{fd}')])"
    assert run_code(tmp_path, code, level).out == "[0, 1, 2]"


LIMITS = Limits(files=77, file_size=88 << 10, processes=99)
RLIMITS = """
import resource as r
names = ("CORE", "NOFILE", "FSIZE", "MEMLOCK", "NPROC", "SIGPENDING")
print(*(r.getrlimit(getattr(r, "RLIMIT_" + name)) for name in names), sep=";")
print(open("/proc/self/oom_score_adj").read())
"""


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_a_program_carries_its_limits(tmp_path: Path, level: Level) -> None:
    limits, score = run_code(tmp_path, RLIMITS, level, LIMITS).out.splitlines()[:2]
    core, files, size, locked, processes, waiting = limits.split(";")
    assert (core, files, size, locked) == (
        "(0, 0)",
        "(77, 77)",
        f"({88 << 10}, {88 << 10})",
        "(0, 0)",
    )
    if level is not Level.GUARD or os.geteuid() == 0:
        assert processes == "(99, 99)"
        assert waiting == f"({SIGNALS}, {SIGNALS})"
    assert int(score) == (OOM_SCORE if level is Level.GUARD else bubblewrap.OOM_SCORE)


@linux_only
def test_the_kernel_ends_a_program_before_its_sandbox(tmp_path: Path) -> None:
    scores = "print(*(open(f'/proc/{pid}/oom_score_adj').read() for pid in (1, 'self')))"
    first, own = map(int, run_code(tmp_path, scores, Level.SANDBOX).out.split())
    assert (first, own) == (OOM_SCORE, bubblewrap.OOM_SCORE)
    assert first < own


@linux_only
def test_without_walls_there_is_one_limit(tmp_path: Path) -> None:
    limits, score = run_code(tmp_path, RLIMITS, Level.OFF, LIMITS).out.splitlines()[:2]
    assert limits.startswith("(0, 0);")  # no core dumps
    assert "77" not in limits
    assert "99" not in limits
    assert int(score) == int(Path("/proc/self/oom_score_adj").read_text())


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_a_program_has_no_rights(tmp_path: Path, level: Level) -> None:
    code = "print(*(l.split()[1] for l in open('/proc/self/status') if l[:3] == 'Cap'))"
    said = run_code(tmp_path, code, level).out.split()
    inherited, permitted, effective, bounding, ambient = (int(word, 16) for word in said)
    assert inherited == permitted == effective == ambient == 0
    if os.geteuid() == 0:
        assert bounding == 0


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_the_filter_is_in_force(tmp_path: Path, level: Level) -> None:
    code = "print(*(l for l in open('/proc/self/status') if l[:8] in ('NoNewPri', 'Seccomp:')))"
    assert run_code(tmp_path, code, level).out.split() == ["NoNewPrivs:", "1", "Seccomp:", "2"]


SCHEDULING = """
import ctypes, os, threading
libc = ctypes.CDLL(None, use_errno=True)
libc.pthread_self.restype = ctypes.c_ulong
def ask(policy):
    priority = ctypes.byref(ctypes.c_int(policy))
    return libc.pthread_setschedparam(ctypes.c_ulong(libc.pthread_self()), policy, priority)
said = [ask(0), ask(1)]
threads = [threading.Thread(target=lambda: said.append(ask(0))) for _ in range(2)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
print(*said)
"""


@linux_only
@pytest.mark.parametrize("level", WALLED)
def test_a_thread_may_ask_for_ordinary_scheduling(tmp_path: Path, level: Level) -> None:
    """As those of mono do when they start. It asks by its thread id, never by 0."""
    ordinary, real_time, *others = run_code(tmp_path, SCHEDULING, level).out.split()
    assert [ordinary, *others] == ["0", "0", "0"]
    assert real_time == str(errno.EPERM)


@linux_only
@pytest.mark.parametrize(("allow", "said"), [((), "refused"), (("flock",), "locked")])
def test_what_a_build_may_do_besides(tmp_path: Path, allow: tuple[str, ...], said: str) -> None:
    needs(Level.GUARD)
    code = (
        "import fcntl, sys\n"
        "try: fcntl.flock(open(sys.argv[1], 'w'), fcntl.LOCK_EX); print('locked')\n"
        "except OSError: print('refused')\n"
    )
    limits = ProcessLimits(64, 1 << 20, 64)
    walls = SelfWalls(limits, allow, ("/",), (str(tmp_path),))
    argv = (sys.executable, "-I", "-S", "-c", code, str(tmp_path / "x"))
    assert run_request(SpawnRequest(argv, str(tmp_path), {}, walls), Level.GUARD).out == said


# -- failing closed --------------------------------------------------------------------------------


@linux_only
@pytest.mark.parametrize(
    ("walls", "words"),
    [
        (SelfWalls(ProcessLimits(64, 64, 64), (), ("/no/such/folder",), ()), "its guard"),
        (SelfWalls(ProcessLimits(1 << 62, 64, 64), (), ("/",), ()), "its limits"),
        (Sandbox(ProcessLimits(64, 64, 64), (), ("/no/such/bwrap",)), "its sandbox"),
        (Sandbox(ProcessLimits(1 << 62, 64, 64), (), ("/bin/true",)), "its limits"),
    ],
)
def test_a_wall_that_cannot_be_put_up_is_ours_and_nothing_runs(
    tmp_path: Path, walls: SelfWalls | Sandbox, words: str
) -> None:
    needs(Level.GUARD)
    open_to_all(tmp_path, tmp_path)
    trace = tmp_path / "trace"
    request = SpawnRequest(("/bin/touch", str(trace)), "/", {}, walls)
    with pytest.raises(MachineError, match=f"cannot put up {words}"):
        run_request(request, Level.GUARD)
    assert not trace.exists()


@linux_only
@pytest.mark.parametrize("words", [["x"] * 10_000, ["x" * 200_000]])
def test_a_command_line_that_is_too_long_is_the_bots_fault(words: list[str]) -> None:
    walls = Sandbox(ProcessLimits(64, 64, 64), (), ("/bin/true",))
    with pytest.raises(BotError, match=r"cannot put up its sandbox: \[Errno 7\]"):
        run_request(SpawnRequest(("/bin/true", *words), "/", {}, walls))


@linux_only
def test_the_user_of_a_sandbox_is_no_other_process_s() -> None:
    uid = unprivileged_uid(os.getpid())
    first, count = map(int, Path("/proc/self/uid_map").read_text().split()[::2])
    assert first < uid < first + count
    assert uid != os.getuid()
    if count > FIRST_UID + (1 << 22):
        assert uid == FIRST_UID + os.getpid()


@linux_only
def test_programs_of_root_have_users_of_their_own(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root has bots of other users")
    code = "import os; print(os.getuid(), os.geteuid(), os.getgid(), os.getgroups())"
    said = [run_code(tmp_path, code, Level.SANDBOX).out for _ in range(2)]
    assert said[0] != said[1]
    real, effective, group, *groups = said[0].split()
    assert real == effective == group != "0"
    assert groups == ["[]"]


@linux_only
@pytest.mark.parametrize(("count", "uid"), [(1, None), (2, None), (3, 1), (65536, range(1, 65535))])
def test_a_container_may_have_few_users(
    monkeypatch: pytest.MonkeyPatch, count: int, uid: int | range | None
) -> None:
    """Never its root, and never a division by nothing."""
    text = f"         0       1000  {count:10}\n"
    monkeypatch.setattr("builtins.open", lambda *_: io.StringIO(text))
    user_ids.cache_clear()
    try:
        if uid is None:
            with pytest.raises(OSError, match="map more of them"):
                unprivileged_uid(os.getpid())
        else:
            assert unprivileged_uid(os.getpid()) in ([uid] if isinstance(uid, int) else uid)
    finally:
        user_ids.cache_clear()
