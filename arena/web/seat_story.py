"""The story of a match as one seat knows it: what the page of a person is sent, and no more.

Everything in it is made of the frames as the seat sees them (by the game's own fog code), of the
lines that the seat was told, and of what it answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import trio
from msgspec import Struct
from msgspec.structs import replace

from arena.core.steps import Frame
from arena.core.view import GameView
from arena.view.accounts import Account, account
from arena.view.story import Story
from arena.view.texts import Asked, Entry, Told
from arena.web.desk import Question
from arena.web.story import Part


class SeatStory:
    """The story so far, and its parts by frame."""

    def __init__(self, seat: int, view: GameView[Any] | None, story: Story) -> None:
        """`story` is that of spectators, before its first frame."""
        self.seat = seat
        self._view = view
        self.head = replace(story, seed="", seen=None, pictures=None if view else [])
        """The seed is left out: from it all chance of the match could be foretold."""
        self.parts: list[Part] = []

    def add(self, part: Part, seen: Frame) -> None:
        """One more frame: its part for spectators, and the frame as the seat sees it."""
        own = [mark for mark in part.marks if mark.seat == self.seat]
        banks = [bank if seat == self.seat else None for seat, bank in enumerate(part.banks)]
        texts: list[list[Entry]] = [
            [one for one in entries if isinstance(one, Told | Asked)] if seat == self.seat else []
            for seat, entries in enumerate(part.texts)
        ]
        self.parts.append(replace(self._part(seen, texts), marks=own, banks=banks))

    def now(self, frame: Frame | None, picture: str) -> Part | None:
        """The board at a request; `picture` is it as text. None when it is as it was."""
        if self._view is None and (picture or not self.parts):
            frame = dict(self.parts[-1].frame) if self.parts else {"round": 0, "rounds": 0}
            return replace(self._part(frame, []), picture=picture)
        return None if frame is None else self._part(frame, [])

    def _part(self, frame: Frame, texts: list[list[Entry]]) -> Part:
        view, seats = self._view, len(self.head.seats)
        if view is None:  # how much of its frames a seat may see, only a view could say
            frame = {key: frame[key] for key in ("round", "rounds")}
        said = self._account(frame)
        return Part(
            frame,
            "",
            None,
            [],
            None if view else "",
            said.standing,
            said.events,
            said.orders,
            [],
            [None] * seats,
            texts or [[] for _ in range(seats)],
        )

    def _account(self, frame: Frame) -> Account:
        if self._view is None:
            return Account([], [], [])
        first, before = (self.parts[0].frame, self.parts[-1].frame) if self.parts else (frame, None)
        return account(self._view, first, before, frame)


class Known(Struct, frozen=True):
    """What there is to tell the page of a seat."""

    absent: Sequence[str]
    """The people who have no page open."""
    story: SeatStory | None
    asked: Sequence[int]
    """The seats that the match waits for."""
    question: Question | None
    held: str
    """The orders that another page of the seat, or this one before it came anew, holds for it."""


class Messages:
    """Tells one page what it does not know yet."""

    def __init__(self) -> None:
        self._absent: Sequence[str] | None = None
        self._parts = 0
        self._asked: Sequence[int] = []
        self._begun = False
        self._question: Question | None = None

    def news(self, known: Known) -> Iterator[dict[str, Any]]:
        """What has changed since the last call, in the order in which a page needs it."""
        if known.absent != self._absent:
            self._absent = known.absent
            yield {"absent": known.absent}
        if story := known.story:
            yield from self._told(story)
        if known.asked != self._asked:
            self._asked = known.asked
            yield {"asked": known.asked}
        if known.question is not self._question:
            self._question = known.question
            yield {"turn": _turn(known)}

    def _told(self, story: SeatStory) -> Iterator[dict[str, Any]]:
        if not self._begun:
            self._begun = True
            yield {"story": story.head, "seat": story.seat}
        new = story.parts[self._parts :]
        self._parts += len(new)
        yield from ({"part": part} for part in new)


def _turn(known: Known) -> dict[str, Any] | None:
    """A request as a page shows it, with the board of that moment."""
    question, story = known.question, known.story
    if question is None or story is None:
        return None
    left = None if question.deadline is None else question.deadline - trio.current_time()
    return {
        "number": question.number,
        "request": question.request,
        "lines": question.lines,
        "now": story.now(question.frame, question.picture),
        "seconds": left,
        "surrender": question.surrender,
        "held": known.held,
    }
