"""What `safety.md` says is so."""

from __future__ import annotations

from arena.bots import steps
from arena.core.limits import Limits
from arena.core.lines import LINE_CAP
from arena.doctor.examine import PROBES
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


def test_the_example_of_the_doctor_names_what_it_looks_at() -> None:
    shown = block("safety", "--sandbox auto").splitlines()
    names = [line[10:31].strip() for line in shown if line[:8].strip() in ("PASS", "DEGRADED")]
    assert names == ["user", "bubblewrap", "network", "secrets", "memory limit"]
    assert {"user", "bubblewrap", "walls", "control groups"} <= set(PROBES)
