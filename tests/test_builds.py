"""Builds behind walls: what a stranger's build cannot reach, cannot exceed and cannot leave, and
that honest builds in each language work. All with real processes.

Where that does no harm, an attempt is first seen to work without walls.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import msgspec
import psutil
import pytest

from arena import builds
from arena.bots import BotProgram, build, find_bot
from arena.bots.draft import DEPTH
from arena.builds import behind
from arena.errors import BotError, UsageError
from arena.run import keeper_running, run_with
from arena.sandbox import bubblewrap
from arena.sandbox.choose import choose
from arena.sandbox.levels import Level, Wish
from tests.sandbox.walls import ci_or_skip
from tests.tools import needs_tool

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="walls are Linux's")

ROOT = Path(__file__).parents[1]
MARK = f"98765.{os.getpid()}"
"""A time to sleep that nobody else sleeps."""


@cache
def trouble(wish: Level | Wish) -> str:
    """Why there are no such walls on this machine."""
    with keeper_running(wish) as keeper:
        try:
            run_with(keeper, lambda children: choose(children, wish))
        except UsageError as error:
            return str(error)
    return ""


@pytest.fixture(params=[Wish.STRICT, Level.SANDBOX, Level.GUARD], ids=str)
def walls(request: pytest.FixtureRequest) -> Level | Wish:
    """The strongest walls of this machine, those without control groups, and the lowest."""
    wish: Level | Wish = request.param
    if why := trouble(wish):
        ci_or_skip(why)
    return wish


@pytest.fixture(autouse=True)
def _a_place_of_its_own(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """A cache and a temporary folder of its own, and the proof that nothing is left."""
    folder = tmp_path_factory.mktemp("own")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setenv("ARENA_CACHE", str(folder / "cache"))
    yield
    assert sleepers() == []
    assert [path.name for path in folder.iterdir() if path.name != "cache"] == []
    assert list(folder.glob("cache/bots/new-*")) == []


def sleepers() -> list[psutil.Process]:
    """What hostile builds have left running."""
    return [
        process
        for process in psutil.process_iter(["cmdline"])
        if MARK in (process.info["cmdline"] or [])
    ]


def laid_out(folder: Path, command: list[str], **files: str) -> Path:
    """A bot that is a folder and is built by `command`; it runs ``./bot``."""
    folder.mkdir(exist_ok=True)
    (folder / "bot.toml").write_text(f'run = "./bot"\nbuild = {json.dumps(command)}\n')
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder


GOOD = "printf '#!/bin/sh\\necho hello\\n' > bot; chmod +x bot\n"


def built(folder: Path, script: str, run: object = None) -> BotProgram:
    """What a build by a shell script makes of a folder."""
    return find_bot(str(laid_out(folder / "bot", ["sh", "-c", script])), run=run)  # type: ignore[arg-type]  # what `behind` returns


def refused(folder: Path, script: str, walls: Level | Wish) -> BotError:
    """The error with which it ends."""
    with pytest.raises(BotError) as caught:
        built(folder, script, behind(walls))
    assert str(caught.value).startswith("cannot build bot: ")
    assert len(caught.value.output) <= build.OUTPUT_CAP + 100
    return caught.value


def python(code: str) -> str:
    """A shell's word for a piece of Python."""
    return f"{sys.executable} -I -S -c {json.dumps(code)}"


def set_limits(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    monkeypatch.setattr(builds, "LIMITS", msgspec.structs.replace(builds.LIMITS, **limits))


# -- honest builds ---------------------------------------------------------------------------------

SOURCES = {
    "bot.c": ("gcc", "gcc", '#include <stdio.h>\nint main(void) { puts("hello"); }\n'),
    "bot.cpp": (
        *("g++", "g++"),
        '#include <iostream>\n#include <regex>\nint main() { std::cout << "hello\\n"; }\n',
    ),
    "Bot.java": (
        *("javac", "default-jdk-headless"),
        "class Bot { public static void main(String[] a) {"
        ' java.util.List.of(1).forEach(x -> System.out.println("hello")); } }\n',
    ),
    "bot.go": (
        *("go", "golang-go"),
        'package main\nimport "fmt"\nfunc main() { fmt.Println("hello") }\n',
    ),
    "bot.rs": ("rustc", "rustc", 'fn main() { println!("hello"); }\n'),
}


@pytest.mark.parametrize("name", SOURCES)
def test_every_compiled_language(name: str, tmp_path: Path, walls: Level | Wish) -> None:
    compiler, package, text = SOURCES[name]
    needs_tool(compiler, package)
    (tmp_path / name).write_text(text)
    bot = find_bot(str(tmp_path / name), run=behind(walls))
    assert hello(bot)
    assert_sealed(bot)


def test_a_build_of_several_steps(tmp_path: Path, walls: Level | Wish) -> None:
    needs_tool("make", "make")
    needs_tool("gcc", "gcc")
    source = '#include <stdio.h>\n#include "word.h"\nint main(void) { puts(WORD); }\n'
    rule = (
        "bot: bot.c word.h\n\t$(CC) -o bot bot.c\nword.h:\n\techo '#define WORD \"hello\"' > $@\n"
    )
    folder = laid_out(tmp_path / "bot", ["make"], Makefile=rule, **{"bot.c": source})
    bot = find_bot(str(folder), run=behind(walls))
    assert hello(bot)
    assert_sealed(bot)
    assert sorted(path.name for path in folder.iterdir()) == ["Makefile", "bot.c", "bot.toml"]


def hello(bot: BotProgram) -> bool:
    done = subprocess.run(bot.argv, capture_output=True, text=True, check=True)
    return done.stdout == "hello\n"


def assert_sealed(bot: BotProgram) -> None:
    """It belongs to us, and nobody else can write it."""
    for path in [*bot.parts[0].rglob("*"), bot.parts[0]]:
        status = path.lstat()
        assert status.st_uid == os.getuid()
        assert not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH | stat.S_ISUID), path
        assert status.st_mode & stat.S_IROTH, path


def test_what_was_built_is_not_built_again(tmp_path: Path, walls: Level | Wish) -> None:
    first = built(tmp_path, GOOD)
    assert built(tmp_path, GOOD, behind(walls)).argv == first.argv
    # and the other way round
    walled = built(tmp_path, GOOD + "# again", behind(walls))
    assert built(tmp_path, GOOD + "# again").argv == walled.argv


# -- what it cannot reach --------------------------------------------------------------------------


def test_A10_no_network(tmp_path: Path, walls: Level | Wish) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = server.getsockname()
        connect = python(f"import socket; socket.create_connection({there}).close()")
        assert built(tmp_path, f"{GOOD}{connect}")  # it can be done
        error = refused(tmp_path, f"{GOOD}{connect} # again", walls)
    assert "Traceback" in error.output


def test_A10_a_download_is_refused_in_clear_words(tmp_path: Path, walls: Level | Wish) -> None:
    needs_tool("go", "golang-go")
    text = 'package main\nimport _ "example.com/none"\nfunc main() {}\n'
    module = "module bot\ngo 1.19\nrequire example.com/none v1.0.0\n"
    files = {"bot.go": text, "go.mod": module}
    folder = laid_out(tmp_path / "bot", ["go", "build", "-mod=mod", "-o", "bot", "."], **files)
    with pytest.raises(BotError) as caught:
        find_bot(str(folder), run=behind(walls))
    assert "GOPROXY=off" in caught.value.output


def test_A08_no_file_of_the_caller(tmp_path: Path, walls: Level | Wish) -> None:
    needs_tool("gcc", "gcc")
    secret = tmp_path / "secret"
    secret.write_text("the seed of the final")
    source = tmp_path / "steal" / "bot.c"
    source.parent.mkdir()
    source.write_text(f'#include "{secret}"\n')
    with pytest.raises(BotError) as caught:
        find_bot(str(source))
    assert "the seed of the final" in caught.value.output  # it can be done
    with pytest.raises(BotError) as caught:
        find_bot(str(source), run=behind(walls))
    assert "the seed" not in caught.value.output
    assert str(caught.value) == "cannot compile bot.c: gcc says:"


@pytest.mark.parametrize("path", ["/etc/shadow", "/etc/passwd", "~/.bashrc", "ARENA"])
def test_A08_no_file_of_the_system_that_is_not_needed(
    path: str, tmp_path: Path, walls: Level | Wish
) -> None:
    own = f"/proc/{os.getpid()}/environ" if path == "ARENA" else os.path.expanduser(path)
    assert refused(tmp_path, f"cat {own} 2> /dev/null", walls).output == ""


def test_no_other_bot_and_no_other_draft(tmp_path: Path, walls: Level | Wish) -> None:
    other = built(tmp_path, GOOD)
    bots = other.parts[0].parent
    look = f"cat {other.argv[0]} 2> /dev/null; ls {bots}/* ../../.. 2> /dev/null; exit 1"
    seen = refused(tmp_path, look, walls).output
    assert "hello" not in seen
    assert other.parts[0].name not in seen


def test_it_writes_nowhere_else(tmp_path: Path, walls: Level | Wish) -> None:
    precious = tmp_path / "precious"
    precious.write_text("as it was")
    precious.chmod(0o666)
    own = laid_out(tmp_path / "bot", ["true"], Makefile="as it was") / "Makefile"
    new = ["/usr/arena-was-here", "/var/tmp/arena-was-here", "/tmp/arena-was-here"]
    places = [precious, own, *new]
    attempts = "".join(f"echo changed > {place};" for place in places)
    bot = built(tmp_path, f"({attempts}) 2> /dev/null; {GOOD}", behind(walls))
    assert hello(bot)
    assert precious.read_text() == own.read_text() == "as it was"
    assert [place for place in new if os.path.exists(place)] == []


def test_it_has_no_rights(tmp_path: Path, walls: Level | Wish) -> None:
    code = (
        "import ctypes, os; libc = ctypes.CDLL(None);"
        "print(libc.unshare(0x10000000), libc.mount(b'x', b'/tmp', b'tmpfs', 0, None));"
        "print(open('/proc/self/status').read()); raise SystemExit(1)"
    )
    said = refused(tmp_path, python(code), walls).output
    assert said.startswith("-1 -1\n")
    assert "CapEff:\t0000000000000000" in said
    assert "CapBnd:\t0000000000000000" in said or walls is not Level.GUARD or os.getuid() != 0
    assert "NoNewPrivs:\t1" in said
    assert "Seccomp:\t2" in said
    if os.getuid() == 0 and walls is not Level.GUARD:
        assert "Uid:\t0" not in said


# -- what it cannot leave --------------------------------------------------------------------------


def test_A11_a_daemon_that_edits_the_artefact(tmp_path: Path, walls: Level | Wish) -> None:
    daemon = f"setsid sh -c 'echo > up; sleep {MARK}; echo evil > bot' > /dev/null 2>&1 &"
    script = f"{GOOD}{daemon}\nwhile [ ! -e up ]; do :; done"
    assert hello(built(tmp_path, script, behind(walls)))
    assert sleepers() == []


@pytest.mark.parametrize(
    ("script", "left"),
    [
        ("ln -s /etc/shadow bot", "bot, a link that leads out of its folder"),
        ("ln -s /no/such/file bot", "bot, a link that leads out of its folder"),
        ("ln -s ../../../.. up", "up, a link that leads out of its folder"),
        (f"{GOOD}mkfifo pipe", "pipe, which is no file"),
        (
            f"{GOOD}i=0; while [ $i -lt {DEPTH + 20} ]; do mkdir d; cd d; i=$((i+1)); done",
            "",
        ),
    ],
)
def test_A12_what_is_no_file(script: str, left: str, tmp_path: Path, walls: Level | Wish) -> None:
    error = refused(tmp_path, script, walls)
    if left:
        assert str(error) == f"cannot build bot: it leaves {left}"
    else:
        assert f"folders nested deeper than {DEPTH}" in str(error)


def test_A12_links_in_its_folder_and_modes_are_its_own(tmp_path: Path, walls: Level | Wish) -> None:
    script = f"{GOOD}chmod 4777 bot; mv bot real; ln -s real bot; ln -s /usr/bin/env env"
    bot = built(tmp_path, script, behind(walls))
    assert hello(bot)
    status = os.stat(bot.argv[0])
    assert stat.S_IMODE(status.st_mode) == 0o755


def test_a_deep_and_shut_heap_is_removed(tmp_path: Path, walls: Level | Wish) -> None:
    code = (
        "import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')\n"
        "os.mkdir('shut'); os.chmod('shut', 0)"
    )
    assert "folders nested deeper" in str(
        refused(tmp_path, python(code).replace("\\n", "\n"), walls)
    )


# -- what it cannot exceed -------------------------------------------------------------------------


def test_A08_a_build_that_hangs(
    tmp_path: Path, walls: Level | Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(build, "BUILD_SECONDS", 1)
    error = refused(tmp_path, f"echo begun; setsid sleep {MARK} & sleep {MARK}", walls)
    advice = "build it yourself and name the result"
    assert str(error) == f"cannot build bot: sh was stopped: it took longer than 1 s: {advice}"
    assert error.output == "begun\n"


def test_A09_endless_output(
    tmp_path: Path, walls: Level | Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "PRINTED", 8 << 20)
    error = refused(tmp_path, "yes error", walls)
    assert "it printed more than 8 MB" in str(error)
    assert error.output.startswith("error\nerror\n")
    assert error.output.endswith("\n… (the rest is cut)\n")


def test_A09_a_huge_file(
    tmp_path: Path, walls: Level | Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, file_size=1 << 20)
    error = refused(tmp_path, "head -c 3000000 /dev/zero > large", walls)
    assert "sh " in str(error)


@pytest.mark.parametrize("where", ["more", "../out/more"])
def test_A09_very_much_in_files(
    where: str, tmp_path: Path, walls: Level | Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "DRAFT_SIZE", 16 << 20)
    script = f"for i in $(seq 40); do head -c 1000000 /dev/zero > {where}$i; done; {GOOD}"
    assert "it wrote more than 16 MB" in str(refused(tmp_path, script, walls))


def test_A09_very_many_files(
    tmp_path: Path, walls: Level | Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "DRAFT_ENTRIES", 500)
    error = refused(tmp_path, f"mkdir d; cd d; touch $(seq 1000); sleep {MARK}", walls)
    assert "or 500 files" in str(error)


def test_A09_very_much_memory(
    tmp_path: Path, walls: Level | Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    set_limits(monkeypatch, memory=100 << 20)
    eat = python(f"import time; x = b'1' * (200 << 20); time.sleep({MARK})")
    assert "it needed more than 100 MB of memory" in str(refused(tmp_path, eat, walls))


def test_very_much_cpu_time_in_all_steps_together(
    tmp_path: Path, walls: Level | Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(builds, "CPU_SECONDS", 0.5)
    error = refused(tmp_path, "while :; do :; done", walls)
    assert "it used more than 0 s of CPU time" in str(error)


def test_A08_a_fork_bomb(
    tmp_path: Path, walls: Level | Wish, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = f"while :; do sleep {MARK} & done"
    monkeypatch.setattr(builds, "CPU_SECONDS", 5)
    error = refused(tmp_path, bomb, walls)
    assert "CPU time" in str(error) or "processes" in str(error) or "fork" in error.output


SCRIPT = """
import sys
from arena.bots import find_bot
from arena.builds import behind
from arena.sandbox.levels import Level
find_bot(sys.argv[1], run=behind(Level(sys.argv[2])))
"""


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_a_build_ends_with_its_arena(end: signal.Signals, tmp_path: Path) -> None:
    if why := trouble(Level.SANDBOX):
        ci_or_skip(why)
    folder = laid_out(tmp_path / "bot", ["sh", "-c", f"setsid sleep {MARK} & sleep {MARK}"])
    command = [sys.executable, "-c", SCRIPT, str(folder), Level.SANDBOX.value]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": tempfile.gettempdir()}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE) as arena:
        wait_until(lambda: len(sleepers()) >= 2)
        arena.send_signal(end)
        _, errors = arena.communicate(timeout=60)
    wait_until(lambda: sleepers() == [])
    if end == signal.SIGINT:
        assert b"KeyboardInterrupt" in errors
    else:
        for left in Path(tempfile.gettempdir()).glob("**/new-*"):
            shutil.rmtree(left)  # the sweep of a later build removes it
        for left in Path(tempfile.gettempdir()).glob("arena-*"):
            shutil.rmtree(left)


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


# -- the command line ------------------------------------------------------------------------------


@pytest.mark.parametrize("wish", ["off", "auto", "strict"])
def test_a_build_that_steals_from_the_command_line(wish: str, tmp_path: Path) -> None:
    needs_tool("gcc", "gcc")
    if wish != "off" and (why := trouble(Wish.STRICT)):
        ci_or_skip(why)
    (tmp_path / "secret").write_text("the seed of the final")
    (tmp_path / "bot.c").write_text(f'#include "{tmp_path}/secret"\n')
    words = ["play", "warlight", str(tmp_path / "bot.c"), str(tmp_path / "bot.c")]
    done = subprocess.run(
        [sys.executable, "-m", "arena", *words, "--sandbox", wish],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "TMPDIR": tempfile.gettempdir()},
    )
    assert done.returncode == 3
    assert ("the seed of the final" in done.stderr) == (wish == "off")


# -- links and tools -------------------------------------------------------------------------------


def test_a_link_out_of_the_folder_is_not_copied(tmp_path: Path, walls: Level | Wish) -> None:
    (tmp_path / "secret").write_text("the seed of the final")
    folder = laid_out(tmp_path / "bot", ["sh", "-c", GOOD])
    (folder / "loot").symlink_to(tmp_path / "secret")
    assert find_bot(str(folder))  # one's own link is one's own affair
    with pytest.raises(BotError) as caught:
        find_bot(str(folder), run=behind(walls))
    text = "cannot build bot: loot is a link out of its folder: copy the file in"
    assert str(caught.value) == text


def test_a_build_does_not_choose_what_it_is_shown(tmp_path: Path, walls: Level | Wish) -> None:
    tool = tmp_path / "private" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    shutil.copy("/bin/sh", tool)
    (tmp_path / "private" / "secret").write_text("the seed of the final")
    steal = ["-c", f"cat {tmp_path}/private/secret; exit 1"]
    with pytest.raises(BotError) as caught:
        find_bot(str(laid_out(tmp_path / "bot", [str(tool), *steal])), run=behind(walls))
    assert "the seed" not in caught.value.output


def test_of_a_folder_with_secrets_only_the_programs_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    programs = tmp_path / ".cargo" / "bin"
    programs.mkdir(parents=True)
    (tmp_path / ".rustup").mkdir()
    (programs / "rustup").touch()
    (programs / "rustc").symlink_to("rustup")
    assert bubblewrap.toolchain(str(programs / "rustc")) == [programs, tmp_path / ".rustup"]


# -- no walls, no build ----------------------------------------------------------------------------


def test_without_the_promised_walls_nothing_is_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> str:
        raise OSError("bubblewrap is not installed: apt-get install bubblewrap")

    monkeypatch.setattr(bubblewrap, "find", missing)
    with pytest.raises(UsageError, match="bubblewrap is not installed"):
        built(tmp_path, f"touch {tmp_path}/ran; {GOOD}", behind(Wish.STRICT))
    assert not (tmp_path / "ran").exists()


@contextmanager
def no_walls_at_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    async def nothing(*_: object) -> Level:
        return Level.OFF

    monkeypatch.setattr("arena.sandbox.choose.choose", nothing)
    yield


def test_the_best_of_a_machine_without_any_walls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with no_walls_at_all(monkeypatch):
        assert hello(built(tmp_path, f"touch {tmp_path}/ran; {GOOD}", behind(Wish.AUTO)))
    assert (tmp_path / "ran").exists()


def test_without_a_wish_there_are_no_walls() -> None:
    assert behind(Level.OFF) is None
