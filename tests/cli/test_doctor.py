"""``arena doctor``: what it prints, and its exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec.structs import replace

from arena.cli import doctor
from arena.cli.text import layout
from arena.doctor.capability import Diagnosis, NextStep, degraded, failed, passed
from arena.doctor.machine import LanguageTools
from arena.sandbox.levels import Level, SandboxMode
from tests.cli.conftest import Arena

STEP = NextStep(Level.SANDBOX, "bubblewrap is not installed", "apt-get install bubblewrap")
POOR = Diagnosis(
    level=Level.GUARD,
    wished="auto",
    granted=True,
    next_step=STEP,
    capabilities=[
        failed("bubblewrap", "not installed\x1b[31m", "no sandbox", "apt-get install bubblewrap"),
        failed("control groups", "not used", "no limits", "apt-get install bubblewrap"),
        passed("system", "Linux 6.12, x86_64"),
        degraded("user", "root", "bots are root", "run it as another user"),
    ],
    missing={"sandbox+cgroup": "no groups", "sandbox": "bubblewrap is not installed"},
)
RICH = replace(
    POOR, level=Level.CGROUP, next_step=None, capabilities=[passed("system", "Linux")], missing={}
)


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
        "For the level sandbox (no network, no other processes, a read-only system) it lacks: "
        "bubblewrap is not installed",
        "Next step:",
        "  apt-get install bubblewrap",
        "1 of 4 checks passed. Missing: bubblewrap, control groups. Degraded: user.",
        "What else can be done:",
        "  run it as another user  (user)",
        "",
        "FAIL      bubblewrap      not installed\\x1b[31m",
        "                          → no sandbox",
        "FAIL      control groups  not used",
        "                          → no limits",
        "PASS      system          Linux 6.12, x86_64",
        "DEGRADED  user            root",
        "                          → bots are root",
    ]


def test_on_a_terminal_no_line_is_wider_than_it(
    arena: Arena, found: list[Diagnosis], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(layout, "width", lambda: 60)
    words = "what it means " * 9
    found[0] = replace(RICH, capabilities=[degraded("user", words, words, "sudo")])
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
    found[0] = replace(POOR, wished="strict", granted=False)
    ran = arena("doctor", "--sandbox", "strict")
    assert ran.status == 1
    assert "--sandbox strict does not hold here." in ran.out


def test_json_is_one_document(arena: Arena, found: list[Diagnosis]) -> None:
    document = json.loads(arena("doctor", "--json").out)
    assert (document["level"], document["wished"], document["granted"]) == ("guard", "auto", True)
    assert document["next_step"] == {
        "level": "sandbox",
        "lacks": "bubblewrap is not installed",
        "step": "apt-get install bubblewrap",
    }
    assert document["capabilities"][3] == {
        "name": "user", "status": "DEGRADED", "found": "root", "consequence": "bots are root",
        "repair": "run it as another user",
    }  # fmt: skip


def test_languages_are_listed_with_what_to_install(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = [
        LanguageTools("C++", [".cpp", ".cc"], "/usr/bin/g++", "g++"),
        LanguageTools("Racket", [".rkt"], None, "racket"),
        LanguageTools("TypeScript", [".ts"], None, "node-typescript nodejs"),
    ]
    monkeypatch.setattr(doctor, "language_tools", lambda: tools)
    assert arena("doctor", "--languages").out.splitlines() == [
        "language  sources   program",
        "C++       .cpp .cc  /usr/bin/g++",
        "",
        "Not installed: Racket, TypeScript",
        "  sudo apt-get install racket node-typescript nodejs",
    ]
    assert json.loads(arena("doctor", "--languages", "--json").out)["languages"][1] == {
        "name": "Racket", "endings": [".rkt"], "program": None, "packages": "racket",
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
