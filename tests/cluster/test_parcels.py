"""Bots by content: one digest for one content, and nothing but plain files."""

from __future__ import annotations

import io
import os
import tarfile
import time
from pathlib import Path

import msgspec
import pytest

from arena.bots.cache import UNUSED_DAYS
from arena.cluster.parcels import Address, address_of, has_bot, pack, place_of, unpack
from arena.errors import BotError


def folder(place: Path) -> Path:
    """A bot of two files, one of which can be executed."""
    (place / "bot" / "lib").mkdir(parents=True)
    (place / "bot" / "run").write_text("#!/bin/sh\n")
    (place / "bot" / "run").chmod(0o700)
    (place / "bot" / "lib" / "data.txt").write_text("1\n")
    return place / "bot"


def packed(bot: Path, place: Path) -> tuple[Address, Path]:
    """Its address, and its parcel."""
    pack(bot, place / "parcel")
    return address_of(bot), place / "parcel"


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "store").mkdir()
    return tmp_path / "store"


def test_one_content_has_one_digest(tmp_path: Path) -> None:
    one, other = folder(tmp_path / "a"), folder(tmp_path / "b")
    os.utime(other / "run", (0, 0))
    assert packed(one, tmp_path / "a")[0] == packed(other, tmp_path / "b")[0]
    assert (tmp_path / "a" / "parcel").read_bytes() == (tmp_path / "b" / "parcel").read_bytes()
    (other / "lib" / "data.txt").write_text("2\n")
    assert address_of(one).digest != address_of(other).digest
    (other / "lib" / "data.txt").write_text("1\n")
    (other / "run").chmod(0o600)
    assert address_of(one).digest != address_of(other).digest


def test_it_arrives_as_it_was_sent(tmp_path: Path, store: Path) -> None:
    address, parcel = packed(folder(tmp_path), tmp_path)
    place = unpack(store, address, parcel)
    assert place == place_of(store, address) == unpack(store, address, parcel)
    assert address_of(place) == address
    assert os.access(place / "run", os.X_OK)
    assert [path.name for path in store.iterdir()] == [address.digest]
    place.chmod(0o755)
    (place / "run").unlink()
    assert address_of(unpack(store, address, parcel)) == address  # changed there, and sent again


def test_a_single_file_travels_alone(tmp_path: Path, store: Path) -> None:
    (tmp_path / "bot.py").write_text("pass\n")
    (tmp_path / "rival.py").write_text("pass\n")
    place = unpack(store, *packed(tmp_path / "bot.py", tmp_path))
    assert (place.name, [path.name for path in place.iterdir()]) == ("bot", ["bot.py"])


@pytest.mark.parametrize("kind", ["link", "pipe", "missing"])
def test_what_is_no_plain_file_does_not_travel(kind: str, tmp_path: Path) -> None:
    bot = folder(tmp_path)
    if kind == "link":
        (bot / "secret").symlink_to("/etc/passwd")
    elif kind == "pipe":
        os.mkfifo(bot / "pipe")
    else:
        bot = tmp_path / "nowhere"
    with pytest.raises(BotError, match=r"not an ordinary file|cannot read"):
        pack(bot, tmp_path / "parcel")


def made(entry: tarfile.TarInfo, data: bytes = b"") -> bytes:
    """A parcel with one entry."""
    entry.size = len(data)
    content = io.BytesIO()
    with tarfile.open(fileobj=content, mode="w", format=tarfile.PAX_FORMAT) as tar:
        tar.addfile(entry, io.BytesIO(data))
    return content.getvalue()


def entry(name: str, kind: bytes = tarfile.REGTYPE, **more: object) -> tarfile.TarInfo:
    found = tarfile.TarInfo(name)
    found.type = kind
    for key, value in more.items():
        setattr(found, key, value)
    return found


SPARSE = {"GNU.sparse.major": "1", "GNU.sparse.minor": "0", "GNU.sparse.realsize": str(1 << 40)}
PARCELS = {
    "nothing": b"",
    "half": made(entry("run"), b"x" * 2000)[:700],
    "another content": made(entry("run"), b"x"),
    "a way out": made(entry("../out"), b"x"),
    "an absolute name": made(entry("/tmp/out"), b"x"),
    "a link": made(entry("run", tarfile.SYMTYPE, linkname="/etc/passwd")),
    "a pipe": made(entry("run", tarfile.FIFOTYPE)),
    "a device": made(entry("run", tarfile.CHRTYPE)),
    "a sparse file": made(entry("run", pax_headers=SPARSE), b"1\n0\n0\n"),
    "a name with a zero": made(entry("run", pax_headers={"path": "a\0b"})),
    "folders without end": made(entry("d/" * 3000 + "x")),
    "a date beyond all reason": made(entry("run", pax_headers={"mtime": "1e400"})),
    "a date that is none": made(entry("run", pax_headers={"mtime": "nan"})),
    "compressed": b"\x1f\x8b" + bytes(100),
}


@pytest.mark.parametrize("case", PARCELS)
def test_O10_a_parcel_that_is_not_the_bot_is_refused(
    case: str, tmp_path: Path, store: Path
) -> None:
    parcel = tmp_path / "parcel"
    parcel.write_bytes(PARCELS[case])
    with pytest.raises(BotError, match="was changed on its way"):
        unpack(store, address_of(folder(tmp_path)), parcel)
    assert not any(store.iterdir())
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("digest", "name"),
    [
        ("0" * 64, ".."),
        ("0" * 64, "a/b"),
        ("0" * 64, ""),
        ("0" * 64, "x" * 256),
        ("../" + "0" * 61, "bot"),
        ("0" * 64 + "\n", "bot"),
        ("0" * 63, "bot"),
    ],
)
def test_an_address_that_leads_elsewhere_is_not_decoded(digest: str, name: str) -> None:
    data = msgspec.msgpack.encode(Address(digest, name))
    with pytest.raises(msgspec.ValidationError):
        msgspec.msgpack.decode(data, type=Address)


def test_a_bot_that_no_match_has_used_for_long_leaves_the_store(
    tmp_path: Path, store: Path
) -> None:
    kept = []
    for number in range(3):
        bot = tmp_path / f"{number}" / "bot"
        bot.mkdir(parents=True)
        (bot / "run").write_text(f"#!/bin/sh\n# {number}\n")
        kept.append(packed(bot, bot.parent))
        if number < 2:
            unpack(store, *kept[number])
            os.utime(store / kept[number][0].digest, (time.time() - (UNUSED_DAYS + 1) * 86400,) * 2)
    (store / "other").mkdir()
    os.utime(store / "other", (0, 0))
    assert has_bot(store, kept[1][0])  # and so it is used
    (tmp_path / "store-cleared").unlink()  # as after an hour
    unpack(store, *kept[2])
    there = {path.name for path in store.iterdir()}
    assert there == {"other", kept[1][0].digest, kept[2][0].digest}
