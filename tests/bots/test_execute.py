"""Executing builds, with real processes: honest ones in each language work, no process outlives its
build or its arena, and nothing is executed without the walls it was promised."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest
import trio

from arena.bots import execute
from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.errors import BotError, UsageError
from arena.sandbox import bubblewrap, session
from arena.sandbox.launch import launch_keeper
from arena.sandbox.levels import Level, SandboxMode
from tests.bots.builds import (
    COPY,
    GOOD,
    MARK,
    ROOT,
    SCRIPT,
    FakeCompiler,
    Pipe,
    assert_sealed,
    built,
    entries,
    hello,
    laid_out,
    needs_linux,
    no_walls_at_all,
    said,
    sleepers,
    wait_until,
    why_no_walls,
)
from tests.bots.samples import write
from tests.hostile.arena_runs import arena as start
from tests.sandbox.walls import ci_or_skip
from tests.support.forks import ArenaProcess
from tests.support.tools import dear, needs_tool

pytestmark = [needs_linux, pytest.mark.usefixtures("own_place")]


SOURCES = {
    "bot.c": ("gcc", "gcc", '#include <stdio.h>\nint main(void) { puts("hello"); }\n'),
    "bot.cpp": (
        *("g++", "g++"),
        '#include <iostream>\nint main() { std::cout << "hello\\n"; }\n',
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


@pytest.mark.parametrize("mode", [SandboxMode.STRICT, Level.GUARD], ids=str)
@pytest.mark.parametrize("name", dear(SOURCES, but=lambda name: name == "bot.c"))
def test_every_compiled_language(name: str, tmp_path: Path, mode: Level | SandboxMode) -> None:
    """Behind a namespace's walls (with control groups or not, they are the same) and the lowest."""
    if why := why_no_walls(mode):
        ci_or_skip(why)
    compiler, package, text = SOURCES[name]
    needs_tool(compiler, package)
    (tmp_path / name).write_text(text)
    bot = find_bot(str(tmp_path / name), sandbox=mode)
    assert hello(bot)
    assert_sealed(bot)


def test_a_build_of_several_steps(tmp_path: Path, walls: Level | SandboxMode) -> None:
    needs_tool("make", "make")
    needs_tool("gcc", "gcc")
    source = '#include <stdio.h>\n#include "word.h"\nint main(void) { puts(WORD); }\n'
    rule = (
        "bot: bot.c word.h\n\t$(CC) -o bot bot.c\nword.h:\n\techo '#define WORD \"hello\"' > $@\n"
    )
    folder = laid_out(tmp_path / "bot", ["make"], Makefile=rule, **{"bot.c": source})
    bot = find_bot(str(folder), sandbox=walls)
    assert hello(bot)
    assert_sealed(bot)
    assert sorted(path.name for path in folder.iterdir()) == ["Makefile", "bot.c", "bot.toml"]


def test_A11_a_daemon_that_edits_the_artefact(tmp_path: Path, walls: Level | SandboxMode) -> None:
    daemon = f"setsid sh -c 'echo > up; sleep {MARK}; echo evil > bot' > /dev/null 2>&1 &"
    script = f"{GOOD}{daemon}\nwhile [ ! -e up ]; do :; done"
    assert hello(built(tmp_path, script, walls))
    assert sleepers() == []


def test_a11_what_a_build_leaves_running_is_ended(
    source: Path, pipe: Pipe, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(f'exec 3> "{pipe.path}"; sleep 1000 & {COPY}')
    assert said(*find_bot("bot.c").argv) == "hello\n"
    assert pipe.read() == b""


BUILD = "from arena.bots.find import find_bot; find_bot('bot.c')"


STARTED_SLOWLY = f"""
import socket, time

send_fds = socket.send_fds

def and_wait(*arguments):
    sent = send_fds(*arguments)
    time.sleep(0.5)
    return sent

socket.send_fds = and_wait
{BUILD}
"""


@pytest.mark.parametrize("script", [BUILD, STARTED_SLOWLY], ids=["running", "starting"])
def test_an_interrupted_build_leaves_nothing(
    script: str, source: Path, cache: Path, pipe: Pipe, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(f'exec 3> "{pipe.path}"; echo ready >&3; sleep 1000')
    command = [sys.executable, "-c", script]
    with ArenaProcess(command, stderr=subprocess.PIPE, start_new_session=True) as arena:
        assert pipe.read() == b"ready\n"
        arena.send_signal(signal.SIGINT)
        assert pipe.read() == b""
        _, errors = arena.communicate(timeout=60)
    assert b"KeyboardInterrupt" in errors
    assert entries(cache) == []


BUILD_AT_LEVEL = """
import sys
from arena.bots.find import find_bot
from arena.sandbox.levels import Level
find_bot(sys.argv[1], sandbox=Level(sys.argv[2]))
"""


@pytest.mark.parametrize("level", [Level.OFF, Level.SANDBOX], ids=str)
@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGKILL], ids=["interrupted", "killed"])
def test_a_build_ends_with_its_arena(
    end: signal.Signals, level: Level, tmp_path: Path, cache: Path
) -> None:
    if why := why_no_walls(level):
        ci_or_skip(why)
    folder = laid_out(tmp_path / "bot", ["sh", "-c", f"setsid sleep {MARK} & sleep {MARK}"])
    command = [sys.executable, "-c", BUILD_AT_LEVEL, str(folder), level.value]
    how: dict[str, Any] = {
        "env": {**os.environ, "TMPDIR": tempfile.gettempdir()},
        "start_new_session": True,
    }
    with ArenaProcess(command, cwd=ROOT, stderr=subprocess.PIPE, **how) as arena:
        wait_until(lambda: len(sleepers()) >= 2)
        arena.send_signal(end)
        _, errors = arena.communicate(timeout=60)
    wait_until(lambda: sleepers() == [])
    if end == signal.SIGINT:
        assert b"KeyboardInterrupt" in errors
    else:
        for left in (*cache.glob("bots/new-*"), *Path(tempfile.gettempdir()).glob("arena-*")):
            shutil.rmtree(left)  # later builds and keepers remove it


@pytest.mark.parametrize("end", [signal.SIGINT, signal.SIGTERM], ids=["interrupt", "termination"])
def test_the_command_line_ends_in_good_order(
    end: signal.Signals, tmp_path: Path, cache: Path
) -> None:
    folder = laid_out(tmp_path / "bot", ["sh", "-c", f"sleep {MARK}"])
    with start("play", "warlight", folder, folder) as arena:
        wait_until(lambda: bool(sleepers()))
        arena.send_signal(end)
        _, errors = arena.communicate(timeout=60)
    assert (arena.returncode, errors.strip()) == (130, "arena: interrupted")
    assert entries(cache) == []


def test_nothing_is_started_for_what_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bot = built(tmp_path, GOOD)
    monkeypatch.setattr(execute, "keeper_running", None)
    assert built(tmp_path, GOOD) == built(tmp_path, GOOD, SandboxMode.STRICT) == bot


def test_a_daemon_ends_before_the_next_command_starts(folder: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc(f"if kill -0 $(cat pid); then exit 1; fi 2> /dev/null; {COPY}")
    daemon = f"setsid sh -c 'echo $$ > pid; exec sleep {MARK}' > /dev/null 2>&1 &"
    start = f"{daemon} while [ ! -s pid ]; do :; done"
    toml = f"build = {json.dumps(['sh', '-c', start])}\nmain = 'bot.c'"
    write(folder, {"bot.toml": toml, "bot.c": SCRIPT})
    assert said(*find_bot("strong").argv) == "hello\n"
    assert sleepers() == []


def check_environment(
    tmp_path: Path, level: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of a build is fixed, but for where compilers lie, without walls, and for what the caller
    names."""
    monkeypatch.setenv("ARENA_TEST_TOKEN", "secret")
    monkeypatch.setitem(os.environb, b"ARENA_TEST_BYTES", b"\xff\x9b")
    monkeypatch.setenv("ARENA_TEST_LONG", "x" * 100_000)
    for name in ("LANG", "LC_ALL", "LC_NUMERIC", "TZ", "CFLAGS", "PYTHONHASHSEED"):
        monkeypatch.setenv(name, "de_DE.UTF-8")
    monkeypatch.setenv("CPATH", "/opt/include")
    names = ("ARENA_TEST_BYTES", "ARENA_TEST_LONG")
    bot = built(tmp_path, f"env > seen; {GOOD}", level, names)
    lines = (bot.parts[0] / "files" / "seen").read_bytes().splitlines()
    seen = dict(line.partition(b"=")[::2] for line in lines)
    assert (seen[b"LC_ALL"], seen[b"TZ"]) == (b"C.UTF-8", b"UTC")
    assert (seen[b"PYTHONHASHSEED"], seen[b"PERL_HASH_SEED"]) == (b"0", b"00000000")
    assert not seen.keys() & {b"LANG", b"LC_NUMERIC", b"CFLAGS", b"ARENA_TEST_TOKEN"}
    assert (b"CPATH" in seen) == (level is Level.OFF)
    assert seen[b"ARENA_TEST_BYTES"] == b"\xff\x9b"
    assert seen[b"ARENA_TEST_LONG"] == b"x" * 100_000


def test_the_environment_of_a_build_of_ones_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_environment(tmp_path, Level.OFF, monkeypatch)


def test_the_environment_of_a_build_behind_walls(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    check_environment(tmp_path, walls, monkeypatch)


def test_a_build_with_another_value_of_a_variable_is_another_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def seen() -> str:
        bot = built(tmp_path, f'echo "$WISH" > seen; {GOOD}', Level.OFF, ("WISH",))
        return (bot.parts[0] / "files" / "seen").read_text()

    for wish in ("one", "two", "one"):
        monkeypatch.setenv("WISH", wish)
        assert seen() == f"{wish}\n"


def test_a_build_behind_walls_has_nothing_of_it(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARENA_TEST_TOKEN", "secret")
    bot = built(tmp_path, f"env > seen; {GOOD}", walls)
    assert "secret" not in (bot.parts[0] / "files" / "seen").read_text()


def test_names_that_are_not_utf8(here: Path, fake_gcc: FakeCompiler) -> None:
    calls = fake_gcc("cp b*.c ../out/bot && chmod +x ../out/bot")
    name = os.fsdecode(b"b\xff.c")
    (here / name).write_text(SCRIPT)
    assert said(*find_bot(name).argv) == "hello\n"
    assert b"b\xff.c" in calls.read_bytes()


def test_inside_trio_a_thread_builds(tmp_path: Path) -> None:
    async def main() -> BotProgram:
        return await trio.to_thread.run_sync(built, tmp_path, GOOD)

    assert hello(trio.run(main))


def test_a_command_that_fails_is_the_last(folder: Path, fake_gcc: FakeCompiler) -> None:
    calls = fake_gcc(COPY)
    write(folder, {"bot.toml": "build = 'false'\nmain = 'bot.c'", "bot.c": SCRIPT})
    with pytest.raises(BotError, match="cannot build strong: false failed without a message"):
        find_bot("strong")
    assert calls.read_text() == ""


def test_a_command_reads_nothing_and_runs_where_the_sources_are(tmp_path: Path) -> None:
    bot = built(tmp_path, f"pwd > place; cat > input; umask > mask; {GOOD}")
    files = bot.parts[0] / "files"
    assert (files / "place").read_text().endswith("/entry/files\n")
    assert (files / "input").read_text() == ""
    assert (files / "mask").read_text() == "0022\n"


@pytest.mark.parametrize("wish", ["off", "auto"])
def test_a_build_that_steals_from_the_command_line(wish: str, tmp_path: Path) -> None:
    needs_tool("gcc", "gcc")
    if wish != "off" and (why := why_no_walls(SandboxMode.STRICT)):
        ci_or_skip(why)
    (tmp_path / "secret").write_text("the seed of the final")
    (tmp_path / "bot.c").write_text(f'#include "{tmp_path}/secret"\n')
    bot = tmp_path / "bot.c"
    arena = start("play", "warlight", bot, bot, "--sandbox", wish)
    _, errors = arena.communicate(timeout=60)
    assert arena.returncode == 3
    assert ("the seed of the final" in errors) == (wish == "off")


def test_without_the_promised_walls_nothing_is_executed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing() -> str:
        raise OSError("bubblewrap is not installed: apt-get install bubblewrap")

    monkeypatch.setattr(bubblewrap, "find", missing)
    monkeypatch.setattr(session, "launch_keeper", launch_keeper)  # none that has proved its walls
    with pytest.raises(UsageError, match="bubblewrap is not installed"):
        built(tmp_path, f"touch {tmp_path}/ran; {GOOD}", SandboxMode.STRICT)
    assert not (tmp_path / "ran").exists()


def test_the_best_of_a_machine_without_any_walls(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with no_walls_at_all(monkeypatch):
        assert hello(built(tmp_path, f"touch {tmp_path}/ran; {GOOD}", SandboxMode.AUTO))
    assert (tmp_path / "ran").exists()
