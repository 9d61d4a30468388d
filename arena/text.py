"""Text for people: sizes, times, and text that bots, files and compilers wrote, made safe to show.

Such *foreign* text may contain anything: terminal control sequences, marks that reverse the
direction of a line, line ends that fake another line. None of these are printable
(`str.isprintable`), and each kind of place has a function that replaces unprintable characters:

===============  ==================================  ==========================================
`printable`      a name, on one line                 replaced by ``?``
`safe`           some lines for a terminal           escaped, except for line ends and tabs
`safe_lines`     a log, each line from its start     as `safe`
`shown`          bytes, the beginning, on one line   escaped
`quote`          words in a note, the beginning      escaped; in quotes, with their ``\\``
===============  ==================================  ==========================================

Escapes are written as in Python: ``\\x1b``, ``\\u202e``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from arena.errors import UsageError

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_size(text: str) -> int:
    """Bytes from ``512M``, ``1.5GiB`` or ``800 KiB`` (all powers of 1024). A unit is required,
    since nobody means 512 bytes. Raises UsageError."""
    match = re.fullmatch(
        r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([KMG])(?:i?B)?", text.strip(), re.IGNORECASE
    )
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if size < 1 << 20:
        raise UsageError(f"{text!r} is not a size: give at least 1M, with a unit, as in 512M or 2G")
    return size


def size_text(size: int) -> str:
    """Bytes for people: ``512 MiB``, ``1.5 GiB``, ``12 KiB``. (All units of the arena are powers of
    1024, like its limits.)"""
    if size >= 1 << 30 and size % (1 << 28) == 0:
        return f"{size / (1 << 30):g} GiB"
    if size >= 1 << 20:
        return f"{size / (1 << 20):.0f} MiB"
    return f"{size / (1 << 10):.0f} KiB" if size >= 1 << 10 else counted(size, "byte")


def used_text(used: int, allowed: int) -> str:
    """Used bytes and their limit in the same unit: ``70 MiB of 64 MiB``."""
    return f"{used / (1 << 20):.0f} MiB of {allowed / (1 << 20):.0f} MiB"


def counted(number: int, one: str, many: str = "") -> str:
    """A number with its noun: ``1 cell``, ``3 cells``; `many` is the plural if not with ``s``."""
    return f"{number} {one if number == 1 else many or f'{one}s'}"


def milliseconds(ms: float | None) -> str:
    """A duration as text: ``0.31 ms``, ``12 ms``, ``3.20 s``; ``-`` for None."""
    if ms is None:
        return "-"
    if ms >= 1000:
        return f"{ms / 1000:.2f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.2f} ms"


COMPARED = 5000
"""Maximum number of names that `nearest` compares."""
NAME = 100
"""Maximum length of the names that `nearest` compares, in characters."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The `known` name closest to `name`, first of all one that differs by case alone; None when
    none is close. (Comparison takes quadratic time in the length, and the names may be a
    stranger's.)"""
    import difflib

    if len(name) > NAME:
        return None
    short = sorted(other for other in known if len(other) <= NAME)[:COMPARED]
    same = [other for other in short if other.casefold() == name.casefold()]
    close = same or difflib.get_close_matches(name, short, n=1, cutoff=0.6)
    return close[0] if close else None


# -- foreign text ----------------------------------------------------------------------------------


def printable(name: str) -> str:
    """`name` on one line; each character that is not printable becomes ``?``."""
    return "".join(char if char.isprintable() else "?" for char in name)


def shell_word(path: object) -> str:
    """A path as one word of a command that users are to type."""
    import shlex

    return safe(shlex.quote(str(path)))


def has_control(name: str) -> bool:
    """Whether a name has control characters, such as a line feed. (Others that are not printable,
    as those within an emoji, may well be meant.)"""
    return re.search(r"[\x00-\x1f\x7f-\x9f]", name) is not None


def safe(text: str) -> str:
    """Lines for a terminal: line feeds stay, tabs become blanks, other unprintable characters are
    escaped."""
    return "\n".join(_escaped(line) for line in text.expandtabs(4).split("\n"))


LOG_WIDTH = 400
"""Characters that are shown of a line of a log."""


def safe_lines(text: str) -> list[str]:
    """The lines of a log for a terminal: as `safe`, and of a long line the beginning. (A program
    may write megabytes without a line feed.)"""
    return [
        line if (more := len(line) - LOG_WIDTH) <= 0 else f"{line[:LOG_WIDTH]} … ({more} more)"
        for line in safe(text).splitlines()
    ]


def shown(line: bytes, limit: int = 80) -> str:
    """The beginning of a bot's line: at most `limit` characters, with anything unprintable or not
    UTF-8 escaped."""
    text = _escaped(line[: limit * 4].decode(errors="backslashreplace"))
    is_whole = len(text) <= limit and len(line) <= limit * 4
    return text if is_whole else text[: limit - 1] + "…"


QUOTED = 80
"""Maximum length of a bot's words in a note, in characters."""


def quote(text: str) -> str:
    """The beginning of a bot's text, in quotes and escaped."""
    return repr(text) if len(text) <= QUOTED else f"{text[:QUOTED]!r}…"


def garble(line: bytes) -> str:
    """One word that stands for a line that is not text. It has no blank and no comma, so that every
    game sees a single malformed order."""
    return "".join(chr(b) if 33 <= b < 127 and b != 44 else f"\\x{b:02x}" for b in line)


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def joined(words: Iterable[str], last: str = "and") -> str:
    """Words listed as in a sentence: ``a``, ``a and b``, ``a, b and c``."""
    *most, final = words
    return f"{', '.join(most)} {last} {final}" if most else final


def distinct(names: Sequence[str]) -> list[str]:
    """The names, with numbers to distinguish equal ones: ``a #1``, ``b``, ``a #2``."""
    return [
        name if names.count(name) == 1 else f"{name} #{names[: i + 1].count(name)}"
        for i, name in enumerate(names)
    ]
