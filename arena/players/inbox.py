"""What a program wrote to stdout: lines, caps, and which line answers a request.

**One line per request.** A line that arrives while no request is open is *excess*, and is dropped.
A *missed* answer may still come: it is dropped as *late* then, and never answers a later
request.

Some lines are ambiguous. They are *held* until what the program does next resolves them (`Doubt`):

* Some programs answer "nothing" with a blank line; others print a stray blank line beside an
  answer. So a blank line is an answer when no other line follows within 20 ms of the program's own
  time. After `LONE_BLANKS` blank answers in a row that stayed alone, the next one counts at once,
  until a line follows one again.
* A blank line within 20 ms after a line with text is a *stray*. It counts as no missed answer. If
  the program has read a request by then, the blank line may be the answer to it: it is, if the
  program rests or nothing else comes in time. (A program whose blank line was a stray works on its
  answer.)
* After a missed answer, a line may be that answer or the one to the open request. If another line
  follows, it was the missed one. If the time is over, and the program rests and has read all its
  input, the program waits for the next request: then no missed one will come, and the line is the
  answer.
  (Otherwise a program that skips an answer would be one line behind for the rest of the match.)

A line may be 64 KiB long; a turn (from one request to the next) may bring 1 MiB or 1,000 lines, a
match 64 MiB. A program that writes more has `broken` a cap, and is not read any further.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum, auto

from msgspec import Struct

from arena.core.limits import Limits
from arena.core.lines import LINE_CAP, LINE_END, LineBuffer, is_blank, trim
from arena.core.replies import Violation
from arena.players.timing import Moment, Request
from arena.text import garble, shown

TURN_LINES = 1000
"""Lines of stdout in one turn."""
BLANK_ACCEPTED_AFTER = 0.020
"""Seconds of the program's own time after which a blank line is an answer."""
STRAY_WITHIN = 1.0
"""Seconds after another line beyond which a blank line is not a stray on any machine."""
EXCESS_TURNS = 20
"""Turns for which a program that wrote excess lines is expected to write more of them."""
LONE_BLANKS = 3
"""Lone blank answers in a row after which a program is known to answer with blank lines."""


class Doubt(Enum):
    """What a held line may be, other than the answer to the open request."""

    PAUSE = auto()
    """A blank line before the answer."""
    STRAY = auto()
    """A stray blank line that belongs to the previous line."""
    MISSED = auto()
    """The answer to an earlier request."""


class HeldLine(Struct, frozen=True):
    """A line that is the answer unless another line follows."""

    line: bytes
    came: Moment
    doubt: Doubt


class Inbox:
    """Lines that arrived and are not yet processed, each with the moment of its arrival."""

    def __init__(
        self,
        limits: Limits,
        violations: list[Violation],
        waited: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Protocol breaches are added to `violations`. `waited` returns an upper bound on how long
        the program has waited for a core since its last answer, in seconds."""
        self.limits = limits
        self._turn_most, self._match_most = limits.turn_output, limits.match_output
        self.lines: deque[tuple[bytes, Moment]] = deque()
        self.missed_replies = 0
        """Answers that were missed and may still come."""
        self.held: HeldLine | None = None
        self.look_at = 0.0
        """When to look again at the held line."""
        self.broken = ""
        """The cap that was broken, in words."""
        self._buffer = LineBuffer()
        self._turn_bytes = 0
        self._turn_lines = 0
        self._match_bytes = 0
        self._violations = violations
        self._waited = waited
        self._excess_turns = 0
        self._crlf_remarked = False
        self._text_came = -BLANK_ACCEPTED_AFTER
        """When the last line with text came."""
        self._lone_blanks = 0
        """Blank answers in a row that no other line followed soon."""

    def open_turn(self) -> None:
        """Begin a request: lines that are already here do not answer it."""
        if self.held is not None:
            self.drop_held()
        if self.lines:
            self.drop(self.lines)
            self.lines.clear()
        self._turn_bytes = self._turn_lines = 0
        self._excess_turns -= 1

    @property
    def at_rest(self) -> bool:
        """Whether, judging by the past, the next line will answer the next request."""
        return not (self.lines or self.missed_replies or self._buffer.partial or self.held)

    @property
    def expects_excess(self) -> bool:
        """Whether, judging by the past, the program writes more than its answers."""
        return self._excess_turns > 0

    def take_plain(self, data: bytes, came: float) -> str | None:
        """The answer to a request made at rest, if the chunk is exactly one line of plain text and
        nothing else came. Otherwise None, without side effects."""
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
        self._text_came = came
        return text

    def find(self, request: Request) -> tuple[bytes, Moment] | None:
        """The line that decides the request, if present, and when it came: the answer (empty for
        an accepted blank line), or a line that came too late."""
        while self.lines:
            line, moment = self.lines.popleft()
            if self._is_settled(moment):
                self.lines.appendleft((line, moment))
                return self.accept_held()
            is_close = self._is_stray(line, moment)
            self._count_held()
            if is_close and self.missed_replies:
                continue
            if self.missed_replies:
                self._hold(line, moment, Doubt.MISSED)
            elif not is_blank(line) or request.is_late(moment):
                self._lone_blanks = 0 if self.held is not None else self._lone_blanks
                self.held = None
                return line, moment
            elif self.held is not None:  # another line followed
                self._lone_blanks = -1
            else:
                self._hold(line, moment, Doubt.STRAY if is_close else Doubt.PAUSE)
                self.look_at = self.look_at if is_close else min(self.look_at, request.deadline)
                if self._lone_blanks >= LONE_BLANKS and not self.lines and not is_close:
                    return self.accept_held()
        return None

    def _is_stray(self, line: bytes, moment: Moment) -> bool:
        """Whether the line is blank and belongs to the line before it."""
        if not is_blank(line):
            self._text_came = moment.came
            return False
        gap = moment.came - self._text_came
        return gap < BLANK_ACCEPTED_AFTER or (
            gap < STRAY_WITHIN and gap - self._waited() < BLANK_ACCEPTED_AFTER
        )

    # -- a held line -----------------------------------------------------------------------

    def _hold(self, line: bytes, came: Moment, doubt: Doubt) -> None:
        self.held = HeldLine(b"" if is_blank(line) else line, came, doubt)
        self.look_at = came.came + BLANK_ACCEPTED_AFTER

    def _is_settled(self, next_came: Moment) -> bool:
        """Whether the held line is an answer although another line came at `next_came`."""
        is_blank = self.held is not None and self.held.doubt is Doubt.PAUSE
        return is_blank and next_came.came >= self.look_at

    def postpone(self, seconds: float, now: float) -> None:
        """Look at the held line again later: what it is, is not clear yet."""
        self.look_at = now + seconds

    def accept_held(self) -> tuple[bytes, Moment]:
        """Take the held line as the answer."""
        held, self.held = self.held, None
        assert held is not None
        if held.doubt is Doubt.MISSED:
            self.missed_replies = 0
            text = "a missed request got no answer, and yours may be one request behind since then"
            self.violate("behind", f"{text}: {shown(held.line)}")
        self._lone_blanks += not held.line
        return held.line, held.came

    def drop_held(self) -> None:
        """Drop the held line: it is not an answer."""
        self._count_held()
        self.held = None

    def _count_held(self) -> None:
        """Count the held line as a missed answer, if it may have been one."""
        if self.held is not None and self.held.doubt is Doubt.MISSED:
            self.missed_replies -= 1
            self.count_late(self.held.line)
            self.held = None

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
        """Count lines that answer nothing: first as missed answers, then as excess lines."""
        real = [line for line, moment in lines if not self._is_stray(line, moment)]
        late, excess = (
            real[: self.missed_replies],
            [line for line in real[self.missed_replies :] if not is_blank(line)],
        )
        if late:
            self.missed_replies -= len(late)
            self.count_late(late[0], len(late))
        if excess:
            self._lone_blanks = 0
            self._excess_turns = EXCESS_TURNS
            text = f"a line that was not asked for: {shown(excess[0])}"
            self.violate("excess", text, len(excess))

    def count_late(self, line: bytes, count: int = 1) -> None:
        """Count an answer that came after its time."""
        self.violate("late", f"an answer came after its time: {shown(line)}", count)

    def note_unfinished(self) -> None:
        """Note a line without its newline: it answers nothing."""
        if partial := self._buffer.partial.strip():
            self.violate("unfinished", f"a line without its newline at the end: {shown(partial)}")

    def text(self, line: bytes) -> str:
        """The line as trimmed text. Bytes that are not text become one word that no rule knows."""
        bare = line.rstrip(LINE_END.encode())
        if b"\r" in line[len(bare) :]:
            self._remark_crlf()
        if b"\0" not in bare:
            try:
                return trim(bare.decode())
            except UnicodeDecodeError:
                pass
        self.violate("garbled", f"not UTF-8 text, or a NUL in it: {shown(bare)}")
        return garble(bare)

    def _remark_crlf(self) -> None:
        if not self._crlf_remarked:
            self._crlf_remarked = True
            self._violations.append(
                Violation("crlf", "lines end with CR LF; LF is enough", fault=False)
            )

    def violate(self, code: str, detail: str, count: int = 1) -> None:
        """Note a breach of the protocol."""
        self._violations.append(Violation(code, detail, count))
