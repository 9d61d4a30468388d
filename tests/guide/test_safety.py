"""What `safety.md` says is so."""

from __future__ import annotations

import pytest

from arena.bots import steps
from arena.cli.doctor import diagnosis_text
from arena.core.limits import Limits
from arena.core.lines import LINE_CAP
from arena.doctor import repairs, walls
from arena.doctor.capability import Diagnosis, NextStep
from arena.players import watch
from arena.players.inbox import TURN_LINES
from arena.sandbox.keeper import landlock
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import CANDIDATES
from tests.guide.reading import block, code_words, flat, rows
from tests.hostile.test_resources import OVERSHOOT

TEXT = flat("safety")
LIMITS = Limits()


def test_every_level_has_its_row() -> None:
    levels = [code_words(row[0])[0] for row in rows("safety", "level | walls | needs")]
    assert levels == list(Level)
    assert CANDIDATES[SandboxMode.AUTO] == (*[Level(name) for name in levels[:0:-1]], Level.OFF)
    assert len(CANDIDATES[SandboxMode.STRICT]) == 2
    assert landlock.NEEDED == 6, "which came with Linux 6.12"


def test_the_limits_of_a_bot() -> None:
    disk, memory = LIMITS.disk >> 20, LIMITS.shared_memory >> 20
    assert f"Write {disk} MiB to `/tmp`, where it runs, and {memory} MiB to `/dev/shm`" in TEXT
    assert f"One file may have {LIMITS.file_size >> 20} MiB" in TEXT
    assert f"Have {LIMITS.processes} processes and threads, and {LIMITS.files} open files" in TEXT
    assert LIMITS.memory == 1 << 30
    assert "the limits are 1 GiB of memory" in TEXT
    assert LIMITS.cpu_grace == 60
    assert f"{LINE_CAP >> 10} KiB for a line of output, {LIMITS.turn_output >> 20} MiB" in TEXT
    assert f"and {TURN_LINES} lines between two requests" in TEXT
    assert f"and {LIMITS.match_output >> 20} MiB in the match" in TEXT


def test_the_looks() -> None:
    assert f"are looked at every {watch.TICK * 1000:.0f} ms" in TEXT
    assert f"memory may exceed its limit by up to {OVERSHOOT >> 20} MiB" in TEXT


def test_the_limits_of_a_build() -> None:
    limits = steps.LIMITS
    assert limits.memory == steps.STAGED_SIZE == 1 << 30
    assert rows("safety", "a build may use | at most") == [
        ["CPU time", f"{steps.CPU_SECONDS:.0f} s"],
        ["real time", f"{steps.BUILD_SECONDS} s"],
        ["memory", "1 GiB"],
        ["processes and threads", str(limits.processes)],
        ["one file", f"{limits.file_size >> 20} MiB"],
        ["all files", f"1 GiB, or {steps.STAGED_ENTRIES:,} files"],
        ["output", f"{steps.PRINTED >> 20} MiB"],
    ]
    every = steps.TICK * 1000
    looks = f"every {every:.0f} ms (the size of all files every {every * steps.TICKS_TO_FILES:.0f}"
    assert looks in TEXT


def test_the_example_of_the_doctor_is_what_it_prints(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    lacks, step = repairs.of_level(Level.SANDBOX, "bubblewrap is not installed")
    found = Diagnosis(Level.GUARD, "auto", True, NextStep(Level.SANDBOX, lacks, step), [], {})
    printed = diagnosis_text(found).splitlines()
    shown = block("safety", "--sandbox auto").splitlines()
    assert shown[:4] == printed[:4]
    rows = [line for line in shown[6:] if line[:1].isalpha()]
    known = {*walls.CONSEQUENCES, *(name for name, _ in walls.LEVEL_ROWS.values())}
    assert {line[10:31].strip() for line in rows} <= known
    problems = [line for line in shown if "→" in line]
    assert problems[0].endswith(f"→ {walls.LEVEL_ROWS[Level.SANDBOX][1]}")
    assert problems[1].endswith(f"→ {walls.CONSEQUENCES['processes unseen']}")


def test_the_settings_that_the_doctor_prints() -> None:
    for switch, (closed, _) in repairs.SWITCHES.items():
        if switch == repairs.APPARMOR:
            assert repairs._setting(switch).partition(" (")[0] in TEXT
        else:
            assert f"`{switch}={closed}`" in TEXT
    assert "The doctor prints the line for `/etc/sysctl.d`" in TEXT
