"""A connection between a judge and a worker: frames with plain values, and nothing else.

A frame is its length (4 bytes, the highest first) and so many bytes of MessagePack, which must be
one of the messages of `work`. What the other end sends is bounded before it is read: a frame by
`LARGEST_FRAME`, longer contents (a bot, a record) by the size that both ends know beforehand, and
all waiting by deadlines. Both ends send a `Beat` every few seconds, so that one that is gone is
missed.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import msgspec
import trio

from arena.cluster.work import Beat, Chunk, Decode, Message, encode_message
from arena.sandbox.session import one_error

LARGEST_FRAME = 4 << 20
"""Bytes. A report with all that eight bots wrote to stderr has a quarter of it."""
CHUNK = 256 << 10
"""Bytes of a long content that travel in one frame."""
PIECE = 64 << 10
"""Bytes that are read at once."""
BEAT = 5.0
"""Seconds between two signs of life."""
SILENCE = 60.0
"""Seconds without a frame after which the other end is lost, also when it does not take ours."""
SPARE_BEATS = 20
"""Beats beyond one every `BEAT` seconds, which a network that was slow may bring together."""
_HEAD = 4

M = TypeVar("M", bound=Message)
T = TypeVar("T")


class Lost(Exception):
    """The other end is gone, or does not keep to the protocol; the text says how."""


class Channel:
    """Messages over a stream. One task may receive while others send."""

    def __init__(self, stream: trio.abc.Stream, decode: Decode) -> None:
        """`decode` knows the messages of the other end."""
        self._stream = stream
        self._decode = decode
        self._received = bytearray()
        self._sending = trio.Lock()
        self._began = trio.current_time()
        self._beats = 0

    async def send(self, message: Message) -> None:
        """Send a message. Raises Lost."""
        data = encode_message(message)
        try:
            with trio.fail_after(SILENCE):
                async with self._sending:
                    await self._stream.send_all(len(data).to_bytes(_HEAD, "big") + data)
        except (trio.BrokenResourceError, trio.ClosedResourceError):
            raise Lost("it has hung up") from None
        except trio.TooSlowError:
            raise Lost(f"it has taken nothing for {SILENCE:.0f} s") from None

    async def receive(self, *kinds: type[M], within: float = math.inf) -> M:
        """The next message, which must be of these kinds and come within so many seconds. Raises
        Lost."""
        with trio.move_on_after(within):
            while True:
                message = await self._next()
                if isinstance(message, kinds):
                    return message
                if not isinstance(message, Beat):
                    raise Lost(f"it has sent a {type(message).__name__} that nothing had asked for")
                self._count_beat()
        raise Lost(f"it has not answered for {within:.0f} s")

    def _count_beat(self) -> None:
        self._beats += 1
        if self._beats > SPARE_BEATS + (trio.current_time() - self._began) / BEAT * 2:
            raise Lost("it sends beats without end")

    async def beat(self) -> None:
        """Send signs of life for ever."""
        while True:
            await trio.sleep(BEAT)
            await self.send(Beat())

    async def while_quiet(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Wait for something while the other end has nothing to say. Raises Lost when it says
        something all the same, or is gone."""
        with one_error():
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self.receive)
                result = await wait()
                nursery.cancel_scope.cancel()
        return result

    async def send_file(self, path: Path) -> None:
        """Send the content of a file, whose size the other end knows. Raises Lost, and OSError."""
        with path.open("rb") as file:
            while piece := file.read(CHUNK):
                await self.send(Chunk(piece))

    async def receive_file(self, path: Path, size: int) -> None:
        """Write a content of that many bytes to a new file. Raises Lost, and OSError."""
        with path.open("xb") as file:
            while size:
                piece = (await self.receive(Chunk)).data
                if len(piece) != min(size, CHUNK):
                    raise Lost("it has sent another content than it said")
                file.write(piece)
                size -= len(piece)

    async def drain(self, within: float) -> None:
        """Wait until the other end has hung up: to hang up before would take from it what it has
        not read yet."""
        with trio.move_on_after(within):
            try:
                while await self._stream.receive_some(PIECE):
                    pass
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                pass

    async def _next(self) -> Message:
        try:
            with trio.fail_after(SILENCE):
                return self._message(await self._frame())
        except trio.TooSlowError:
            raise Lost(f"nothing was heard of it for {SILENCE:.0f} s") from None

    def _message(self, frame: bytes) -> Message:
        try:
            return self._decode(frame)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise Lost(f"it has sent what is no message: {error}") from None

    async def _frame(self) -> bytes:
        await self._have(_HEAD)
        size = int.from_bytes(self._received[:_HEAD], "big")
        if size > LARGEST_FRAME:
            raise Lost(f"it has announced a frame of {size} bytes")
        await self._have(_HEAD + size)
        frame = bytes(self._received[_HEAD : _HEAD + size])
        del self._received[: _HEAD + size]
        return frame

    async def _have(self, size: int) -> None:
        """Read until so many bytes have come. To be cancelled in between loses none."""
        while len(self._received) < size:
            try:
                piece = await self._stream.receive_some(PIECE)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                piece = b""
            if not piece:
                raise Lost("it has hung up")
            self._received += piece
