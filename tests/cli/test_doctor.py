"""``arena doctor``: what it prints, and its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from arena.cli import doctor
from arena.cli.text import layout
from arena.doctor.capability import Diagnosis, degraded, failed, passed
from arena.sandbox.levels import Level, SandboxMode
from tests.cli.conftest import Arena

POOR = Diagnosis(
    Level.GUARD,
    "auto",
    True,
    [
        passed("system", "Linux 6.12, x86_64"),
        degraded("user", "root", "bots are root", "run it as another user"),
        failed("bubblewrap", "not installed\x1b[31m", "no sandbox", "apt-get install bubblewrap"),
    ],
    {"sandbox+cgroup": "no groups", "sandbox": "bubblewrap is not installed"},
)
RICH = Diagnosis(Level.CGROUP, "strict", True, [passed("system", "Linux")], {})


@pytest.fixture
def found(monkeypatch: pytest.MonkeyPatch) -> list[Diagnosis]:
    """What the next examination finds."""
    kept = [POOR]

    def examine(mode: Level | SandboxMode) -> Diagnosis:
        return kept[0]

    monkeypatch.setattr(doctor, "examine", examine)
    return kept


def test_what_is_not_well_is_explained(arena: Arena, found: list[Diagnosis]) -> None:
    ran = arena("doctor")
    assert ran.status == 0
    assert ran.out.splitlines() == [
        "--sandbox auto takes the level guard; --sandbox strict is refused.",
        "Next level: sandbox (no network, no other processes, a read-only system). It lacks: "
        "bubblewrap is",
        "not installed",
        "1 of 3 checks passed. Missing: bubblewrap. Degraded: user.",
        "What can be done:",
        "  run it as another user  (user)",
        "  apt-get install bubblewrap  (bubblewrap)",
        "",
        "PASS      system      Linux 6.12, x86_64",
        "DEGRADED  user        root",
        "                      → bots are root",
        "FAIL      bubblewrap  not installed\\x1b[31m",
        "                      → no sandbox",
    ]


def test_on_a_terminal_no_line_is_wider_than_it(
    arena: Arena, found: list[Diagnosis], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "width", lambda: 60)
    words = "what it means " * 9
    found[0] = Diagnosis(Level.OFF, "auto", True, [degraded("user", words, words, "sudo")], {})
    _, listed = arena("doctor").out.split("\n\n")
    lines = listed.splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[1].startswith(" " * 16 + "what")
    assert "".join(lines).count("means") == 18


def test_nothing_is_missing_at_the_top(arena: Arena, found: list[Diagnosis]) -> None:
    found[0] = RICH
    ran = arena("doctor", "--sandbox", "strict")
    assert ran.status == 0
    assert ran.out.splitlines()[:3] == [
        "--sandbox auto takes the level sandbox+cgroup; --sandbox strict is granted.",
        "1 of 1 checks passed.",
        "",
    ]


def test_what_is_not_granted_is_exit_status_1(arena: Arena, found: list[Diagnosis]) -> None:
    found[0] = Diagnosis(Level.GUARD, "strict", False, [], {"sandbox": "no"})
    ran = arena("doctor", "--sandbox", "strict")
    assert ran.status == 1
    assert "--sandbox strict does not hold here." in ran.out


def test_json_is_one_document(arena: Arena, found: list[Diagnosis]) -> None:
    document = json.loads(arena("doctor", "--json").out)
    assert (document["level"], document["wished"], document["granted"]) == ("guard", "auto", True)
    assert document["capabilities"][1] == {
        "name": "user", "status": "DEGRADED", "found": "root", "consequence": "bots are root",
        "repair": "run it as another user",
    }  # fmt: skip


def test_a_wrong_level_is_refused(arena: Arena) -> None:
    assert arena("doctor", "--sandbox", "none").status == 2


def test_the_list_of_commands_does_not_import_it() -> None:
    code = (
        "import sys; from arena.cli import main; main.run(['--help'])\n"
        "sys.exit(any(name.startswith(('arena.doctor', 'trio')) for name in sys.modules))"
    )
    root = Path(__file__).parents[2]
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=root)
    assert ran.returncode == 0
    assert "doctor" in ran.stdout
