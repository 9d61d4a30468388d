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
    assert len(list(store.iterdir())) == 1


def test_a_single_file_travels_alone(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("pass\n")
    (tmp_path / "rival.py").write_text("pass\n")
    place = unpack(tmp_path, pack(tmp_path / "bot.py"))
    assert [path.name for path in place.parent.iterdir()] == ["bot.py"]


@pytest.mark.parametrize("kind", ["link", "pipe", "missing"])
def test_what_is_no_plain_file_does_not_travel(kind: str, tmp_path: Path) -> None:
    bot = folder(tmp_path)
    if kind == "link":
        (bot / "secret").symlink_to("/etc/passwd")
    elif kind == "pipe":
        os.mkfifo(bot / "pipe")
    else:
        bot = tmp_path / "nowhere"
    with pytest.raises(BotError, match="no plain file"):
        pack(bot)


def test_O10_a_parcel_that_was_changed_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BotError, match="was changed on its way"):
        unpack(tmp_path, Parcel(Address("0" * 64, "bot.py"), b"other"))
    assert not any(tmp_path.iterdir())
