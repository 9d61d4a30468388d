"""The commands of a build: what is said of one that fails, and what one behind walls cannot reach.

Where that does no harm, an attempt is first seen to work without walls."""

from __future__ import annotations

import os
import re
import shutil
import socket
from pathlib import Path
from typing import Any

import pytest

from arena.bots import steps
from arena.bots.find import find_bot
from arena.bots.program import Runtime
from arena.errors import BotError, MachineError
from arena.sandbox import installations
from arena.sandbox.keeper.messages import Sandbox, SpawnRequest
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.placement import build_request
from tests.bots.builds import (
    COPY,
    GOOD,
    MARK,
    SCRIPT,
    FakeCompiler,
    Pipe,
    built,
    entries,
    hello,
    laid_out,
    needs_linux,
    python,
    refused,
    why_no_walls,
)
from tests.bots.samples import write
from tests.bots.wasm.modules import bot as webassembly
from tests.bots.wasm.modules import save
from tests.sandbox.walls import ci_or_skip
from tests.support.tools import needs_tool

pytestmark = [needs_linux, pytest.mark.usefixtures("own_place")]


def test_A10_no_network(tmp_path: Path, walls: Level | SandboxMode) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        there = server.getsockname()
        connect = python(f"import socket; socket.create_connection({there}).close()")
        assert built(tmp_path, f"{GOOD}{connect}")  # it can be done
        error = refused(tmp_path, f"{GOOD}{connect} # again", walls)
    assert "Traceback" in error.output


def test_A10_a_download_is_refused_in_clear_words(
    tmp_path: Path, walls: Level | SandboxMode
) -> None:
    needs_tool("go", "golang-go")
    text = 'package main\nimport _ "example.com/none"\nfunc main() {}\n'
    module = "module bot\ngo 1.19\nrequire example.com/none v1.0.0\n"
    files = {"bot.go": text, "go.mod": module}
    folder = laid_out(tmp_path / "bot", ["go", "build", "-mod=mod", "-o", "bot", "."], **files)
    with pytest.raises(BotError) as caught:
        find_bot(str(folder), sandbox=walls)
    assert "GOPROXY=off" in caught.value.output


def test_A08_no_file_of_the_caller(tmp_path: Path, walls: Level | SandboxMode) -> None:
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
        find_bot(str(source), sandbox=walls)
    assert "the seed" not in caught.value.output
    assert re.match(r"cannot compile bot\.c: bot\.c:1:\d+: fatal error: ", str(caught.value))


@pytest.mark.parametrize("path", ["/etc/shadow", "/etc/passwd", "~/.bashrc", "ARENA"])
def test_A08_no_file_of_the_system_that_is_not_needed(
    path: str, tmp_path: Path, walls: Level | SandboxMode
) -> None:
    own = f"/proc/{os.getpid()}/environ" if path == "ARENA" else os.path.expanduser(path)
    assert refused(tmp_path, f"cat {own} 2> /dev/null", walls).output == ""


def test_no_other_bot_and_no_other_staged_folder(
    tmp_path: Path, walls: Level | SandboxMode
) -> None:
    other = built(tmp_path, GOOD)
    bots = other.parts[0].parent
    look = f"cat {other.argv[0]} 2> /dev/null; ls {bots}/* ../../.. 2> /dev/null; exit 1"
    seen = refused(tmp_path, look, walls).output
    assert "hello" not in seen
    assert other.parts[0].name not in seen


def test_it_writes_nowhere_else(tmp_path: Path, walls: Level | SandboxMode) -> None:
    precious = tmp_path / "precious"
    precious.write_text("as it was")
    precious.chmod(0o666)
    own = laid_out(tmp_path / "bot", ["true"], Makefile="as it was") / "Makefile"
    new = ["/usr/arena-was-here", "/var/tmp/arena-was-here", "/tmp/arena-was-here"]
    places = [precious, own, *new]
    attempts = "".join(f"echo changed > {place};" for place in places)
    bot = built(tmp_path, f"({attempts}) 2> /dev/null; {GOOD}", walls)
    assert hello(bot)
    assert precious.read_text() == own.read_text() == "as it was"
    assert [place for place in new if os.path.exists(place)] == []


def test_it_has_no_rights(tmp_path: Path, walls: Level | SandboxMode) -> None:
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


def test_a_build_does_not_choose_what_it_is_shown(
    tmp_path: Path, walls: Level | SandboxMode
) -> None:
    tool = tmp_path / "private" / "bin" / "tool"
    tool.parent.mkdir(parents=True)
    shutil.copy("/bin/sh", tool)
    (tmp_path / "private" / "secret").write_text("the seed of the final")
    steal = ["-c", f"cat {tmp_path}/private/secret; exit 1"]
    with pytest.raises(BotError) as caught:
        find_bot(str(laid_out(tmp_path / "bot", [str(tool), *steal])), sandbox=walls)
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
    assert installations.toolchain(str(programs / "rustc")) == [programs, tmp_path / ".rustup"]


def test_A08_a_build_that_hangs(
    tmp_path: Path, walls: Level | SandboxMode, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "BUILD_SECONDS", 1)
    error = refused(tmp_path, f"echo begun; setsid sleep {MARK} & sleep {MARK}", walls)
    advice = "build it yourself and name the result"
    assert str(error) == f"cannot build bot: sh was stopped after 1 s: {advice}"
    assert error.output == "begun\n"


def test_a_failed_compilation_shows_what_the_compiler_said(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc('echo "bot.c:1: error: no" >&2; exit 1')
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert str(caught.value) == "cannot compile bot.c: bot.c:1: error: no"
    assert caught.value.output == "bot.c:1: error: no\n"
    assert entries(cache) == []


@pytest.mark.parametrize(("body", "status"), [("exit 3", 3), ("kill -9 $$", "SIGKILL")])
def test_a_compiler_that_fails_without_a_word(
    body: str, status: int | str, source: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(body)
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    text = f"gcc failed without a message (status {status}): run it by hand"
    assert str(caught.value) == f"cannot compile bot.c: {text}"


def test_a09_long_output_is_cut(source: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc("yes error | head -c 3000000; exit 1")
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert len(caught.value.output) < steps.OUTPUT_CAP + 100
    assert caught.value.output.startswith("error\nerror\n")
    assert caught.value.output.endswith("\n… (the rest is cut)\n")


def test_a08_a_build_that_hangs_is_stopped_with_all_its_processes(
    source: Path, cache: Path, pipe: Pipe, fake_gcc: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gcc(f'exec 3> "{pipe.path}"; echo compiling; sleep 1000 & sleep 1000')
    monkeypatch.setattr(steps, "BUILD_SECONDS", 1)
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert pipe.read() == b""
    text = "gcc was stopped after 1 s: build it yourself and name the result"
    assert str(caught.value) == f"cannot compile bot.c: {text}"
    assert caught.value.output == "compiling\n"
    assert entries(cache) == []


def test_the_time_of_all_commands_together_is_limited(
    folder: Path, fake_gcc: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gcc("exec sleep 0.7")
    write(folder, {"bot.toml": "build = 'sleep 0.7'\nmain = 'bot.c'", "bot.c": ""})
    monkeypatch.setattr(steps, "BUILD_SECONDS", 1)
    with pytest.raises(BotError, match="was stopped after 1 s"):
        find_bot("strong")


def test_each_command_is_quoted_alone(folder: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc("echo mine; echo too >&2; exit 1")
    write(folder, {"bot.toml": "build = 'echo of another'\nmain = 'bot.c'", "bot.c": ""})
    with pytest.raises(BotError) as caught:
        find_bot("strong")
    assert caught.value.output == "mine\ntoo\n"


def test_output_of_just_the_most_is_not_cut(source: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc(f"head -c {steps.OUTPUT_CAP} /dev/zero | tr '\\0' x; exit 1")
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert caught.value.output == "x" * steps.OUTPUT_CAP


def test_a_build_sees_webassembly_and_the_users_own_compilers(
    tmp_path: Path, walls: Level | SandboxMode, fake_gcc: FakeCompiler
) -> None:
    """A compiler in a folder of the user's PATH is shown; the runner of .wasm bots as well."""
    tool = fake_gcc("true").parent / "tools" / "gcc"
    tool.write_text(f"#!/bin/sh\n{COPY}\n")
    (tmp_path / "bot.c").write_text(SCRIPT)
    assert hello(find_bot(str(tmp_path / "bot.c"), sandbox=walls))
    save(webassembly(), tmp_path / "bot.wasm")
    assert find_bot(str(tmp_path / "bot.wasm"), sandbox=walls).runtime is Runtime.WASM


# -- walls that do not stand -----------------------------------------------------------------------


def test_walls_that_do_not_stand_are_no_fault_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why := why_no_walls(Level.SANDBOX):
        ci_or_skip(why)

    def broken(*words: Any) -> SpawnRequest:
        request = build_request(*words)
        assert isinstance(request.walls, Sandbox)
        first, *rest = request.walls.command
        command = (first, "--ro-bind", "/no/such/place", "/x", *rest)
        return request._replace(walls=request.walls._replace(command=command))

    monkeypatch.setattr("arena.bots.steps.build_request", broken)
    with pytest.raises(MachineError) as caught:
        built(tmp_path, f"touch {tmp_path}/ran; {GOOD}", Level.SANDBOX)
    assert str(caught.value).startswith("cannot build bot: its walls could not be put up: ")
    assert "/no/such/place" in str(caught.value)


def test_walls_that_cannot_be_made_are_no_fault_of_the_bot(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if why := why_no_walls(Level.SANDBOX):
        ci_or_skip(why)

    def broken(*words: Any) -> SpawnRequest:
        raise OSError("bubblewrap is gone")

    monkeypatch.setattr("arena.bots.steps.build_request", broken)
    with pytest.raises(MachineError, match="cannot build bot: bubblewrap is gone"):
        built(tmp_path, GOOD, Level.SANDBOX)
