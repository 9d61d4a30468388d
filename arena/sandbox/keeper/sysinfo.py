"""Answer sysinfo(2) for programs in sandboxes, with their own limits.

The kernel tells every program the free memory, the load and the processes of the whole machine. To
refuse the call does harm, since C libraries do not look whether it worked: behind a refusal, qsort
of glibc 2.36 no longer kept equal elements in order, and Java took its collector at random. So the
keeper loads a filter with which the kernel asks it instead (Linux 5.0). All processes that it
starts from then on inherit the filter.

A bot that calls without end costs a twentieth of a core, since one call a millisecond is answered.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
import stat
import struct
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from arena.sandbox.keeper import seccomp

CALL = "sysinfo"
RECEIVE, SEND, IS_VALID = 0xC050_2100, 0xC018_2101, 0x4008_2102
"""The ioctls of a listener."""
QUESTION, FIRST_ARGUMENT = struct.Struct("=QI68x"), 32
"""`struct seccomp_notif`: its id and the thread that asks, and where the first argument begins."""
REPLY = struct.Struct("=QqiI")
SYSINFO = struct.Struct("=q9QHH4x2QI4x")
"""`struct sysinfo` of 64-bit machines."""
PAUSE = 0.001
"""Seconds after an answer in which no other call of the bot is answered."""


def listen() -> int | None:
    """A descriptor on which the kernel asks what sysinfo shall say to this process and all that it
    starts. None where that is impossible: by the kernel, or because bubblewrap has to gain the
    rights of root (the filter of an ordinary user forbids it)."""
    machine = os.uname().machine
    if machine not in seccomp.MACHINES or (os.geteuid() != 0 and _gains_rights("bwrap")):
        return None
    try:
        if os.geteuid() != 0:
            seccomp.forbid_new_rights()
        return seccomp.load_listener(machine, CALL)
    except OSError:
        return None


def _gains_rights(program: str) -> bool:
    path = shutil.which(program)
    return path is not None and bool(os.stat(path).st_mode & stat.S_ISUID)


class Calls:
    """Calls that wait for an answer. Of each bot one is answered every `PAUSE`, so that no bot
    holds up another by hundreds of threads that call without end."""

    def __init__(self, listener: int, bot_of: Callable[[int], tuple[int, int]]) -> None:
        """`bot_of` gives the bot to which a thread belongs, and the memory that it is told of."""
        self._listener, self._bot_of = listener, bot_of
        self._waiting: dict[int, dict[int, Callable[[], None]]] = {}
        """By bot and thread, the first to call first. (A thread that a signal has interrupted calls
        again.) Empty until the bot's pause is over."""
        self._pauses: dict[int, float] = {}
        """By bot, when the next call is answered."""

    def __bool__(self) -> bool:
        return bool(self._waiting)

    def receive(self) -> None:
        """Receive one call. The kernel has said that there is one."""
        question = bytearray(QUESTION.size)
        try:
            fcntl.ioctl(self._listener, RECEIVE, question)
        except OSError:  # the thread is gone
            return
        number, thread = QUESTION.unpack(question)
        (address,) = struct.unpack_from("=Q", question, FIRST_ARGUMENT)
        bot, memory = self._bot_of(thread)
        waiting = self._waiting.setdefault(bot, {})
        waiting[thread] = partial(_answer, self._listener, number, thread, address, memory)

    def answer(self) -> None:
        """Answer one call of each bot whose pause is over."""
        now = time.monotonic()
        for bot, waiting in list(self._waiting.items()):
            if now < self._pauses.get(bot, 0):
                continue
            if waiting:
                waiting.pop(next(iter(waiting)))()
                self._pauses[bot] = now + PAUSE
            else:
                del self._waiting[bot], self._pauses[bot]


def _answer(listener: int, number: int, thread: int, address: int, memory: int) -> None:
    error = _write(listener, number, thread, address, memory)
    with suppress(OSError):  # the thread is gone
        fcntl.ioctl(listener, SEND, REPLY.pack(number, 0, error, 0))


def _write(listener: int, number: int, thread: int, address: int, memory: int) -> int:
    """Write the figures into the memory of a thread that waits. Returns a negative error number, or
    0."""
    figures = SYSINFO.pack(1, 0, 0, 0, memory, memory, 0, 0, 0, 0, 1, 0, 0, 0, 1)
    try:
        file = os.open(f"/proc/{thread}/mem", os.O_WRONLY | os.O_CLOEXEC)
        try:
            fcntl.ioctl(listener, IS_VALID, struct.pack("=Q", number))  # still the same thread
            os.pwrite(file, figures, address)
        finally:
            os.close(file)
    except (OSError, OverflowError):
        return -errno.EFAULT
    return 0
