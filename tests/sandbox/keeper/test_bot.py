"""How the end of a bot is told."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

from arena.sandbox.keeper.bots import signal_name
from arena.sandbox.keeper.messages import ENTERED, ProcessLimits, Sandbox, SpawnRequest
from arena.sandbox.levels import Level
from tests.sandbox.programs import linux_only, run_code, run_request, shell

LIMITS = ProcessLimits(files=64, file_size=1 << 20, processes=64)


def test_names_of_signals() -> None:
    assert signal_name(11) == "SIGSEGV"
    assert signal_name(signal.SIGRTMIN + 3) == f"signal {signal.SIGRTMIN + 3}"


@pytest.mark.parametrize(
    ("end", "code", "name"),
    [("exit 0", 0, None), ("exit 139", 139, None), ("kill -SEGV $$", None, "SIGSEGV")],
)
def test_the_end_of_a_program_without_walls(end: str, code: int | None, name: str | None) -> None:
    ended = run_request(SpawnRequest(shell(end), "/", {}))
    assert (ended.exit.code, ended.exit.signal, ended.exit.entered) == (code, name, True)


@linux_only
@pytest.mark.parametrize(
    ("end", "code", "name"),
    [
        ("os._exit(3)", 3, None),
        ("os._exit(128)", 128, None),
        ("os.kill(os.getpid(), 6)", None, "SIGABRT"),
    ],
)
def test_the_end_of_a_program_in_a_sandbox(
    tmp_path: Path, end: str, code: int | None, name: str | None
) -> None:
    """Bubblewrap passes a signal on as a code above 128."""
    ended = run_code(tmp_path, f"import os; {end}", Level.SANDBOX)
    assert (ended.exit.code, ended.exit.signal, ended.exit.entered) == (code, name, True)


@linux_only
def test_a_sandbox_that_fails_was_not_entered() -> None:
    walls = Sandbox(LIMITS, (), ("/bin/false",))
    ended = run_request(SpawnRequest(("x",), "/", {}, walls))
    assert (ended.exit.code, ended.exit.entered) == (1, False)


@linux_only
@pytest.mark.parametrize(
    ("walls", "entered"), [("kill -KILL $$", False), (f"echo >&{ENTERED}; kill -KILL $$", True)]
)
def test_whatever_ends_a_sandbox_that_stands_is_the_programs_doing(
    walls: str, entered: bool
) -> None:
    """Also when it is bubblewrap that the kernel kills."""
    ended = run_request(SpawnRequest(("x",), "/", {}, Sandbox(LIMITS, (), shell(walls))))
    assert (ended.exit.signal, ended.exit.entered) == ("SIGKILL", entered)
