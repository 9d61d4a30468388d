"""Archives with bytes changed at random: taken as Python's own readers take them, or refused."""

from __future__ import annotations

import bz2
import gzip
import io
import random
import shutil
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.bots.archives.rules import JUNK
from arena.bots.archives.signatures import tar_sum
from tests.bots.archives.forged import (
    GNU,
    SOURCE,
    V7,
    End,
    Part,
    entry,
    field,
    header,
    long_name,
    pax,
    record,
    tar_of_blocks,
    unicode_path,
    zip_of_parts,
)
from tests.bots.archives.outcomes import Files, outcome

TEXT = b"words\n" * 40
PARTS = [
    Part(),
    Part(b"d/", b"", 0, mode=0o40755),
    Part(b"d/words.txt", TEXT, flags=8, extra=unicode_path("d/words.txt", b"d/words.txt")),
    Part("d/ü.py".encode(), TEXT, 0, flags=0x800, extra=field(0x5455, b"\1abcd")),
]
HEADERS = [
    header(b"d/", kind=b"5", mode=0o755),
    pax(record("comment", "0123"), b"g"),
    pax(record("path", "d/ü.py") + record("mtime", "1.5")),
    entry(b"d/u.py", TEXT),
    long_name(b"d/" + b"n" * 120),
    entry(b"d/" + b"n" * 98, TEXT, magic=GNU),
    entry(b"words.txt", TEXT, kind=b"\0", magic=V7),
]
WHOLE = {
    "zip": zip_of_parts(*PARTS, end=End(comment=b"0123")),
    "zip64": zip_of_parts(*(one._replace(is_64=True) for one in PARTS), end=End(is_64=True)),
    "tar": tar_of_blocks(entry(), *HEADERS),
    "tar.gz": gzip.compress(tar_of_blocks(entry(), *HEADERS), mtime=0),
    "tar.bz2": bz2.compress(tar_of_blocks(entry(), *HEADERS)),
}
Change = Callable[[random.Random, bytearray], None]


def set_byte(draw: random.Random, data: bytearray) -> None:
    data[draw.randrange(len(data))] = draw.choice([0, 1, 8, 32, 47, 48, 255, draw.randrange(256)])


def flip_bit(draw: random.Random, data: bytearray) -> None:
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def cut_out(draw: random.Random, data: bytearray) -> None:
    at = draw.randrange(len(data))
    del data[at : at + draw.choice([1, 4, 16, 512, len(data)])]


def repeat(draw: random.Random, data: bytearray) -> None:
    at, size = draw.randrange(len(data)), draw.choice([1, 4, 46, 512, 1024])
    data[at:at] = data[at : at + size]


def replace_everywhere(draw: random.Random, data: bytearray) -> None:
    """Two bytes that stand in both descriptions of an entry, say."""
    at = draw.randrange(len(data))
    old, new = bytes(data[at : at + 2]), draw.randbytes(2)
    data[:] = data.replace(old, new)


def set_byte_in_header(draw: random.Random, data: bytearray) -> None:
    """Of a tar, with a sum that is right again."""
    at = 512 * draw.randrange(len(data) // 512)
    block = bytearray(data[at : at + 512])
    place = draw.choice([draw.randrange(512), draw.randrange(100), *range(100, 136), 156, 257, 345])
    block[place] = draw.choice([0, 32, 43, 45, *b"0123457LKxgSD/.", 128, 255, draw.randrange(256)])
    block[148:156] = b"%06o\0 " % tar_sum(bytes(block))
    data[at : at + 512] = block


CHANGES: list[Change] = [
    *(set_byte, set_byte, flip_bit, flip_bit, cut_out, repeat, replace_everywhere),
    *(set_byte_in_header,) * 3,
]


def changed(kind: str, seed: int) -> bytes:
    draw, data = random.Random(f"{kind} {seed}"), bytearray(WHOLE[kind])
    for _ in range(draw.choice([1, 1, 1, 2, 3])):
        is_tar = kind == "tar" and len(data) > 512
        draw.choice(CHANGES if is_tar else CHANGES[:7])(draw, data)
        data = data or bytearray(40)
    return bytes(data)


def reference(kind: str, data: bytes) -> Files:
    """The files as Python reads them."""
    if kind.startswith("zip"):
        with zipfile.ZipFile(io.BytesIO(data)) as whole:
            names = [info for info in whole.infolist() if not info.is_dir()]
            return kept({info.filename: whole.read(info) for info in names})
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = [info for info in archive if info.isfile()]
        return kept({info.name: read(archive, info) for info in files})


def read(archive: tarfile.TarFile, info: tarfile.TarInfo) -> bytes:
    file = archive.extractfile(info)
    assert file is not None
    return file.read()


def kept(files: Files) -> Files:
    """Without what is left out, with names as paths."""
    parts = {tuple(part for part in name.split("/") if part != "."): name for name in files}
    return {
        "/".join(place): files[name]
        for place, name in parts.items()
        if not any(part in JUNK or part.startswith("._") for part in place)
    }


@pytest.mark.parametrize("kind", WHOLE)
def test_an_unchanged_archive_is_taken(kind: str, tmp_path: Path) -> None:
    files = outcome(WHOLE[kind], tmp_path)
    assert files == reference(kind, WHOLE[kind])
    assert files["bot.py"] == SOURCE


def try_changed(kind: str, seeds: range, place: Path) -> int:
    """How many of them are taken: each as the reference reads it."""
    taken = 0
    for seed in seeds:
        data = changed(kind, seed)
        found = outcome(data, place)
        if not isinstance(found, str):
            assert found == reference(kind, data), seed
            taken += 1
            shutil.rmtree(place / "new")
    return taken


@pytest.mark.parametrize("kind", WHOLE)
def test_a_changed_archive_is_taken_as_others_read_it_or_refused(kind: str, tmp_path: Path) -> None:
    assert try_changed(kind, range(100), tmp_path) < 50


@pytest.mark.dear
@pytest.mark.parametrize("kind", WHOLE)
def test_thousands_of_changed_archives(kind: str, tmp_path: Path) -> None:
    assert try_changed(kind, range(100, 2000), tmp_path) < 1000
