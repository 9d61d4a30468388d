"""The story of a match that is being played, told frame by frame from its record as it grows."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from arena.core.game import AnyGame
from arena.core.steps import Frame
from arena.core.view import Event
from arena.record.format import Answered, Header, Record, Silent
from arena.record.reader import Match
from arena.view.accounts import Account, Accounts, SeatAccount, in_common
from arena.view.chapters import Mark, banks, marks
from arena.view.game import find_view
from arena.view.patch import Patch, patch_between
from arena.view.story import Story, empty_story
from arena.view.texts import Asked, Entry, texts
from arena.view.worlds import worlds_of


class Part(Struct, frozen=True):
    """What one more frame adds to a story: `arena.view.story.Story` says what each field is."""

    frame: Frame
    headline: str
    seen: list[Patch] | None
    told: list[SeatAccount]
    picture: str | None
    standing: list[float | None]
    events: list[Event]
    orders: list[str]
    marks: list[Mark]
    banks: list[int | None]
    texts: list[list[Entry]]
    """By seat: what the inspector shows. What bots write to stderr comes at the end alone."""


class LiveStory:
    """The story so far, and its parts by frame."""

    def __init__(self, game: AnyGame, header: Header) -> None:
        self._game = game
        self._view = view = find_view(game)
        self._hides = view is not None and view.seen is not None
        self._accounts = [Accounts(view), Accounts(view)] if view else []
        """For spectators, and for the seats."""
        self._header = header
        self._given: deque[Answered | Silent] = deque()
        self._worlds = worlds_of(game, header, iter(self._given.popleft, None))
        self._requests = [0] * len(header.players)
        self._ended: set[int] = set()
        self.head: Story = empty_story(Match(header, ()), game, self._view)
        self.parts: list[Part] = []
        self.views: list[Frame] = []
        """The last frame as each seat sees it."""

    def add(self, chapter: Sequence[Record]) -> None:
        """The records that lead to one more frame, and the frame."""
        match, view = Match(self._header, tuple(chapter)), self._view
        [frame] = match.frames
        board = (self.parts[0].frame if self.parts else frame).get("board")
        self._given.extend(one for one in chapter if isinstance(one, Answered | Silent))
        self.views = [*self._seen(frame)] if self._hides else [frame for _ in self.head.seats]
        said, told = self._said(frame)
        self.parts.append(
            Part(
                frame,
                self._game.headline(frame),
                [patch_between(frame, seen) for seen in self.views] if self._hides else None,
                told,
                None if view else self._game.picture(board, frame),
                said.standing,
                said.events,
                said.orders,
                list(self._marks(match)),
                self._banks(match),
                list(self._texts(match)),
            )
        )

    def _said(self, frame: Frame) -> tuple[Account, list[SeatAccount]]:
        if not self._accounts:
            return Account([], [], []), []
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
        """The time banks at the last requests, those of earlier frames where none was made."""
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
