"""A connection between a judge and a worker, which carries frames with plain values.

A frame is its length (4 bytes, big-endian) and that many bytes of MessagePack, which must be one of
the messages of `work`. Input is bounded before it is read: a frame by `MAX_FRAME`, longer
contents (a bot, a record) by the size that both ends know beforehand, and all waiting by deadlines.
Both ends send a `Beat` every few seconds, so that the loss of either is noticed.
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

MAX_FRAME = 4 << 20
"""Maximum frame size in bytes. A report with the full stderr of eight bots has a quarter of it."""
CHUNK = 256 << 10
"""Bytes of a long content per frame."""
PIECE = 64 << 10
"""Bytes per read."""
BEAT = 5.0
"""Seconds between two beats."""
SILENCE = 60.0
"""Seconds after which the other end is lost if it sends no frame or does not accept ours."""
SPARE_BEATS = 20
"""Allowed beats beyond one per `BEAT` seconds, since a slow network may deliver several at once."""
_HEAD = 4

M = TypeVar("M", bound=Message)
T = TypeVar("T")


class Lost(Exception):
    """The other end is gone or broke the protocol; the text says how."""


class Channel:
    """Messages over a stream. One task may receive while others send."""

    def __init__(self, stream: trio.abc.Stream, decode: Decode) -> None:
        """`decode` decodes the messages of the other end."""
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
            raise Lost("it closed the connection") from None
        except trio.TooSlowError:
            raise Lost(f"it read nothing for {SILENCE:.0f} s") from None

    async def receive(self, *kinds: type[M], within: float = math.inf) -> M:
        """The next message, which must be of one of `kinds` and arrive within `within` seconds.
        Raises Lost."""
        with trio.move_on_after(within):
            while True:
                message = await self._next()
                if isinstance(message, kinds):
                    return message
                if not isinstance(message, Beat):
                    raise Lost(f"it has sent a {type(message).__name__} that was not requested")
                self._count_beat()
        raise Lost(f"it did not answer for {within:.0f} s")

    def _count_beat(self) -> None:
        self._beats += 1
        if self._beats > SPARE_BEATS + (trio.current_time() - self._began) / BEAT * 2:
            raise Lost("it sends endless heartbeats")

    async def beat(self) -> None:
        """Send beats forever."""
        while True:
            await trio.sleep(BEAT)
            await self.send(Beat())

    async def while_quiet(self, wait: Callable[[], Awaitable[T]]) -> T:
        """Wait for something while the other end must be silent. Raises Lost when it sends a
        message or is gone."""
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
        """Receive `size` bytes into a new file. Raises Lost, and OSError."""
        with path.open("xb") as file:
            while size:
                piece = (await self.receive(Chunk)).data
                if len(piece) != min(size, CHUNK):
                    raise Lost("it sent content that differs from what it announced")
                file.write(piece)
                size -= len(piece)

    async def drain(self, within: float) -> None:
        """Wait until the other end has hung up; hanging up first could discard data that it has not
        read yet."""
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
            raise Lost(f"it was silent for {SILENCE:.0f} s") from None

    def _message(self, frame: bytes) -> Message:
        try:
            return self._decode(frame)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise Lost(f"it sent an invalid message: {error}") from None

    async def _frame(self) -> bytes:
        await self._have(_HEAD)
        size = int.from_bytes(self._received[:_HEAD], "big")
        if size > MAX_FRAME:
            raise Lost(f"it announced a frame of {size} bytes")
        await self._have(_HEAD + size)
        frame = bytes(self._received[_HEAD : _HEAD + size])
        del self._received[: _HEAD + size]
        return frame

    async def _have(self, size: int) -> None:
        """Read until `size` bytes are buffered. Cancellation loses no data."""
        while len(self._received) < size:
            try:
                piece = await self._stream.receive_some(PIECE)
            except (trio.BrokenResourceError, trio.ClosedResourceError):
                piece = b""
            if not piece:
                raise Lost("it closed the connection")
            self._received += piece
