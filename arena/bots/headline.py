"""The first error of a compiler, in one line: what its author needs to know first."""

from __future__ import annotations

import re
from collections.abc import Sequence

from arena.text import printable

LENGTH = 240
"""Characters of the longest headline."""
LINES = 1000
"""Lines in which an error is looked for."""
LINE = 1000
"""Characters of a line that are looked at."""

_ERROR = re.compile(
    r"\b(?:fatal |syntax |type |parse |internal compiler )?error\b(?!s\b)|undefined reference"
    r"|multiple definition|^\*\* \(\w+Error\)|\bFatal: |\bException\b",
    re.IGNORECASE,
)
_NO_ERROR = re.compile(
    r"\bwarnings?\b|\b(?:0|no) errors?\b|In file included|^== Comp", re.IGNORECASE
)
_PLACED = re.compile(r"^\S+?[:(]\d+(?:[:,]\d+)?\)?:")
"""A line that begins with a file and a line number, as in ``bot.go:3:2: undefined: x``."""
_OCAML_PLACE = re.compile(r'^File "([^"]*)", line (\d+)')
_RUST_PLACE = re.compile(r"^\s*--> (\S+)")
_FORTRAN_PLACE = re.compile(r"^(\S+:\d+):\d+:$")


def headline(said: str) -> str:
    """The line of a compiler's output that says the first error, with its place; the first line of
    all if none looks like an error; empty if it said nothing."""
    lines = [line[:LINE].rstrip() for line in said.split("\n", LINES)[:LINES] if line.strip()]
    found = _first(lines)
    text = " ".join(_whole(lines, found).split()) if lines else ""
    return printable(text if len(text) <= LENGTH else f"{text[: LENGTH - 1]}…")


def _first(lines: Sequence[str]) -> int:
    """The place of the first error; of the first line that names a place; or the first line."""
    own = [number for number, line in enumerate(lines) if not _NO_ERROR.search(line)]
    for pattern in (_ERROR, _PLACED):
        for number in own:
            if pattern.search(lines[number]):
                return number
    quiet = [number for number in own if not lines[number].startswith("#")]
    return (quiet or own or [0])[0]


def _whole(lines: Sequence[str], number: int) -> str:
    """That line, with what stands above or below it: its place, or the error itself."""
    line, above, below = lines[number], lines[:number], lines[number + 1 :]
    if line.endswith(":") or re.search(r"error: \[[\w-]+\]$", line):  # Haskell's
        return " ".join([line, *below[:1]])
    if line.startswith("error") and below and (found := _RUST_PLACE.match(below[0])):
        return f"{found[1]}: {line}"
    if line.startswith("Error"):
        for other in reversed(above):
            if found := _OCAML_PLACE.match(other):
                return f"{found[1]}:{found[2]}: {line}"
            if found := _FORTRAN_PLACE.match(other):
                return f"{found[1]}: {line}"
    return line
