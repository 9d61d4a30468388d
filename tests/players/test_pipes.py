from __future__ import annotations

import os

from arena.players.pipes import unread_bytes
from tests.sandbox.programs import linux_only


@linux_only
def test_what_is_written_and_not_read_is_counted() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"go 1000\n")
    assert unread_bytes(writer) == 8
    os.read(reader, 3)
    assert unread_bytes(writer) == 5
    os.close(reader)
    os.close(writer)


def test_of_a_closed_pipe_nothing_is_known() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    os.close(writer)
    assert unread_bytes(writer) == 0
