"""Requirements of tests on the machine: external programs and fair matches."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

from arena.errors import MachineError

T = TypeVar("T")
C = TypeVar("C")


def dear(cases: Iterable[C], *, but: Callable[[C], bool]) -> list[ParameterSet]:
    """The cases of a parametrised test, all marked `dear` except for those (`but`) that represent
    the others in every run of the suite."""
    return [pytest.param(one, marks=[] if but(one) else pytest.mark.dear) for one in cases]


def until_fair(play: Callable[[], T]) -> T:
    """Play again while a machine busy with other tests makes the match void."""
    for _ in range(9):
        try:
            return play()
        except MachineError:
            continue
    return play()


@contextmanager
def short_folder() -> Iterator[Path]:
    """A folder for unix sockets. Their paths have at most 104 bytes; one below `tmp_path` may have
    more."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        yield Path(folder)


def needs_tool(name: str, package: str) -> str:
    """The path of the program `name`. Without it the test is skipped with the name of its `package`
    (in Debian and Ubuntu), or fails if the environment variable CI is ``true``."""
    path = shutil.which(name) or shutil.which(name, path="/usr/games")
    if path is None:
        text = f"{name} is not installed: apt-get install {package}"
        if os.environ.get("CI") == "true":
            pytest.fail(text, pytrace=False)
        pytest.skip(text)
    return path


def needs_open_spiel() -> None:
    """Skip where the extra ``openspiel`` is not installed; fail where CI is ``true``."""
    if find_spec("pyspiel") is None:
        text = "open_spiel is not installed: pip install '.[openspiel]'"
        if os.environ.get("CI") == "true":
            pytest.fail(text, pytrace=False)
        pytest.skip(text, allow_module_level=True)
