"""Tests once more, as an ordinary user: most arenas run as one, most machines for tests as root."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from arena.sandbox import bubblewrap
from arena.sandbox.keeper.cgroup import V1_CONTROLLER
from arena.sandbox.keeper.hierarchies import hierarchies

ROOT = Path(__file__).parents[2]
USER = 1000
JOIN = 'for group in $1; do echo 0 > "$group/cgroup.procs" || exit; done; shift; exec "$@"'
BECOME = (
    *("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all"),
    "/usr/bin/env",  # setpriv itself still has root's right to execute everything
)


def pytest_as_ordinary_user(chosen: str, *, delegated: bool) -> subprocess.CompletedProcess[str]:
    """Run the chosen tests of ``test_resources`` (as ``-k`` names them), in control groups of their
    own if these are `delegated`, else without any. Skips the calling test where that cannot be."""
    needs_root()
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(dir="/tmp")))
        groups = stack.enter_context(delegated_groups()) if delegated else []
        for name in ("arena", "tests", "pyproject.toml"):
            copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(ROOT / name, place / name)
        os.chown(place, USER, USER)
        words = ("/bin/sh", "-c", JOIN, "sh", " ".join(groups), *BECOME, _python())
        level = {} if delegated else {"ARENA_TESTS_LEVEL": "sandbox"}
        return _pytest(words, chosen, place, {**_environment(place), **level})


def pytest_in_a_container(chosen: str) -> subprocess.CompletedProcess[str]:
    """Run them as root in namespaces of their own, from where no control group can be reached."""
    needs_root()
    words = ("unshare", "--mount", "--pid", "--fork", "--mount-proc", "--cgroup", sys.executable)
    return _pytest(words, chosen, ROOT, {**os.environ, "ARENA_TESTS_LEVEL": "sandbox"})


def needs_root() -> None:
    """Skip the test for an ordinary user."""
    if os.geteuid() != 0:
        pytest.skip("only root can become another user or make a container")


def _pytest(
    words: tuple[str, ...], chosen: str, place: Path, environment: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-k", chosen)
    return subprocess.run(
        [*words, "-m", "pytest", *options, "tests/hostile/test_resources.py"],
        cwd=place,
        env=environment,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )


def _environment(place: Path) -> dict[str, str]:
    kept = {name: os.environ[name] for name in ("CI",) if name in os.environ}
    packages = os.pathsep.join([str(place), *(path for path in sys.path if "-packages" in path)])
    own = {"PATH": bubblewrap.PATH, "HOME": str(place), "TMPDIR": str(place)}
    return kept | own | {"PYTHONPATH": packages, "PYTHONDONTWRITEBYTECODE": "1"}


def _python() -> str:
    """A Python like ours that the user may run, with our packages."""
    version = "{}.{}".format(*sys.version_info)
    for program in (sys.executable, f"/usr/bin/python{version}"):
        if os.path.exists(program) and _runs(program):
            return program
    pytest.skip("Python or its packages are in a folder that only this user may read")


def _runs(program: str) -> bool:
    argv = [*BECOME, program, "-c", "import pytest, trio, msgspec"]
    ran = subprocess.run(argv, env=_environment(ROOT), capture_output=True, cwd="/", check=False)
    return ran.returncode == 0


@contextmanager
def delegated_groups() -> Iterator[list[str]]:
    """A group of the user in each hierarchy, as systemd gives one to each user."""
    useful = {"", *V1_CONTROLLER.values()}
    places = [one.folder for one in hierarchies() if useful & set(one.controllers.split(","))]
    made = [f"{folder}/delegated-{os.getpid()}" for folder in places]
    try:
        for folder in made:
            os.mkdir(folder)
            for path in (folder, *(entry.path for entry in os.scandir(folder))):
                os.chown(path, USER, USER)
        yield made
    finally:
        for folder in made:
            _remove(folder)


def _remove(folder: str) -> None:
    if os.path.isdir(folder):
        for below, _, _ in os.walk(folder, topdown=False):
            os.rmdir(below)
