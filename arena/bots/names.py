"""Names for people: made printable, and the nearest right one for a wrong one."""

from __future__ import annotations

from collections.abc import Iterable


def printable(name: str) -> str:
    """`name` on one line, safe to print: what is not printable becomes ``?``."""
    return "".join(char if char.isprintable() else "?" for char in name)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The one of `known` that was probably meant by `name`; None when none is near."""
    import difflib

    close = difflib.get_close_matches(name, sorted(known), n=1, cutoff=0.6)
    return close[0] if close else None
