"""Files that are programs, or look like it."""

from __future__ import annotations

from pathlib import Path

import pytest

from arena.bots.find import find_bot
from arena.errors import ArenaError


def program(path: Path, content: bytes, mode: int = 0o755) -> str:
    path.write_bytes(content)
    path.chmod(mode)
    return str(path)


def sentence(kind: type[ArenaError], word: str) -> str:
    with pytest.raises(kind) as caught:
        find_bot(word)
    assert type(caught.value) is kind
    return str(caught.value)


ELF = b"\x7fELF\x02\x01\x01" + bytes(9) + b"\x02\x00"
