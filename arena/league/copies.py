"""Bots of different teams whose sources are nearly the same. Nobody is punished by it: it says
where an organiser may look.

The sources are compared as fingerprints of their tokens (winnowing: Schleimer, Wilkerson, Aiken,
2003). Names, numbers and texts are all alike, and comments and blanks count for nothing, so code
that was renamed, reformatted or put in another order has the same fingerprints. Those that the
starter kits have, or bots that no team owns, are left out: everybody may begin with these.
"""

from __future__ import annotations

import difflib
import html
import zlib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import resources
from itertools import combinations
from pathlib import Path

from msgspec import Struct
from pygments.lexers import get_lexer_for_filename
from pygments.token import Comment, Literal, Name, String, Text, Token
from pygments.util import ClassNotFound

from arena.bots.address import files_of
from arena.league.league import League
from arena.text import safe

GRAM = 12
"""Tokens of a fingerprint: what is shorter is no copy."""
WINDOW = 8
"""Of so many fingerprints in a row at least one is kept."""
FEWEST = 10
"""Fingerprints of its own that a bot needs to be compared."""
LEAST = 0.5
"""The share of fingerprints from which on two bots are told."""
FORMATTED = " \t\r\n,;()"
"""What programs that format sources add and remove."""
LARGEST = 256 << 10
"""Bytes of a file that are read."""


class CopiedPair(Struct, frozen=True):
    """Two bots of different teams, and how much of their sources is alike."""

    bots: tuple[str, str]
    share: float
    """Of the fingerprints of the one that has fewer, those that the other has as well."""
    identical: bool
    """Whether all of their files are equal."""


def copied_pairs(league: League) -> list[CopiedPair]:
    """The pairs of current bots that are nearly the same, the most alike first."""
    players = league.players()
    teams = league.teams(players)
    prints = {one.name: fingerprints(league.copy_of(one.bot)[2]) for one in players}
    common = _of_kits(league.terms.game).union(
        *(
            common_fingerprints(league.copy_of(one.bot)[2])
            for one, team in zip(players, teams, strict=True)
            if team == one.name
        )
        if league.store.has_site
        else ()
    )
    found = []
    for (one, team), (other, rival) in combinations(zip(players, teams, strict=True), 2):
        if team == rival:
            continue
        mine, theirs = prints[one.name] - common, prints[other.name] - common
        fewer = min(len(mine), len(theirs))
        share = len(mine & theirs) / fewer if fewer >= FEWEST else 0.0
        identical = one.content == other.content
        if identical or share >= LEAST:
            found.append(CopiedPair((one.name, other.name), 1.0 if identical else share, identical))
    return sorted(found, key=lambda pair: (-pair.share, pair.bots))


def fingerprints(bot: Path, window: int = WINDOW) -> frozenset[int]:
    """The fingerprints of the source files of a bot, or of a folder."""
    return frozenset().union(*(_of_text(name, text, window) for name, text in sources(bot).items()))


def common_fingerprints(bot: Path) -> frozenset[int]:
    """Those of sources with which everybody may begin: all, since beside a line that an author has
    changed others are the least of their window."""
    return fingerprints(bot, 1)


def sources(bot: Path) -> Mapping[str, str]:
    """The text of each source file of a bot, by its name."""
    found = {}
    for name, path in sorted(files_of(bot).items()):
        with path.open("rb") as file:
            content = file.read(LARGEST)
        if b"\0" not in content:
            found[str(name)] = content.decode("utf-8", "replace")
    return found


@cache
def _of_kits(game: str) -> frozenset[int]:
    folder = resources.files("arena.games").joinpath(game.partition(":")[0], "kits")
    kits = [Path(str(kit)) for kit in folder.iterdir()] if folder.is_dir() else []
    return frozenset().union(*map(common_fingerprints, kits))


def _of_text(name: str, text: str, window: int) -> Iterator[int]:
    """Winnow: of each window of fingerprints the least."""
    tokens = list(_tokens(name, text))
    grams = [
        zlib.crc32("\0".join(tokens[at : at + GRAM]).encode())
        for at in range(len(tokens) - GRAM + 1)
    ]
    for at in range(max(len(grams) - window + 1, min(len(grams), 1))):
        yield min(grams[at : at + window])


def _tokens(name: str, text: str) -> Iterator[str]:
    """The tokens of a source; none for a file of no known language."""
    try:
        lexer = get_lexer_for_filename(name)
    except ClassNotFound:
        return
    last = ""
    for kind, value in lexer.get_tokens(text):
        if kind in Comment or kind in Text or kind in String.Doc or kind is Token.Text.Whitespace:
            continue
        token = "name" if kind in Name else "literal" if kind in Literal else value.strip(FORMATTED)
        if token and (token, last) != ("literal", "literal"):  # a text is several tokens
            yield token
        last = token


def copies_page(league: League, pairs: list[CopiedPair]) -> str:
    """A page with the sources of each pair side by side."""
    parts = ["<!doctype html><meta charset=utf-8><title>Copies</title>"]
    parts.append("<style>td{vertical-align:top;font:12px monospace}</style>")
    diff = difflib.HtmlDiff(tabsize=4, wrapcolumn=80)
    for pair in pairs:
        parts.append(f"<h2>{html.escape(pair_text(pair))}</h2>")
        first, second = (_lines(league, name) for name in pair.bots)
        names = [html.escape(name) for name in pair.bots]
        parts.append(diff.make_table(first, second, names[0], names[1]))
    return "\n".join(parts)


def _lines(league: League, name: str) -> list[str]:
    """All lines of a bot's sources."""
    player = league.player(name)
    files = {} if player is None else sources(league.copy_of(player.bot)[2])
    return [line for text in files.values() for line in text.splitlines()]


def pair_text(pair: CopiedPair) -> str:
    """A line on a pair."""
    how = "identical" if pair.identical else f"{pair.share:.0%} alike"
    return f"{how}: {safe(pair.bots[0])} and {safe(pair.bots[1])}"
