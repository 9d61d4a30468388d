"""The records of a file. It may be a stranger's: what is wrong with it is one sentence."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from functools import cache
from io import BytesIO
from pathlib import Path

import msgspec
from msgspec import Struct

from arena.core.steps import Show
from arena.errors import ReplayError
from arena.record.format import FORMAT, Header, Record, encode
from arena.record.source import read_blocks
from arena.text import size_text


class _Version(Struct, tag="header"):
    """All that is read of a header whose format is not known yet."""

    format: int


@cache
def _decoder() -> msgspec.json.Decoder[Record]:
    """Made when a record is read: it takes 6 ms, which a match need not spend."""
    return msgspec.json.Decoder(Record)


def read_records(path: Path, *, largest: int = sys.maxsize) -> Iterator[Record]:
    """The records of a file in order.

    A last line without its newline is left out: a killed arena may leave half a line.
    Raises ReplayError naming the line that is no record, and for more bytes than `largest`.
    """
    return decode_blocks(read_blocks(path), str(path), largest=largest)


def decode_blocks(
    blocks: Iterable[bytes], name: str, *, largest: int = sys.maxsize
) -> Iterator[Record]:
    """The same from blocks of whole lines; `name` is for messages."""
    size, number = 0, 1
    for block in blocks:
        size += len(block)
        if size > largest:  # a stranger's file of 1 MiB may hold 6 million records
            raise ReplayError(
                f"{name}: more than {size_text(largest)} of records, too many to hold at once: "
                "only arena verify reads them"
            )
        if number == 1:
            _check_format(block.partition(b"\n")[0], name)
        if block.endswith(b"\n"):
            yield from _decode_block(block, name, number)
            number += block.count(b"\n")


def _decode_block(block: bytes, name: str, number: int) -> list[Record]:
    """All in one go, which takes a third of the time of one by one."""
    try:
        records = _decoder().decode_lines(block)
        shows = [record for record in records if type(record) is Show]
        if len(records) == block.count(b"\n") and all(map(_has_round, shows)):
            return records
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        pass  # one by one: what is wrong is said of its line
    lines = enumerate(BytesIO(block), number)
    return [decode(line[:-1], f"{name}, line {place}") for place, line in lines]


def decode(line: bytes, place: str) -> Record:
    """One record from its line. Raises ReplayError naming the place."""
    try:
        record = _decoder().decode(line)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReplayError(f"{place}: no record of a replay: {error}") from None
    except RecursionError:
        raise ReplayError(f"{place}: no record of a replay: it is nested too deep") from None
    if type(record) is Show and not _has_round(record):
        raise ReplayError(f"{place}: no record of a replay: a frame without its round")
    return record


def _has_round(show: Show) -> bool:
    return type(show.frame.get("round")) is int


def is_canonical(record: Record, line: bytes) -> bool:
    """Whether the arena would write the record as this line, to the byte."""
    try:
        return encode(record) == line
    except (RecursionError, OverflowError):
        return False


def decode_header(line: bytes, name: str) -> Header:
    """The header from the first line of a file. Raises ReplayError."""
    _check_format(line, name)
    header = as_header(decode(line, f"{name}, line 1") if line else None, name)
    if not is_canonical(header, line.removesuffix(b"\n")):
        raise ReplayError(f"{name}, line 1: the arena writes this header in other words")
    return header


def as_header(first: Record | None, name: str) -> Header:
    """The header, which must be the first record. Raises ReplayError when it is not, or is of
    another format."""
    if not isinstance(first, Header):
        raise ReplayError(f"{name} is not a replay: it does not begin with a header")
    _require_format(first.format, name)
    return first


def _check_format(line: bytes, name: str) -> None:
    """Raise ReplayError for the header of another format, which may have other keys than ours."""
    try:
        version = msgspec.json.decode(line, type=_Version)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return  # what is wrong with it is said when it is read as a header
    _require_format(version.format, name)


def _require_format(found: int, name: str) -> None:
    if found != FORMAT:
        raise ReplayError(
            f"{name} has format {found}, this arena reads {FORMAT}: "
            "verify it with the release that wrote it"
        )
