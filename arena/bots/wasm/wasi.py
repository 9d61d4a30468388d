"""The functions of WASI preview 1 that the runner offers to a bot.

Only stdin, stdout and stderr are supported: no files, machine arguments or environment variables.
Calling any other WASI import ends the module, with the name of the function. Random bytes come
from a fixed seed; sleeping takes no time.

**Input comes line by line**: one read gives one line at most, however the pipe cut it, so a count
of instructions cannot depend on the pipe.
"""

from __future__ import annotations

import ctypes
import random
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from wasmtime import Memory, Store

MODULE = "wasi_snapshot_preview1"
OK, BADF, INVAL, SPIPE = 0, 8, 28, 70
"""WASI error numbers."""
CHARACTER_DEVICE = 2
READ, WRITE = 1 << 1, 1 << 6
"""WASI rights of a descriptor."""
CALL_COST = 1000
"""Instructions charged per call: about what it takes here, so that a budget of instructions also
bounds time. Each byte moved costs one more."""
MOST_VECTORS = 1024
"""Maximum pieces of one read or write, and subscriptions of one poll."""
PIECE = 1 << 16
"""Maximum bytes written at a time, so that a module cannot make the runner buffer more."""


class ProcExit(Exception):
    """The module called proc_exit."""

    def __init__(self, code: int) -> None:
        self.code = code


class ModuleRefused(Exception):
    """The module did something forbidden; the message says what."""


class WasiChannel(Protocol):
    """Source of input, destination of output, and counter of instructions."""

    def line(self) -> bytes:
        """The next line of input with its newline; empty at the end."""

    def write(self, data: bytes) -> None:
        """Write bytes to stdout."""

    def charge(self, instructions: int) -> None:
        """Charge instructions for work that the runner does for the module."""

    def clock(self) -> int:
        """Nanoseconds since the start."""


class Wasi:
    """The functions for one module. Each method with a WASI name is one."""

    def __init__(self, store: Store, channel: WasiChannel, arguments: list[str]) -> None:
        self.memory: Memory | None = None
        """The module's memory, set once it exists."""
        self._store = store
        self._channel = channel
        self._arguments = [argument.encode() + b"\0" for argument in arguments]
        self._base = self._size = 0
        self._input = b""
        self._open = {0, 1, 2}
        self._random = random.Random(0)

    def function(self, name: str) -> Callable[..., Any]:
        """The function of that name, or one that refuses the call."""
        known: dict[str, Callable[..., Any]] = {
            "args_get": self._args_get,
            "args_sizes_get": self._args_sizes_get,
            "clock_res_get": self._clock_res_get,
            "clock_time_get": self._clock_time_get,
            "environ_get": lambda *_: OK,
            "environ_sizes_get": self._environ_sizes_get,
            "fd_close": self._fd_close,
            "fd_fdstat_get": self._fd_fdstat_get,
            "fd_fdstat_set_flags": lambda *_: OK,
            "fd_prestat_dir_name": lambda *_: BADF,
            "fd_prestat_get": lambda *_: BADF,
            "fd_read": self._fd_read,
            "fd_seek": lambda *_: SPIPE,
            "fd_write": self._fd_write,
            "poll_oneoff": self._poll_oneoff,
            "proc_exit": self._proc_exit,
            "random_get": self._random_get,
            "sched_yield": lambda *_: OK,
        }
        found = known.get(name)

        def call(*words: int) -> Any:
            self._channel.charge(CALL_COST)
            self._find_memory()
            if found is None:
                raise ModuleRefused(
                    f"it called {name}, but a bot has only its stdin, stdout and stderr"
                )
            return found(*words)

        return call

    # -- memory ----------------------------------------------------------------------------

    def _address(self, start: int, size: int) -> int:
        """Our address of the `size` bytes at `start` of the module's memory."""
        start &= 0xFFFFFFFF
        if start + size > self._size:
            raise ModuleRefused("it passed WASI an address outside its memory")
        return self._base + start

    def _find_memory(self) -> None:
        """Update the memory's address and size: it may have grown, but not during a call."""
        if self.memory is not None:
            place = ctypes.cast(self.memory.data_ptr(self._store), ctypes.c_void_p)
            self._base, self._size = place.value or 0, self.memory.data_len(self._store)

    def _get(self, start: int, size: int) -> bytes:
        return ctypes.string_at(self._address(start, size), size)

    def _put(self, start: int, data: bytes) -> None:
        ctypes.memmove(self._address(start, len(data)), data, len(data))

    def _put_number(self, start: int, value: int, size: int = 4) -> None:
        self._put(start, value.to_bytes(size, "little"))

    def _vectors(self, start: int, count: int) -> list[tuple[int, int]]:
        """Addresses and sizes of the pieces of one read or write, all inside the memory."""
        if not 0 <= count <= MOST_VECTORS:
            raise ModuleRefused(f"it passed a WASI call more than {MOST_VECTORS} pieces")
        data = self._get(start, count * 8)
        numbers = memoryview(data).cast("I").tolist()
        pieces = list(zip(numbers[::2], numbers[1::2], strict=True))
        for place, size in pieces:
            self._address(place, size)
        return pieces

    # -- descriptors -----------------------------------------------------------------------

    def _fd_read(self, descriptor: int, vectors: int, count: int, done: int) -> int:
        if descriptor not in self._open or descriptor != 0:
            return BADF
        places = self._vectors(vectors, count)
        if not self._input and any(size for _, size in places):
            self._input = self._channel.line()
        moved = 0
        for start, size in places:
            data, self._input = self._input[:size], self._input[size:]
            self._put(start, data)
            moved += len(data)
        self._channel.charge(moved)
        self._put_number(done, moved)
        return OK

    def _fd_write(self, descriptor: int, vectors: int, count: int, done: int) -> int:
        if descriptor not in self._open or descriptor == 0:
            return BADF
        moved = 0
        for start, size in self._vectors(vectors, count):
            for place in range(start, start + size, PIECE):
                data = self._get(place, min(PIECE, start + size - place))
                self._channel.charge(len(data))
                self._send(descriptor, data)
                moved += len(data)
        self._put_number(done, moved & 0xFFFFFFFF)
        return OK

    def _send(self, descriptor: int, data: bytes) -> None:
        if descriptor == 1:
            self._channel.write(data)
        else:
            sys.stderr.buffer.write(data)
            sys.stderr.buffer.flush()

    def _fd_close(self, descriptor: int) -> int:
        if descriptor not in self._open:
            return BADF
        self._open.discard(descriptor)
        return OK

    def _fd_fdstat_get(self, descriptor: int, place: int) -> int:
        """Report a character device, so that C libraries write line by line, as on a terminal."""
        if descriptor not in self._open:
            return BADF
        rights = WRITE if descriptor else READ
        self._put(place, CHARACTER_DEVICE.to_bytes(8, "little") + rights.to_bytes(16, "little"))
        return OK

    # -- clock, random bytes, arguments ----------------------------------------------------

    def _args_sizes_get(self, count: int, size: int) -> int:
        self._put_number(count, len(self._arguments))
        self._put_number(size, sum(map(len, self._arguments)))
        return OK

    def _args_get(self, pointers: int, texts: int) -> int:
        for number, argument in enumerate(self._arguments):
            self._put_number(pointers + 4 * number, texts & 0xFFFFFFFF)
            self._put(texts, argument)
            texts += len(argument)
        return OK

    def _environ_sizes_get(self, count: int, size: int) -> int:
        self._put_number(count, 0)
        self._put_number(size, 0)
        return OK

    def _clock_res_get(self, clock: int, place: int) -> int:
        self._put_number(place, 1, 8)
        return OK

    def _clock_time_get(self, clock: int, precision: int, place: int) -> int:
        self._put_number(place, self._channel.clock(), 8)
        return OK

    def _random_get(self, start: int, size: int) -> int:
        start, size = start & 0xFFFFFFFF, size & 0xFFFFFFFF
        for place in range(start, start + size, PIECE):
            data = self._random.randbytes(min(PIECE, start + size - place))
            self._channel.charge(len(data))
            self._put(place, data)
        return OK

    def _poll_oneoff(self, wanted: int, events: int, count: int, done: int) -> int:
        """Report all events as having happened: sleeping takes no time."""
        if not 0 < count <= MOST_VECTORS:
            return INVAL
        self._channel.charge(48 * count)
        data = self._get(wanted, 48 * count)
        for number in range(count):
            asked = data[48 * number :][:9]  # the caller's tag, and the kind of event
            event = asked[:8] + b"\0\0" + asked[8:] + bytes(21)
            self._put(events + 32 * number, event)
        self._put_number(done, count)
        return OK

    def _proc_exit(self, code: int) -> None:
        raise ProcExit(code & 0xFF)
