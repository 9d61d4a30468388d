"""Running a piece of Python behind a wall, for the tests of the walls."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])


def ci_or_skip(reason: str) -> None:
    """Skip the test; where the environment variable CI is ``true``, fail it."""
    if os.environ.get("CI") == "true":
        pytest.fail(reason, pytrace=False)
    pytest.skip(reason)


def behind(
    wall: str, argv: Sequence[str], text: str = "", fds: Sequence[int] = ()
) -> subprocess.CompletedProcess[str]:
    """Put up the wall in a fresh process (`wall` is Python code), then execute `argv` in it."""
    code = f"import os, sys; sys.path.insert(0, {ROOT!r})\n{wall}\n"
    code += f"os.execv({argv[0]!r}, {list(argv)!r})"
    return subprocess.run(
        [sys.executable, "-I", "-c", code],
        input=text,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        pass_fds=fds,
    )


def python_behind(wall: str, code: str, fds: Sequence[int] = ()) -> str:
    """What a Python program prints behind the wall. The test fails if it fails."""
    done = behind(wall, [sys.executable, "-I", "-c", code], fds=fds)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
