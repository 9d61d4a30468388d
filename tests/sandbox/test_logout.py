"""What a command says that systemd would end at the logout of its user."""

from __future__ import annotations

import os
import pwd
import signal
import sys
from pathlib import Path
from types import SimpleNamespace

import click
import click.testing
import pytest

from arena.cli import league, serve
from arena.sandbox import logout

SESSION = "/user.slice/user-1000.slice/session-3.scope"
TMUX = "/user.slice/user-1000.slice/user@1000.service/tmux-spawn-1.scope"
ROOTS = "/user.slice/user-0.slice/user@0.service/tmux-spawn-1.scope"


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine with systemd, on which ada works in tmux and does not linger."""
    monkeypatch.setattr(logout, "SYSTEMD", str(tmp_path))
    monkeypatch.setattr(logout, "LINGERING", tmp_path)
    monkeypatch.setattr(os, "getuid", lambda: 1000)
    monkeypatch.setattr(pwd, "getpwuid", lambda uid: pwd.struct_passwd(["ada", *["x"] * 6]))
    monkeypatch.setenv("TMUX", "/tmp/tmux-1000/default,1,0")
    monkeypatch.delenv("STY", raising=False)
    is_in(tmp_path, TMUX)
    return tmp_path


def is_in(machine: Path, group: str) -> None:
    (machine / "self").mkdir(exist_ok=True)
    (machine / "self/cgroup").write_text(f"0::{group}\n")


def warns(machine: Path) -> bool:
    warning = logout.logout_warning(str(machine))
    assert not warning or "`loginctl enable-linger`" in warning
    return bool(warning)


def test_a_window_of_tmux_is_told(machine: Path) -> None:
    assert warns(machine)
    (machine / "ada").touch()
    assert not warns(machine), "she lingers"


@pytest.mark.parametrize(
    ("uid", "group", "is_told"),
    [
        (1000, SESSION, True),
        (1000, "/system.slice/site.service", False),
        (1000, "/system.slice/cron.service", False),
        (0, "/user.slice/user-0.slice/session-1.scope", False),  # its manager is the system's
        (0, ROOTS, True),
    ],
)
def test_where_it_runs_decides(
    machine: Path, monkeypatch: pytest.MonkeyPatch, uid: int, group: str, is_told: bool
) -> None:
    monkeypatch.setattr(os, "getuid", lambda: uid)
    is_in(machine, group)
    assert warns(machine) == is_told


def test_who_sits_at_a_terminal_is_not_told(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is closed with it ends with it, as everywhere."""
    monkeypatch.delenv("TMUX")
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(isatty=lambda: True))
    assert not warns(machine)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        assert warns(machine)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_without_systemd_nothing_is_said(machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logout, "SYSTEMD", "/nowhere")
    assert not warns(machine)


@pytest.mark.parametrize("command", [league.run, serve.command])
def test_long_commands_say_it(
    command: click.Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(logout, "logout_warning", lambda: "systemd ends the bots")
    words = [str(tmp_path / "no.league"), *(["--port", "0"] if command is serve.command else [])]
    ran = click.testing.CliRunner().invoke(command, words)
    assert ran.exception is not None  # there is no such league
    assert "arena: systemd ends the bots\n" in ran.stderr
