"""Sizes in words: what a limit is given as, and how a use is told."""

from __future__ import annotations

import re

from arena.errors import UsageError

_UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def parse_size(text: str) -> int:
    """Bytes from ``512M``, ``1.5GiB`` or ``800 KB`` (all powers of 1024). A unit is needed: nobody
    means 512 bytes. Raises UsageError."""
    match = re.fullmatch(
        r"([0-9]{1,9}(?:\.[0-9]{1,3})?)\s*([KMG])(?:i?B)?", text.strip(), re.IGNORECASE
    )
    size = int(float(match[1]) * _UNITS[match[2].upper()]) if match else 0
    if size < 1 << 20:
        raise UsageError(f"{text!r} is not a size: give at least 1M, with a unit, as in 512M or 2G")
    return size


def size_text(size: int) -> str:
    """Bytes for people: ``512 MiB``."""
    if size >= 1 << 30 and size % (1 << 28) == 0:
        return f"{size / (1 << 30):g} GiB"
    return f"{size / (1 << 20):.0f} MiB"
