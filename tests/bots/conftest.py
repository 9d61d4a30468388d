"""A cache per test, a compiler that counts what it is asked, and the walls of this machine."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.sandbox import session
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.placement import shared_etc
from tests.bots.builds import SCRIPT, FakeCompiler, Pipe, sleepers, why_no_walls
from tests.bots.programs import program
from tests.sandbox.walls import ci_or_skip
from tests.support.keepers import lend, usual_place


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lent_keepers: None) -> Path:
    """The folder in which every test here keeps what it builds."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("ARENA_CACHE", str(folder))
    return folder


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def fake_gcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FakeCompiler:
    """Make a shell script the C compiler: it notes each call in the file returned, then does
    `body`. A source that is itself a script is "compiled" by `COPY`."""
    tools, calls = tmp_path / "tools", tmp_path / "calls"
    tools.mkdir()
    calls.touch()
    monkeypatch.setenv("PATH", f"{tools}{os.pathsep}{os.environ['PATH']}")

    def make(body: str) -> Path:
        compiler = tools / "gcc"
        compiler.write_text(f'#!/bin/sh\necho "$*" >> "{calls}"\n{body}\n')
        compiler.chmod(0o755)
        return calls

    return make


SAME = pytest.param(Level.SANDBOX, marks=pytest.mark.dear)
"""But for the control group the same as the strongest; where there is none, the strongest."""


@pytest.fixture(params=[SandboxMode.STRICT, SAME, Level.GUARD], ids=str)
def walls(request: pytest.FixtureRequest) -> Level | SandboxMode:
    """The strongest walls of this machine, those without control groups, and the lowest."""
    wish: Level | SandboxMode = request.param
    if why := why_no_walls(wish):
        ci_or_skip(why)
    return wish


@pytest.fixture
def own_place(
    cache: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """A folder of its own for temporary files, and the proof that nothing is left: no process, no
    temporary file, and in the cache no entry that is not complete."""
    folder = tmp_path_factory.mktemp("own")
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    monkeypatch.setattr(session, "launch_keeper", lend_from_outside)
    yield
    assert sleepers() == []
    assert list(folder.iterdir()) == []
    assert list(cache.glob("bots/new-*")) == []


def lend_from_outside(mode: Level | SandboxMode = Level.OFF) -> KeeperProcess:
    """A keeper that other tests share, and what it makes once for all programs behind walls: it
    lives on, and so that lies outside the folder of a test."""
    with usual_place():
        keeper = lend(mode)
        if mode not in (Level.OFF, Level.GUARD):
            shared_etc(keeper)
    return keeper


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


@pytest.fixture
def tools(here: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only folder in PATH, with `python3` and `env`."""
    folder = here / "tools"
    folder.mkdir()
    for name in ("python3", "env"):
        program(folder / name, b"#!/bin/sh\n")
    monkeypatch.setenv("PATH", str(folder))
    return folder


@pytest.fixture
def folder(here: Path) -> Path:
    """An empty folder for a bot, in the working folder."""
    path = here / "strong"
    path.mkdir()
    return path
