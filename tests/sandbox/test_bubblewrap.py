"""What of the disk a sandbox shows for the sake of the program that runs a bot."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.sandbox.bubblewrap import toolchain


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    return tmp_path / "me"


def tool(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return str(path)


@pytest.mark.parametrize(
    ("program", "shown"),
    [
        (".pyenv/versions/3/bin/python3", ".pyenv/versions/3"),
        (".pyenv/shims/python3", ".pyenv"),  # a script that asks the version manager
        (".cargo/bin/tool", ".cargo/bin"),  # beside it lie the user's tokens
        ("bin/tool", "bin/tool"),  # what is above it is the home itself
        ("contest/tool", "contest/tool"),
    ],
)
def test_where_a_program_lives(home: Path, program: str, shown: str) -> None:
    assert toolchain(tool(home / program)) == [home / shown]


def test_every_link_on_the_way_is_followed(home: Path) -> None:
    tool(home / ".pyenv/versions/3/bin/python3.11")
    python = home / "project/.venv/bin/python"
    python.parent.mkdir(parents=True)
    python.symlink_to(home / ".pyenv/versions/3/bin/python3.11")
    assert toolchain(str(python)) == [home / "project/.venv", home / ".pyenv/versions/3"]


def test_the_system_is_shown_anyway() -> None:
    assert toolchain("/usr/bin/env") == []
