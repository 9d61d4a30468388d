"""The cache: what is built once, what again, and what remains when a build goes wrong."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from arena.bots import build, find_bot
from arena.errors import BotError
from tests.bots.conftest import COPY, FakeCompiler

SCRIPT = "#!/bin/sh\necho hello\n"


def said(program: str) -> str:
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout


def entries(cache: Path) -> list[str]:
    return sorted(path.name for path in (cache / "bots").iterdir())


class Pipe:
    """A named pipe: compilers write to it, and it ends with the last process that holds it."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = path
        self._end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
        self._poller = select.poll()
        self._poller.register(self._end, select.POLLIN)

    def read(self) -> bytes:
        """The next bytes, none at the end."""
        assert self._poller.poll(20_000), "20 s without a word"
        return os.read(self._end, 100)

    def close(self) -> None:
        os.close(self._end)


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Pipe]:
    pipe = Pipe(tmp_path / "pipe")
    yield pipe
    pipe.close()


@pytest.fixture
def source(here: Path) -> Path:
    path = here / "bot.c"
    path.write_text(SCRIPT)
    return path


def test_the_second_time_nothing_is_compiled(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    calls = fake_gcc(COPY)
    first, second = find_bot("bot.c"), find_bot(str(source))
    assert first.argv == second.argv
    assert calls.read_text() == "-std=gnu17 -O2 -pthread -I. -o ../out/bot bot.c -lm\n"
    assert said(*first.argv) == "hello\n"
    assert len(entries(cache)) == 1


def test_o16_an_edit_is_compiled_and_changes_nothing_built_before(
    source: Path, fake_gcc: FakeCompiler
) -> None:
    calls = fake_gcc(COPY)
    before = find_bot("bot.c")
    source.write_text(SCRIPT.replace("hello", "better"))
    after = find_bot("bot.c")
    assert [said(*before.argv), said(*after.argv)] == ["hello\n", "better\n"]
    source.write_text(SCRIPT)
    assert find_bot("bot.c").argv == before.argv
    assert len(calls.read_text().splitlines()) == 2


def test_another_compiler_compiles_again(source: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc(COPY)
    before = find_bot("bot.c")
    fake_gcc(f"# newer\n{COPY}")
    assert find_bot("bot.c").argv != before.argv


def test_a_cache_may_be_given(source: Path, tmp_path: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc(COPY)
    bot = find_bot("bot.c", cache=tmp_path / "other" / "place")
    assert bot.argv[0].startswith(str(tmp_path / "other" / "place"))


def test_two_arenas_may_build_the_same_bot_at_once(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    # Each compiler waits until the other has started as well.
    calls = fake_gcc(
        f'while [ $(wc -l < "$(dirname "$0")/../calls") -lt 2 ]; do sleep 0.01; done; {COPY}'
    )
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(find_bot, ["bot.c", "bot.c"])
    assert first.argv == second.argv
    assert said(*first.argv) == "hello\n"
    assert len(calls.read_text().splitlines()) == 2
    assert len(entries(cache)) == 1


def test_a_file_edited_while_it_is_copied_gets_its_own_entry(
    source: Path, fake_gcc: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gcc(COPY)
    sweep = build._sweep

    def edit(bots: Path, now: float) -> None:
        sweep(bots, now)
        source.write_text(SCRIPT.replace("hello", "edited"))

    monkeypatch.setattr(build, "_sweep", edit)
    edited = find_bot("bot.c")
    monkeypatch.setattr(build, "_sweep", sweep)
    source.write_text(SCRIPT)
    original = find_bot("bot.c")
    assert [said(*edited.argv), said(*original.argv)] == ["edited\n", "hello\n"]


def test_a_failed_compilation_shows_what_the_compiler_said(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc('echo "bot.c:1: error: no" >&2; exit 1')
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert str(caught.value) == "cannot compile bot.c: gcc says:"
    assert caught.value.output == "bot.c:1: error: no\n"
    assert entries(cache) == []


@pytest.mark.parametrize(("body", "status"), [("exit 3", 3), ("kill -9 $$", -9)])
def test_a_compiler_that_fails_without_a_word(
    body: str, status: int, source: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(body)
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    text = f"gcc failed without a word (status {status}): run it by hand"
    assert str(caught.value) == f"cannot compile bot.c: {text}"


def test_a_compiler_that_writes_nothing(source: Path, cache: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc("exit 0")
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    (entry,) = entries(cache)
    text = f"its compiler wrote no program: remove {cache}/bots/{entry} and try again"
    assert str(caught.value) == f"cannot start bot.c: {text}"


def test_o20_a_cache_mounted_noexec(
    source: Path, cache: Path, fake_gcc: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gcc("cp bot.c ../out/bot")
    monkeypatch.setattr("arena.bots.source.mounted_noexec", lambda path: True)
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    text = f"the cache {cache} is mounted noexec: set ARENA_CACHE to a folder elsewhere"
    assert str(caught.value) == f"cannot start bot.c: {text}"


def test_a09_long_output_is_cut(source: Path, fake_gcc: FakeCompiler) -> None:
    fake_gcc("yes error | head -c 3000000; exit 1")
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert len(caught.value.output) < build.OUTPUT_CAP + 100
    assert caught.value.output.startswith("error\nerror\n")
    assert caught.value.output.endswith("\n… (the rest is cut)\n")


def test_a08_a_build_that_hangs_is_stopped_with_all_its_processes(
    source: Path, cache: Path, pipe: Pipe, fake_gcc: FakeCompiler, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_gcc(f'exec 3> "{pipe.path}"; echo compiling; sleep 1000 & sleep 1000')
    monkeypatch.setattr(build, "BUILD_SECONDS", 1)
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert pipe.read() == b""
    text = "gcc was stopped after 1 s: build it yourself and name the result"
    assert str(caught.value) == f"cannot compile bot.c: {text}"
    assert caught.value.output == "compiling\n"
    assert entries(cache) == []


def test_a11_what_a_build_leaves_running_is_ended(
    source: Path, pipe: Pipe, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(f'exec 3> "{pipe.path}"; sleep 1000 & {COPY}')
    assert said(*find_bot("bot.c").argv) == "hello\n"
    assert pipe.read() == b""


BUILD = "from arena.bots import find_bot; find_bot('bot.c')"

STARTED_SLOWLY = f"""
import subprocess, time

class Popen(subprocess.Popen):
    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        time.sleep(0.5)

subprocess.Popen = Popen
{BUILD}
"""


@pytest.mark.parametrize("script", [BUILD, STARTED_SLOWLY], ids=["running", "starting"])
def test_an_interrupted_build_leaves_nothing(
    script: str, source: Path, cache: Path, pipe: Pipe, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(f'exec 3> "{pipe.path}"; echo ready >&3; sleep 1000')
    with subprocess.Popen(
        [sys.executable, "-c", script],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        stderr=subprocess.PIPE,
    ) as arena:
        assert pipe.read() == b"ready\n"
        arena.send_signal(signal.SIGINT)
        assert pipe.read() == b""
        _, errors = arena.communicate(timeout=20)
    assert b"KeyboardInterrupt" in errors
    assert entries(cache) == []


def test_leftovers_of_killed_builds_are_swept_but_young_ones_are_not(
    source: Path, cache: Path, fake_gcc: FakeCompiler
) -> None:
    fake_gcc(COPY)
    for name, days in (("new-old", 3), ("new-young", 0), ("precious", 3)):
        folder = cache / "bots" / name
        folder.mkdir(parents=True)
        then = time.time() - days * 24 * 3600
        os.utime(folder, (then, then))
    find_bot("bot.c")
    names = entries(cache)
    assert names[1:] == ["new-young", "precious"]
    assert len(names[0]) == 64


def test_a_full_or_forbidden_disk_is_said(source: Path, cache: Path) -> None:
    cache.mkdir()
    (cache / "bots").write_text("in the way")
    with pytest.raises(BotError) as caught:
        find_bot("bot.c")
    assert str(caught.value).startswith(f"cannot compile bot.c: {cache}/bots")
    assert str(caught.value).endswith("check permissions and free space there")


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({"ARENA_CACHE": "TMP/mine", "XDG_CACHE_HOME": "TMP/xdg", "HOME": "TMP"}, "mine"),
        ({"XDG_CACHE_HOME": "TMP/xdg", "HOME": "TMP"}, "xdg/arena"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "TMP"}, ".cache/arena"),
        ({"HOME": "TMP"}, ".cache/arena"),
        ({"HOME": "/nowhere"}, f"arena-{os.getuid()}"),
        ({"XDG_CACHE_HOME": "/proc/none", "HOME": ""}, f"arena-{os.getuid()}"),
        ({}, f"arena-{os.getuid()}"),
    ],
)
def test_o20_where_the_cache_is(
    environment: dict[str, str], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ARENA_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value.replace("TMP", str(tmp_path)))
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = os.umask(0)
    try:
        root = build.cache_root()
    finally:
        os.umask(before)
    assert root == tmp_path / place
    made = [root, *(folder for folder in root.parents if folder.is_relative_to(tmp_path))][:-1]
    assert {oct(folder.stat().st_mode & 0o777) for folder in made} == {"0o700"}
    assert build.cache_root() == root


def test_a_temporary_cache_of_somebody_else_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ARENA_CACHE", "XDG_CACHE_HOME", "HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    trap = tmp_path / f"arena-{os.getuid()}"
    trap.symlink_to(tmp_path)
    with pytest.raises(BotError) as caught:
        build.cache_root()
    text = f"{trap} belongs to somebody else: set ARENA_CACHE to a folder of yours"
    assert str(caught.value) == text
