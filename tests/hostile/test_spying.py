"""S: programs that look at others, at the machine, or for a way out.

Without walls each attempt is first seen to work where that does no harm, so that a refusal under
the strongest level proves a wall, and not a mistake of the attempt.
"""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from arena import guide as arena_guide
from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.errors import BotError
from arena.record.verify import verify
from arena.sandbox.levels import Level
from tests.hostile.arena_runs import Played, against_honest, bomb, honest, hostile, linux_only, play
from tests.hostile.test_endings import bystander
from tests.support.tools import short_folder


def assert_attempts(played: Played, level: Level, *able: str, never: tuple[str, ...] = ()) -> None:
    """Without walls all that is `able` works; with them nothing does. `never`: nowhere."""
    attempts = played.attempts
    assert attempts, played.said
    if level is Level.OFF:
        assert {name for name in able if attempts[name] != "ok"} == set()
        assert {name for name in never if attempts[name] != "refused"} == set()
    else:
        assert {name for name, how in attempts.items() if how != "refused"} == set()
    assert played.answers == ["1", "1", "1"]  # whatever is refused, it can play on
    assert played.bad.stopped is None


# -- other processes -------------------------------------------------------------------------------


@contextmanager
def victim() -> Iterator[dict[str, int]]:
    """A process that stands for the arena, and the address of a word in it. Every process of
    its user may trace it, also where the system asks for leave (Yama)."""
    code = (
        "import ctypes, sys, time\n"
        "ctypes.CDLL(None).prctl(0x59616d61, ctypes.c_ulong(-1), 0, 0, 0)\n"
        "word = ctypes.create_string_buffer(b'secret!')\n"
        "print(ctypes.addressof(word), flush=True)\n"
        "time.sleep(60)\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-S", "-c", code], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        yield {"pid": process.pid, "address": int(process.stdout.readline())}
        assert process.poll() is None
    finally:
        process.kill()
        process.communicate()


@linux_only
def test_S01_S02_another_process(tmp_path: Path, level: Level) -> None:
    with victim() as prey:
        played = against_honest(tmp_path, level, "spy.processes", prey)
    able = ("signal", "ptrace", "read_memory", "environ", "memory_file", "descriptors", "priority")
    assert_attempts(played, level, *able)


# -- files -----------------------------------------------------------------------------------------


def test_S03_S13_files_of_others_and_its_own(tmp_path: Path, level: Level) -> None:
    secret, replay = tmp_path / "secret", tmp_path / "r.jsonl"
    secret.write_text("the seed of the final")
    secret.chmod(0o600)
    rival = honest(tmp_path)
    assert rival.files is not None
    targets = {
        "read": {
            "secret": str(secret),
            "replay": str(replay),
            "rival": str(next(rival.files.glob("honest*"))),
        },
        "write": {
            "secret_write": str(secret),
            "rival_write": str(rival.files / "bot.toml"),
            "system": "/usr/arena-was-here",
            "etc": "/etc/arena-was-here",
        },
    }
    if level is Level.OFF:
        targets["write"] = {"secret_write": str(secret)}  # the system stays as it is
    bot = hostile(tmp_path, "spy.files", argument=targets)
    assert bot.files is not None
    before = (bot.files / "spy.py").read_bytes()
    played = play(level, bot, rival, replay=replay)
    assert_attempts(played, level, "secret", "replay", "rival", "secret_write", "own_file")
    assert (secret.read_text() == "the seed of the final") == (level is not Level.OFF)
    assert ((bot.files / "spy.py").read_bytes() == before) == (level is not Level.OFF)
    assert not Path("/usr/arena-was-here").exists()


def test_S11_a_symbolic_link_where_the_arena_writes(tmp_path: Path, level: Level) -> None:
    replay = tmp_path / "r.jsonl"
    targets: dict[str, dict[str, str]] = {"read": {}, "write": {}}
    bot = hostile(tmp_path, "spy.files", argument=targets)
    rival = honest(tmp_path)
    before = Path("/etc/passwd").read_bytes()
    play(level, bot, rival, replay=replay)
    assert Path("/etc/passwd").read_bytes() == before
    assert not replay.is_symlink()
    assert b"root:" not in replay.read_bytes()


# -- network ---------------------------------------------------------------------------------------


@contextmanager
def listeners() -> Iterator[dict[str, Any]]:
    """A TCP port, a UDP port of the same number, a socket by path and an abstract one, all of
    which take whatever comes."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(short_folder())
        path, abstract = str(folder / "socket"), f"arena-test-{os.getpid()}-{folder.name}"
        tcp = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        port = tcp.getsockname()[1]
        by_path = stack.enter_context(socket.socket(socket.AF_UNIX))
        by_path.bind(path)
        by_path.listen()
        by_name = stack.enter_context(socket.socket(socket.AF_UNIX))
        by_name.bind("\0" + abstract)
        by_name.listen()
        yield {"port": port, "path": path, "abstract": abstract}


@linux_only
def test_S04_S05_the_network_and_sockets_of_the_host(tmp_path: Path, level: Level) -> None:
    with listeners() as laid_out:
        played = against_honest(tmp_path, level, "spy.network", laid_out, timebank=10_000)
    able = ("tcp", "udp", "netlink", "path_socket", "abstract_socket")
    assert_attempts(played, level, *able)


# -- two bots of one author ------------------------------------------------------------------------


@linux_only
def test_S06_two_bots_find_no_sign_of_each_other(tmp_path: Path, level: Level) -> None:
    shared = ["/tmp", "/dev/shm", "/var/tmp"]
    mark = f"arena-test-{os.getpid()}-{level.name}"
    laid_out = {"mark": mark, "folders": shared}
    first = hostile(tmp_path, "spy.leave_signs", 1, laid_out)
    second = hostile(tmp_path, "spy.look_for_signs", 2, laid_out)
    try:
        # The one that looks sits at the first seat.
        played = play(level, second, first, unharmed=False, timebank=5000, max_rounds=3)
    finally:
        for folder in shared:
            Path(folder, mark).unlink(missing_ok=True)
    assert_attempts(played, level, "file:/tmp", "file:/dev/shm", "abstract", "flock", "keyring")
    assert played.rival.faults == {}


# -- itself ----------------------------------------------------------------------------------------


def own_words(played: Played, word: str) -> Any:
    """What it said of itself."""
    match = re.search(f"^{word} (.*)$", played.said, re.MULTILINE)
    assert match
    return json.loads(match[1])


def test_S07_nothing_is_inherited(
    tmp_path: Path, level: Level, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SECRET_TOKEN", "s3cret")
    leak = os.open("/dev/null", os.O_RDONLY)
    os.set_inheritable(leak, True)
    try:
        played = against_honest(tmp_path, level, "spy.itself")
    finally:
        os.close(leak)
    assert "SECRET_TOKEN" not in own_words(played, "ENVIRONMENT")
    assert own_words(played, "DESCRIPTORS") == ["0", "1", "2", "3"]  # 3 is the listing itself
    if level is not Level.OFF:
        environment = own_words(played, "ENVIRONMENT")
        assert str(tmp_path) not in json.dumps(environment)
        assert environment["HOME"] != os.environ.get("HOME")


def test_S12_a_name_and_a_huge_environment_change_nothing(tmp_path: Path, level: Level) -> None:
    with bystander() as other:
        played = against_honest(tmp_path, level, "spy.rename")
        assert played.answers[:2] == ["1", "1"]
        assert other.poll() is None


@linux_only
def test_S14_the_arena_is_not_the_first_to_die(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "spy.itself")
    if level is Level.OFF:  # what root may do here depends on the machine
        assert set(played.attempts) == {"oom_score_adj", "nofile"}
    else:
        assert played.attempts == {"oom_score_adj": "refused", "nofile": "refused"}


# -- the machine ----------------------------------------------------------------------------------

BUSY = """
import os, socket, subprocess, sys
server = socket.create_server(("127.0.0.1", 0))
while True:
    with socket.create_connection(server.getsockname()), server.accept()[0]:
        with open(sys.argv[1], "ab") as file:
            file.write(os.urandom(1 << 16))
            os.fsync(file.fileno())
        if os.path.getsize(sys.argv[1]) > 1 << 26:
            os.unlink(sys.argv[1])
    subprocess.run(["/bin/true"])
"""
"""Packets, writes to the disk and processes."""
MEMORY = 777 << 20


def own_counters() -> set[str]:
    """What the guide says that a bot in a sandbox can read and see change."""
    guide = (Path(arena_guide.__file__).parent / "safety.md").read_text("utf-8")
    table = guide.partition("**What counts")[2].partition("|---|---|\n")[2].partition("\n\n")[0]
    return {
        name for row in table.splitlines() for name in re.findall(r"`(\w+)`", row.split("|")[1])
    }


@linux_only
@pytest.mark.dear
def test_S16_what_counts_the_whole_machine(tmp_path: Path, strict: Level) -> None:
    """What a bot sees change while the machine works is its own, and the guide lists it."""
    command = [sys.executable, "-S", "-c", BUSY, str(tmp_path / "written")]
    work = subprocess.Popen(command, start_new_session=True)
    try:
        played = against_honest(
            tmp_path, strict, "spy.machine", {"pause": 5}, memory=MEMORY, timebank=60_000
        )
    finally:
        work.kill()
        work.wait()
    changed = set(own_words(played, "CHANGED"))
    if os.geteuid() != 0:
        changed = {name for name in changed if not name.startswith("net/")}
    assert changed <= own_counters()
    assert own_words(played, "MEMORY") == [MEMORY, MEMORY]
    assert {"io", "sched", "schedstat", "stat", "status"} <= changed  # so the look is good
    assert_attempts(played, strict)


# -- rights ----------------------------------------------------------------------------------------


@linux_only
def test_S08_more_rights(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "spy.rights")
    able = ("user_namespace", "mount", "setuid_program") if os.getuid() == 0 else ()
    assert_attempts(played, level, *able)


@linux_only
def test_S09_rare_system_calls(tmp_path: Path, level: Level) -> None:
    played = play(level, bomb(tmp_path, "rare_calls"), honest(tmp_path))
    able = ("keyring", "memfd") + (("io_uring", "bpf", "perf") if os.getuid() == 0 else ())
    assert_attempts(played, level, *able)


@linux_only
def test_S09_memory_of_the_kernel_that_no_limit_counts(tmp_path: Path, level: Level) -> None:
    played = against_honest(tmp_path, level, "spy.kernel_memory", timebank=10_000)
    assert_attempts(played, level, "seccomp", "prctl_seccomp", "socket_filter")


@linux_only
def test_S10_the_terminal_of_the_operator(tmp_path: Path, level: Level) -> None:
    ours, theirs = pty.openpty()
    try:
        laid_out = {"terminals": [os.ttyname(theirs)]}
        played = against_honest(tmp_path, level, "spy.terminal", laid_out)
        os.set_blocking(ours, False)
        with pytest.raises(BlockingIOError):
            os.read(ours, 100)
    finally:
        os.close(ours)
        os.close(theirs)
    tries = ("inject_0", "inject_1", "inject_2", "controlling_terminal")
    assert_attempts(played, level, "open_terminal", never=tries)


def test_S15_names_and_words_are_never_commands(tmp_path: Path, level: Level) -> None:
    name = "$(touch owned); `touch owned` && <b> ' \" [31m =cmd"
    made = honest(tmp_path, name="a;touch owned;b")
    toml = tmp_path / "a;touch owned;b" / "bot.toml"
    told = toml.read_text()
    toml.write_text(f"name = {json.dumps(name)}\n{told}")
    bot = find_bot(made.command)
    assert isinstance(bot, BotProgram)
    assert bot.name == name
    replay = tmp_path / "r.jsonl"
    play(level, bot, honest(tmp_path), replay=replay)
    toml.write_text(f"name = {json.dumps(chr(27) + name)}\n{told}")
    with pytest.raises(BotError, match="none of them a control character"):
        find_bot(made.command)
    assert verify(replay).problem == ""
    assert not any(path.name == "owned" for path in tmp_path.rglob("*"))
