"""Sizes in words, and the memory meter on real processes."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.errors import UsageError
from arena.limits import MemoryMeter, parse_size, size_text


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("512M", 512 << 20),
        ("1G", 1 << 30),
        ("1.5GiB", 3 << 29),
        ("2048 kb", 2 << 20),
        (" 64MB ", 64 << 20),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert parse_size(text) == size


@pytest.mark.parametrize("text", ["512", "0M", "-1G", "1T", "", "lots", "10K", "1e3M", "١M"])
def test_what_is_no_size(text: str) -> None:
    with pytest.raises(UsageError, match="give at least 1M, with a unit"):
        parse_size(text)


def test_sizes_for_people() -> None:
    assert [size_text(n << 20) for n in (1, 300, 1024, 1536)] == [
        "1 MiB",
        "300 MiB",
        "1 GiB",
        "1.5 GiB",
    ]


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
