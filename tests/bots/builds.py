"""Builds to be tested, honest and hostile, and what is asked about them."""

from __future__ import annotations

import json
import os
import select
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

import msgspec
import psutil
import pytest

from arena.bots import steps
from arena.bots.find import find_bot
from arena.bots.program import BotProgram
from arena.errors import BotError, UsageError
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import prove_level
from arena.sandbox.session import keeper_running, run_with

ROOT = Path(__file__).parents[2]


MARK = f"98765.{os.getpid()}"
"""A time to sleep that no other process sleeps."""


needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="walls are Linux's")


FakeCompiler = Callable[[str], Path]
"""Makes a shell script the C compiler (the fixture `fake_gcc`)."""

COPY = "cp bot.c ../out/bot && chmod +x ../out/bot"
"""The work of a compiler for sources that are themselves scripts."""

SCRIPT = "#!/bin/sh\necho hello\n"


GOOD = "printf '#!/bin/sh\\necho hello\\n' > bot; chmod +x bot\n"


@cache
def why_no_walls(wish: Level | SandboxMode) -> str:
    """Why there are no such walls on this machine."""
    with keeper_running(wish) as keeper:
        try:
            run_with(keeper, lambda children: prove_level(children, wish))
        except UsageError as error:
            return str(error)
    return ""


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


def built(
    folder: Path,
    script: str,
    sandbox: Level | SandboxMode = Level.OFF,
    pass_env: tuple[str, ...] = (),
) -> BotProgram:
    """What a build by a shell script makes of a folder."""
    place = str(laid_out(folder / "bot", ["sh", "-c", script]))
    return find_bot(place, sandbox=sandbox, pass_env=pass_env)


def refused(folder: Path, script: str, walls: Level | SandboxMode) -> BotError:
    """The error with which it ends."""
    with pytest.raises(BotError) as caught:
        built(folder, script, walls)
    assert str(caught.value).startswith("cannot build bot: "), caught.value
    assert len(caught.value.output) <= steps.OUTPUT_CAP + 100
    return caught.value


def python(code: str) -> str:
    """A shell's word for a piece of Python."""
    return f"{sys.executable} -I -S -c {json.dumps(code)}"


def set_limits(monkeypatch: pytest.MonkeyPatch, **limits: int) -> None:
    monkeypatch.setattr(steps, "LIMITS", msgspec.structs.replace(steps.LIMITS, **limits))


def hello(bot: BotProgram) -> bool:
    done = subprocess.run(bot.argv, capture_output=True, text=True, check=True)
    return done.stdout == "hello\n"


def assert_sealed(bot: BotProgram) -> None:
    """It belongs to us, and no other user can write it."""
    for path in [*bot.parts[0].rglob("*"), bot.parts[0]]:
        status = path.lstat()
        assert status.st_uid == os.getuid()
        assert not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH | stat.S_ISUID), path
        assert status.st_mode & stat.S_IROTH, path


@contextmanager
def no_walls_at_all(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    async def nothing(*_: object) -> Level:
        return Level.OFF

    monkeypatch.setattr(steps, "prove_level", nothing)
    yield


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)


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
        assert self._poller.poll(60_000), "60 s without a word"
        return os.read(self._end, 100)

    def close(self) -> None:
        os.close(self._end)
