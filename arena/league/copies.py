"""Bots of different teams whose sources are nearly the same. Nobody is punished by it: it says
where an organiser may look.

The sources are compared as fingerprints of their tokens (winnowing: Schleimer, Wilkerson, Aiken,
2003). Names, numbers and texts are all alike, and comments and blanks count for nothing, so code
that was renamed, reformatted or put in another order has the same fingerprints. Those that the
starter kits have, or bots that no team owns, are left out: everybody may begin with these.
"""

from __future__ import annotations

import signal
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from hashlib import sha256
from html import escape
from importlib import resources
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

from msgspec import Struct
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Literal, Name, String, Text
from pygments.util import ClassNotFound

from arena.bots.address import files_of
from arena.errors import UsageError
from arena.league.league import League
from arena.league.types import LeaguePlayer
from arena.text import safe

GRAM = 12
"""Tokens of a fingerprint: what is shorter is no copy."""
WINDOW = 8
"""Of so many fingerprints in a row at least one is kept."""
FEWEST = 10
"""Fingerprints of its own that a bot needs to be compared."""
TELLING_SHARE = 0.5
"""The share of fingerprints from which on two bots are told."""
FORMATTED = " \t\r\n,;()"
"""What programs that format sources add and remove."""
LARGEST = 256 << 10
"""Bytes of a file that are read."""
READING_TIME = 5.0
"""CPU seconds for the sources of a bot, whose author may know what a lexer is slow at."""


class CopiedPair(Struct, frozen=True):
    """Two bots of different teams, and how much of their sources is alike."""

    bots: tuple[str, str]
    numbers: tuple[int, int]
    """Their submissions."""
    share: float
    """Of the fingerprints of the bot that has fewer, those that its rival has as well."""
    identical: bool
    """Whether all of their files are equal, whatever they are called."""


class Copies(Struct, frozen=True):
    """What a league has of nearly the same sources."""

    pairs: list[CopiedPair]
    """The most alike first."""
    unread: list[str]
    """Bots that are not compared, since their sources take too long to read."""


class Fingerprint(NamedTuple):
    """What some tokens in a row are, and on which lines they begin and end."""

    code: int
    first: int
    last: int


def league_copies(league: League) -> Copies:
    """Compare the current bots of different teams."""
    players = league.players()
    teams = league.teams(players)
    codes: dict[LeaguePlayer, frozenset[int]] = {}
    unread = []
    for player in players:
        try:
            codes[player] = codes_of(league.copy_of(player.bot)[2])
        except UsageError:
            unread.append(player.name)
            codes[player] = frozenset()
    common = _common(league)
    contents = {player: _contents(league, player) for player in players}
    pairs = []
    for (bot, team), (rival, rivals_team) in combinations(zip(players, teams, strict=True), 2):
        mine, theirs = codes[bot] - common, codes[rival] - common
        fewer = min(len(mine), len(theirs))
        share = len(mine & theirs) / fewer if fewer >= FEWEST else 0.0
        has_own = mine or not codes[bot]  # all of a bot in an unknown language is its own
        identical = bool(has_own) and contents[bot] == contents[rival]
        if team != rivals_team and (identical or share >= TELLING_SHARE):
            numbers = bot.number, rival.number
            share = 1.0 if identical else share
            pairs.append(CopiedPair((bot.name, rival.name), numbers, share, identical))
    return Copies(sorted(pairs, key=lambda pair: (-pair.share, pair.bots)), unread)


def _common(league: League) -> frozenset[int]:
    """All that everybody may begin with: starter kits, and on a site the bots that no team owns.
    Beside a line that an author has changed, other fingerprints are the least of their window."""
    common = _of_kits(league.terms.game)
    if league.store.has_site:
        players = league.players()
        for player, team in zip(players, league.teams(players), strict=True):
            if team == player.name:
                with suppress(UsageError):
                    common |= codes_of(league.copy_of(player.bot)[2], 1)
    return common


@cache
def _of_kits(game: str) -> frozenset[int]:
    folder = resources.files("arena.games").joinpath(game.partition(":")[0], "kits")
    kits = [Path(str(kit)) for kit in folder.iterdir()] if folder.is_dir() else []
    return frozenset().union(*(codes_of(kit, 1) for kit in kits))


def _contents(league: League, player: LeaguePlayer) -> list[bytes]:
    """The digests of a bot's files, but for the one that has its name."""
    files = files_of(league.copy_of(player.bot)[2])
    return sorted(
        sha256(path.read_bytes()).digest() for name, path in files.items() if name != "bot.toml"
    )


@cache
def codes_of(bot: Path, window: int = WINDOW) -> frozenset[int]:
    """The fingerprints of the source files of a bot, or of a folder. Raises UsageError when they
    take too long to read."""
    with _limited():
        return frozenset(
            each.code
            for name, text in sources(bot).items()
            for each in fingerprints(name, text, window)
        )


@contextmanager
def _limited() -> Iterator[None]:
    """Raise UsageError when the span of a ``with`` in the main thread takes too much CPU time."""

    def stop(*_: Any) -> None:
        raise UsageError(f"the sources of a bot take more than {READING_TIME:g} s to read")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, READING_TIME)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def sources(bot: Path) -> Mapping[str, str]:
    """The text of each source file of a bot, by its name."""
    texts = {}
    for name, path in sorted(files_of(bot).items()):
        with path.open("rb") as file:
            content = file.read(LARGEST)
        if b"\0" not in content:
            text = content.decode("utf-8-sig", "replace")
            texts[str(name)] = text.replace("\r\n", "\n").replace("\r", "\n")
    return texts


def fingerprints(name: str, text: str, window: int = WINDOW) -> Iterator[Fingerprint]:
    """Winnow the tokens of a source: of each window of fingerprints yield the least."""
    tokens = list(_tokens(name, text))
    grams = []
    for at in range(len(tokens) - GRAM + 1):
        words, lines = zip(*tokens[at : at + GRAM], strict=True)
        grams.append(Fingerprint(zlib.crc32("\0".join(words).encode()), lines[0], lines[-1]))
    for at in range(max(len(grams) - window + 1, min(len(grams), 1))):
        yield min(grams[at : at + window])


def _tokens(name: str, text: str) -> Iterator[tuple[str, int]]:
    """The tokens of a source with their lines; none for a file of no known language."""
    try:
        lexer = get_lexer_for_filename(name, stripnl=False)
    except ClassNotFound:
        return
    last, line = "", 0
    for kind, value in lexer.get_tokens(text):
        if kind not in Comment and kind not in Text and kind not in String.Doc:
            token = (
                "name" if kind in Name else "literal" if kind in Literal else value.strip(FORMATTED)
            )
            if token and (token, last) != ("literal", "literal"):  # a text is several tokens
                yield token, line
            last = token
        line += value.count("\n")


def copies_page(league: League, copies: Copies) -> str:
    """A page with the sources of each pair side by side."""
    parts = [
        "<!doctype html><meta charset=utf-8><title>Copies</title><style>.sides{display:grid;"
        "grid-template-columns:1fr 1fr}pre{overflow-x:auto}</style>"
    ]
    for pair in copies.pairs:
        parts += [f"<h1>{escape(pair_text(pair))}</h1>", side_by_side(league, pair.numbers)]
    return "\n".join(parts)


def side_by_side(league: League, numbers: tuple[int, int]) -> str:
    """HTML of the sources of two submissions. Lines that both have are marked, unless everybody may
    have them. Raises UsageError when one does not play, or takes too long to read."""
    players = {player.number: player for player in league.players()}
    if not players.keys() >= {*numbers}:
        raise UsageError("these two versions do not both play now")
    bots = {players[number].name: league.copy_of(players[number].bot)[2] for number in numbers}
    first, second = map(codes_of, bots.values())
    shared = (first & second) - _common(league)
    sides = [f"<section>{_marked(name, path, shared)}</section>" for name, path in bots.items()]
    return f'<div class="sides">{"".join(sides)}</div>'


def _marked(bot: str, path: Path, shared: frozenset[int]) -> str:
    parts = []
    for name, text in sources(path).items():
        marked = set[int]()
        for code, first, last in fingerprints(name, text):
            if code in shared:
                marked.update(range(first, last + 1))
        lines = (
            f"<mark>{escape(line)}</mark>" if at in marked else escape(line)
            for at, line in enumerate(safe(text).split("\n"))
        )
        label = escape(safe(f"{bot}: {name}"))
        parts.append(f'<h2>{label}</h2><pre tabindex="0" role="region" aria-label="{label}">')
        parts.append("\n".join(lines) + "</pre>")
    return "".join(parts)


def pair_text(pair: CopiedPair) -> str:
    """A line on a pair."""
    how = "identical" if pair.identical else f"{pair.share:.0%} alike"
    return f"{how}: {safe(pair.bots[0])} and {safe(pair.bots[1])}"
