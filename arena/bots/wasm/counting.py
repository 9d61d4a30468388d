"""Channels between the module and the arena: input, output, and the count of instructions.

A count covers the time since the last answer: instructions as wasmtime's fuel counts them, plus
what `wasi` charges for its calls. The answer to a request is the first line written after the line
``go …`` was handed over; an empty line counts as the answer only if the module then reads on. Lines
that answer no request are reported with the next answer: so nothing goes out before a request has
come in, and which line answers which request never depends on timing.
"""

from __future__ import annotations

import os
import sys
import time
from typing import TYPE_CHECKING

from arena.bots.wasm.wasi import ModuleRefused

if TYPE_CHECKING:
    from wasmtime import Store

LINE_CAP = 1 << 16
"""Maximum bytes of a line, as in the arena: a longer line ends the program."""


class OutOfInstructions(Exception):
    """The count exceeded its limit."""


def send(data: bytes) -> None:
    """Write all of `data` to the arena."""
    while data:
        data = data[os.write(1, data) :]


class Uncounted:
    """Passes data straight through, on the machine's clock; counts nothing."""

    def __init__(self) -> None:
        self._start = time.monotonic_ns()

    def line(self) -> bytes:
        """The next line of input with its newline; empty at the end."""
        return sys.stdin.buffer.readline()

    def write(self, data: bytes) -> None:
        """Write bytes to stdout."""
        send(data)

    def charge(self, instructions: int) -> None:
        """Ignore the charge."""

    def clock(self) -> int:
        """Nanoseconds since the start."""
        return time.monotonic_ns() - self._start

    def end(self) -> None:
        """Do nothing: the module has ended by itself."""

    def give_up(self) -> None:
        """Do nothing: without a count there is no limit."""


class Counted:
    """Counts the instructions of the module between its answers. Its clock advances a nanosecond
    per instruction."""

    def __init__(self, store: Store, limit: int) -> None:
        self._store = store
        self._limit = limit
        self._before = 0  # instructions of all answers so far
        self._asked = self._blank = False
        self._partial = b""
        self._excess, self._first_excess = 0, b""
        store.set_fuel(limit + 1)

    @property
    def _count(self) -> int:
        """Instructions since the last answer."""
        return self._limit + 1 - self._store.get_fuel()

    def line(self) -> bytes:
        """The next line of input. The module reads on, so a pending empty line is the answer."""
        self.end()
        return self._read()

    def _read(self) -> bytes:
        line = sys.stdin.buffer.readline()
        self._asked |= line.startswith(b"go ")
        return line

    def end(self) -> None:
        """Make a pending empty line the answer: no more output comes before the next request."""
        if self._blank:
            self._answer(b"")

    def charge(self, instructions: int) -> None:
        """Count work that the runner does for the module. Raises OutOfInstructions."""
        left = self._store.get_fuel() - instructions
        self._store.set_fuel(max(left, 0))
        if left <= 0:
            raise OutOfInstructions

    def clock(self) -> int:
        """Instructions so far."""
        return self._before + self._count

    def write(self, data: bytes) -> None:
        """Accept output of the module."""
        *lines, self._partial = (self._partial + data).split(b"\n")
        for line in lines:
            self._take(line)
        if len(self._partial) > LINE_CAP:
            send(self._partial)
            raise ModuleRefused(f"it wrote a line longer than {LINE_CAP} bytes")

    def _take(self, line: bytes) -> None:
        if self._asked and line.strip():
            self._answer(line)
        elif self._asked:
            self._blank = True
        elif line.strip():
            self._excess += 1
            self._first_excess = self._first_excess or line

    def _answer(self, line: bytes) -> None:
        count = self._count
        if count > self._limit:
            raise OutOfInstructions
        self._report(count, line)
        self._before += count
        self._asked = self._blank = False
        self._store.set_fuel(self._limit + 1)

    def _report(self, count: int, line: bytes) -> None:
        excess = b"-%d %s\n" % (self._excess, self._first_excess) if self._excess else b""
        self._excess, self._first_excess = 0, b""
        send(b"%s%d %s\n" % (excess, count, line))

    def give_up(self) -> None:
        """Answer this request, or the next, with a count beyond the limit."""
        while not self._asked and self._read():
            pass
        if self._asked:
            self._report(self._limit + 1, b"")
