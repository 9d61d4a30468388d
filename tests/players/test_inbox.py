"""The caps on what a program may write, and what becomes of lines that answer nothing."""

from __future__ import annotations

import pytest

from arena.limits import Limits
from arena.players.inbox import Inbox
from arena.players.request import Moment


def inbox(**limits: int) -> Inbox:
    return Inbox(Limits(**limits))


def now() -> Moment:
    return Moment(1.0)


def test_the_match_has_a_cap_beside_that_of_the_turn() -> None:
    box = inbox(match_output=100)
    for _ in range(10):
        box.open_turn()
        box.take(b"123456789\n", now, asked=True)
        assert box.broken == ""
    box.open_turn()
    box.take(b"1\n", now, asked=True)
    assert box.broken == "used 102 of 100 bytes of stdout in the match"


@pytest.mark.parametrize(
    ("data", "broken"),
    [
        (b"x" * 90, ""),
        (b"x" * 101, "used 101 of 100 bytes of stdout in one turn"),
        (b"x" * 65537, "a line longer than 65536 bytes on stdout"),
    ],
)
def test_a_turn_has_a_cap(data: bytes, broken: str) -> None:
    box = inbox(turn_output=100)
    box.take(data, now, asked=True)
    assert box.broken == broken


def test_what_is_there_when_a_turn_opens_is_dropped() -> None:
    box = inbox()
    box.owed = 1
    box.take(b"7\n8\n\n", now, asked=True)
    box.open_turn()
    assert not box.lines
    assert box.owed == 0
    assert [(fault.code, fault.count) for fault in box.take_faults()] == [
        ("late", 1),
        ("excess", 1),
    ]


def test_the_clocks_are_read_only_when_a_line_is_complete() -> None:
    reads = []

    def count() -> Moment:
        reads.append(1)
        return Moment(len(reads))

    box = inbox()
    box.take(b"ab", count, asked=True)
    assert not reads
    box.take(b"c\nd\n", count, asked=True)
    assert list(box.lines) == [(b"abc", Moment(1)), (b"d", Moment(1))]
