"""Names that look alike: by case, by width, by letters of other alphabets, by what is not seen."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection
from functools import cache, lru_cache

from confusable_homoglyphs.confusables import confusables_data

from arena.errors import UsageError

_BLANK = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0")
"""What is not seen and has no category that says so."""
_UNSEEN = ("Cc", "Cf", "Cn", "Co", "Cs")
_VARIANTS = (range(0x180B, 0x1810), range(0xFE00, 0xFE10), range(0xE0100, 0xE01F0))
"""Variation selectors."""


def require_distinct(name: str, taken: Collection[str], who: str) -> None:
    """Raise UsageError when a name cannot be seen, or is or looks like one of those taken. `who`
    begins the sentence, as in "another bot is called"."""
    if not any(_skeletons(name)[0].split()):
        raise UsageError("choose a name that can be seen")
    if name in taken:
        raise UsageError(f"{who} {name!r} already: choose another name")
    if (like := lookalike(name, taken)) is not None:
        raise UsageError(f"{who} {like!r}, which looks alike: choose another name")


def lookalike(name: str, taken: Collection[str]) -> str | None:
    """The first of the names that looks like this one."""
    own = _skeletons(name)
    return next((like for like in taken if any(map(str.__eq__, own, _skeletons(like)))), None)


@lru_cache(10_000)
def _skeletons(name: str) -> tuple[str, str]:
    """Two forms of a name: who shares one with another looks like it. Letters are replaced by the
    first that looks the same, before case is taken away (as I and l) and after it (as i and I)."""
    seen = "".join(char for char in unicodedata.normalize("NFKC", name) if not _is_unseen(char))
    small, alike = " ".join(seen.split()).casefold(), _prototypes()
    return small.translate(alike), seen.translate(alike).casefold()


def _is_unseen(char: str) -> bool:
    is_variant = any(ord(char) in numbers for numbers in _VARIANTS)
    return is_variant or char in _BLANK or unicodedata.category(char) in _UNSEEN


@cache
def _prototypes() -> dict[int, str]:
    """The first of each group of letters that look the same, by letter. The library has pairs."""
    groups: dict[str, set[str]] = {}
    for char, pairs in confusables_data.items():
        for pair in pairs:
            like = pair["c"].strip("\u200e")
            if len(char) == len(like) == 1:
                merged = groups.get(char, {char}) | groups.get(like, {like})
                groups.update(dict.fromkeys(merged, merged))
    return {ord(char): min(group) for char, group in groups.items()}
