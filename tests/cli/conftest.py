"""Running commands: in this process for what they print, in processes of their own for how they
behave as programs."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from arena.cli import main
from tests.support.forks import ARENA, ArenaProcess

SAMPLES = Path(__file__).parents[2] / "sample_bots" / "warlight"
SIMPLE = str(SAMPLES / "simple.py")
SHELL = str(SAMPLES / "border.sh")
QUICK = str(Path(__file__).with_name("simple.sh"))
"""A bot of warlight that does nothing but start fast, where no more is asked of it."""


class Ran(NamedTuple):
    """What a command did."""

    status: int
    out: str
    err: str


Arena = Callable[..., Ran]


@pytest.fixture
def arena(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, lent_keepers: None
) -> Arena:
    """Run a command line in this process."""
    monkeypatch.setenv("NO_COLOR", "1")

    def run(*arguments: str) -> Ran:
        capfd.readouterr()
        status = main.run([str(argument) for argument in arguments])
        out, err = capfd.readouterr()
        assert "Traceback" not in err
        return Ran(status, out, err)

    return run


def arena_process(*arguments: str, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    """Start a command line as a process."""
    return ArenaProcess(
        [*ARENA, *arguments],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
        env={**os.environ, "NO_COLOR": "1"},
        start_new_session=True,
    )
