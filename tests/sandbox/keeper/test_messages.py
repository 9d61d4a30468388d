"""Messages arrive in the arena as they left the keeper."""

from __future__ import annotations

import pytest

from arena.sandbox.keeper.messages import (
    Executed,
    Exit,
    Exited,
    GroupFiles,
    KeeperReady,
    Killed,
    Message,
    Spawned,
    StartFailed,
    decode_message,
    encode_message,
)


@pytest.mark.parametrize(
    "message",
    [
        KeeperReady(None),
        KeeperReady("no writable\nmemory controller"),
        Spawned(7, None),
        Spawned(7, GroupFiles({"memory": "/sys/fs/cgroup/x"}, {"memory_limit": 1 << 40})),
        StartFailed("cannot put up its guard", True),
        StartFailed("No such file", False, 7),
        Executed(7),
        Exited(7, Exit(3, None, 1.25)),
        Exited(7, Exit(None, "SIGKILL", 0.0, False)),
        Killed(7, True),
        Killed(8, False),
    ],
)
def test_a_message_travels_as_one_line(message: Message) -> None:
    line = encode_message(message)
    assert line.endswith(b"\n")
    assert line.count(b"\n") == 1
    arrived = decode_message(line)
    assert arrived == message
    assert type(arrived) is type(message)
    if isinstance(arrived, Spawned):
        assert arrived.group is None or type(arrived.group) is GroupFiles
    if isinstance(arrived, Exited):
        assert type(arrived.exit) is Exit


@pytest.mark.parametrize("line", [b"", b"[]", b'["Killed", 7]', b'["Goodbye", 1]', b"7"])
def test_what_is_no_message_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a message|Expecting value"):
        decode_message(line)
