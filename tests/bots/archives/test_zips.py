"""Zips that two programs may read in two ways, and the nearest that none can, made byte by byte."""

from __future__ import annotations

import stat
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

from arena.bots.archives.rules import CHUNK
from tests.bots.archives.forged import (
    MARK16,
    MARK32,
    SOURCE,
    End,
    Part,
    field,
    unicode_path,
    zip_of_parts,
)
from tests.bots.archives.outcomes import outcome
from tests.support.tools import every

NAME = "bot.py"
Case = tuple[Callable[[], bytes], str]
"""An archive, and words of its refusal; none where it is taken, as `SOURCE` under `NAME`."""


def one(said: str = "", *, end: End | None = None, **fields: object) -> Case:
    """A zip of one entry."""
    return (lambda: zip_of_parts(Part(**fields), end=end)), said  # type: ignore[arg-type]


def two(said: str, **fields: object) -> Case:
    """A zip of two, the second of which is odd."""
    return (lambda: zip_of_parts(Part(), Part(b"b.py", **fields))), said  # type: ignore[arg-type]


SHARES = "shares its data with another entry"
TWO_WAYS = "has two descriptions that differ"
DAMAGED_LIST = "its list of entries is damaged"
COUNTS = "the number of entries in its list differs from the number at its end"
OF_SEVERAL = "it is one part of several"
BOTH = "both a file and a folder"
CRC, RAW = zlib.crc32(SOURCE), len(SOURCE)
SIZES = struct.pack("<3L", CRC, RAW, RAW)
"""The sizes of `SOURCE` as it is, not deflated."""
TWO = [Part(), Part(b"b.py")]


def shifted() -> bytes:
    """The first entry begins behind something, and the list says so."""
    data = bytearray(b"PK\3\4" + zip_of_parts(Part()))
    data[data.index(b"PK\1\2") + 42] = 4
    end = data.rindex(b"PK\5\6")
    data[end + 16] += 4
    return bytes(data)


def with_last_zip64_lost() -> bytes:
    """Its end says that a record of ZIP64 has the numbers, and there is none."""
    return zip_of_parts(Part(), end=End(fields={"count": MARK16, "here": MARK16}))


def two_ends(inside: bytes) -> bytes:
    return zip_of_parts(Part(), end=End(comment=inside))


def stored_descriptor() -> bytes:
    """A stored file that holds what ends it: a reader of streams stops there."""
    inside = b"x" + struct.pack("<4s3L", b"PK\7\x08", zlib.crc32(b"x"), 1, 1)
    return zip_of_parts(Part(data=inside + b"y", method=0, flags=8))


def with_data_behind(hidden: bytes) -> bytes:
    """Deflated data that end where a chunk of the reader does, and what follows them."""
    halves = SOURCE.ljust(40_000), bytes(CHUNK - 10 - 40_000)
    blocks = [
        struct.pack("<?2H", is_last, len(half), len(half) ^ 0xFFFF) + half
        for is_last, half in enumerate(halves)
    ]
    packed = b"".join(blocks) + hidden
    data = b"".join(halves)
    sizes = {"method": 8, "packed": len(packed), "size": len(data), "crc": zlib.crc32(data)}
    return zip_of_parts(Part(data=packed, method=0, local=sizes, central=sizes))


def asi(mode: int) -> bytes:
    return field(0x756E, struct.pack("<LHLHH", 0, mode, 0, 0, 0))


ZIPS: dict[str, Case] = {
    "plain": one(),
    "stored": one(method=0),
    "zip64-sizes": one(is_64=True),
    "zip64-end": one(end=End(is_64=True)),
    "zip64-everywhere": one(is_64=True, end=End(is_64=True)),
    "zip64-end-without-marks": one(end=End(is_64=True, is_marked=False)),
    "zip64-size-follows": one(is_64=True, flags=8),
    "zip64-locator-of-no-disks": one(end=End(is_64=True, locator={"disks": 0})),
    "size-follows": one(flags=8),
    "size-follows-stored": one(flags=8, method=0),
    "size-follows-without-mark": one(flags=8, method=0, descriptor=SIZES),
    "size-follows-and-known": one(
        flags=8, method=0, local={"crc": CRC, "packed": RAW, "size": RAW}
    ),
    "comment": one(end=End(comment=b"0123456789abcdef" * 2)),
    "extra-of-unix": one(extra=field(0x5455, b"\1abcd"), local_extra=field(0x5455, b"\3abcdefgh")),
    "extra-of-zipalign": one(local_extra=bytes(3)),
    "unicode-path": one(extra=unicode_path(NAME, NAME.encode())),
    "asi-file": one(extra=asi(0o100644)),
    "utf8-mark-on-ascii-once": one(local={"flags": 0x800}),
    "end-has-fewer": (lambda: zip_of_parts(*TWO, end=End(fields={"here": 1, "count": 1})), COUNTS),
    "end-has-none": one(COUNTS, end=End(fields={"here": 0, "count": 0})),
    "end-has-more": one(COUNTS, end=End(fields={"here": 2, "count": 2})),
    "end-counts-differ": (lambda: zip_of_parts(*TWO, end=End(fields={"here": 1})), OF_SEVERAL),
    "end-has-no-list": one(
        "not at the stated place", end=End(fields={"here": 0, "count": 0, "size": 0})
    ),
    "end-begins-late": one("not at the stated place", end=End(fields={"at": 59, "size": 51})),
    "end-of-other-disk": one(OF_SEVERAL, end=End(fields={"disk": 1})),
    "end-list-of-other-disk": one(OF_SEVERAL, end=End(fields={"list_disk": 1})),
    "entry-of-other-disk": one(OF_SEVERAL, central={"disk": 1}),
    "split-mark": (lambda: b"PK\7\x08" + zip_of_parts(Part()), OF_SEVERAL),
    "two-ends": (
        lambda: two_ends(struct.pack("<4s4H2LH", b"PK\5\6", 0, 0, 0, 0, 0, 0, 0)),
        "more than one end",
    ),
    "end-in-comment": (lambda: two_ends(b"PK\5\6"), "more than one end"),
    "zip64-lost": (with_last_zip64_lost, "more than 10000 files"),
    "zip64-has-fewer": one(COUNTS, end=End(is_64=True, fields_64={"here": 0, "count": 0})),
    "zip64-counts-differ": one(TWO_WAYS, end=End(is_64=True, fields={"count": 2})),
    "zip64-place-differs": one(TWO_WAYS, end=End(is_64=True, fields={"at": 7})),
    "zip64-elsewhere": one("not at the stated place", end=End(is_64=True, locator={"at": 3})),
    "zip64-longer": one("not at the stated place", end=End(is_64=True, fields_64={"rest": 45})),
    "zip64-other-disk": one(
        OF_SEVERAL, end=End(is_64=True, fields={"disk": MARK16}, fields_64={"disk": 1})
    ),
    "zip64-two-disks": one(OF_SEVERAL, end=End(is_64=True, locator={"disks": 2})),
    "zip64-too-many": one(
        "more than 10000 files", end=End(is_64=True, fields_64={"here": 10001, "count": 10001})
    ),
    "zip64-size-differs": one(TWO_WAYS, is_64=True, local={"size": 5}),
    "zip64-twice": one(TWO_WAYS, is_64=True, extra=field(1, bytes(16))),
    "zip64-lost-size": one(TWO_WAYS, central={"size": MARK32}),
    "before-list": one("between its entries", end=End(before=b"hidden")),
    "behind-list": one("not at the stated place", end=End(behind=b"PK\5\5\0\0")),
    "before-first": (lambda: shifted(), "before its first entry"),
    "between": (
        lambda: zip_of_parts(Part(descriptor=b"hidden bytes"), Part(b"b.py")),
        "between its entries",
    ),
    "flag-only-in-list": one(TWO_WAYS, central={"flags": 8}),
    "flag-of-no-meaning": one(TWO_WAYS, central={"flags": 1 << 10}),
    "flags-of-speed": one(flags=2, central={"flags": 4}),
    "flag-only-local": one(TWO_WAYS, local={"flags": 8}),
    "size-follows-not": one(TWO_WAYS, flags=8, descriptor=b""),
    "size-follows-wrongly": one(
        TWO_WAYS, flags=8, method=0, descriptor=struct.pack("<3L", CRC, RAW, 5)
    ),
    "size-follows-known-wrongly": one(TWO_WAYS, flags=8, local={"size": 5}),
    "size-follows-inside": (stored_descriptor, "ends at two places"),
    "local-method": one(TWO_WAYS, local={"method": 0}),
    "local-crc": one(TWO_WAYS, local={"crc": 1}),
    "local-packed": one(TWO_WAYS, local={"packed": 3}),
    "local-size": one(TWO_WAYS, local={"size": 3}),
    "local-size-none": one(TWO_WAYS, local={"crc": 0, "packed": 0, "size": 0}),
    "local-name": one(TWO_WAYS, local_name=b"cot.py"),
    "local-name-case": one(TWO_WAYS, local_name=b"BOT.py"),
    "local-encrypted": one("is encrypted", local={"flags": 1}),
    "list-encrypted": one("is encrypted", central={"flags": 1}),
    "strongly-encrypted": one("is encrypted", flags=0x40),
    "masked": one("is encrypted", flags=0x2000),
    "patch": one("by a rare method", flags=0x20),
    "later-version": one("by a rare method", central={"version": 64}),
    "later-version-local": one("by a rare method", local={"version": 64}),
    "version-with-system": one(central={"version": 3 << 8 | 20}),
    "utf8-once": one(TWO_WAYS, name="ü.py".encode(), flags=0x800, local={"flags": 0}),
    "unicode-path-other": one(TWO_WAYS, extra=unicode_path("cot.py", b"bot.py")),
    "unicode-path-other-local": one(TWO_WAYS, local_extra=unicode_path("cot.py", b"bot.py")),
    "unicode-path-of-no-code-page": one(
        TWO_WAYS,
        name=b"\xa1.py",
        extra=unicode_path("d/\u0431.py", b"\xa1.py"),
    ),
    "unicode-path-plain": one(
        TWO_WAYS, name=b"\xa1/bot.py", extra=unicode_path("bot/bot.py", b"\xa1/bot.py")
    ),
    "unicode-path-of-another-kind": one(
        TWO_WAYS, name=b"\xa1.py", extra=unicode_path("\u0431.cpp", b"\xa1.py")
    ),
    "unicode-path-of-other": one(TWO_WAYS, extra=unicode_path("cot.py", b"cot.py")),
    "unicode-path-no-text": one(TWO_WAYS, extra=field(0x7075, b"\1abcd\xff")),
    "extra-too-long": one(TWO_WAYS, extra=struct.pack("<2H", 0x5455, 50) + b"abc"),
    "extra-too-long-local": one(TWO_WAYS, local_extra=struct.pack("<2H", 0x5455, 50) + b"abc"),
    "asi-link": one(TWO_WAYS, extra=asi(stat.S_IFLNK | 0o777)),
    "asi-link-local": one(TWO_WAYS, local_extra=asi(stat.S_IFLNK | 0o777)),
    "stored-size": one(TWO_WAYS, method=0, central={"size": 5}, local={"size": 5}),
    "folder-by-attribute": one(BOTH, central={"made": 20, "outside": 0x10}),
    "folder-by-name": one(BOTH, name=b"bot.py/", data=b"", method=0),
    "folder-with-data": one("a folder with data", name=b"bot/", mode=0o40755),
    "folder-with-packed-data": (
        lambda: zip_of_parts(Part(), Part(b"d/", b"x" * 9, 8, mode=0o40755, central={"size": 0})),
        "a folder with data",
    ),
    "folder-deflated": (
        lambda: zip_of_parts(Part(), Part(b"d/", b"", 8, mode=0o40755)),
        "",
    ),
    "volume-label": one("neither a file nor a folder", central={"made": 20, "outside": 0x08}),
    "set-user-id": one("set-user-id", mode=0o104755),
    "set-group-id": one("set-group-id", mode=0o102755),
    "sticky": one("sticky", mode=0o101755),
    "sticky-folder": (lambda: zip_of_parts(Part(), Part(b"d/", b"", 0, mode=0o41777)), "sticky"),
    "nul-in-name": one("not plain text", name=b"bot.py\0.txt"),
    "cut-in-list": one(DAMAGED_LIST, central={"name": 60}),
    "place-inside-another": two(SHARES, central={"at": 1}),
    "place-beyond": two("between its entries", central={"at": 1 << 30}),
    "place-of-another": two(SHARES, central={"at": 0}),
    "packed-beyond": one(SHARES, central={"packed": 1 << 30}, local={"packed": 1 << 30}),
}


@every("what", ZIPS)
def test_a_zip_is_read_in_one_way_or_not_at_all(what: str, tmp_path: Path) -> None:
    make, said = ZIPS[what]
    found = outcome(make(), tmp_path)
    if said:
        assert said in found
    else:
        assert found == {NAME: SOURCE}


def test_nothing_hides_behind_deflated_data_that_end_where_a_chunk_does(tmp_path: Path) -> None:
    assert "another length than its entry says" in outcome(
        with_data_behind(b"hidden"), tmp_path / "a"
    )
    assert NAME in outcome(with_data_behind(b""), tmp_path / "b")


def test_names_in_the_code_pages_of_file_managers(tmp_path: Path) -> None:
    """macOS writes UTF-8 without its mark, Windows the code page of DOS, WinRAR that and UTF-8."""
    decomposed = "Gru\u0308\u00dfe.py"
    raw = "\u0431\u043e\u0442/x.py".encode("cp866")
    by_hand = zip_of_parts(
        Part(),
        Part(decomposed.encode(), flags=8, central={"made": 21 | 3 << 8}),
        Part(b"__MACOSX/", b"", 0, mode=0o40775),
        Part(b"__MACOSX/._bot.py", b"Mac OS X", 8, flags=8),
        Part(b"d/", b"", 0, mode=0, central={"made": 20, "outside": 0x10}),
        Part(b"d/\x81.py", mode=0, central={"made": 20, "outside": 0x20}),
        Part(raw, extra=unicode_path("\u0431\u043e\u0442/x.py", raw)),
    )
    names = {"bot.py", decomposed, "d/\u00fc.py", "\u0431\u043e\u0442/x.py"}
    assert outcome(by_hand, tmp_path) == dict.fromkeys(names, SOURCE)
