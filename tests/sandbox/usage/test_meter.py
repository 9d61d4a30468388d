"""What all meters that look at a tree of processes have in common."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable

import psutil
import pytest

from arena.sandbox.usage.meter import Meter
from arena.sandbox.usage.procfs import ProcfsMeter
from arena.sandbox.usage.psutil import PsutilMeter
from tests.sandbox.usage.trees import BURN, parent_of, running
from tests.support.groups import wait_until

METERS: list[Callable[[int], Meter]] = [ProcfsMeter, PsutilMeter]
HOG = "x = bytearray(b'x') * (60 << 20); print(1, flush=True); input()"


@pytest.mark.parametrize("meter_of", METERS)
def test_memory_of_children_counts(meter_of: Callable[[int], Meter]) -> None:
    with running(parent_of(HOG)) as process:
        meter = meter_of(process.pid)
        assert 60 << 20 < meter.memory() < 160 << 20
        assert meter.tasks() == 2
        peak = meter.peak_memory()
    assert meter.memory() == 0
    assert meter.peak_memory() == peak > 60 << 20
    meter.close()


@pytest.mark.parametrize("meter_of", METERS)
def test_cpu_of_children_counts_and_never_falls(meter_of: Callable[[int], Meter]) -> None:
    with running(parent_of(BURN)) as process:
        meter = meter_of(process.pid)
        meter.memory()
        before = meter.cpu_ns()
        wait_until(lambda: meter.cpu_ns() > before + 100_000_000)
        last = meter.cpu_ns()
    meter.memory()
    assert meter.cpu_ns() >= last
    assert meter.cpu_ns() < last + 5_000_000_000
    meter.close()


@pytest.mark.parametrize("meter_of", METERS)
def test_a_frozen_tree_does_not_run(meter_of: Callable[[int], Meter]) -> None:
    with running(parent_of(BURN)) as process:
        meter = meter_of(process.pid)
        meter.memory()
        wait_until(meter.freeze)
        assert meter.freeze()
        everyone = [process.pid, *(p.pid for p in psutil.Process(process.pid).children())]
        wait_until(lambda: all(psutil.Process(pid).status() == "stopped" for pid in everyone))
        stopped_at = meter.cpu_ns()
        time.sleep(0.1)  # the stretch of time in which nothing may happen
        assert meter.cpu_ns() == stopped_at
        meter.thaw()
        meter.thaw()
        wait_until(lambda: meter.cpu_ns() > stopped_at + 20_000_000)
        meter.close()


def test_a_meter_of_nothing_says_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait()
    for meter_of in METERS:
        meter = meter_of(process.pid)
        assert meter.memory() == meter.peak_memory() == meter.tasks() == meter.cpu_ns() == 0
        assert not meter.delay_ns()
        meter.freeze()
        meter.thaw()
        meter.close()
