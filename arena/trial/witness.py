"""Observation of one bot during its input test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import trio

from arena.core.game import AnyGame
from arena.core.listener import Listener
from arena.core.replies import Answer, Reply, Silence, TimedReply, Violation
from arena.core.rng import Stream
from arena.core.steps import Ask, Note, Outcome, Show, Step, Tell
from arena.core.table import Table
from arena.games.kit.talking import MOST_NOTES
from arena.games.kit.wire import is_no_moves, pieces
from arena.trial.diagnosis import IllegalAnswers


class StopWatching(Exception):
    """This match will yield no more findings."""


MANY_REFUSED = 3
"""Refused answers of one kind, with none accepted, that cannot be an accident."""


@dataclass(slots=True)
class RequestKind:
    """How the answers to one kind of request were judged."""

    first_table: Table[Any]
    """The table that waits for the first refused answer."""
    accepted: int = 0
    refused: int = 0
    first: str = ""
    """The first refused answer."""
    round: int = 0
    """Its round."""


class Witness(Listener):
    """Follows one seat. Ends the match at the next step, by raising `StopWatching`, when an answer
    is missing or the program has ended."""

    def __init__(self, seat: int, table: Table[Any]) -> None:
        self.seat = seat
        self.asked = trio.Event()
        """Set at the seat's first request."""
        self.lines: list[str] = []
        """All lines sent to the seat, requests included."""
        self.tell = ""
        """The first of these lines that is not a request."""
        self.round = 0
        """The last round shown."""
        self._under_way = 0
        """The round of the current request; 0 before the first."""
        self.answers = 0
        self.accepted = 0
        """Number of answers with orders that the rules did not refuse."""
        self._faults = 0
        """Number of faults in the last answer."""
        self._kinds: dict[str, RequestKind] = {}
        """Kinds of requests, by the words of the request."""
        self._asked_for = ""
        self.first: Answer | None = None
        self.first_table: Table[Any] | None = None
        """The table that waits for its first answer."""
        self.missed: TimedReply | None = None
        self._missed_table: Table[Any] | None = None
        self.is_over = False
        self.said: dict[str, str] = {}
        """The first line of each kind that answered no request."""
        self._refused: dict[int, str] = {}
        """Refused answers, by number."""
        self._no_order: tuple[int, str] | None = None
        """Number and text of the first refused answer that is not an order at all."""
        self._excess_at = 0
        """Number of answers at the first excess line."""
        self._last = ""
        self._answered_in = 0
        """The round of its last answer."""
        self._table = table
        self._is_open = False

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        """Record the lines sent to the seat, and the rules' judgements of its answers."""
        for step in steps:
            self._step(step)

    def _step(self, step: Step | Ask | Outcome) -> None:
        if self.is_over and not isinstance(step, Outcome):
            raise StopWatching
        match step:
            case Tell(seat, line) if seat == self.seat:
                self.lines.append(line)
                self.tell = self.tell or line
            case Ask(seat) if seat == self.seat:
                self._settle()
                self._asked_for = step.head
                self.lines.append(step.line(self._table.setup.settings.timebank))
                self.asked.set()
            case Show(frame):
                self.round = frame["round"]
                self._under_way = self.round + 1
            case Outcome():
                self._settle()
            case Note(seat, code, fault=True) if seat == self.seat and self._is_open:
                self._faults += 1
                self._refused[self.answers] = self._last
                if code == "syntax" and self._no_order is None:
                    self._no_order = self.answers, self._last

    def _settle(self) -> None:
        """Conclude the judgement of the last answer: it was accepted if the rules found fewer
        faults than it has orders."""
        if self._is_open:
            self._is_open = False
            if self._faults >= min(max(1, len(pieces(self._last))), MOST_NOTES):
                self._refuse(self._kinds[self._asked_for])
            else:
                self.accepted += 1
                self._kinds[self._asked_for].accepted += 1

    def _refuse(self, kind: RequestKind) -> None:
        if not kind.refused:
            kind.first, kind.round = self._last, self._answered_in
        kind.refused += 1

    def replied(self, seat: int, timed: TimedReply, bank_ms: int) -> None:
        """Record the answer, or that it is missing."""
        if seat != self.seat:
            return
        match timed.reply:
            case Answer(text):
                if self.first is None:
                    self.first, self.first_table = timed.reply, self._table.fork()
                self.answers += 1
                self._is_open, self._faults = not is_no_moves(text), 0
                if self._asked_for not in self._kinds:
                    self._kinds[self._asked_for] = RequestKind(self._table.fork())
                self._last, self._answered_in = text, self._under_way
            case Silence():
                self._missed_table = self._table.fork()
                self.missed = timed if timed.reply.missed else None
                self.is_over = True

    def violated(self, seat: int, violation: Violation) -> None:
        """Record the first line of each kind that answered no request."""
        if seat == self.seat:
            if violation.code == "excess" and not self._excess_at:
                self._excess_at = self.answers
            self.said.setdefault(violation.code, violation.detail.partition(": ")[2])

    @property
    def unasked(self) -> str:
        """A line that answers no request.

        This is the excess line, unless an earlier line was mistaken for an answer: one that is not
        an order at all, however long ago (every later answer may then have counted for the request
        before, until two came together), or one refused just before. (The excess line is reported
        with its answer or with the next.)"""
        if self._no_order is not None and self._no_order[0] <= self._excess_at:
            return self._no_order[1]
        found = (self._refused.get(number) for number in (self._excess_at - 1, self._excess_at))
        return next(filter(None, found), self.said.get("excess", ""))

    def illegal(self) -> IllegalAnswers | None:
        """The first kind of request to which the rules accepted no answer."""
        for head, kind in self._kinds.items():
            if not kind.accepted and kind.refused >= MANY_REFUSED:
                example = legal_answer(kind.first_table, self.seat)
                return IllegalAnswers(
                    request=head,
                    answers=kind.refused,
                    round=kind.round,
                    answer=kind.first,
                    example=example,
                )
        return None

    def open_table(self) -> Table[Any]:
        """The table that waits for the missing answer."""
        return self._missed_table or self._table.fork()

    @property
    def text(self) -> str:
        """All lines sent to the seat, as sent."""
        return "".join(f"{line}\n" for line in self.lines)


def is_legal(table: Table[Any], seat: int, text: str) -> bool:
    """Whether the rules accept `text` as the answer of the seat, which must be asked."""
    ahead = table.fork()
    ahead.take()
    ahead.answer_all(
        tuple(
            Answer(text) if ask.seat == seat else _random(ahead.game, ahead.world, ask)
            for ask in ahead.asked
        )
    )
    return not any(
        isinstance(step, Note) and step.fault and step.seat == seat for step in ahead.take()
    )


def legal_answer(table: Table[Any], seat: int) -> str:
    """An answer other than a pass that the rules would accept from the seat, which must be asked;
    empty if random play finds none."""
    ask = next(one for one in table.asked if one.seat == seat)
    found = (
        table.game.random_answer(table.world, ask, Stream("check", str(number)))
        for number in range(20)
    )
    return next((text for text in found if not is_no_moves(text)), "")


def _random(game: AnyGame, world: Any, ask: Ask) -> Reply:
    return Answer(game.random_answer(world, ask, Stream("check", "others")))


def longest_legal_suffix(table: Table[Any], seat: int, text: str) -> str:
    """The longest suffix of an answer, starting at a word, that is legal by itself; empty if there
    is none."""
    words = text.split()
    ends = (" ".join(words[i:]) for i in range(1, len(words)))
    return next((end for end in ends if is_legal(table, seat, end)), "")
