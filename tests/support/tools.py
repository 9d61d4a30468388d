"""What tests need of the machine: programs that are not part of Python, and fair matches."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

from arena.errors import MachineError

T = TypeVar("T")
C = TypeVar("C")


def dear(cases: Iterable[C], *, but: Callable[[C], bool]) -> list[ParameterSet]:
    """The cases of a parametrised test: all have the marker `dear` but those that stand for the
    others in each run of the suite."""
    return [pytest.param(one, marks=[] if but(one) else pytest.mark.dear) for one in cases]


def until_fair(play: Callable[[], T]) -> T:
    """Play again while a machine that is busy with other tests makes the match void."""
    for _ in range(9):
        try:
            return play()
        except MachineError:
            continue
    return play()


def needs_tool(name: str, package: str) -> str:
    """The path of the program `name`. Without it the test is skipped, saying which `package` (of
    Debian and Ubuntu) has it; where the environment variable CI is ``true`` the test fails."""
    path = shutil.which(name)
    if path is None:
        text = f"{name} is not installed: apt-get install {package}"
        if os.environ.get("CI") == "true":
            pytest.fail(text, pytrace=False)
        pytest.skip(text)
    return path
