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
from arena.view.chapters import Mark, banks, marks
from arena.view.game import find_view
from arena.view.patch import Patch, patch_between
from arena.view.story import Sentence, Story, empty_story, known_orders
from arena.view.texts import Asked, Entry, texts
from arena.view.worlds import worlds_of


class Part(Struct, frozen=True):
    """What one more frame adds to a story: `arena.view.story.Story` says what each field is."""

    frame: Frame
    headline: str
    seen: list[Patch] | None
    told: list[list[Sentence]]
    picture: str | None
    standing: list[float]
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
        self._view = find_view(game)
        self._header = header
        self._given: deque[Answered | Silent] = deque()
        self._worlds = worlds_of(game, header, iter(self._given.popleft, None))
        self._requests = [0] * len(header.players)
        self._ended: set[int] = set()
        self.head: Story = empty_story(Match(header, ()), game, self._view)
        self.parts: list[Part] = []

    def add(self, chapter: Sequence[Record]) -> None:
        """The records that lead to one more frame, and the frame."""
        match, view = Match(self._header, tuple(chapter)), self._view
        [frame] = match.frames
        before = self.parts[-1].frame if self.parts else None
        board = (self.parts[0].frame if self.parts else frame).get("board")
        self._given.extend(one for one in chapter if isinstance(one, Answered | Silent))
        self.parts.append(
            Part(
                frame,
                self._game.headline(frame),
                *self._seen(frame),
                None if view else self._game.picture(board, frame),
                list(view.standing(frame)) if view else [],
                list(view.events(board, before, frame)) if view else [],
                list(view.orders(frame)) if view else [],
                list(self._marks(match)),
                self._banks(match),
                list(self._texts(match)),
            )
        )

    def _seen(self, frame: Frame) -> tuple[list[Patch] | None, list[list[Sentence]]]:
        """What seats see and know."""
        view = self._view
        if view is None or view.seen is None:
            return None, []
        world, _ = next(self._worlds)
        seen = [view.seen(world, seat, frame) for seat in range(len(self._header.players))]
        patches = [patch_between(frame, one) for one in seen]
        return patches, known_orders(view, frame, seen)

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
