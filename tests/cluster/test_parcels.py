"""Bots by content: one digest for one content, and nothing but plain files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.cluster.parcels import Address, Parcel, pack, place_of, unpack
from arena.errors import BotError


def folder(place: Path) -> Path:
    """A bot of two files, one of which can be executed."""
    (place / "bot" / "lib").mkdir(parents=True)
    (place / "bot" / "run").write_text("#!/bin/sh\n")
    (place / "bot" / "run").chmod(0o700)
    (place / "bot" / "lib" / "data.txt").write_text("1\n")
    return place / "bot"


def test_one_content_has_one_digest(tmp_path: Path) -> None:
    one, other = folder(tmp_path / "a"), folder(tmp_path / "b")
    os.utime(other / "run", (0, 0))
    assert pack(one) == pack(other)
    (other / "lib" / "data.txt").write_text("2\n")
    assert pack(one).address.digest != pack(other).address.digest
    (other / "lib" / "data.txt").write_text("1\n")
    (other / "run").chmod(0o600)
    assert pack(one).address.digest != pack(other).address.digest


def test_it_arrives_as_it_was_sent(tmp_path: Path) -> None:
    store = tmp_path / "store"
    store.mkdir()
    parcel = pack(folder(tmp_path))
    place = unpack(store, parcel)
    assert place == place_of(store, parcel.address) == unpack(store, parcel)
    assert pack(place) == parcel
    assert os.access(place / "run", os.X_OK)
    assert [path.name for path in store.iterdir()] == [parcel.address.digest]
    place.chmod(0o755)
    (place / "run").unlink()
    assert pack(unpack(store, parcel)) == parcel  # what was changed there is sent again


def test_a_single_file_travels_alone(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("pass\n")
    (tmp_path / "rival.py").write_text("pass\n")
    place = unpack(tmp_path, pack(tmp_path / "bot.py"))
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
    with pytest.raises(BotError, match=r"no plain file|cannot read"):
        pack(bot)


@pytest.mark.parametrize("change", ["cut", "other"])
def test_O10_a_parcel_that_was_changed_is_refused(change: str, tmp_path: Path) -> None:
    parcel = pack(folder(tmp_path))
    data = parcel.data[:100] if change == "cut" else parcel.data.replace(b"1\n", b"2\n")
    (store := tmp_path / "store").mkdir()
    with pytest.raises(BotError, match="was changed on its way"):
        unpack(store, Parcel(Address(parcel.address.digest, "bot"), data))
    assert not any(store.iterdir())
