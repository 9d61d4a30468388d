"""What a program wrote to stdout: lines, caps, and the bookkeeping of what answers nothing.

What arrives while nothing is asked is an *excess* line, and dropped. A missed answer stays *owed*:
it is dropped as *late* whenever it comes, and never taken for the answer to a later request.

A line may be 64 KiB long; a turn (from one request to the next) may bring 1 MiB or 1,000 lines, a
match 64 MiB. Who writes more has `broken` a cap, and is read no further.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from arena.limits import Limits
from arena.lines import LINE_CAP, LineBuffer
from arena.players import Fault
from arena.players.foreign import garble, shown
from arena.players.request import Moment

TURN_LINES = 1000
"""Lines of stdout in one turn."""


class Inbox:
    """The lines that came and were not looked at yet, each with the moment of its arrival."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.lines: deque[tuple[bytes, Moment]] = deque()
        self.owed = 0
        """Answers that were missed and may still come."""
        self.broken = ""
        """The cap that was broken, in words."""
        self._buffer = LineBuffer()
        self._turn_bytes = 0
        self._turn_lines = 0
        self._match_bytes = 0
        self._faults: list[Fault] = []
        self._crlf_remarked = False

    def open_turn(self) -> None:
        """A request begins: what is here answers nothing."""
        if self.lines:
            self.drop([line for line, _ in self.lines])
            self.lines.clear()
        self._turn_bytes = self._turn_lines = 0

    def take(self, data: bytes, now: Callable[[], Moment], *, asked: bool) -> None:
        """Take in a chunk; `asked` says whether its lines can be answers."""
        lines = self._buffer.feed(data)
        self._turn_bytes += len(data)
        self._match_bytes += len(data)
        if lines:
            self._turn_lines += len(lines)
            if asked:
                moment = now()
                self.lines.extend([(line, moment) for line in lines])
            else:
                self.drop(lines)
        self._check_caps()

    def _check_caps(self) -> None:
        limits = self.limits
        if self._buffer.overlong:
            self.broken = f"a line longer than {LINE_CAP} bytes on stdout"
        elif self._turn_bytes > limits.turn_output:
            used, limit = self._turn_bytes, limits.turn_output
            self.broken = f"used {used} of {limit} bytes of stdout in one turn"
        elif self._turn_lines > TURN_LINES:
            self.broken = f"used {self._turn_lines} of {TURN_LINES} lines of stdout in one turn"
        elif self._match_bytes > limits.match_output:
            used, limit = self._match_bytes, limits.match_output
            self.broken = f"used {used} of {limit} bytes of stdout in the match"

    def drop(self, lines: list[bytes]) -> None:
        """Count lines that answer nothing: first those that are owed, then excess ones."""
        late, excess = lines[: self.owed], [line for line in lines[self.owed :] if line.strip()]
        if late:
            self.owed -= len(late)
            self.late(late[0], len(late))
        if excess:
            self.fault("excess", f"a line that nobody asked for: {shown(excess[0])}", len(excess))

    def late(self, line: bytes, count: int = 1) -> None:
        """Count an answer that came after its time."""
        self.fault("late", f"an answer came after its time: {shown(line)}", count)

    def note_unfinished(self) -> None:
        """Tell of a line whose newline has not come: it answers nothing."""
        if partial := self._buffer.partial.strip():
            self.fault("unfinished", f"a line without its newline at the end: {shown(partial)}")

    def text(self, line: bytes) -> str:
        """The line as text, trimmed. What is not text becomes one word that no rule knows."""
        if line.endswith(b"\r"):
            line = line[:-1]
            self._remark_crlf()
        if b"\0" not in line:
            try:
                return line.decode().strip(" \t")
            except UnicodeDecodeError:
                pass
        self.fault("garbled", f"not UTF-8 text, or a NUL in it: {shown(line)}")
        return garble(line)

    def _remark_crlf(self) -> None:
        if not self._crlf_remarked:
            self._crlf_remarked = True
            self._faults.append(Fault("crlf", "lines end with CR LF; LF is enough", fault=False))

    def fault(self, code: str, detail: str, count: int = 1) -> None:
        """Count a breach of the protocol."""
        self._faults.append(Fault(code, detail, count))

    def take_faults(self) -> list[Fault]:
        """The faults since the last call."""
        faults, self._faults = self._faults, []
        return faults
