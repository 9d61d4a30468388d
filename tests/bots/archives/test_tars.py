"""Tars that two programs may read in two ways, and the nearest that none can, made byte by byte."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

from tests.bots.archives.forged import (
    GNU,
    SOURCE,
    V7,
    entry,
    header,
    long_name,
    padded,
    pax,
    record,
    tar_of_blocks,
)
from tests.bots.archives.outcomes import outcome
from tests.support.tools import every

NAME = "bot.py"
Case = tuple[Callable[[], bytes], str]
"""An archive, and words of its refusal; none where it is taken, as `SOURCE` under `NAME`."""
TWO_WAYS = "has two descriptions that differ"
BOTH = "both a file and a folder"


def signed_sum() -> int:
    """The sum of a header's bytes as some old programs took it."""
    raw = header("ü".encode(), len(SOURCE))
    raw = raw[:148] + b" " * 8 + raw[156:]
    return sum(byte - 256 if byte > 127 else byte for byte in raw)


def file(**more: object) -> bytes:
    return entry(**more)  # type: ignore[arg-type]


def tar(said: str, *blocks: bytes) -> Case:
    return (lambda: tar_of_blocks(*blocks)), said


ODD = "has a damaged header"
TARS: dict[str, Case] = {
    "ustar": tar("", file()),
    "gnu": tar("", file(magic=GNU)),
    "v7": tar("", file(magic=V7, kind=b"\0")),
    "prefix": tar("", entry(b"bot.py", patches={345: b"bot"})),
    "spaces-before-numbers": tar("", header(size=b"         15 ") + padded(SOURCE)),
    "base-256": tar("", header(size=b"\x80" + bytes(10) + b"\x0d", magic=GNU) + padded(SOURCE)),
    "base-256-owner": tar("", file(magic=GNU, patches={108: b"\x80\0\0\0\x7f\0\0\0"})),
    "pax-path": tar("", pax(record("path", "bot.py")), file(name=b"other.py")),
    "pax-time": tar("", pax(record("mtime", "1.5") + record("SCHILY.xattr.a", b"\0\xff")), file()),
    "pax-size": tar("", pax(record("size", "13")), file()),
    "pax-global-comment": tar("", pax(record("comment", "0123"), b"g"), file()),
    "gnu-long-name": tar("", long_name(b"bot.py"), file(name=b"bot.p", magic=GNU)),
    "folder": tar("", header(b"bot/", kind=b"5", mode=0o755), file(name=b"bot/bot.py")),
    "folder-of-v7": tar("", header(b"bot/", kind=b"\0", magic=V7), file(name=b"bot/bot.py")),
    "one-block-of-zeros": ((lambda: tar_of_blocks(file())[:-512]), ""),
    "record-of-20-blocks": ((lambda: tar_of_blocks(file()).ljust(10240, b"\0")), ""),
    "no-end": ((lambda: file()), "cut off"),
    "in-two-parts": tar("data follows its end", file(), bytes(1024), entry(b"b.py")),
    "name-and-prefix-of-gnu": tar(TWO_WAYS, entry(magic=GNU, patches={345: b"up"})),
    "name-and-prefix-of-v7": (
        lambda: gzip.compress(tar_of_blocks(entry(magic=V7, patches={345: b"up"}))),
        TWO_WAYS,
    ),
    "star": tar(TWO_WAYS, entry(patches={508: b"tar\0"})),
    "unknown-magic": tar(ODD, entry(magic=b"ustar!00")),
    "size-signed": tar(ODD, header(size=b"+0000000015\0") + padded(SOURCE)),
    "size-with-more": tar(ODD, header(size=b"015\x0012345678") + padded(SOURCE)),
    "size-negative": tar(ODD, header(size=b"\xff" * 12, magic=GNU)),
    "size-none": tar(ODD, header(size=b"zzz") + padded(SOURCE)),
    "size-huge": tar("is larger than", header(size=b"\x80" + b"\x7f" * 11, magic=GNU)),
    "owner-none": tar(ODD, file(patches={108: b"someone\0"})),
    "sum-signed": tar(
        "cut off or damaged", entry("ü".encode(), patches={148: b"%06o\0 " % signed_sum()})
    ),
    "pax-size-other": tar(TWO_WAYS, pax(record("size", "512")), file(), bytes(512)),
    "pax-size-0": tar(TWO_WAYS, pax(record("size", "0")), file()),
    "pax-size-none": tar(ODD, pax(record("size", "13 ")), file()),
    "pax-size-signed": tar(ODD, pax(record("size", "-13")), file()),
    "pax-twice": tar(TWO_WAYS, pax(record("path", "a")), pax(record("path", "b")), file()),
    "pax-path-twice": tar(TWO_WAYS, pax(record("path", "a") + record("path", "b")), file()),
    "pax-global-path": tar(TWO_WAYS, pax(record("path", "b.py"), b"g"), file()),
    "pax-global-size": tar(TWO_WAYS, pax(record("size", "13"), b"g"), file()),
    "pax-and-global": tar(TWO_WAYS, pax(record("path", "a")), pax(b"", b"g"), file()),
    "pax-and-long-name": tar(TWO_WAYS, pax(record("path", "a")), long_name(b"b"), file()),
    "pax-link": tar(TWO_WAYS, pax(record("linkpath", "/etc/passwd")), file()),
    "pax-sparse": tar("is a sparse file", pax(record("GNU.sparse.major", "1")), file()),
    "pax-real-size": tar("is a sparse file", pax(record("SCHILY.realsize", "99")), file()),
    "pax-length": tar(ODD, pax(b"99 path=a\n"), file()),
    "pax-no-line": tar(ODD, pax(b"9 path=ab"), file()),
    "pax-no-sign": tar(ODD, pax(b"7 path\n"), file()),
    "pax-nul": tar("not plain text", pax(record("path", "bot.py\0x")), file()),
    "pax-no-utf-8": tar("not plain text", pax(record("path", b"\xff.py")), file()),
    "pax-empty-path": tar("has no name", pax(record("path", "")), file()),
    "pax-alone": tar("is cut off", file(name=b"a.py"), pax(record("path", "b"))),
    "pax-large": tar("too long", pax(record("comment", "a" * (2 << 20))), file()),
    "long-name-twice": tar(TWO_WAYS, long_name(b"a"), long_name(b"b"), file()),
    "long-name-shorter": tar(
        TWO_WAYS, header(b"././@LongLink", 3, b"L", magic=GNU) + padded(b"bot.py\0"), file()
    ),
    "long-name-without-end": tar(
        "", entry(b"././@LongLink", b"bot.py", b"L", magic=GNU), file(magic=GNU)
    ),
    "long-name-and-more": tar(
        TWO_WAYS, entry(b"././@LongLink", b"a\0b\0", b"L", magic=GNU), file()
    ),
    "long-link": tar(TWO_WAYS, long_name(b"/etc/passwd", b"K"), file()),
    "long-name-alone": tar("is cut off", file(name=b"a.py"), long_name(b"a")),
    "old-pax": tar("neither a file", pax(record("path", "b"), b"X"), file()),
    "dump-folder": tar("neither a file", entry(b"d/", b"Ybot.py\0\0", b"D", magic=GNU), file()),
    "volume-label": tar("neither a file", header(b"label", kind=b"V", magic=GNU), file()),
    "second-volume": tar("neither a file", entry(kind=b"M", magic=GNU)),
    "contiguous": tar("neither a file", entry(kind=b"7")),
    "folder-with-data": tar("a folder with data", entry(b"bot/", kind=b"5"), file()),
    "file-with-slash": tar(BOTH, entry(b"bot.py/")),
    "set-group-id": tar("set-group-id", file(mode=0o2755)),
    "sticky": tar("sticky", file(mode=0o1755)),
    "no-utf-8": tar("not plain text", file(name=b"\xff.py")),
}


@every("what", TARS)
def test_a_tar_is_read_in_one_way_or_not_at_all(what: str, tmp_path: Path) -> None:
    make, said = TARS[what]
    found = outcome(make(), tmp_path)
    if said:
        assert said in found
    else:
        assert found == {NAME: SOURCE}
