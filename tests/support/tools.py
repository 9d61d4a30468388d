"""Requirements of tests on the machine: external programs and fair matches."""

from __future__ import annotations

import inspect
import os
import shutil
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from functools import wraps
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import pytest
from _pytest.mark.structures import ParameterSet

from arena.errors import MachineError

T = TypeVar("T")
C = TypeVar("C")


def dear(cases: Iterable[C], *, but: Callable[[C], bool]) -> list[ParameterSet]:
    """The cases of a parametrised test, all marked `dear` except for those (`but`) that represent
    the others in every run of the suite."""
    return [pytest.param(one, marks=[] if but(one) else pytest.mark.dear) for one in cases]


def every(
    names: str, cases: Collection[Any], *, ids: Callable[[Any], str] = repr
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test for all these cases, and fail with a list of all that fail. It stands in the place
    of `pytest.mark.parametrize` where cases are many and cheap: pytest takes longer to prepare a
    test than such a case does. The cases share fixtures, but each has a `tmp_path` of its own."""
    words = names.replace(",", " ").split()

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        @wraps(test)
        def run(**fixtures: Any) -> None:
            folder, failed, errors = fixtures.get("tmp_path"), [], []
            for number, case in enumerate(cases):
                values = zip(words, case if len(words) > 1 else [case], strict=True)
                if folder:
                    fixtures["tmp_path"] = folder / str(number)
                    fixtures["tmp_path"].mkdir()
                try:
                    test(**fixtures, **dict(values))
                except (Exception, pytest.fail.Exception) as error:
                    failed.append(ids(case))
                    text = f"{failed[-1]}: {type(error).__name__}: {error}"
                    errors.append(AssertionError(text).with_traceback(error.__traceback__))
            if failed:
                text = f"{len(failed)} of {len(cases)} cases fail: {', '.join(failed)}"
                raise ExceptionGroup(text, errors)

        signature = inspect.signature(test)
        fixtures = [one for name, one in signature.parameters.items() if name not in words]
        vars(run)["__signature__"] = signature.replace(parameters=fixtures)
        return run

    return decorate


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
