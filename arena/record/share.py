"""A record as others may see it: without what bots wrote for their own authors.

What a bot writes to stderr and what it draws is for its author. Neither is a part of the digests,
so a copy without them has the same. It ends with a seal of its own, as any record does.
"""

from __future__ import annotations

import gzip
import hashlib
from collections.abc import Collection
from pathlib import Path

from arena.errors import UsageError
from arena.record.format import Drawn, Record, Seal, Stderr, encode, encode_lines
from arena.record.reader import Match


def shared(match: Match, own: Collection[int]) -> Match:
    """The match without what the programs of other seats than `own` wrote to stderr and drew."""
    lines, written = [], hashlib.sha256(encode(match.header) + b"\n")
    for record in match.records:
        if isinstance(record, Stderr | Drawn) and record.seat not in own:
            continue
        kept: Record = Seal(written.hexdigest()) if isinstance(record, Seal) else record
        lines.append(kept)
        written.update(encode(kept) + b"\n")
    return Match(match.header, tuple(lines))


def save(match: Match, path: Path) -> None:
    """Write a match as a record to a file, compressed when its name ends with ``.gz``. Raises
    UsageError when it cannot be made."""
    try:
        with open(path, "wb") as file:
            data = encode_lines((match.header, *match.records))
            if path.suffix != ".gz":
                file.write(data)
                return
            with gzip.GzipFile(fileobj=file, mode="wb", mtime=0, filename="") as packed:
                packed.write(data)
    except OSError as error:
        raise UsageError(
            f"cannot write {path}: {error.strerror}: name a file that can be made"
        ) from None
