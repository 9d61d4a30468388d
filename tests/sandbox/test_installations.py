"""What runs a program, where it is installed, and who says so."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from arena.sandbox import installations
from arena.sandbox.installations import (
    chosen_toolchain,
    interpreter_of,
    is_chosen,
    is_interpreter,
    toolchain,
    way,
)


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


def test_no_program_is_shown_with_a_whole_home(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the user's own nor another one's, nor what is above them."""
    assert toolchain(tool(home.parent / "bin/tool")) == [home.parent / "bin/tool"]
    assert toolchain(tool(home / ".local/bin/tool")) == [home / ".local/bin"]
    monkeypatch.setattr(Path, "exists", lambda self: True)
    assert toolchain("/home/other/bin/tool") == [Path("/home/other/bin/tool")]


def test_rustup_goes_on_to_its_own_folder(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RUSTUP_HOME", raising=False)
    (home / ".rustup").mkdir(parents=True)
    rustc = home / ".cargo/bin/rustc"
    tool(home / ".cargo/bin/rustup")
    rustc.symlink_to("rustup")
    assert toolchain(str(rustc)) == [home / ".cargo/bin", home / ".rustup"]
    monkeypatch.setenv("RUSTUP_HOME", "/opt/rustup")
    assert installations.rustup_home() == Path("/opt/rustup")


def test_links_in_a_circle_end(home: Path) -> None:
    home.mkdir(parents=True)
    (home / "a").symlink_to(home / "b")
    (home / "b").symlink_to(home / "a")
    assert toolchain(str(home / "a")) == []


@pytest.mark.parametrize(
    ("path", "inside"),
    [("/usr", True), ("/usr/bin/x", True), ("/etc/passwd", True), ("/usrx", False), ("/", False)],
)
def test_what_is_the_systems(path: str, inside: bool) -> None:
    assert installations.in_system(path) == inside


@pytest.mark.parametrize(
    ("program", "chosen"),
    [
        (".pyenv/versions/3.12/bin/python3", True),
        (".pyenv/versions/python3", False),
        (".pyenv/versions/3.12/python3", False),
        (".nvm/versions/node/v20/bin/node", True),
        (".sdkman/candidates/java/21/bin/java", True),
        (".sdkman/candidates/java/bin", False),
        (".rustup/toolchains/stable/bin/rustc", True),
        (".rbenv/versions/3.3/bin/ruby", True),
        ("miniconda3/bin/python", True),
        ("private/bin/tool", False),
        ("bin/tool", False),
        (".ssh/bin/tool", False),
    ],
)
def test_what_the_user_has_installed(
    home: Path, program: str, chosen: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable, *_ in installations.MANAGED:
        monkeypatch.delenv(variable, raising=False)
    path = tool(home / program)
    assert is_chosen(path) == chosen
    assert chosen_toolchain(path) == (toolchain(path) if chosen else [])


def test_a_version_manager_elsewhere(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tool(home / "python" / "versions" / "3" / "bin" / "python3")
    assert not is_chosen(path)
    monkeypatch.setenv("PYENV_ROOT", str(home / "python"))
    assert is_chosen(path)


def test_a_link_among_installations_does_not_lead_out(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYENV_ROOT", raising=False)
    tool(home / "private" / "bin" / "tool")
    versions = home / ".pyenv" / "versions"
    versions.mkdir(parents=True)
    (versions / "mine").symlink_to(home / "private")
    assert not is_chosen(str(versions / "mine" / "bin" / "tool"))


def test_the_system_the_path_and_the_own_python_are_chosen(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tool(home / "tools" / "bin" / "x")
    assert is_chosen("/usr/bin/env")
    assert not is_chosen(path)
    monkeypatch.setattr(sys, "executable", path)
    assert is_chosen(path)
    monkeypatch.setattr(sys, "executable", "/usr/bin/python3")
    monkeypatch.setenv("PATH", str(home / "tools" / "bin"))
    assert is_chosen(path)


def test_a_bot_chooses_nothing_by_a_link(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """From the first link on that is the user's, where it leads is the user's choice."""
    private = tool(home / "private" / "bin" / "tool")
    theirs = home / "bot" / "bin" / "python"
    theirs.parent.mkdir(parents=True)
    theirs.symlink_to(private)
    assert chosen_toolchain(str(theirs)) == []
    ours = home / "tools" / "bin" / "python"
    ours.parent.mkdir(parents=True)
    ours.symlink_to(private)
    monkeypatch.setenv("PATH", str(ours.parent))
    theirs.unlink()
    theirs.symlink_to(ours)
    assert list(way(str(theirs))) == [str(theirs), str(ours), private]
    assert chosen_toolchain(str(theirs)) == [home / "tools", home / "private"]


def test_a_virtual_environment_has_interpreters(home: Path) -> None:
    path = tool(home / "venv" / "bin" / "python")
    assert not is_interpreter(path)
    (home / "venv" / "pyvenv.cfg").touch()
    assert is_interpreter(path)


@pytest.mark.parametrize(
    ("line", "program"),
    [
        (b"#!/opt/x/python3 -u\n", "/opt/x/python3"),
        (b"#! /opt/x/python3", "/opt/x/python3"),
        (b"#!/usr/bin/env sh\n", "SH"),
        (b"#!/usr/bin/env -S A=1 sh -x\n", "SH"),
        (b"#!/usr/bin/env no-such-program\n", None),
        (b"#!/usr/bin/env\n", None),
        (b"#!\n", None),
        (b"print()\n", None),
        (b"", None),
    ],
)
def test_the_interpreter_of_a_script(
    line: bytes, program: str | None, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/bin")
    path = tool(home / "script")
    Path(path).write_bytes(line)
    assert interpreter_of(path) == ("/bin/sh" if program == "SH" else program)


def test_a_script_that_cannot_be_read(home: Path) -> None:
    assert interpreter_of(str(home)) is None


def test_databases_that_lie_outside_of_the_system(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home.mkdir(parents=True)
    monkeypatch.setattr(installations, "LINKED", (str(home), str(home / "none")))
    assert installations.linked() == [home]
    assert os.path.isdir(home)
