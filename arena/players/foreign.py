"""Bytes from strangers, made safe to show and to play with."""

from __future__ import annotations


def shown(line: bytes, limit: int = 80) -> str:
    """Bytes from a stranger, safe to print and short: control characters are escaped."""
    text = line[: limit * 4].decode(errors="backslashreplace")
    safe = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    return safe if len(safe) <= limit else safe[: limit - 1] + "…"


def garble(line: bytes) -> str:
    """One word for a line that is not text. It has no blank and no comma, so that every game
    takes it for a single malformed order."""
    return "".join(chr(b) if 33 <= b < 127 and b != 44 else f"\\x{b:02x}" for b in line)
