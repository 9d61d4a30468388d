"""Text for people: plain tables, times, sizes. Colours only where a terminal shows them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click


def styled(text: str, **style: Any) -> str:
    """Coloured or bold text; plain when NO_COLOR is set, and wherever there is no terminal."""
    return text if os.environ.get("NO_COLOR") else click.style(text, **style)


def table(head: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> str:
    """Columns of equal width, two blanks apart; the first `left` columns are flush left."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i < left else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in [head, *rows]
    )


def milliseconds(ms: float | None) -> str:
    """``0.31 ms``, ``12 ms``, ``3.20 s``."""
    if ms is None:
        return "-"
    if ms >= 1000:
        return f"{ms / 1000:.2f} s"
    return f"{ms:.0f} ms" if ms >= 10 else f"{ms:.2f} ms"


def safe(text: str) -> str:
    """A stranger's text, with everything escaped that could command a terminal."""
    plain = text.expandtabs(4)
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in plain)
