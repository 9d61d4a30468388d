"""The limits of a bot, unless a caller says otherwise: part of what users are promised."""

from __future__ import annotations

import msgspec

from arena.core.limits import Limits

MIB = 1024 * 1024


def test_the_limits_that_are_promised() -> None:
    assert msgspec.structs.asdict(Limits()) == {
        "memory": 1024 * MIB,
        "processes": 256,
        "cpu_grace": 60.0,
        "turn_output": MIB,
        "match_output": 64 * MIB,
        "files": 256,
        "file_size": 64 * MIB,
        "disk": 64 * MIB,
        "shared_memory": 16 * MIB,
    }
