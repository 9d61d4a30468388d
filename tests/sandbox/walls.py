"""Running a piece of Python behind a wall, for the tests of the walls."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.forks import ArenaProcess

ROOT = str(Path(__file__).parents[2])


def ci_or_skip(reason: str) -> None:
    """Skip the test; where the environment variable CI is ``true``, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def behind(
    wall: str, argv: Sequence[str], text: str = "", fds: Sequence[int] = ()
) -> subprocess.CompletedProcess[str]:
    """Put up the wall in a new process (`wall` is Python code), then execute `argv` in it."""
    return _run(f"{wall}\nos.execv({argv[0]!r}, {list(argv)!r})", text, fds)


def python_behind(wall: str, code: str, fds: Sequence[int] = ()) -> str:
    """What a Python program prints behind the wall. The test fails if it fails."""
    return _said(behind(wall, [sys.executable, "-I", "-c", code], fds=fds))


def within(wall: str, code: str, fds: Sequence[int] = ()) -> str:
    """The same of a piece of Python in the very process that put up the wall: nothing is executed
    behind it, which takes less than a tenth of the CPU time."""
    return _said(_run(f"{wall}\n{code}", "", fds))


def _run(code: str, text: str, fds: Sequence[int]) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-c", f"import os, sys; sys.path.insert(0, {ROOT!r})\n{code}"]
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with ArenaProcess(words, text=True, start_new_session=True, pass_fds=fds, **pipes) as process:
        try:
            out, err = process.communicate(text, timeout=60)
        finally:
            process.kill()
    return subprocess.CompletedProcess(words, process.returncode, out, err)


def _said(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
