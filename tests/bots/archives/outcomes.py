"""What becomes of the bytes of an archive."""

from __future__ import annotations

import os
from pathlib import Path

from arena.bots.archives.unpack import unpack
from arena.bots.intake import behind
from arena.errors import BotError
from arena.sandbox.levels import Level

Files = dict[str, bytes]


def outcome(data: bytes, place: Path) -> Files | str:
    """The files that come out of it, or the sentence with which it is refused. Anything else, and
    whatever it leaves outside its own folder, is an error."""
    place.mkdir(exist_ok=True)
    (place / "bot.x").write_bytes(data)
    try:
        found = unpack(place / "bot.x", place / "new", behind(Level.OFF, place))
    except BotError as error:
        sentence = str(error)
        assert os.listdir(place) == ["bot.x"]
        assert sentence.startswith("bot.x: ")
        assert sentence.isprintable()
        assert len(sentence) < 300
        return sentence
    assert sorted(os.listdir(place)) == ["bot.x", "new"]
    return files_below(found.folder)


def files_below(folder: Path) -> Files:
    """All ordinary files. There is nothing else but folders."""
    found = {}
    for path in folder.rglob("*"):
        assert not path.is_symlink()
        assert path.is_file() or path.is_dir()
        if path.is_file():
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found
