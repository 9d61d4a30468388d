"""Looking at a tree of real processes through /proc."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
import pytest

from arena.sandbox.keeper import proc
from arena.sandbox.usage.procfs import ProcfsMeter
from tests.hostile.arena_runs import compiled
from tests.sandbox.programs import linux_only
from tests.sandbox.usage.trees import BURN, parent_of, running
from tests.support.descriptors import watched_descriptors
from tests.support.groups import wait_until
from tests.support.leftovers import kill_all

pytestmark = linux_only


@pytest.mark.dear
def test_R16_children_shorter_than_a_look_are_not_seen() -> None:
    """The limit of looking, stated in `usage.meter`: only a control group counts them."""
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
        meter = ProcfsMeter(process.pid)
        meter.memory()
        before = meter.cpu_ns()
        process.stdin.write(b"\n")
        process.stdin.flush()
        burnt = float(process.stdout.readline())
        meter.memory()
        assert burnt > 0.1
        assert meter.cpu_ns() - before < burnt * 1e9 / 2
    meter.close()


@pytest.mark.dear
def test_delay_of_programs_that_share_a_core() -> None:
    """Three busy threads on one core: together they wait twice as long as they run."""
    busy = "import os, threading\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    burn = "import hashlib\ndef burn():\n while True: hashlib.sha256(bytes(1 << 20))\n"
    start = "for _ in range(2): threading.Thread(target=burn).start()\nprint(1, flush=True)\nburn()"
    with running(busy + burn + start) as process:
        meter = ProcfsMeter(process.pid)
        meter.memory()
        cpu, delay = meter.cpu_ns(), meter.delay_ns() or 0

        def has_run() -> bool:
            meter.memory()
            return meter.cpu_ns() - cpu > 300_000_000

        wait_until(has_run)
        assert (meter.delay_ns() or 0) - delay > (meter.cpu_ns() - cpu) / 2
    meter.memory()
    assert (meter.delay_ns() or 0) >= delay
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
        meter = ProcfsMeter(process.pid)

        def is_found() -> bool:
            meter.memory()
            return meter.tasks() == 33

        for _ in range(8):
            if is_found():
                break
        assert is_found()  # and it stays found
        meter.close()


def test_K13_a_process_that_is_not_below_is_never_signalled(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As if a number had changed hands between the look and the opening."""
    with running("print(1, flush=True); input()") as ours, running("print(1); input()") as other:
        monkeypatch.setattr(proc, "children", lambda pid, tid: [other.pid] * (pid == ours.pid))
        meter = ProcfsMeter(ours.pid)
        meter.freeze()
        wait_until(lambda: psutil.Process(ours.pid).status() == "stopped")
        assert psutil.Process(other.pid).status() != "stopped"
        meter.close()


@pytest.mark.dear
def test_a_meter_holds_few_descriptors_and_gives_them_back() -> None:
    with running(parent_of(BURN)) as process, watched_descriptors() as opened:
        meter = ProcfsMeter(process.pid)
        meter.memory()
        assert len(opened()) == 2  # of each thread that is followed
        wait_until(meter.freeze)
        meter.thaw()
        assert len(opened()) == 4
        meter.close()
        assert opened() == {}


@pytest.mark.alone
def test_a_look_costs_the_same_whatever_else_runs() -> None:
    """The same tree beside 200 processes of others: at most half as much again. (Measured without
    them before and after, since the speed of a shared machine drifts.)"""
    with running("print(1, flush=True); input()") as process:
        meter = ProcfsMeter(process.pid)

        def best_of_looks() -> float:
            times = []
            for _ in range(300):
                start = time.perf_counter()
                meter.memory()
                times.append(time.perf_counter() - start)
            return min(times)

        before = best_of_looks()
        others = [subprocess.Popen(["sleep", "100"]) for _ in range(200)]
        try:
            beside = best_of_looks()
        finally:
            for other in others:
                other.send_signal(signal.SIGKILL)
                other.wait()
        assert beside < max(before, best_of_looks()) * 1.5
        meter.close()


def test_R04_memory_file_systems_count_as_memory() -> None:
    """A folder in a memory file system, as the process itself sees it, is named as its room."""
    with running("print(1, flush=True); input()") as process:
        status = os.statvfs("/dev/shm")
        size = status.f_blocks * status.f_frsize
        bare = ProcfsMeter(process.pid)
        roomy = ProcfsMeter(process.pid, rooms={"/dev/shm": size})
        other = ProcfsMeter(process.pid, rooms={"/dev/shm": size + 1})  # not the one that was made
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
        meter = ProcfsMeter(process.pid)
        start = time.monotonic()
        for _ in range(20):
            meter.memory()
            meter.freeze()
            meter.thaw()
        assert time.monotonic() - start < 10
        meter.close()


@pytest.mark.dear
def test_what_a_thread_waited_for_others_of_the_machine_is_not_its_own_part() -> None:
    """Its twin sleeps: nothing of the program kept it waiting."""
    other = "import os\nos.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    spin = "while True: pass\n"
    sleeps = "if os.fork() == 0:\n import time\n time.sleep(99)\nprint(1, flush=True)\n"
    with (
        running(other + sleeps + spin) as process,
        running(other + "print(1, flush=True)\n" + spin),
    ):
        meter = ProcfsMeter(process.pid)
        meter.memory()
        cpu, delay = meter.cpu_ns(), meter.begin(waits=False)
        wait_until(lambda: (meter.delay_ns() or 0) - delay > 100_000_000)
        told = (meter.delay_ns() or 0) - delay
        assert meter.own_part(meter.cpu_ns() - cpu) < told / 4
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
        meter = ProcfsMeter(process.pid)
        delays = []
        for _ in range(100):
            meter.memory()
            delays.append(meter.delay_ns() or 0)
            time.sleep(0.002)
        assert delays == sorted(delays)
        assert len(meter._delays._ran) <= 6
        meter.close()


async def test_memory_above_the_limit_counts_shared_pages_once() -> None:
    """Only then: that takes long. A forked child shares all its memory with its parent."""
    fork = (
        "import os\nx = bytearray(b'x') * (60 << 20)\n"
        "if os.fork() == 0: os.read(0, 1)\n"
        "print(1, flush=True); input()\n"
    )
    with running(fork) as process:
        wait_until(lambda: len(proc.below(process.pid)) == 1)
        loose, tight = ProcfsMeter(process.pid, limit=1 << 30), ProcfsMeter(process.pid, limit=1)
        assert loose.memory() > 120 << 20
        assert await loose.shared_once() is None
        assert tight.memory() > 120 << 20
        assert 60 << 20 < (await tight.shared_once() or 0) < 100 << 20
        assert 60 << 20 < tight.peak_memory() < 100 << 20
        for meter in (loose, tight):
            meter.close()


@contextmanager
def nested_clones(number: int) -> Iterator[int]:
    """The pid of the first of so many processes, each the child of another, with one memory."""
    command = [str(compiled("bomb")), "deep_chain", "0", str(number)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()  # all are there
        try:
            yield process.pid
        finally:
            kill_all(psutil.Process(process.pid).children(recursive=True))
            process.kill()


async def test_page_tables_that_processes_share_count_once() -> None:
    """600 nested clones would have tables of 40 MiB, if each counted."""
    with nested_clones(600) as pid:
        meter = ProcfsMeter(pid, limit=1)
        each = meter.memory()
        once = await meter.shared_once()
        meter.close()
    assert each > 100 << 20
    assert (once or each) < 8 << 20


def test_what_only_the_kernel_counts_is_nothing() -> None:
    meter = ProcfsMeter(os.getpid())
    assert (meter.oom_kills(), meter.refused_forks(), meter.intact()) == (0, 0, True)
    meter.close()


def test_the_handles_of_a_process_that_is_gone_are_given_back() -> None:
    """That for its signals, and that of the delay of its thread."""
    dismiss = (
        "import subprocess, sys\n"
        "child = subprocess.Popen(['/bin/sleep', '99'])\n"
        "print(1, flush=True); input(); child.kill(); child.wait(); print(2, flush=True); input()\n"
    )
    with running(dismiss) as process, watched_descriptors() as opened:
        assert process.stdin is not None
        assert process.stdout is not None
        meter = ProcfsMeter(process.pid)
        meter.memory()
        meter.freeze()
        meter.thaw()
        held = len(opened())
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.stdout.readline()
        meter.memory()
        assert len(opened()) == held - 2
        meter.close()
        assert opened() == {}


def test_a_program_that_has_ended_has_no_delay_of_its_own() -> None:
    """A look finds no process of it any more; the request that it left open is still charged."""
    with running("print(1, flush=True)\ninput()\n") as process:
        assert process.stdin is not None
        meter = ProcfsMeter(process.pid)
        meter.begin(waits=True)
        process.stdin.write(b"\n")
        process.stdin.flush()
        process.wait()
        assert meter.memory() == 0
        assert meter.own_part(meter.cpu_ns()) >= 0
    meter.close()
