"""Compressed streams, and what bombs in them cost."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.archives import rules
from arena.bots.archives.rules import ENTRIES, MIB
from arena.bots.archives.streams import Gunzip
from tests.bots.archives.forged import SOURCE, entry, pax, record, tar_of_blocks
from tests.bots.archives.outcomes import outcome

TAR = tar_of_blocks(entry())
FORMATS: dict[str, Callable[[bytes], bytes]] = {
    "gz": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
}


def pieces(raw: bytes, pack: Callable[[bytes], bytes]) -> bytes:
    """The same in three streams, as programs write that work on several cores."""
    return pack(raw[:700]) + pack(raw[700:701]) + pack(raw[701:])


@pytest.mark.parametrize("name", FORMATS)
def test_several_streams_are_one(name: str, tmp_path: Path) -> None:
    assert outcome(pieces(TAR, FORMATS[name]), tmp_path) == {"bot.py": SOURCE}


@pytest.mark.parametrize("name", FORMATS)
def test_nothing_but_zeros_may_follow_a_stream(name: str, tmp_path: Path) -> None:
    whole = FORMATS[name](TAR)
    assert outcome(whole + bytes(70_000), tmp_path / "zeros") == {"bot.py": SOURCE}
    assert "cannot be unpacked" in outcome(whole + b"more", tmp_path / "more")
    assert "data follows its end" in outcome(whole + bytes(70_000) + b"more", tmp_path / "later")
    assert "it is cut off" in outcome(whole[:-1], tmp_path / "less")


def test_a_gzip_decoder_says_when_it_needs_no_input() -> None:
    """What it still holds comes out before more is read, to the last byte."""
    data = bytes(5000) + b"abc" * 1000
    decoder, file, out = Gunzip(), io.BytesIO(gzip.compress(data)), b""
    was_full = False
    while not decoder.eof:
        piece = file.read(1) if decoder.needs_input else b""
        was_full |= not decoder.needs_input
        assert piece or not decoder.needs_input
        out += (step := decoder.decompress(piece, 100))
        assert len(step) <= 100
    assert out == data
    assert was_full


def nearly_endless(pack: Callable[[bytes], bytes]) -> bytes:
    """Half a TiB of zeros behind the last entry, were there no end."""
    zeros = pack(bytes(16 * MIB))
    return pack(TAR) + zeros * (MIB // len(zeros))


BOMBS: dict[str, tuple[Callable[[], bytes], str]] = {
    "gz-zeros": (lambda: nearly_endless(gzip.compress), "data follows its end"),
    "bz2-zeros": (lambda: nearly_endless(bz2.compress), "data follows its end"),
    "xz-zeros": (lambda: nearly_endless(lzma.compress), "data follows its end"),
    "pax-headers": (
        lambda: gzip.compress(pax(record("comment", "x")) * 50_000 + TAR),
        "has two descriptions",
    ),
    "global-headers": (
        lambda: gzip.compress(pax(record("comment", "x"), b"g") * 50_000 + TAR),
        "more than 10000 files",
    ),
    "large-headers": (
        lambda: bz2.compress(pax(record("comment", bytes(MIB - 20)), b"g") * 16) * 600,
        "unpacks to more than 295 MiB",
    ),
    "empty-streams": (
        lambda: gzip.compress(b"") * (ENTRIES + 1) + gzip.compress(TAR),
        "packed in more than 10000 pieces",
    ),
}


@pytest.mark.dear_for("*-headers", "xz-zeros")
@pytest.mark.parametrize("name", BOMBS)
def test_a_bomb_costs_no_more_than_some_seconds(name: str, tmp_path: Path) -> None:
    make, said = BOMBS[name]
    data = make()
    before = time.thread_time()
    assert said in outcome(data, tmp_path)
    assert time.thread_time() - before < 6


def test_folders_that_are_not_listed_count_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rules, "ENTRIES", 50)
    tar = tar_of_blocks(*(entry(b"%d/a/b/c/d/e/f" % i, b"") for i in range(8)))
    assert "more than 50 files and folders" in outcome(tar, tmp_path)
