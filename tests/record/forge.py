"""Records that were changed by somebody who knows how they are made."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from arena.core.replies import Answer, Silence
from arena.record.format import Chain, Header, said

Line = dict[str, Any]
Change = Callable[[list[Line]], None]


def lines_of(data: bytes) -> list[Line]:
    """The lines of a record as objects."""
    return [json.loads(line) for line in data.splitlines()]


def joined(lines: Iterable[Line]) -> bytes:
    """The bytes of a record with these lines."""
    return b"".join(msgspec.json.encode(line) + b"\n" for line in lines)


def forge(data: bytes, change: Change, *, seal: bool) -> bytes:
    """A record after a change to its lines, with all digests made anew, and on wish the seal."""
    lines = lines_of(data)
    change(lines)
    _make_digests(lines)
    if seal:
        _make_seals(lines)
    return joined(lines)


def sealed(lines: list[Line]) -> bytes:
    """The bytes of a record with the seal that belongs to it."""
    _make_seals(lines)
    return joined(lines)


def _make_seals(lines: list[Line]) -> None:
    for number, line in enumerate(lines):
        if line["type"] == "seal":
            line["sha256"] = hashlib.sha256(joined(lines[:number])).hexdigest()


def _make_digests(lines: list[Line]) -> None:
    known = {key: value for key, value in lines[0].items() if not key.startswith("unknown")}
    chain = Chain(msgspec.convert(known, Header))
    for line in lines[1:]:
        if line["type"] == "answer":
            chain.add(said(line["seat"], Answer(line["text"]), line.get("instructions")))
        elif line["type"] == "silence":
            chain.add(said(line["seat"], Silence(line["why"]), line.get("instructions")))
        elif line["type"] == "digest":
            line["sha256"] = chain.hexdigest()
        elif line["type"] in ("tell", "ask", "show", "note", "stop", "outcome"):
            chain.add(msgspec.json.encode(line))


def nth(lines: list[Line], kind: str, n: int = 0) -> Line:
    """The line number `n` of a type."""
    return [line for line in lines if line["type"] == kind][n]


def place(lines: list[Line], line: Line) -> int:
    """Where exactly this line stands."""
    return next(i for i, other in enumerate(lines) if other is line)
