"""What a program wrote to stdout: lines, caps, and which line answers a request.

**One line per request.** What arrives while nothing is asked is an *excess* line, and dropped. A
missed answer stays *owed*: it is dropped as *late* whenever it comes, and never taken for the
answer to a later request.

**Blank lines.** Real programs say nothing with a blank line, and real programs print a stray one
beside an answer. So a blank line within 20 ms behind a line with text is a *stray*: it answers
nothing and pays nothing that is owed. Any other one is a line like others, but as an answer it is
tentative: it stands when no other line follows within 20 ms. After `SINGLES` answers in a row that
were blank lines and stayed alone, the next one stands at once, until a line follows one again.

When a blank line is as close behind an answer, and the program has read the next request by then,
it may be either. It is *doubtful*: it stands only when the program rests. (One whose blank line was
a stray is still at work on its answer.)

A line may be 64 KiB long; a turn (from one request to the next) may bring 1 MiB or 1,000 lines, a
match 64 MiB. A program that writes more has `broken` a cap, and is read no further.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from arena.core.limits import Limits
from arena.core.lines import LINE_CAP, LineBuffer
from arena.core.replies import Violation
from arena.players.request import Moment, Request
from arena.text import garble, shown

TURN_LINES = 1000
"""Lines of stdout in one turn."""
BLANK_STANDS_AFTER = 0.020
"""Seconds after which a blank line is an answer."""
SINGLES = 3
"""Blank answers that stayed alone, after which a program is seen to answer with blank lines."""


class Inbox:
    """The lines that came and were not looked at yet, each with the moment of its arrival."""

    def __init__(self, limits: Limits, violations: list[Violation]) -> None:
        """Breaches of the protocol are added to `violations`."""
        self.limits = limits
        self._turn_most, self._match_most = limits.turn_output, limits.match_output
        self.lines: deque[tuple[bytes, Moment]] = deque()
        self.owed = 0
        """Answers that were missed and may still come."""
        self.blank: Moment | None = None
        """When the blank line came that is the answer unless another follows."""
        self.doubtful = False
        """It may be a stray."""
        self._blank_until = 0.0
        self.broken = ""
        """The cap that was broken, in words."""
        self._buffer = LineBuffer()
        self._turn_bytes = 0
        self._turn_lines = 0
        self._match_bytes = 0
        self._violations = violations
        self._crlf_remarked = False
        self._text_came = -BLANK_STANDS_AFTER
        """When the last line with text came."""
        self._text_answered = False
        """It was an answer."""
        self._singles = 0
        """Blank answers in a row behind which no line followed soon."""

    def open_turn(self) -> None:
        """A request begins: what is here answers nothing."""
        if self.lines:
            self.drop(self.lines)
            self.lines.clear()
        self._turn_bytes = self._turn_lines = 0
        self.blank = None

    @property
    def at_rest(self) -> bool:
        """Whether the next line answers the next request, as far as the past tells."""
        return not (self.lines or self.owed or self._buffer.partial or self.blank is not None)

    def take_plain(self, data: bytes, came: float) -> str | None:
        """The answer to a request that was made at rest, where a chunk is one line of plain text,
        and all that came. Else None, and nothing has happened."""
        total = self._match_bytes + len(data)
        if data[-1:] != b"\n" or len(data) > self._turn_most or total > self._match_most:
            return None
        try:
            text = data[:-1].decode().strip(" ")
        except UnicodeDecodeError:
            return None
        if not (text and text.isprintable()):
            return None
        self._match_bytes = total
        self._text_came, self._text_answered = came, True
        return text

    def find(self, request: Request) -> tuple[bytes, Moment] | None:
        """The line that decides the request and when it came, if it is here: the answer (empty for
        a blank line that stands), or a line that came too late."""
        while self.lines:
            line, moment = self.lines.popleft()
            settled = self.blank is not None and not self.doubtful
            if settled and moment.came >= self.blank_stands(request):
                self.lines.appendleft((line, moment))
                return self.stand()
            is_close = self._is_stray(line, moment)
            if is_close and (self.owed or not self._text_answered):
                continue
            if self.owed:
                self.drop([(line, moment)])
            elif line.strip() or request.is_late(moment):
                self._singles = 0 if self.blank is not None else self._singles
                self._text_answered = not request.is_late(moment)
                return line, moment
            elif self.blank is not None:  # it did not stay alone
                self._singles = -1
            else:
                self.blank, self.doubtful = moment, is_close
                self._blank_until = moment.came + BLANK_STANDS_AFTER
                if self._singles >= SINGLES and not self.lines and not is_close:
                    return self.stand()
        return None

    def _is_stray(self, line: bytes, moment: Moment) -> bool:
        """Whether it is a blank line that belongs to the line before it."""
        if line.strip():
            self._text_came = moment.came
            return False
        return moment.came - self._text_came < BLANK_STANDS_AFTER

    def blank_stands(self, request: Request) -> float:
        """When the blank line that came is the answer, unless it is doubtful."""
        return self._blank_until if self.doubtful else min(self._blank_until, request.deadline)

    def postpone_blank(self, now: float) -> None:
        """The program is at work: the blank line is no answer yet."""
        self._blank_until = now + BLANK_STANDS_AFTER

    def stand(self) -> tuple[bytes, Moment]:
        """The blank line that came is the answer."""
        assert self.blank is not None
        self._singles += 1
        return b"", self.blank

    def take(self, data: bytes, now: Callable[[], Moment], *, asked: bool) -> None:
        """Take in a chunk; `asked` says whether its lines can be answers."""
        lines = self._buffer.feed(data)
        self._turn_bytes += len(data)
        self._match_bytes += len(data)
        if lines:
            self._turn_lines += len(lines)
            moment = now()
            arrived = [(line, moment) for line in lines]
            if asked:
                self.lines.extend(arrived)
            else:
                self.drop(arrived)
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

    def drop(self, lines: Iterable[tuple[bytes, Moment]]) -> None:
        """Count lines that answer nothing: first those that are owed, then excess ones."""
        real = [line for line, moment in lines if not self._is_stray(line, moment)]
        late, excess = real[: self.owed], [line for line in real[self.owed :] if line.strip()]
        self._text_answered &= not (late or excess)
        if late:
            self.owed -= len(late)
            self.late(late[0], len(late))
        if excess:
            self._singles = 0
            text = f"a line that was not asked for: {shown(excess[0])}"
            self.violate("excess", text, len(excess))

    def late(self, line: bytes, count: int = 1) -> None:
        """Count an answer that came after its time."""
        self.violate("late", f"an answer came after its time: {shown(line)}", count)

    def note_unfinished(self) -> None:
        """Note a line whose newline has not come: it answers nothing."""
        if partial := self._buffer.partial.strip():
            self.violate("unfinished", f"a line without its newline at the end: {shown(partial)}")

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
        self.violate("garbled", f"not UTF-8 text, or a NUL in it: {shown(line)}")
        return garble(line)

    def _remark_crlf(self) -> None:
        if not self._crlf_remarked:
            self._crlf_remarked = True
            self._violations.append(
                Violation("crlf", "lines end with CR LF; LF is enough", fault=False)
            )

    def violate(self, code: str, detail: str, count: int = 1) -> None:
        """Note a breach of the protocol."""
        self._violations.append(Violation(code, detail, count))
