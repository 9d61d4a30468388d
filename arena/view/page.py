"""Make pages: single HTML files that a browser opens without a network.

The Content-Security-Policy of a page allows only its own scripts and style, by their hashes: no
address, no inline handler, no `eval`. All except a short loader is compressed, both the match and
the scripts: uncompressed, scripts and style would be more than half of the page of a short match.
"""

from __future__ import annotations

import base64
import hashlib
import html
import importlib.resources
import zlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.core.game import AnyGame
from arena.core.registry import find_game
from arena.errors import UsageError
from arena.record.reader import MAX_RECORD_SIZE, Match, shared
from arena.view.story import Story, packed, tell_story
from arena.view.texts import texts

SCRIPTS = (
    *("dom", "draw", "areas", "marks", "icons", "foreign", "story", "playback", "pane", "chart"),
    *("controls", "seats", "log", "notes", "turns", "inspector", "keys", "address", "viewer"),
    *("live", "page"),
)
"""The scripts in `static/`, in their order in a page; boards come before the last one."""
PACKING = 6
"""Compression level. For 10 MiB of frames, 9 saves 2 % and takes three times as long."""


def make_page(
    title: str,
    blocks: Iterable[tuple[str, bytes]],
    boards: Sequence[str],
    feed: str = "",
    more: Sequence[str] = (),
) -> str:
    """Make a page with blocks of data (by name) and the scripts of boards. It may connect only to
    the address `feed`. `more` names further scripts; they also bring the styles of a person's
    page."""
    sheets = ["page.css", "boards.css", *(["person.css"] if more else [])]
    script, style = _script(boards, more), "".join(map(_static, sheets))
    loader = _static("loader.js")
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src '{_hash(loader)}' '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "img-src data: blob:",
            "base-uri 'none'",
            "form-action 'none'",
            *([f"connect-src {feed}"] if feed else []),
        ]
    )
    code = [("style", style.encode()), ("script", script.encode())]
    data = "\n".join([_block(name, content) for name, content in (*code, *blocks)])
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{html.escape(title)}</title>
</head>
<body>
<noscript>This page shows a match: its browser must run scripts.</noscript>
<main id="page"></main>
{data}
<script>{loader}</script>
</body>
</html>
"""


def _script(boards: Sequence[str], more: Sequence[str]) -> str:
    *first, last = [_static(f"{name}.js") for name in (*SCRIPTS[:-1], *more, SCRIPTS[-1])]
    scoped = [f"{{\n{text}}}\n" for text in (*first, *boards, last)]
    return "".join(['"use strict";\n', *scoped])


def _static(name: str) -> str:
    return (importlib.resources.files("arena.view") / "static" / name).read_text("utf-8")


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _block(name: str, content: bytes) -> str:
    packer = zlib.compressobj(PACKING, wbits=31)
    packed = base64.b64encode(packer.compress(content) + packer.flush()).decode()
    return f'<script type="application/octet-stream" id="{html.escape(name)}">{packed}</script>'


# The first differences between two matches.


class Difference(Struct, frozen=True):
    """One difference between two matches."""

    round: int
    text: str
    """Description, as a sentence."""
    seat: int | None = None
    """The seat whose reply differs."""


def first_differences(one: Match, other: Match) -> list[Difference]:
    """The differences in setup, the first different reply of each seat, and the first different
    frame, by round."""
    return sorted(_differences(one, other), key=lambda found: found.round)


def _differences(one: Match, other: Match) -> Iterator[Difference]:
    if one.seed != other.seed:
        yield Difference(0, f"The seeds differ: {one.seed} and {other.seed}.")
    if len(one.players) != len(other.players):
        yield Difference(0, f"{len(one.players)} players against {len(other.players)}.")
    if dict(one.settings) != dict(other.settings) or one.header.map != other.header.map:
        yield Difference(0, "The settings or the maps differ.")
    for seat in range(min(len(one.players), len(other.players))):
        yield from _first_answer(one, other, seat)
    for frames in zip(one.frames, other.frames, strict=False):
        if frames[0] != frames[1]:
            yield Difference(frames[0]["round"], "The boards differ.")
            return
    if len(one.frames) != len(other.frames):
        last = min(one.rounds, other.rounds)
        yield Difference(last, f"One match ends after round {last}, the other goes on.")


def _first_answer(one: Match, other: Match, seat: int) -> Iterator[Difference]:
    for given in zip(one.replies(seat), other.replies(seat), strict=False):
        if given[0].reply != given[1].reply:
            yield Difference(given[0].round, f"player{seat + 1} answers differently.", seat)
            return


# Pages of replays and live matches.


class Mode(StrEnum):
    """The purpose of a page."""

    MATCHES = "matches"
    """One match, or several with a list of them."""
    COMPARE = "compare"
    """Two matches side by side."""
    LIVE = "live"
    """A match in progress, sent by a server."""
    PLAY = "play"
    """A match in progress, for a person who plays in it."""


class MatchLine(Struct, frozen=True):
    """A match in the list of a page."""

    file: str
    title: str
    seed: str
    players: list[str]
    rounds: int
    ending: str


class Index(Struct, frozen=True):
    """The contents of a page's blocks."""

    mode: Mode
    matches: list[MatchLine]
    differences: list[Difference]
    """Where the two matches of a comparison first differ."""
    feed: str = ""
    """Address from which a live page receives the match."""
    back: str = ""
    """Address of the page of the match, on a site that has one."""


def view_page(
    replays: Sequence[Path], *, compare: bool = False, owners: Collection[int] | None = None
) -> str:
    """Make one page of these replays. `owners` are the seats whose stderr and drawings it includes;
    None: all. Raises ReplayError, naming the file, and UsageError for matches that cannot be
    compared and for a seat that no match has."""
    if compare and len(replays) != 2:
        raise UsageError(f"--compare is for two replays, not {len(replays)}: name two")
    matches = [_read(path, owners) for path in replays]
    return _page(matches, [path.name for path in replays], compare=compare)


def _read(path: Path, owners: Collection[int] | None) -> Match:
    match = Match.read(path, largest=MAX_RECORD_SIZE)
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


def board_script(game: AnyGame) -> str | None:
    """The script that draws the board of a game; None when it has no `board.js`."""
    file = game.own_file("board.js")
    return file.read_text("utf-8") if file else None


def live_page(game: AnyGame, feed: str, back: str = "") -> str:
    """A page that follows a match by the WebSocket at the address `feed`, or by server-sent events
    (``http…``), which give no way to pause it; `back` is as for `seat_page`."""
    return _fed_page(game, Index(Mode.LIVE, [], [], feed, back))


def seat_page(game: AnyGame, feed: str, back: str = "") -> str:
    """A page on which a person plays, by the WebSocket at the address `feed`; `back` is the address
    of the page of the match, if it has one."""
    index = Index(Mode.PLAY, [], [], feed, back)
    return _fed_page(game, index, ("picker", "orderline", "person"))


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
    return MatchLine(
        file=file,
        title=story.title,
        seed=story.seed,
        players=players,
        rounds=story.rounds[-1],
        ending=ending,
    )
