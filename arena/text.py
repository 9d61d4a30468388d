"""Text for people: sizes, times, and text that bots, files and compilers wrote, made safe to show.

Such *foreign* text could hold anything: sequences that command a terminal, marks that reverse the
direction of a line, line ends that fake another line. None of that is printable
(`str.isprintable`), and there is one function for each place where it is shown:

===============  ==================================  ==========================================
`printable`      a name, on one line                 what is not printable becomes ``?``
`safe`           some lines for a terminal           is escaped, but for line ends and tabs
`shown`          bytes, the beginning, on one line   is escaped
`quote`          words in a note, the beginning      is escaped; in quotes, with their ``\\``
===============  ==================================  ==========================================

Escaped is always as Python writes it: ``\\x1b``, ``\\u202e``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from arena.errors import UsageError

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_size(text: str) -> int:
    """Bytes from ``512M``, ``1.5GiB`` or ``800 KiB`` (all powers of 1024). A unit is needed: 512
    bytes are never meant. Raises UsageError."""
    match = re.fullmatch(
        r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([KMG])(?:i?B)?", text.strip(), re.IGNORECASE
    )
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if size < 1 << 20:
        raise UsageError(f"{text!r} is not a size: give at least 1M, with a unit, as in 512M or 2G")
    return size


def size_text(size: int) -> str:
    """Bytes for people: ``512 MiB``, ``1.5 GiB``, ``12 KiB``. (Every unit of the arena is a power
    of 1024, as its limits are.)"""
    if size >= 1 << 30 and size % (1 << 28) == 0:
        return f"{size / (1 << 30):g} GiB"
    if size >= 1 << 20:
        return f"{size / (1 << 20):.0f} MiB"
    return f"{size / (1 << 10):.0f} KiB" if size >= 1 << 10 else counted(size, "byte")


def used_text(used: int, allowed: int) -> str:
    """Bytes of a limit, both in one unit: ``70 MiB of 64 MiB``."""
    return f"{used / (1 << 20):.0f} MiB of {allowed / (1 << 20):.0f} MiB"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: ``1 cell``, ``3 cells``; `many` where it does not end in s."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def milliseconds(ms: float | None) -> str:
    """``0.31 ms``, ``12 ms``, ``3.20 s``; ``-`` for None."""
    if ms is None:
        return "-"
    if ms >= 1000:
        return f"{ms / 1000:.2f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.2f} ms"


COMPARED = 5000
"""Names that `nearest` compares at most."""
NAME = 100
"""Characters of the longest name that it compares."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of `known` that was probably meant by `name`; None when none is near. (Comparing
    takes time with the square of the length, and what is compared may be a stranger's.)"""
    import difflib

    if len(name) > NAME:
        return None
    short = sorted(other for other in known if len(other) <= NAME)[:COMPARED]
    close = difflib.get_close_matches(name, short, n=1, cutoff=0.6)
    return close[0] if close else None


# -- foreign text ----------------------------------------------------------------------------------


def printable(name: str) -> str:
    """`name` on one line; each character that is not printable becomes ``?``."""
    return "".join(char if char.isprintable() else "?" for char in name)


def safe(text: str) -> str:
    """Lines for a terminal: tabs become blanks, all else that is not printable is escaped, line
    feeds stay."""
    return "\n".join(_escaped(line) for line in text.expandtabs(4).split("\n"))


def shown(line: bytes, limit: int = 80) -> str:
    """The beginning of a line that a bot wrote: at most `limit` characters, what is not printable
    or not UTF-8 escaped."""
    text = _escaped(line[: limit * 4].decode(errors="backslashreplace"))
    is_whole = len(text) <= limit and len(line) <= limit * 4
    return text if is_whole else text[: limit - 1] + "…"


QUOTED = 80
"""Characters of a bot's words that a note repeats."""


def quote(text: str) -> str:
    """The beginning of what a bot wrote, in quotes, what is not printable escaped."""
    return repr(text) if len(text) <= QUOTED else f"{text[:QUOTED]!r}…"


def garble(line: bytes) -> str:
    """One word for a line that is not text. It has no blank and no comma, so that every game
    takes it for a single malformed order."""
    return "".join(chr(b) if 33 <= b < 127 and b != 44 else f"\\x{b:02x}" for b in line)


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def joined(words: Iterable[str], last: str = "and") -> str:
    """Words as a sentence lists them: ``a``, ``a and b``, ``a, b and c``."""
    *most, final = words
    return f"{', '.join(most)} {last} {final}" if most else final


def distinct(names: Sequence[str]) -> list[str]:
    """The names, told apart by a number where two are the same: ``a #1``, ``b``, ``a #2``."""
    return [
        name if names.count(name) == 1 else f"{name} #{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]
