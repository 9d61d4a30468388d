"""Reading records line by line."""

from __future__ import annotations

import gzip
import io
import tracemalloc
from pathlib import Path

import msgspec
import pytest

from arena.core.steps import Tell
from arena.errors import ReplayError
from arena.record.decode import (
    LINE_LIMIT,
    as_header,
    decode,
    decode_header,
    decode_lines,
    is_canonical,
    read_lines,
    read_records,
    split_lines,
)
from arena.record.format import FORMAT, Header, encode

HEADER = Header(FORMAT, "nim", 1, "7", {}, ["a"])
LINE = encode(Tell(0, "x"))


def test_each_record_comes_with_its_line() -> None:
    assert list(decode_lines([LINE + b"\n"], "r")) == [(Tell(0, "x"), LINE)]


def test_half_a_line_at_the_end_is_left_out(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(LINE + b"\n" + LINE)
    assert len(list(read_records(path))) == 1


def test_the_line_that_is_no_record_is_named() -> None:
    with pytest.raises(ReplayError, match="r, line 2: no record of a replay"):
        list(decode_lines([LINE + b"\n", b"{}\n"], "r"))


def test_a_header_comes_first() -> None:
    assert as_header(HEADER, "r") is HEADER
    for first in (None, Tell(0, "x")):
        with pytest.raises(ReplayError, match="r is not a replay: it does not begin with a header"):
            as_header(first, "r")


def test_the_lines_of_a_file_have_their_newlines(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"a\n\nb")
    assert list(read_lines(path)) == [b"a\n", b"\n", b"b"]


def test_a_compressed_file_is_known_by_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(gzip.compress(b"a\n"))
    assert list(read_lines(path)) == [b"a\n"]


def test_V12_a_line_has_a_limit() -> None:
    longest = b"x" * (LINE_LIMIT - 1) + b"\n"
    assert list(split_lines(io.BytesIO(longest), "r")) == [longest]
    lines = split_lines(io.BytesIO(b"a\n" + b"x" + longest), "r")
    assert next(lines) == b"a\n"
    with pytest.raises(ReplayError, match=r"^r, line 2: longer than 8 MiB$"):
        next(lines)


def test_V12_a_compressed_bomb_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(ReplayError, match="longer than 8 MiB"):
            list(read_lines(path))
        assert tracemalloc.get_traced_memory()[1] < 4 * LINE_LIMIT
    finally:
        tracemalloc.stop()


def damaged(data: bytes) -> bytes:
    """A compressed file with wrong bytes in the middle of what is compressed."""
    middle = len(data) // 2
    return data[:middle] + bytes(b ^ 0xFF for b in data[middle : middle + 20]) + data[middle + 20 :]


@pytest.mark.parametrize(
    "data",
    [
        b"hello",
        b"\x1f\x8b\x08\0junk junk junk",
        damaged(gzip.compress(bytes(range(256)) * 20, mtime=0)),
        gzip.compress(b"x", mtime=0)[:-8] + b"12345678",
        gzip.compress(b"x\n", mtime=0) + bytes(1 << 16),
        gzip.compress(b"x\n", mtime=0) + gzip.compress(b"", mtime=0),
    ],
    ids=["text", "junk", "damaged", "wrong sum", "zeros behind it", "a piece behind it"],
)
def test_V12_what_is_compressed_wrong_is_one_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "r.jsonl.gz"
    path.write_bytes(data)
    with pytest.raises(ReplayError, match=r"^cannot read .*r\.jsonl\.gz: "):
        list(read_lines(path))


def test_why_a_file_cannot_be_read_is_told_in_words(tmp_path: Path) -> None:
    missing, text = tmp_path / "missing.jsonl", tmp_path / "r.jsonl.gz"
    text.write_bytes(b"hello")
    for path, why in ((missing, "No such file or directory"), (text, ".*incorrect header check")):
        with pytest.raises(ReplayError, match=f"^cannot read {path}: {why}$"):
            list(read_lines(path))


@pytest.mark.parametrize("depth", [1000, 10**5])
def test_V12_what_is_nested_deep_is_one_sentence(depth: int) -> None:
    nested = b"[" * depth + b"]" * depth
    for line in (
        encode(HEADER).replace(b"null", nested),
        b'{"type":"show","frame":{"round":1,"x":' + nested + b"}}",
    ):
        with pytest.raises(ReplayError, match=r"^line 1: no record of a replay: it is nested too"):
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
    with pytest.raises(ReplayError, match=f"^there: no record of a replay: .*{what}"):
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
        (b"hello\n", "r, line 1: no record of a replay"),
        (line[:-1] + b"\n\n", "r, line 1: the arena writes this header in other words"),
        (b" " + line, "r, line 1: the arena writes this header in other words"),
    ):
        with pytest.raises(ReplayError, match=f"^{message}"):
            decode_header(wrong, "r")


@pytest.mark.parametrize("version", [1, FORMAT + 1])
def test_V12_another_format_is_told_before_what_it_has_and_we_do_not_know(version: int) -> None:
    line = msgspec.json.encode({"type": "header", "format": version, "unknown": 1}) + b"\n"
    wanted = f"^r has format {version}, this arena reads {FORMAT}: verify it with the release"
    with pytest.raises(ReplayError, match=wanted):
        decode_header(line, "r")
    with pytest.raises(ReplayError, match=wanted):
        list(decode_lines([line], "r"))
