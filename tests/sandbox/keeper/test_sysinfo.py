"""Calls of sysinfo that wait for the keeper's answer."""

from __future__ import annotations

import fcntl
import struct

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
