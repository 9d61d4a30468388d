"""Calls of sysinfo that wait for the keeper's answer."""

from __future__ import annotations

import fcntl
import struct
import subprocess
import sys

import pytest

from arena.sandbox.keeper import sysinfo


def test_a_bot_with_many_threads_holds_up_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = [*range(1000, 1200), 2000]  # threads of the bots 1 and 2
    answered: list[int] = []

    def ioctl(listener: int, request: int, data: bytearray | bytes) -> int:
        if request == sysinfo.RECEIVE:
            assert isinstance(data, bytearray)
            thread = calls.pop(0)
            sysinfo.QUESTION.pack_into(data, 0, thread, thread)
        elif request == sysinfo.SEND:
            answered.append(struct.unpack_from("=Q", data)[0])
        return 0

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    monkeypatch.setattr(sysinfo, "_write", lambda *_: 0)
    monkeypatch.setattr(sysinfo, "PAUSE", 1e6)
    waiting = sysinfo.Calls(-1, lambda thread: (thread // 1000, 1 << 30))
    while calls:
        waiting.receive()
        waiting.answer()
    assert answered == [1000, 2000]

    monkeypatch.setattr("time.monotonic", lambda: 1e12)
    monkeypatch.setattr(sysinfo, "PAUSE", -1e13)
    while waiting:
        waiting.answer()
    assert answered == [1000, 2000, *range(1001, 1200)]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks the kernel")
def test_no_timer_makes_a_call_come_again() -> None:
    code = """
import ctypes, fcntl, os, signal, struct, time
from arena.sandbox.keeper import seccomp, sysinfo
seccomp.forbid_new_rights()
listener = seccomp.load_listener(os.uname().machine, sysinfo.CALL)
if not (child := os.fork()):
    signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 0.01, 0.01)
    ctypes.CDLL(None).sysinfo(ctypes.create_string_buffer(200))
    os._exit(0)
question = bytearray(sysinfo.QUESTION.size)
fcntl.ioctl(listener, sysinfo.RECEIVE, question)
time.sleep(0.3)
number, _ = sysinfo.QUESTION.unpack(question)
fcntl.ioctl(listener, sysinfo.IS_VALID, struct.pack("=Q", number))
os.kill(child, signal.SIGKILL)
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
