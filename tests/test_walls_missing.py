"""Tests that ask for walls which a machine lacks are skipped; where CI is true they fail."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.structure import ROOT

LACKING = """
from arena.errors import UsageError
from tests.sandbox import programs

programs.missing = {"strict": "Landlock 6 is needed"}.get

def test_of_walls():
    raise UsageError("this machine lacks the walls of --sandbox strict: Landlock 6")

def test_of_walls_that_there_are():
    raise UsageError("this machine lacks the walls of --sandbox sandbox+cgroup: no group")

def test_of_something_else():
    raise ValueError("wrong")
"""


@pytest.mark.dear
@pytest.mark.parametrize(("ci", "outcome"), [("", "2 failed, 1 skipped"), ("true", "3 failed")])
def test_a_machine_without_walls(ci: str, outcome: str, tmp_path: Path) -> None:
    (tmp_path / "test_x.py").write_text(LACKING)
    words = ("-q", "-rs", "-p", "tests.conftest", "-p", "no:xdist", "-p", "no:cacheprovider")
    command = [
        sys.executable,
        "-m",
        "pytest",
        *words,
        f"--rootdir={tmp_path}",
        str(tmp_path / "test_x.py"),
    ]
    ran = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, env={**os.environ, "CI": ci}
    )
    assert outcome in ran.stdout
    assert ("SKIPPED [1] " in ran.stdout) == (not ci)
