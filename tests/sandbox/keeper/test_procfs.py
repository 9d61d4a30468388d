"""Reading /proc, against what other tools say."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
import pytest

from arena.sandbox.keeper import proc
from tests.sandbox.programs import linux_only
from tests.support.groups import wait_until
from tests.support.leftovers import kill_all

pytestmark = linux_only

TREE = """
import os, threading, time
threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
if os.fork() == 0:
    if os.fork() == 0: print(1, flush=True)
time.sleep(99)
"""
HEADLESS = """
import ctypes, mmap, threading, time
def run():
    memory = mmap.mmap(-1, 32 << 20)
    memory[::4096] = bytes(8192)
    print(1, flush=True)
    time.sleep(99)
threading.Thread(target=run).start()
ctypes.CDLL(None).pthread_exit(None)
"""
GONE = 2**22 + 1
"""No process has this number."""


@pytest.fixture
def tree() -> Iterator[psutil.Process]:
    """A process with two threads, a child and a grandchild."""
    argv = [sys.executable, "-I", "-S", "-c", TREE]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        known = psutil.Process(process.pid)
        below = known.children(recursive=True)
        yield known
        kill_all([known, *below])


def test_R01_memory_counts_when_the_first_thread_has_ended() -> None:
    """The kernel tells of the memory only beside threads that still run."""
    with headless() as pid:
        held = proc.held(pid)
        assert held is not None
        assert held.threads == 2
        assert held.resident > 32 << 20
        assert (proc.proportional(pid) or 0) > 32 << 20


def test_what_runs_on_without_its_first_thread_is_not_leaving() -> None:
    with headless() as pid:
        assert not proc.is_leaving(pid)
        os.kill(pid, signal.SIGSTOP)
        os.kill(pid, signal.SIGKILL)  # its thread may have to wait for a core
        wait_until(lambda: proc.is_leaving(pid), seconds=1.0)


@pytest.mark.parametrize(
    ("status", "flags", "leaving"),
    [
        ("0000000000000100", 0, True),  # SIGKILL waits for it
        ("0000000000000000", 4, True),  # the kernel has begun to end it
        ("0000000000000200", 0, False),  # another signal waits
    ],
)
def test_a_thread_that_has_not_run_since_it_was_killed(
    status: str, flags: int, leaving: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {
        "/proc/7/status": f"Name:\tx\nSigPnd:\t{status}\n".encode(),
        "/proc/7/stat": f"7 (x) S 1 7 7 0 -1 {flags} 0".encode(),
    }
    monkeypatch.setattr(proc, "read", files.__getitem__)
    monkeypatch.setattr(proc, "threads", lambda pid: [pid])
    assert proc.is_leaving(7) is leaving


@contextmanager
def headless() -> Iterator[int]:
    """A process whose first thread has ended; another has taken 32 MiB."""
    argv = [sys.executable, "-I", "-S", "-c", HEADLESS]
    with subprocess.Popen(argv, stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"1\n"
            wait_until(lambda: psutil.Process(process.pid).status() == psutil.STATUS_ZOMBIE)
            yield process.pid
        finally:
            process.kill()


def test_a_tree(tree: psutil.Process) -> None:
    child, grandchild = tree.children(recursive=True)
    assert proc.below(tree.pid) == [child.pid]
    assert proc.descendants(tree.pid) == [child.pid, grandchild.pid]
    assert proc.parent(grandchild.pid) == child.pid


def test_threads(tree: psutil.Process) -> None:
    ids = proc.threads(tree.pid)
    assert ids[0] == tree.pid
    assert sorted(ids) == sorted(thread.id for thread in tree.threads())
    counts = [proc.held(pid) for pid in (tree.pid, *proc.below(tree.pid))]
    assert [one.threads for one in counts if one] == [2, 1]


def test_memory(tree: psutil.Process) -> None:
    held = proc.held(tree.pid)
    assert held is not None
    assert abs(held.resident - tree.memory_info().rss) < 1 << 20
    assert 0 < held.hidden < 1 << 20
    proportional = proc.proportional(tree.pid)
    assert proportional is not None
    assert 0 < proportional < held.resident


def test_what_is_gone_says_nothing() -> None:
    assert proc.read(f"/proc/{GONE}/stat") == b""
    assert proc.held(GONE) is None
    assert proc.proportional(GONE) is None
    assert proc.threads(GONE) == []
    assert proc.below(GONE) == []
    assert proc.descendants(GONE) == []
    assert proc.parent(GONE) == 0
    assert proc.room_used(GONE, "/tmp", 1) == 0
    assert proc.sockets_hold(GONE) == 0


def test_sockets_count_from_a_number_that_programs_have_anyway(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    files = {"/proc/7/net/sockstat": b"sockets: used 67\nTCP: inuse 0\n"}
    monkeypatch.setattr(proc, "read", lambda path: files.get(path, b""))
    assert proc.sockets_hold(7) == 3 * proc.SEND_BUFFER
    files["/proc/sys/net/core/wmem_default"] = b"1000\n"
    assert proc.sockets_hold(7) == 3000
    files["/proc/7/net/sockstat"] = b"sockets: used 64\n"
    assert proc.sockets_hold(7) == 0


@pytest.mark.parametrize("size", [0, 1, 2048, 2049, 4095, 4096, 4097, 8192, 100_000])
def test_files_of_any_length_are_read_to_their_end(tmp_path: Path, size: int) -> None:
    data = os.urandom(size)
    (tmp_path / "file").write_bytes(data)
    assert proc.read(str(tmp_path / "file")) == data


def test_a_memory_file_system_is_known_by_its_size() -> None:
    room = os.statvfs("/dev/shm")
    size = room.f_blocks * room.f_frsize
    used = (room.f_blocks - room.f_bfree) * room.f_frsize
    used += (room.f_files - room.f_ffree) * proc.INODE
    assert abs(proc.room_used(os.getpid(), "/dev/shm", size) - used) < 64 << 20
    assert proc.room_used(os.getpid(), "/dev/shm", size + 1) == 0
