"""What a program draws into its replay: lines of stderr that begin with ``@viz ``, within a budget.

They are sifted out of stderr as bytes, and not understood here: that is done when a page is made,
and costs a match nothing.
"""

from __future__ import annotations

from enum import Enum, auto

from arena.core.tally import Drawing

START = b"@viz "
LINES = 64
"""Lines of a request that are kept."""
REQUEST = 4 * 1024
"""Bytes of a request that are kept."""
MATCH = 1 << 20
"""Bytes of a match that are kept."""


class _Line(Enum):
    """What the unfinished line at the end of stderr is."""

    NEW = auto()
    """It may become a drawing; what is there of it is held back."""
    LOG = auto()
    EXCESS = auto()
    """A drawing that is too long: it is passed over to its end."""


class Drawings:
    """The drawings of one program, by turn. What is over the budget is counted."""

    def __init__(self) -> None:
        self.total = 0
        """Bytes that were drawings, kept or not."""
        self._kept: dict[int, list[bytes]] = {}
        self._left_out: dict[int, int] = {}
        self._room = MATCH
        self._line = _Line.NEW
        self._held = b""

    def sift(self, turn: int, data: bytes) -> bytes:
        """The next bytes of stderr, written in that turn, without the drawings in them."""
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
        """The same, where at most the last line becomes a drawing."""
        whole, newline, last = data.rpartition(b"\n")
        if newline:
            self._line = _Line.NEW
        if self._line is _Line.NEW and last:
            self._begin(turn, last)
        return data if self._line is _Line.LOG else whole + newline

    def _takes(self, turn: int, line: bytes) -> bool:
        """Whether the line, at its end now, was no log. A drawing is kept."""
        kind, self._line = self._line, _Line.NEW
        if kind is _Line.NEW and line.startswith(START):
            self._keep(turn, line)
            return True
        return kind is _Line.EXCESS

    def _begin(self, turn: int, begun: bytes) -> None:
        """A line that has no end yet."""
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
        """What was kept, by turn."""
        return tuple(
            [
                Drawing(turn, _text(lines), self._left_out.get(turn, 0))
                for turn, lines in sorted(self._kept.items())
            ]
        )


def _text(lines: list[bytes]) -> str:
    words = [line.removeprefix(START).decode(errors="backslashreplace") for line in lines]
    return "\n".join(words)
