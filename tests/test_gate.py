"""The commands in .ci, and instructions for installation in documents and messages."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest

import arena
from tests.structure import ROOT

SCRIPTS = sorted(path for path in (ROOT / ".ci").iterdir())
CONTRIBUTING = (ROOT / ".github" / "CONTRIBUTING.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
TEXTS = [
    *(ROOT / "arena").rglob("*.py"),
    *(ROOT / "arena").rglob("*.md"),
    *ROOT.glob("*.md"),
    *(path for path in (ROOT / ".github").rglob("*.*") if path.suffix != ".webp"),
]
INSTALL = re.compile(r"pip install ((?:-\S+ )*(?:'[^']+'|[\w.-]+))")
OTHERS = {"open_spiel", "ziglang", "pytest", "FOLDER", "my_bot"}
"""What users may install that is not ours, and folders of ``--target``."""


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_each_command_is_sound_and_documented(script: Path) -> None:
    subprocess.run(["bash", "-n", script], check=True)
    assert script.stat().st_mode & 0o111
    assert f"`.ci/{script.name}" in CONTRIBUTING


def installed(text: str) -> list[str]:
    """What the commands in a text install."""
    return [shlex.split(found)[-1] for found in INSTALL.findall(text)]


def test_what_texts_tell_to_install_can_be_installed_from_a_clone() -> None:
    """The distribution is in no index under the name of its import."""
    extras = PROJECT["project"]["optional-dependencies"]
    found = {what for path in TEXTS for what in installed(path.read_text("utf-8"))} - OTHERS
    assert "." in found
    for what in found - {"."}:
        ours = re.fullmatch(r"\.\[([\w,-]+)\]", what)
        assert ours, what
        assert set(ours[1].split(",")) <= extras.keys()


def test_a_wrong_command_would_be_found() -> None:
    assert installed("needs `pip install 'arena[wasm]'` or pip install -q -e '.[test]'") == [
        "arena[wasm]",
        ".[test]",
    ]


def test_the_version_has_one_place() -> None:
    assert PROJECT["project"]["dynamic"] == ["version"]
    assert PROJECT["tool"]["hatch"]["version"] == {"path": "arena/__init__.py"}
    lines = (ROOT / "arena" / "__init__.py").read_text("utf-8").splitlines()
    assert f'__version__ = "{arena.__version__}"' in lines


def test_the_versions_of_python_have_one_list() -> None:
    """Those that the package is said to be for are those on which the gate runs."""
    line = "Programming Language :: Python :: 3."
    said = [one.removeprefix(line) for one in PROJECT["project"]["classifiers"] if line in one]
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    (matrix,) = re.findall(r"python: (\[.*\])", workflow)
    assert [f"3.{minor}" for minor in said] == json.loads(matrix)
    assert PROJECT["project"]["requires-python"] == f">=3.{said[0]}"


GATE = (ROOT / ".ci" / "run").read_text("utf-8")
ONE, SIX = ["tests/test_a.py::test_b[x y]"], [f"t.py::test_{i}" for i in range(6)]


@pytest.mark.parametrize(
    ("failed", "status", "again", "result", "flaky"),
    [
        (None, 0, 9, 0, []),  # all passed: nothing runs again
        (ONE, 1, 0, 0, ONE),
        (SIX[:5], 1, 0, 0, SIX[:5]),
        (ONE, 1, 1, 1, []),  # and fails again
        (SIX, 1, 0, 1, []),  # too many
        (ONE, 3, 0, 1, []),  # pytest itself broke
        (None, 1, 0, 1, []),  # it was not reached
    ],
)
def test_what_fails_once_is_run_once_more(
    tmp_path: Path,
    failed: list[str] | None,
    status: int,
    again: int,
    result: int,
    flaky: list[str],
) -> None:
    """The gate's function, with a command and a second run that end so."""
    pytest_again = tmp_path / ".venv" / "bin" / "pytest"
    pytest_again.parent.mkdir(parents=True)
    pytest_again.write_text(f"#!/bin/sh\necho again: $*\nexit {again}\n")
    pytest_again.chmod(0o755)
    cached = json.dumps(dict.fromkeys(failed or [], True))
    listed = f"mkdir -p .pytest_cache/v/cache; echo '{cached}' > .pytest_cache/v/cache/lastfailed"
    command = f"{listed if failed else 'true'}; exit {status}"
    functions = GATE.split('\nsay "tools"')[0].replace('cd "$(dirname "$0")/.."', "")
    script = f'{functions}\nrun_tests "$1"'
    of_yesterday = tmp_path / ".pytest_cache" / "v" / "cache" / "lastfailed"
    of_yesterday.parent.mkdir(parents=True)
    of_yesterday.write_text('{"old": true}')
    done = subprocess.run(
        ["bash", "-c", script, "run", command],
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == result
    assert re.findall(r"FLAKY: passed only when run again: (.*)", done.stdout) == flaky
    ran_again = "again: -q -p no:xdist --last-failed" in done.stdout
    assert ran_again == (status == 1 and failed is not None and len(failed) < 6)


@pytest.fixture(scope="module")
def cloned(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A clone with a release 0.0.9."""
    if not (ROOT / ".git").exists():
        pytest.skip("needs a clone")
    folder = tmp_path_factory.mktemp("clone") / "clone"
    subprocess.run(["git", "clone", "-q", "--no-tags", ROOT, folder], check=True)
    subprocess.run(["git", "tag", "v0.0.9"], cwd=folder, check=True)
    return folder


@pytest.fixture
def clone(cloned: Path) -> Path:
    """The same, clean and on a branch main, with no changes since the release."""
    for words in (["checkout", "-q", "-f", "-B", "main", "v0.0.9"], ["clean", "-fdq"]):
        subprocess.run(["git", *words], cwd=cloned, check=True)
    return cloned


def release(clone: Path, *words: str) -> tuple[int, str]:
    """Exit status and complaint of ``.ci/release``."""
    command: list[str | Path] = [clone / ".ci" / "release", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr.strip()


@pytest.mark.dear
def test_a_release_needs_a_new_version(clone: Path) -> None:
    assert release(clone, "0.0.9") == (1, "release: v0.0.9 has been released: choose another")
    usage = "release: usage: .ci/release VERSION | .ci/release --dry-run [VERSION]"
    assert release(clone) == release(clone, "next") == (1, usage)


def test_a_release_needs_a_clean_main(clone: Path) -> None:
    (clone / "new").touch()
    assert release(clone, "9.9.9") == (1, "release: there are changes: commit or stash them")
    subprocess.run(["git", "checkout", "-q", "-b", "other"], cwd=clone, check=True)
    assert release(clone, "9.9.9") == (1, "release: not on main: git switch main")


@pytest.mark.dear
def test_a_release_needs_its_section_of_changes(clone: Path) -> None:
    said = "release: CHANGELOG.md has no section '## 9.9.9 (unreleased)'"
    assert release(clone, "9.9.9") == (1, said)
    assert "9.9.9" not in (clone / "arena" / "__init__.py").read_text("utf-8")
