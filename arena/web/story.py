"""Build the story of a match in progress, frame by frame, from its growing record."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import trio
from msgspec import Struct
from msgspec.structs import replace

from arena.core.game import AnyGame
from arena.core.steps import Frame
from arena.core.view import Event, GameView, find_view
from arena.record.format import Answered, Header, Record, Silent
from arena.record.reader import Match
from arena.view.chapters import Mark, banks, marks
from arena.view.story import (
    Accounts,
    Patch,
    RoundAccount,
    SeatRoundAccount,
    Story,
    account,
    empty_story,
    in_common,
    patch_between,
    worlds_of,
)
from arena.view.texts import Asked, Entry, ToldLine, texts
from arena.web.desk import Question


class Part(Struct, frozen=True):
    """What one more frame adds to a story; `arena.view.story.Story` describes the fields."""

    frame: Frame
    headline: str
    seen: list[Patch] | None
    told: list[SeatRoundAccount]
    picture: str | None
    standing: list[float | None]
    events: list[Event]
    orders: list[str]
    marks: list[Mark]
    banks: list[int | None]
    texts: list[list[Entry]]
    """Inspector entries by seat. Stderr of bots is only added at the end of the match."""


class LiveStory:
    """The story so far for spectators: its head, and its parts by frame."""

    def __init__(self, game: AnyGame, header: Header) -> None:
        self._game = game
        self._view = view = find_view(game)
        self._hides = view is not None and view.seen is not None
        self._accounts = [Accounts(view), Accounts(view)] if view else []
        """Accounts for spectators and for the seats."""
        self._header = header
        self._given: deque[Answered | Silent] = deque()
        self._worlds = worlds_of(game, header, iter(self._given.popleft, None))
        self._requests = [0] * len(header.players)
        self._ended: set[int] = set()
        self.head: Story = empty_story(Match(header, ()), game, self._view)
        self.parts: list[Part] = []
        self.views: list[Frame] = []
        """The last frame as each seat sees it, by seat."""

    def add(self, chapter: Sequence[Record]) -> None:
        """Add one more frame, from the records that lead to it."""
        match, view = Match(self._header, tuple(chapter)), self._view
        [frame] = match.frames
        board = (self.parts[0].frame if self.parts else frame).get("board")
        self._given.extend(one for one in chapter if isinstance(one, Answered | Silent))
        self.views = [*self._seen(frame)] if self._hides else [frame for _ in self.head.seats]
        said, told = self._said(frame)
        self.parts.append(
            Part(
                frame=frame,
                headline=self._game.headline(frame),
                seen=[patch_between(frame, seen) for seen in self.views] if self._hides else None,
                told=told,
                picture=None if view else self._game.picture(board, frame),
                standing=said.standing,
                events=said.events,
                orders=said.orders,
                marks=list(self._marks(match)),
                banks=self._banks(match),
                texts=list(self._texts(match)),
            )
        )

    def _said(self, frame: Frame) -> tuple[RoundAccount, list[SeatRoundAccount]]:
        if not self._accounts:
            return RoundAccount([], [], []), []
        public, seats = self._accounts
        [said] = public.add([frame])
        known = seats.add(self.views) if self._hides else []
        return said, [in_common(said, one) for one in known]

    def _seen(self, frame: Frame) -> Iterator[Frame]:
        world, _ = next(self._worlds)
        assert self._view is not None
        assert self._view.seen is not None
        for seat in range(len(self._header.players)):
            yield self._view.seen(world, seat, frame)

    def _marks(self, match: Match) -> Iterator[Mark]:
        for mark in marks(match):
            if mark.code == "ended":
                if mark.seat in self._ended:
                    continue
                self._ended.add(mark.seat)
            yield replace(mark, frame=len(self.parts))

    def _banks(self, match: Match) -> list[int | None]:
        """The time banks at the last request of each seat, carried over from earlier frames."""
        [now] = banks(match)
        last = self.parts[-1].banks if self.parts else now
        return [old if new is None else new for new, old in zip(now, last, strict=True)]

    def _texts(self, match: Match) -> Iterator[list[Entry]]:
        """By seat; requests are counted from the beginning of the match."""
        for seat, frames in enumerate(texts(match)):
            [entries] = frames
            before = self._requests[seat]
            yield [_later(one, before) if isinstance(one, Asked) else one for one in entries]
            self._requests[seat] += sum(isinstance(one, Asked) for one in entries)


def _later(asked: Asked, requests: int) -> Asked:
    return replace(asked, number=asked.number + requests)


# The story of a match as one seat knows it: all that the page of a person receives.
#
# It is made only from the frames as the seat sees them (by the game's own fog code), the lines that
# the seat was told, and its replies.


class LiveSeatStory:
    """The story so far as one seat knows it: its head, and its parts by frame."""

    def __init__(self, seat: int, view: GameView[Any] | None, story: Story) -> None:
        """`story` is the spectators' story before its first frame."""
        self.seat = seat
        self._view = view
        self.head = replace(story, seed="", seen=None, pictures=None if view else [])
        """Without the seed, which would reveal all random events of the match."""
        self.parts: list[Part] = []

    def add(self, part: Part, seen: Frame) -> None:
        """Add one more frame: its part for spectators, and the frame as the seat sees it."""
        own = [mark for mark in part.marks if mark.seat == self.seat]
        banks = [bank if seat == self.seat else None for seat, bank in enumerate(part.banks)]
        texts: list[list[Entry]] = [
            [one for one in entries if isinstance(one, ToldLine | Asked)]
            if seat == self.seat
            else []
            for seat, entries in enumerate(part.texts)
        ]
        self.parts.append(replace(self._part(seen, texts), marks=own, banks=banks))

    def now(self, frame: Frame | None, picture: str) -> Part | None:
        """The board at a request (`picture`: as text); None when it is unchanged."""
        if self._view is None and (picture or not self.parts):
            frame = dict(self.parts[-1].frame) if self.parts else {"round": 0, "rounds": 0}
            return replace(self._part(frame, []), picture=picture)
        return None if frame is None else self._part(frame, [])

    def _part(self, frame: Frame, texts: list[list[Entry]]) -> Part:
        view, seats = self._view, len(self.head.seats)
        if view is None:  # only a view knows how much of the frames a seat may see
            frame = {key: frame[key] for key in ("round", "rounds")}
        said = self._account(frame)
        return Part(
            frame=frame,
            headline="",
            seen=None,
            told=[],
            picture=None if view else "",
            standing=said.standing,
            events=said.events,
            orders=said.orders,
            marks=[],
            banks=[None] * seats,
            texts=texts or [[] for _ in range(seats)],
        )

    def _account(self, frame: Frame) -> RoundAccount:
        if self._view is None:
            return RoundAccount([], [], [])
        first, before = (self.parts[0].frame, self.parts[-1].frame) if self.parts else (frame, None)
        return account(self._view, first, before, frame)


class Known(Struct, frozen=True):
    """What the page of a seat may currently know."""

    absent: Sequence[str]
    """People who have no page open."""
    story: LiveSeatStory | None
    asked: Sequence[int]
    """The seats that the match waits for."""
    question: Question | None
    held: str
    """Orders held for the request by another page of the seat, or by this one before a reload."""


class Messages:
    """Messages that tell one page what it does not know yet."""

    def __init__(self) -> None:
        self._absent: Sequence[str] | None = None
        self._parts = 0
        self._asked: Sequence[int] = []
        self._begun = False
        self._question: Question | None = None

    def news(self, known: Known) -> Iterator[dict[str, Any]]:
        """Changes since the last call, in the order in which a page needs them."""
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

    def _told(self, story: LiveSeatStory) -> Iterator[dict[str, Any]]:
        if not self._begun:
            self._begun = True
            yield {"story": story.head, "seat": story.seat}
        new = story.parts[self._parts :]
        self._parts += len(new)
        yield from ({"part": part} for part in new)


def _turn(known: Known) -> dict[str, Any] | None:
    """A request as a page shows it, with the board at that time."""
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
        "whole": question.seconds,
        "surrender": question.surrender,
        "held": known.held,
    }
