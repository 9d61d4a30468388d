"""Text for people: plain tables, colours only where a terminal shows them, and the one place that
prints (`say`)."""

from __future__ import annotations

import os
import re
import sys
import textwrap
from collections.abc import Sequence
from typing import Any

import click

from arena.text import safe

_SECRET = os.urandom(8).hex()
_STYLE = re.compile(rf"\x00{_SECRET}([0-9;]*)\x00")
"""What stands for a style until it is printed: no foreign text can contain it."""


def say(text: str, *, err: bool = False) -> None:
    """Print text for people, on stdout or stderr. Every command prints by this: nothing in it
    can command the terminal or turn the direction of a line, but for `styled`."""
    first, *rest = _STYLE.split(text)
    parts = [f"\x1b[{rest[i]}m{safe(rest[i + 1])}" for i in range(0, len(rest), 2)]
    try:
        click.echo(safe(first) + "".join(parts), err=err)
    except (OSError, ValueError):
        if not err:
            raise  # but that stderr is closed or full must not end a match


def styled(text: str, **style: Any) -> str:
    """Coloured or bold text, for `say`; plain when NO_COLOR is set, and where there is no
    terminal, or one that knows no colours."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return text
    start, end = click.style("\0", **style).split("\0")
    return f"{_marked(start)}{text}{_marked(end)}"


def _marked(codes: str) -> str:
    return "".join(f"\0{_SECRET}{code}\0" for code in re.findall(r"\x1b\[([0-9;]*)m", codes))


def width() -> int | None:
    """The columns of the terminal on stdout; None where there is none."""
    if not (sys.stdout and sys.stdout.isatty()):
        return None
    import shutil  # 2 ms, as often in vain

    return shutil.get_terminal_size().columns


def table(
    head: Sequence[str],
    rows: Sequence[Sequence[str]],
    left: int = 1,
    columns: int | None = None,
    title: int | None = None,
) -> str:
    """Columns of equal width, two blanks apart; the first `left` columns are flush left. What is
    wider than `columns` is laid out row by row, below the first `title` cells (`left` of them)."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    if columns is not None and sum(widths) + 2 * (len(widths) - 1) > columns:
        first = left if title is None else title
        return "\n".join(line for row in rows for line in _stacked(head, row, first, columns))
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [head, *rows]
    )


def _stacked(head: Sequence[str], row: Sequence[str], left: int, columns: int) -> list[str]:
    """One row below its first cells, as pairs of name and value. A line breaks between pairs,
    and within one that is longer than a line."""
    pairs = [f"{name} {cell}" for name, cell in zip(head[left:], row[left:], strict=True)]
    room = max(columns - 2, 20)
    said = ", ".join(pair.replace(" ", "\0") if len(pair) < room else pair for pair in pairs)
    lines = textwrap.wrap(said, room, break_on_hyphens=False)
    title = shortened("  ".join(row[:left]), columns)
    return [title, *(f"  {line}".replace("\0", " ") for line in lines)]


def folded(text: str, indent: int) -> str:
    """A text that begins at the column `indent`, on as many lines as the terminal makes of it; the
    others are indented as well. One line where there is no terminal."""
    columns = width()
    if columns is None:
        return text
    room = max(columns - indent, 20)
    lines = textwrap.wrap(text, room, break_on_hyphens=False, break_long_words=False)
    return f"\n{'':{indent}}".join(lines)


def shortened(text: str, columns: int) -> str:
    """At most so many columns of a line."""
    return text if len(text) <= columns else f"{text[: columns - 1]}…"
