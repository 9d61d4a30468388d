"""Reading files in blocks of lines."""

from __future__ import annotations

import gzip
import hashlib
import io
import os
import tracemalloc
from pathlib import Path

import pytest

from arena.errors import ReplayError
from arena.record import source as sources
from arena.record.source import (
    MAX_LINE,
    CutOff,
    RecordLines,
    open_plain,
    read_blocks,
    read_pieces,
    split_blocks,
)


def test_lines_end_with_a_newline_and_with_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"a\r\n\n\rb")
    source = RecordLines(read_blocks(path))
    assert [source.line() for _ in range(5)] == [b"a\r\n", b"\n", b"\rb", b"", b""]


def test_nothing_but_a_plain_file_is_read(tmp_path: Path) -> None:
    """A pipe into which nobody writes would keep its reader for ever."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for name in ("pipe", "link"):
        with pytest.raises(OSError, match="not an ordinary file"):
            open_plain(tmp_path / name)
        with pytest.raises(
            ReplayError, match="it is not an ordinary file, but a folder, a pipe or a device"
        ):
            list(read_blocks(tmp_path / name))
    (tmp_path / "file").write_bytes(b"a\n")
    (tmp_path / "way").symlink_to("file")
    with open_plain(tmp_path / "way") as file:
        assert file.read() == b"a\n"


def test_a_compressed_file_is_known_by_its_beginning(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(gzip.compress(b"a\n"))
    assert list(read_blocks(path)) == [b"a\n"]


def test_a_block_ends_with_a_line() -> None:
    assert list(split_blocks([b"a\nb\nc", b"d", b"", b"e\nf"], "r")) == [b"a\nb\n", b"cde\n", b"f"]


def test_a_line_has_a_limit() -> None:
    longest = b"x" * (MAX_LINE - 1) + b"\n"
    assert list(split_blocks(read_pieces(io.BytesIO(longest)), "r")) == [longest]
    for rest in (b"x" + longest, b"x" + longest[:-1] + b"x"):
        blocks = split_blocks(read_pieces(io.BytesIO(b"a\n" + rest)), "r")
        assert next(blocks) == b"a\n"
        with pytest.raises(ReplayError, match=r"^r, line 2: longer than 8 MiB$"):
            next(blocks)


def test_a_compressed_bomb_takes_little_memory(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    tracemalloc.start()
    try:
        with pytest.raises(ReplayError, match="longer than 8 MiB"):
            list(read_blocks(path))
        assert tracemalloc.get_traced_memory()[1] < 4 * MAX_LINE
    finally:
        tracemalloc.stop()


def test_what_is_compressed_may_unpack_only_so_large(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Lines that may be there are read one after the other: without a bound for hours."""
    monkeypatch.setattr(sources, "MAX_UNPACKED", 1 << 20)
    path, lines = tmp_path / "r.jsonl.gz", b"x" * 1023 + b"\n"
    path.write_bytes(gzip.compress(lines * 1024))
    assert b"".join(read_blocks(path)) == lines * 1024
    path.write_bytes(gzip.compress(lines * 1024 + b"x"))
    with pytest.raises(ReplayError, match=r"more than 1 MiB when unpacked: unpack it .* gunzip"):
        list(read_blocks(path))


def test_whether_what_is_compressed_was_cut_off(tmp_path: Path) -> None:
    path, packed = tmp_path / "r.jsonl.gz", gzip.compress(b"a\nb\n", mtime=0)
    for end in (-1, -8):
        path.write_bytes(packed[:end])
        assert list(read_blocks(path)) == [b"a\nb\n"]
        with pytest.raises(CutOff):
            list(read_blocks(path, whole=True))
        source = RecordLines(read_blocks(path, whole=True))
        assert [source.line(), source.line(), source.line()] == [b"a\n", b"b\n", b""]
        assert source.was_cut_off


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
def test_what_is_compressed_wrong_is_one_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "r.jsonl.gz"
    path.write_bytes(data)
    with pytest.raises(ReplayError, match=r"^cannot read .*r\.jsonl\.gz: "):
        list(read_blocks(path))


def test_why_a_file_cannot_be_read_is_told_in_words(tmp_path: Path) -> None:
    missing, text = tmp_path / "missing.jsonl", tmp_path / "r.jsonl.gz"
    text.write_bytes(b"hello")
    for path, why in ((missing, "No such file or directory"), (text, ".*incorrect header check")):
        with pytest.raises(ReplayError, match=f"^cannot read {path}: {why}$"):
            list(read_blocks(path))


def source(*blocks: bytes) -> RecordLines:
    return RecordLines(iter(blocks))


def test_what_is_expected_may_stand_in_several_blocks() -> None:
    lines = source(b"a\nb\n", b"c\nd\n")
    assert lines.has(b"a\n")
    assert lines.has(b"b\nc\n")
    assert lines.line() == b"d\n"
    assert not lines.has(b"e\n")
    assert lines.line() == b""


def test_what_is_not_as_expected_is_not_taken() -> None:
    lines = source(b"a\nb\n", b"c")
    for wanted in (b"b\n", b"a\nc\n", b"a\nb\nc\n", b"a\nb\n" * 99):
        assert not lines.has(wanted)
    assert [lines.line() for _ in range(4)] == [b"a\n", b"b\n", b"c", b""]


@pytest.mark.parametrize("blocks", [(b"a\nb\nc\n",), (b"a\n", b"b\n", b"c\n")])
def test_the_hash_goes_over_all_before_a_line(blocks: tuple[bytes, ...]) -> None:
    lines = source(*blocks)
    assert lines.has(b"a\n")
    for before, line in ((b"a\n", b"b\n"), (b"a\nb\n", b"c\n")):
        assert lines.line() == line
        assert lines.sha256_before(line) == hashlib.sha256(before).hexdigest()
