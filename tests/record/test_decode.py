"""Decoding records."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from arena.core.steps import Show, Tell
from arena.errors import ReplayError
from arena.record.format import FORMAT, Header, encode
from arena.record.source import (
    as_header,
    decode,
    decode_blocks,
    decode_header,
    is_canonical,
    read_records,
)

HEADER = Header(FORMAT, "nim", 1, "7", {}, ["a"])
LINE = encode(Tell(0, "x"))


def test_a_block_has_several_records() -> None:
    lines = [encode(Tell(0, text)) + b"\n" for text in "abc"]
    found = decode_blocks([b"".join(lines[:2]), lines[2], lines[0][:-1]], "r")
    assert list(found) == [Tell(0, "a"), Tell(0, "b"), Tell(0, "c")]


def test_half_a_line_at_the_end_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(LINE + b"\n" + LINE)
    assert list(read_records(path)) == [Tell(0, "x")]


@pytest.mark.parametrize(
    "wrong",
    [
        b"{}",
        b"",
        LINE + LINE,
        LINE[:4] + b"\n" + LINE[4:],
        b"\xff",
        b"[" * 10**5,
        encode(Show({"round": "1"})),
    ],
)
def test_the_line_that_is_no_record_is_named(wrong: bytes) -> None:
    first = LINE + b"\n" + LINE + b"\n"
    for blocks in ([first, LINE + b"\n" + wrong + b"\n"], [first + LINE + b"\n" + wrong + b"\n"]):
        with pytest.raises(ReplayError, match=r"^r, line 4: not a line of a replay"):
            list(decode_blocks(blocks, "r"))


def test_no_more_bytes_are_decoded_than_it_may_have() -> None:
    blocks = [LINE + b"\n", LINE + b"\n"]
    assert len(list(decode_blocks(blocks, "r", largest=2 * len(LINE) + 2))) == 2
    found = decode_blocks(blocks, "r", largest=2 * len(LINE) + 1)
    assert next(found) == Tell(0, "x")
    with pytest.raises(
        ReplayError, match=r"^r: more than \d+ bytes of records, too many to hold at"
    ):
        next(found)


def test_a_header_comes_first() -> None:
    assert as_header(HEADER, "r") is HEADER
    for first in (None, Tell(0, "x")):
        with pytest.raises(ReplayError, match="r is not a replay: it does not begin with a header"):
            as_header(first, "r")


@pytest.mark.parametrize("depth", [1000, 10**5])
def test_what_is_nested_deep_is_one_sentence(depth: int) -> None:
    nested = b"[" * depth + b"]" * depth
    for line in (
        encode(HEADER).replace(b"null", nested),
        b'{"type":"show","frame":{"round":1,"x":' + nested + b"}}",
    ):
        with pytest.raises(ReplayError, match=r"^line 1: not a line of a replay: it is nested too"):
            decode(line, "line 1")


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b'{"type":"show","frame":{}}', "a frame without its round"),
        (b'{"type":"show","frame":{"round":"1"}}', "a frame without its round"),
        (b'{"type":"tell","seat":0}', "missing required field"),
        (b"\xff", "malformed"),
        (b"", "truncated"),
    ],
)
def test_what_is_no_record(line: bytes, what: str) -> None:
    with pytest.raises(ReplayError, match=f"^there: not a line of a replay: .*{what}"):
        decode(line, "there")


def test_what_the_arena_writes_is_known_to_the_byte() -> None:
    record = decode(LINE, "r")
    assert is_canonical(record, LINE)
    for other in (LINE + b" ", LINE.replace(b":0", b":1"), LINE.replace(b"x", b"\\u0078")):
        assert not is_canonical(record, other)


def test_the_header_of_a_file() -> None:
    line = encode(HEADER) + b"\n"
    assert decode_header(line, "r") == decode_header(line[:-1], "r") == HEADER
    for wrong, message in (
        (b"", "r is not a replay: it does not begin with a header"),
        (LINE, "r is not a replay: it does not begin with a header"),
        (b"hello\n", "r, line 1: not a line of a replay"),
        (line[:-1] + b"\n\n", "r, line 1: the arena writes this header differently"),
        (b" " + line, "r, line 1: the arena writes this header differently"),
    ):
        with pytest.raises(ReplayError, match=f"^{message}"):
            decode_header(wrong, "r")


@pytest.mark.parametrize("version", [1, FORMAT + 1])
def test_another_format_is_told_before_what_it_has_and_we_do_not_know(version: int) -> None:
    line = msgspec.json.encode({"type": "header", "format": version, "unknown": 1}) + b"\n"
    wanted = f"^r has format {version}, this arena reads {FORMAT}: verify it with the release"
    with pytest.raises(ReplayError, match=wanted):
        decode_header(line, "r")
    with pytest.raises(ReplayError, match=wanted):
        list(decode_blocks([line], "r"))
    with pytest.raises(ReplayError, match=wanted):
        list(decode_blocks([line[:-1]], "r"))
