"""Tables in a game's `rules.md`, for tests that hold them against the code."""

from __future__ import annotations


def read_table(text: str, header: str) -> list[list[str]]:
    """The cells of the table that begins with this header."""
    start = text.index(f"| {header} |")
    lines = text[start:].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
