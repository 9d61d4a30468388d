"""Splits a byte stream into lines, with a cap on the length of an unfinished line, and trims them.

Only LF ends a line (never a lone CR, never a Unicode line separator), as every bot's own
`read line` does. The cap is a safety limit: without it, one endless line would fill the memory.
"""

from __future__ import annotations

LINE_CAP = 64 * 1024
"""Maximum bytes in one line, without its LF. The longest line seen from a real bot is 7 KiB; shells
and terminals cut at 4 KiB, HTTP servers allow 8 to 64 KiB."""
BLANKS = " \t"
LINE_END = BLANKS + "\r"
"""The characters that count for nothing at the end of a line, in any mixture: some programs write
CR CR LF."""


def trim(line: str) -> str:
    """The line without blanks at its ends and carriage returns at its end: all answers are read
    like this, in every game. (`str.strip` would also take what is white space to Python alone.)"""
    return line.rstrip(LINE_END).lstrip(BLANKS)


def trim_written(text: str) -> str:
    """The line that a function in Python returns, trimmed: as `trim`, without line feeds around."""
    return text.strip(LINE_END + "\n")


def is_blank(line: bytes) -> bool:
    """Whether nothing is left of a line that is trimmed."""
    return not line.strip(b" \t\r")


class LineBuffer:
    """Turns bytes, fed as they come, into whole lines without their LF."""

    __slots__ = ("_cap", "_partial", "overlong")

    def __init__(self, cap: int = LINE_CAP) -> None:
        self._cap = cap
        self._partial = b""
        self.overlong = False
        """Whether a line exceeded the cap. That line and everything after it are dropped."""

    @property
    def partial(self) -> bytes:
        """The bytes of the unfinished line so far."""
        return self._partial

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completes, in order."""
        if self.overlong:
            return []
        lines = (self._partial + data).split(b"\n") if self._partial else data.split(b"\n")
        self._partial = lines.pop()
        for i, line in enumerate(lines):
            if len(line) > self._cap:
                self._overflow(line)
                return lines[:i]
        if len(self._partial) > self._cap:
            self._overflow(self._partial)
        return lines

    def _overflow(self, line: bytes) -> None:
        self.overlong = True
        self._partial = line[: self._cap]
