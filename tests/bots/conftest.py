"""A cache per test, and a compiler that counts what it is asked."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

FakeCompiler = Callable[[str], Path]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
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


COPY = "cp bot.c ../out/bot && chmod +x ../out/bot"
