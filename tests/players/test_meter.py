"""Looking at a tree of real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil
import pytest

from arena.players.meter import Meter, tree_meter
from arena.players.psmeter import PsutilMeter
from arena.players.treemeter import TreeMeter
from arena.sandbox import procfs

METERS: list[Callable[[int], Meter]] = [TreeMeter, PsutilMeter]
HOG = "x = bytearray(b'x') * (60 << 20); print(1, flush=True); input()"
BURN = "print(1, flush=True)\nwhile True: pass"


@contextmanager
def running(code: str) -> Iterator[subprocess.Popen[bytes]]:
    """A Python program that has printed its first line."""
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        try:
            yield process
        finally:
            for child in psutil.Process(process.pid).children(recursive=True):
                child.kill()
            process.kill()


def parent_of(code: str) -> str:
    """A program that starts another, waits for its first line, and sleeps."""
    return (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, '-c', {code!r}], stdout=subprocess.PIPE)\n"
        "p.stdout.readline(); print(1, flush=True); time.sleep(100)"
    )


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not is_so():
        assert time.monotonic() < deadline
        time.sleep(0.01)


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


def test_R16_children_shorter_than_a_look_are_not_seen() -> None:
    """The limit of looking, stated in `arena.players.meter`: only a control group counts them."""
    script = (
        "import os, time\n"
        "print(1, flush=True); input()\n"
        "def brief():\n"
        "    until = time.process_time() + 0.005\n"
        "    while time.process_time() < until: pass\n"
        "    os._exit(0)\n"
        "for _ in range(40):\n"
        "    os.fork() or brief()\n"
        "    os.wait()\n"
        "print(os.times().children_user + os.times().children_system, flush=True); input()\n"
    )
    with running(script) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        meter = TreeMeter(process.pid)
        meter.memory()
        before = meter.cpu_ns()
        process.stdin.write(b"\n")
        process.stdin.flush()
        burnt = float(process.stdout.readline())
        meter.memory()
        assert burnt > 0.1
        assert meter.cpu_ns() - before < burnt * 1e9 / 2
    meter.close()


def test_delay_of_programs_that_share_a_core() -> None:
    """Three busy threads on one core: together they wait twice as long as they run."""
    busy = "import os, threading\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    burn = "import hashlib\ndef burn():\n while True: hashlib.sha256(bytes(1 << 20))\n"
    start = "for _ in range(2): threading.Thread(target=burn).start()\nprint(1, flush=True)\nburn()"
    with running(busy + burn + start) as process:
        meter = TreeMeter(process.pid)
        meter.memory()
        cpu, delay = meter.cpu_ns(), meter.delay_ns()

        def has_run() -> bool:
            meter.memory()
            return meter.cpu_ns() - cpu > 300_000_000

        wait_until(has_run)
        assert meter.delay_ns() - delay > (meter.cpu_ns() - cpu) / 2
    meter.memory()
    assert meter.delay_ns() >= delay
    meter.close()


def test_the_threads_of_a_large_process_are_visited_in_turn() -> None:
    """A child of the last of 30 threads is found, though one look does not visit them all."""
    threads = (
        "import subprocess, sys, threading, time\n"
        "for _ in range(30): threading.Thread(target=time.sleep, args=(100,)).start()\n"
        "def hire():\n"
        "    subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(100)'])\n"
        "    print(1, flush=True); time.sleep(100)\n"
        "threading.Thread(target=hire).start()\n"
    )
    with running(threads) as process:
        meter = TreeMeter(process.pid)

        def is_found() -> bool:
            meter.memory()
            return meter.tasks() == 33

        for _ in range(8):
            if is_found():
                break
        assert is_found()  # and it stays found
        meter.close()


@pytest.mark.parametrize("meter_of", METERS)
def test_a_frozen_tree_does_not_run(meter_of: Callable[[int], Meter]) -> None:
    with running(parent_of(BURN)) as process:
        meter = meter_of(process.pid)
        meter.memory()
        meter.freeze()
        meter.freeze()
        everyone = [process.pid, *(p.pid for p in psutil.Process(process.pid).children())]
        wait_until(lambda: all(psutil.Process(pid).status() == "stopped" for pid in everyone))
        stopped_at = meter.cpu_ns()
        time.sleep(0.1)  # the stretch of time in which nothing may happen
        assert meter.cpu_ns() == stopped_at
        meter.thaw()
        meter.thaw()
        wait_until(lambda: meter.cpu_ns() > stopped_at + 20_000_000)
        meter.close()


def test_K13_a_process_that_is_not_below_is_never_signalled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if a number had changed hands between the look and the opening."""
    with running("print(1, flush=True); input()") as ours, running("print(1); input()") as other:
        monkeypatch.setattr(procfs, "children", lambda pid, tid: [other.pid] * (pid == ours.pid))
        meter = TreeMeter(ours.pid)
        meter.freeze()
        wait_until(lambda: psutil.Process(ours.pid).status() == "stopped")
        assert psutil.Process(other.pid).status() != "stopped"
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


def test_a_meter_holds_few_descriptors_and_gives_them_back() -> None:
    before = len(os.listdir("/proc/self/fd"))
    with running(parent_of(BURN)) as process:
        held = len(os.listdir("/proc/self/fd"))
        meter = tree_meter(process.pid)
        meter.memory()
        assert len(os.listdir("/proc/self/fd")) == held + 1
        meter.freeze()
        meter.thaw()
        assert len(os.listdir("/proc/self/fd")) == held + 3
        meter.close()
        assert len(os.listdir("/proc/self/fd")) == held
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_look_costs_the_same_whatever_else_runs() -> None:
    """The same tree beside 200 processes of others: at most half as much again."""
    with running("print(1, flush=True); input()") as process:
        meter = TreeMeter(process.pid)

        def best_of_looks() -> float:
            times = []
            for _ in range(300):
                start = time.perf_counter()
                meter.memory()
                times.append(time.perf_counter() - start)
            return min(times)

        alone = best_of_looks()
        others = [subprocess.Popen(["sleep", "100"]) for _ in range(200)]
        try:
            assert best_of_looks() < alone * 1.5
        finally:
            for other in others:
                other.send_signal(signal.SIGKILL)
                other.wait()
        meter.close()


def test_R04_memory_file_systems_count_as_memory() -> None:
    """A folder in a memory file system, as the process itself sees it, is named as its room."""
    with running("print(1, flush=True); input()") as process:
        status = os.statvfs("/dev/shm")
        size = status.f_blocks * status.f_frsize
        bare = TreeMeter(process.pid)
        roomy = TreeMeter(process.pid, rooms={"/dev/shm": size})
        other = TreeMeter(process.pid, rooms={"/dev/shm": size + 1})  # not the one that was made
        before = roomy.memory() - bare.memory()
        with tempfile.NamedTemporaryFile(dir="/dev/shm") as file:
            file.write(bytes(8 << 20))
            file.flush()
            grown = roomy.memory() - bare.memory() - before
            assert other.memory() < bare.memory() + (6 << 20)
        assert 6 << 20 < grown < 64 << 20
        for meter in (bare, roomy, other):
            meter.close()


def test_R07_T04_a_chain_of_forks_does_not_hold_us_up() -> None:
    """Parents that end as soon as they have a child: freezing gives up after a few looks."""
    chain = (
        "import os, time\nprint(1, flush=True)\n"
        "while time.monotonic():\n"
        "    if os.fork() == 0:\n"
        "        for _ in range(100):\n"
        "            if os.fork(): os._exit(0)\n"
        "        os._exit(0)\n"
        "    os.wait()\n"
    )
    with running(chain) as process:
        meter = TreeMeter(process.pid)
        start = time.monotonic()
        for _ in range(20):
            meter.memory()
            meter.freeze()
            meter.thaw()
        assert time.monotonic() - start < 10
        meter.close()


def test_threads_that_come_and_go_leave_their_delay_and_no_trace() -> None:
    churn = (
        "import threading, time\nprint(1, flush=True)\n"
        "while True:\n"
        "    threads = [threading.Thread(target=time.sleep, args=(.005,)) for _ in range(4)]\n"
        "    for thread in threads: thread.start()\n"
        "    for thread in threads: thread.join()\n"
    )
    with running(churn) as process:
        meter = TreeMeter(process.pid)
        delays = []
        for _ in range(100):
            meter.memory()
            delays.append(meter.delay_ns())
            time.sleep(0.002)
        assert delays == sorted(delays)
        assert len(meter._ran) <= 6
        meter.close()
