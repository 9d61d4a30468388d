"""What a program wrote to stdout: lines, caps, and which line answers a request.

**One line per request.** What arrives while nothing is asked is an *excess* line, and dropped. A
missed answer stays *owed*: it is dropped as *late* when it comes, and is not the answer to a later
request.

Some lines cannot be told by what they are. They are *held*, until what the program does next shows
which they were (`Doubt`):

* Real programs say nothing with a blank line, and real programs print a stray one beside an answer.
  So a blank line is an answer when no other line follows within 20 ms of the program's own time.
  After `SINGLES` answers in a row that were blank lines and stayed alone, the next one stands at
  once, until a line follows one again.
* A blank line within 20 ms behind a line with text is a *stray*. It pays nothing that is owed. When
  the program has read a request by then, it may be the answer to that: it is, when the program
  rests, or nothing else comes in time. (One whose blank line was a stray is at work on its answer.)
* While an answer is owed, a line may be that one or the answer to the open request. When another
  line follows, it was the owed one. When the time is over, and the program rests and has read all
  that was written to it, it waits for the next request: then nothing is owed, and the line is the
  answer. (A program that skips an answer would else be one line behind for the rest of the match.)

A line may be 64 KiB long; a turn (from one request to the next) may bring 1 MiB or 1,000 lines, a
match 64 MiB. A program that writes more has `broken` a cap, and is read no further.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from enum import Enum, auto

from msgspec import Struct

from arena.core.limits import Limits
from arena.core.lines import LINE_CAP, LineBuffer
from arena.core.replies import Violation
from arena.players.request import Moment, Request
from arena.text import garble, shown

TURN_LINES = 1000
"""Lines of stdout in one turn."""
BLANK_STANDS_AFTER = 0.020
"""Seconds of the program's own time after which a blank line is an answer."""
CLOSE = 1.0
"""Seconds behind another line, from which on a blank line is no stray on any machine."""
HABIT = 20
"""Turns for which a program is seen to write more than its answers, after it did."""
SINGLES = 3
"""Blank answers that stayed alone, after which a program is seen to answer with blank lines."""


class Doubt(Enum):
    """What else a held line may be, beside an answer to the open request."""

    PAUSE = auto()
    """A blank line before the answer."""
    STRAY = auto()
    """A blank line behind the line before."""
    OWED = auto()
    """The answer to an earlier request."""


class HeldLine(Struct, frozen=True):
    """A line that is the answer unless another follows."""

    line: bytes
    came: Moment
    doubt: Doubt


class Inbox:
    """The lines that came and were not looked at yet, each with the moment of its arrival."""

    def __init__(
        self,
        limits: Limits,
        violations: list[Violation],
        waited: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Breaches of the protocol are added to `violations`. `waited` tells for how many seconds
        the program has waited for a core since its last answer, at most."""
        self.limits = limits
        self._turn_most, self._match_most = limits.turn_output, limits.match_output
        self.lines: deque[tuple[bytes, Moment]] = deque()
        self.owed = 0
        """Answers that were missed and may still come."""
        self.held: HeldLine | None = None
        self.look_at = 0.0
        """When to look what became of the held line."""
        self.broken = ""
        """The cap that was broken, in words."""
        self._buffer = LineBuffer()
        self._turn_bytes = 0
        self._turn_lines = 0
        self._match_bytes = 0
        self._violations = violations
        self._waited = waited
        self._turns_of_habit = 0
        self._crlf_remarked = False
        self._text_came = -BLANK_STANDS_AFTER
        """When the last line with text came."""
        self._singles = 0
        """Blank answers in a row behind which no line followed soon."""

    def open_turn(self) -> None:
        """A request begins: what is here answers nothing."""
        self.give_up_held()
        if self.lines:
            self.drop(self.lines)
            self.lines.clear()
        self._turn_bytes = self._turn_lines = 0
        self._turns_of_habit -= 1

    @property
    def at_rest(self) -> bool:
        """Whether the next line answers the next request, as far as the past tells."""
        return not (self.lines or self.owed or self._buffer.partial or self.held)

    @property
    def expects_excess(self) -> bool:
        """Whether the program writes more than its answers, as far as the past tells."""
        return self._turns_of_habit > 0

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
        self._text_came = came
        return text

    def find(self, request: Request) -> tuple[bytes, Moment] | None:
        """The line that decides the request and when it came, if it is here: the answer (empty for
        a blank line that stands), or a line that came too late."""
        while self.lines:
            line, moment = self.lines.popleft()
            if self._is_settled(moment):
                self.lines.appendleft((line, moment))
                return self.stand()
            is_close = self._is_stray(line, moment)
            self._pay_with_held()
            if is_close and self.owed:
                continue
            if self.owed:
                self._hold(line, moment, Doubt.OWED)
            elif line.strip() or request.is_late(moment):
                self._singles = 0 if self.held is not None else self._singles
                self.held = None
                return line, moment
            elif self.held is not None:  # it did not stay alone
                self._singles = -1
            else:
                self._hold(line, moment, Doubt.STRAY if is_close else Doubt.PAUSE)
                self.look_at = self.look_at if is_close else min(self.look_at, request.deadline)
                if self._singles >= SINGLES and not self.lines and not is_close:
                    return self.stand()
        return None

    def _is_stray(self, line: bytes, moment: Moment) -> bool:
        """Whether it is a blank line that belongs to the line before it."""
        if line.strip():
            self._text_came = moment.came
            return False
        gap = moment.came - self._text_came
        return gap < BLANK_STANDS_AFTER or (
            gap < CLOSE and gap - self._waited() < BLANK_STANDS_AFTER
        )

    # -- a held line -----------------------------------------------------------------------

    def _hold(self, line: bytes, came: Moment, doubt: Doubt) -> None:
        self.held = HeldLine(line if line.strip() else b"", came, doubt)
        self.look_at = came.came + BLANK_STANDS_AFTER

    def _is_settled(self, next_came: Moment) -> bool:
        """Whether the held line is an answer though another follows, then."""
        is_blank = self.held is not None and self.held.doubt is Doubt.PAUSE
        return is_blank and next_came.came >= self.look_at

    def postpone(self, seconds: float, now: float) -> None:
        """It is not clear yet what the held line is."""
        self.look_at = now + seconds

    def stand(self) -> tuple[bytes, Moment]:
        """The held line is the answer."""
        held, self.held = self.held, None
        assert held is not None
        if held.doubt is Doubt.OWED:
            self.owed = 0
            text = "a missed request got no answer, and yours may be one request behind since then"
            self.violate("behind", f"{text}: {shown(held.line)}")
        self._singles += not held.line
        return held.line, held.came

    def give_up_held(self) -> None:
        """The held line is no answer."""
        self._pay_with_held()
        self.held = None

    def _pay_with_held(self) -> None:
        """The held line was one that is owed, if it may have been that."""
        if self.held is not None and self.held.doubt is Doubt.OWED:
            self.owed -= 1
            self.late(self.held.line)
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
        """Count lines that answer nothing: first those that are owed, then excess ones."""
        real = [line for line, moment in lines if not self._is_stray(line, moment)]
        late, excess = real[: self.owed], [line for line in real[self.owed :] if line.strip()]
        if late:
            self.owed -= len(late)
            self.late(late[0], len(late))
        if excess:
            self._singles = 0
            self._turns_of_habit = HABIT
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
