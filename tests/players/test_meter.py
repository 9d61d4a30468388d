"""The memory meter on real processes."""

from __future__ import annotations

import os
import subprocess
import sys

from arena.players.meter import MemoryMeter


def test_the_meter_sees_children_and_survives_their_end() -> None:
    hog = "x = bytearray(b'x') * (60 << 20); print(1, flush=True); input()"
    script = (
        "import subprocess, sys\n"
        f"p = subprocess.Popen([sys.executable, '-c', {hog!r}], stdout=subprocess.PIPE)\n"
        "p.stdout.readline(); print(1, flush=True); input(); p.wait()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdout.readline()
        meter = MemoryMeter(process.pid)
        alone = 60 << 20
        assert alone < meter.resident() < alone + (100 << 20)
        process.communicate(b"\n\n")
    assert meter.resident() == 0


def test_our_own_memory_is_plausible() -> None:
    assert 1 << 20 < MemoryMeter(os.getpid()).resident() < 4 << 30
