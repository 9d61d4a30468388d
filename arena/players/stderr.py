"""What a program writes to stderr: its drawings for the replay, and its log, in bounded memory.

Drawings are lines that begin with ``@viz ``, kept within a budget. They are split off as bytes and
parsed only when a page is made, so that parsing costs a match nothing.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from enum import Enum, auto

from arena.core.tally import Drawing

START = b"@viz "
LINES = 64
"""Lines of drawings kept per request."""
REQUEST = 4 * 1024
"""Bytes of drawings kept per request."""
MATCH = 1 << 20
"""Bytes of drawings kept per match."""


class _Line(Enum):
    """The kind of the unfinished line at the end of stderr."""

    NEW = auto()
    """The line may become a drawing; what has come of it is held back."""
    LOG = auto()
    EXCESS = auto()
    """A drawing that is too long: skipped up to its end."""


class DrawingLog:
    """The drawings of one program, by turn. Drawings over the budget are only counted."""

    def __init__(self) -> None:
        self.total = 0
        """Bytes of drawings, kept or not."""
        self._kept: dict[int, list[bytes]] = {}
        self._left_out: dict[int, int] = {}
        self._room = MATCH
        self._line = _Line.NEW
        self._held = b""

    def sift(self, turn: int, data: bytes) -> bytes:
        """Take the next bytes of stderr of that turn; return them without the drawings."""
        data, self._held = self._held + data, b""
        if self._line is not _Line.EXCESS and START not in data:
            return self._sift_log(turn, data)
        *whole, last = data.split(b"\n")
        log = [line + b"\n" for line in whole if not self._takes(turn, line)]
        if self._line is _Line.NEW and last:
            self._begin(turn, last)
        if self._line is _Line.LOG:
            log.append(last)
        return b"".join(log)

    def _sift_log(self, turn: int, data: bytes) -> bytes:
        """Like `sift`, for data in which at most the last line becomes a drawing."""
        whole, newline, last = data.rpartition(b"\n")
        if newline:
            self._line = _Line.NEW
        if self._line is _Line.NEW and last:
            self._begin(turn, last)
        return data if self._line is _Line.LOG else whole + newline

    def _takes(self, turn: int, line: bytes) -> bool:
        """Whether the line, now complete, is not part of the log. Keeps it if it is a drawing."""
        kind, self._line = self._line, _Line.NEW
        if kind is _Line.NEW and line.startswith(START):
            self._keep(turn, line)
            return True
        return kind is _Line.EXCESS

    def _begin(self, turn: int, begun: bytes) -> None:
        """Begin a line that has no end yet."""
        if not begun.startswith(START[: len(begun)]):
            self._line = _Line.LOG
        elif len(begun) <= REQUEST:
            self._held = begun
        else:
            self._line = _Line.EXCESS
            self._keep(turn, begun)

    def _keep(self, turn: int, line: bytes) -> None:
        self.total += len(line)
        lines = self._kept.setdefault(turn, [])
        size = sum(map(len, lines)) + len(line)
        if len(lines) < LINES and size <= REQUEST and len(line) <= self._room:
            lines.append(line)
            self._room -= len(line)
        else:
            self._left_out[turn] = self._left_out.get(turn, 0) + 1

    def turns(self) -> tuple[Drawing, ...]:
        """The drawings that were kept, by turn."""
        return tuple(
            [
                Drawing(turn, _text(lines), self._left_out.get(turn, 0))
                for turn, lines in sorted(self._kept.items())
            ]
        )


def _text(lines: list[bytes]) -> str:
    words = [line.removeprefix(START).decode(errors="backslashreplace") for line in lines]
    return "\n".join(words)


# The log of a program.


class StderrLog:
    """The stderr of a program, by turn: the first and the last 64 KiB."""

    PART = 64 * 1024

    def __init__(self) -> None:
        self.hear: Callable[[bytes], None] | None = None
        """Called with each chunk as it comes."""
        self.total = 0
        """Bytes received, kept or not."""
        self.drawings = DrawingLog()
        """The drawings for the replay, which are not part of the log."""
        self._logged = 0
        self._head: list[tuple[int, bytes]] = []
        self._tail: deque[tuple[int, bytes]] = deque()
        self._head_room = self.PART
        self._tail_size = 0

    def add(self, turn: int, data: bytes) -> None:
        """Add the next bytes, written in that turn (0 is before the first request)."""
        self.total += len(data)
        data = self.drawings.sift(turn, data)
        self._logged += len(data)
        if self.hear is not None and data:
            self.hear(data)
        if self._head_room and data:
            self._head.append((turn, data[: self._head_room]))
            data = data[self._head_room :]
            self._head_room -= len(self._head[-1][1])
        if data:
            self._tail.append((turn, data[-self.PART :]))
            self._tail_size += len(self._tail[-1][1])
        while self._tail and self._tail_size - len(self._tail[0][1]) >= self.PART:
            self._tail_size -= len(self._tail.popleft()[1])

    def text(self) -> str:
        """All that was kept."""
        return "".join(text for _, text in self.turns())

    def tail(self, size: int) -> list[tuple[int, str]]:
        """Like `turns`, but only for the last `size` characters."""
        kept: list[tuple[int, str]] = []
        for turn, text in reversed(self.turns()):
            if size > 0:
                kept.append((turn, text[-size:]))
                size -= len(text)
        return kept[::-1]

    def turns(self) -> list[tuple[int, str]]:
        """Pairs (turn, text) in order, with a line that says how much is missing in the middle."""
        pieces = [*self._head, *self._tail]
        missing = self._logged - sum(len(data) for _, data in pieces)
        if missing:
            gap = f"\n… {missing} bytes left out …\n".encode()
            pieces.insert(len(self._head), (self._tail[0][0], gap))
        joined: dict[int, bytes] = {}
        for turn, data in pieces:
            joined[turn] = joined.get(turn, b"") + data
        return [(turn, data.decode(errors="backslashreplace")) for turn, data in joined.items()]
