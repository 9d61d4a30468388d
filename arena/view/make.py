"""From replays to a page."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.core.game import AnyGame
from arena.core.registry import find_game
from arena.errors import UsageError
from arena.record.reader import LARGEST, Match
from arena.record.share import shared
from arena.view.difference import Difference, first_differences
from arena.view.game import board_script
from arena.view.page import make_page
from arena.view.story import Story, packed, tell_story
from arena.view.texts import texts


class Mode(StrEnum):
    """What a page is for."""

    MATCHES = "matches"
    """One match, or several with a list of them."""
    COMPARE = "compare"
    """Two matches side by side."""
    LIVE = "live"
    """One match that is being played, as a server tells it."""
    PLAY = "play"
    """The same for a person who plays in it."""


class MatchLine(Struct, frozen=True):
    """A match in the list of a page."""

    file: str
    title: str
    seed: str
    players: list[str]
    rounds: int
    ending: str


class Index(Struct, frozen=True):
    """What a page has in its blocks."""

    mode: Mode
    matches: list[MatchLine]
    differences: list[Difference]
    """Where the two matches of a comparison first differ."""
    feed: str = ""
    """Of a live page: the address that tells it the match."""


def view_page(
    replays: Sequence[Path], *, compare: bool = False, owners: Collection[int] | None = None
) -> str:
    """One page with these replays. `owners`: with what these seats alone wrote to stderr and drew;
    None: with that of all. Raises ReplayError, which names the file, and UsageError for what cannot
    be compared, and for a seat that no match has."""
    if compare and len(replays) != 2:
        raise UsageError(f"--compare is for two replays, not {len(replays)}: name two")
    matches = [_read(path, owners) for path in replays]
    return _page(matches, [path.name for path in replays], compare=compare)


def _read(path: Path, owners: Collection[int] | None) -> Match:
    match = Match.read(path, largest=LARGEST)
    if owners is None:
        return match
    seats = len(match.players)
    for seat in owners:
        if seat >= seats:
            raise UsageError(f"{path} has no player{seat + 1}: give --for 1 to {seats}, or 0")
    return shared(match, owners)


def page_of(match: Match, file: str) -> str:
    """The page of one match; `file` is the name of its record."""
    return _page([match], [file])


def _page(matches: Sequence[Match], files: Sequence[str], *, compare: bool = False) -> str:
    stories = [tell_story(match, file) for match, file in zip(matches, files, strict=True)]
    names = list(dict.fromkeys(story.game for story in stories))
    if compare and len(names) > 1:
        raise UsageError(f"{names[0]} and {names[1]} cannot be compared: name replays of one game")
    index = Index(
        Mode.COMPARE if compare else Mode.MATCHES,
        [_line(file, story) for file, story in zip(files, stories, strict=True)],
        first_differences(*matches) if compare else [],
    )
    scripts = [board_script(find_game(name)) for name in names]
    title = stories[0].title if len(names) == 1 else f"{len(stories)} matches"
    return make_page(title, _blocks(index, stories, matches), [one for one in scripts if one])


def live_page(game: AnyGame, feed: str) -> str:
    """A page that follows a match by the WebSocket at the address `feed`."""
    return _fed_page(game, Index(Mode.LIVE, [], [], feed))


def seat_page(game: AnyGame, feed: str) -> str:
    """A page on which a person plays, by the WebSocket at the address `feed`."""
    return _fed_page(game, Index(Mode.PLAY, [], [], feed), ("picker", "orderline", "person"))


def _fed_page(game: AnyGame, index: Index, parts: Sequence[str] = ()) -> str:
    script, blocks = board_script(game), [("index", msgspec.json.encode(index))]
    return make_page(game.title, blocks, [script] if script else [], index.feed, parts)


def _blocks(
    index: Index, stories: Sequence[Story], matches: Sequence[Match]
) -> Iterator[tuple[str, bytes]]:
    yield "index", msgspec.json.encode(index)
    for number, (story, match) in enumerate(zip(stories, matches, strict=True)):
        yield f"story-{number}", packed(story)
        yield f"texts-{number}", msgspec.json.encode(texts(match))


def _line(file: str, story: Story) -> MatchLine:
    ending = story.outcome.sentence if story.outcome else "not finished"
    players = [seat.name for seat in story.seats]
    return MatchLine(file, story.title, story.seed, players, story.rounds[-1], ending)
