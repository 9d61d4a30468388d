"""What is seen of one bot while its input test runs."""

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
from arena.games.kit.wire import pieces
from arena.trial.diagnosis import IllegalAnswers

PASSES = ("", "no moves")
"""Answers that every game takes, and that say nothing of a bot."""


class StopWatching(Exception):
    """There is nothing more to be learned from this match."""


MANY = 3
"""Answers of one kind that the rules refused, and took none: no slip."""


@dataclass(slots=True)
class RequestKind:
    """What became of the answers to one kind of request."""

    first_table: Table[Any]
    """The table that waits for the first."""
    accepted: int = 0
    refused: int = 0
    first: str = ""
    """The first that was refused."""
    round: int = 0
    """Its round."""


class Witness(Listener):
    """Follows one seat. When an answer is missing, or the program has ended, it ends the match at
    the next step, by raising `StopWatching`."""

    def __init__(self, seat: int, table: Table[Any]) -> None:
        self.seat = seat
        self.asked = trio.Event()
        """Set with its first request."""
        self.lines: list[str] = []
        """All that it was told, requests included."""
        self.tell = ""
        """The first line of them that asks for nothing."""
        self.round = 0
        """The last one that was shown."""
        self._under_way = 0
        """The round in which it is asked; 0 before the first."""
        self.answers = 0
        self.accepted = 0
        """Those with orders that the rules did not refuse."""
        self._faults = 0
        """How many faults the rules found in its last answer."""
        self._kinds: dict[str, RequestKind] = {}
        """By the words of the request."""
        self._asked_for = ""
        self.first: Answer | None = None
        self.first_table: Table[Any] | None = None
        """The table that waits for its first answer."""
        self.missed: TimedReply | None = None
        self._missed_table: Table[Any] | None = None
        self.is_over = False
        self.said: dict[str, str] = {}
        """The first line of each kind that answered nothing."""
        self._refused: dict[int, str] = {}
        """The answers that the rules refused, by number."""
        self._no_order: tuple[int, str] | None = None
        """The first of them that is no order at all, and its number."""
        self._excess_at = 0
        """How many answers there were at the first line too many."""
        self._last = ""
        self._answered_in = 0
        """The round of its last answer."""
        self._table = table
        self._is_open = False

    def steps(self, steps: Sequence[Step | Ask | Outcome]) -> None:
        """Keep what it is told, and what the rules say of its answers."""
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
        """The rules had their say on its last answer: they accepted it if they found fewer faults
        than it has orders."""
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
        """Keep the answer, or that there is none."""
        if seat != self.seat:
            return
        match timed.reply:
            case Answer(text):
                if self.first is None:
                    self.first, self.first_table = timed.reply, self._table.fork()
                self.answers += 1
                self._is_open, self._faults = text.lower() not in PASSES, 0
                if self._asked_for not in self._kinds:
                    self._kinds[self._asked_for] = RequestKind(self._table.fork())
                self._last, self._answered_in = text, self._under_way
            case Silence():
                self._missed_table = self._table.fork()
                self.missed = timed if timed.reply.missed else None
                self.is_over = True

    def violated(self, seat: int, violation: Violation) -> None:
        """Keep the first line of each kind that answered nothing."""
        if seat == self.seat:
            if violation.code == "excess" and not self._excess_at:
                self._excess_at = self.answers
            self.said.setdefault(violation.code, violation.detail.partition(": ")[2])

    @property
    def unasked(self) -> str:
        """A line that answers nothing. The one too many, unless a line before it was taken for an
        answer: one that is no order at all, however long ago (each answer then may have stood for
        the one before, until two came together), or one that the rules refused just before. (The
        one too many is told of with its answer or with the next.)"""
        if self._no_order is not None and self._no_order[0] <= self._excess_at:
            return self._no_order[1]
        found = (self._refused.get(number) for number in (self._excess_at - 1, self._excess_at))
        return next(filter(None, found), self.said.get("excess", ""))

    def illegal(self) -> IllegalAnswers | None:
        """The first kind of request to which the rules took not one answer."""
        for head, kind in self._kinds.items():
            if not kind.accepted and kind.refused >= MANY:
                example = legal_answer(kind.first_table, self.seat)
                return IllegalAnswers(head, kind.refused, kind.round, kind.first, example)
        return None

    def open_table(self) -> Table[Any]:
        """The table that waits for the answer that does not come."""
        return self._missed_table or self._table.fork()

    @property
    def text(self) -> str:
        """All that it was told, as it was sent."""
        return "".join(f"{line}\n" for line in self.lines)


def is_legal(table: Table[Any], seat: int, text: str) -> bool:
    """Whether the rules accept `text` as the answer of the seat, which is asked."""
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
    """An answer that the rules would take from the seat, which is asked, and that is no pass; empty
    when chance gives none."""
    ask = next(one for one in table.asked if one.seat == seat)
    found = (
        table.game.random_answer(table.world, ask, Stream("check", str(number)))
        for number in range(20)
    )
    return next((text for text in found if text.lower() not in PASSES), "")


def _random(game: AnyGame, world: Any, ask: Ask) -> Reply:
    return Answer(game.random_answer(world, ask, Stream("check", "others")))


def longest_legal_suffix(table: Table[Any], seat: int, text: str) -> str:
    """The longest end of an answer, from one of its words on, that is right by itself; empty when
    none is."""
    words = text.split()
    ends = (" ".join(words[i:]) for i in range(1, len(words)))
    return next((end for end in ends if is_legal(table, seat, end)), "")
