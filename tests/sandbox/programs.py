"""Programs behind the walls of a level, run to their end, for the tests of the walls."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest
import trio

from arena.core.limits import Limits
from arena.errors import UsageError
from arena.sandbox.children import Children
from arena.sandbox.keeper.messages import Exit, SpawnRequest
from arena.sandbox.levels import SANDBOX_MODES, Level
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.probe import prove_level
from arena.sandbox.session import keeper_running, run_with
from tests.sandbox.walls import ci_or_skip
from tests.support.keepers import shared_keeper

linux_only = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has what it tests")


@dataclass(frozen=True)
class Ended:
    """A program that has ended, and what it printed."""

    out: str
    err: str
    exit: Exit


def needs(level: Level) -> None:
    """Skip the test where this machine does not have the level (fail it where the environment
    variable CI is ``true``)."""
    problem = missing(level)
    if problem is not None:
        ci_or_skip(problem)


@cache
def missing(level: str) -> str | None:
    """What this machine lacks for a level or mode of ``--sandbox``, as `arena play` says it."""
    wish = SANDBOX_MODES.get(level) or Level(level)
    with keeper_running(wish) as keeper:
        try:
            run_with(keeper, lambda children: prove_level(children, wish))
        except UsageError as error:
            return str(error)
    return None


def run_program(program: Program, level: Level, limits: Limits = Limits()) -> Ended:  # noqa: B008
    """Run a bot's program behind the walls of a level."""
    needs(level)

    async def main(children: Children) -> Ended:
        return await ended(children, bot_request(program, level, limits, children.keeper))

    with shared_keeper(level) as keeper:
        return run_with(keeper, main)


def run_code(folder: Path, code: str, level: Level, limits: Limits = Limits()) -> Ended:  # noqa: B008
    """Run a piece of Python likewise, in a private folder."""
    argv = [sys.executable, "-I", "-S", "-c", code]
    return run_program(Program(argv, (), folder), level, limits)


def run_request(request: SpawnRequest, mode: Level = Level.OFF) -> Ended:
    """Run what a request asks for, with a keeper for `mode`."""
    with shared_keeper(mode) as keeper:
        return run_with(keeper, lambda children: ended(children, request))


async def ended(children: Children, request: SpawnRequest) -> Ended:
    """Run a program to its end."""
    async with children.running(request, name="program") as child:
        with trio.fail_after(60):
            await child.exited.wait()
        assert child.exit is not None
        return Ended(_said(child.stdout), child.last_words(), child.exit)


def _said(descriptor: int) -> str:
    try:
        return os.read(descriptor, 1 << 16).decode().strip()
    except BlockingIOError:
        return ""


def shell(*words: str) -> tuple[str, ...]:
    """The command of a shell program with arguments."""
    code, *arguments = words
    return ("/bin/sh", "-c", code, "sh", *arguments)


def lay_out(path: Path, text: str = "", mode: int = 0o644) -> Path:
    """A file, readable for all, in folders that can be entered by all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def open_to_all(folder: Path, root: Path) -> None:
    """Let programs with another user id reach a folder of a test."""
    for one in (folder, *folder.parents):
        if one == root.parent:
            break
        one.chmod(0o755)


WALLED: Sequence[Level] = (Level.GUARD, Level.SANDBOX, Level.CGROUP)
