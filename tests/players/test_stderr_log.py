"""stderr by turn, bounded."""

from __future__ import annotations

import pytest

from arena.players.stderr import StderrLog

PART = 64 * 1024


def test_pieces_of_one_turn_are_joined() -> None:
    log = StderrLog()
    log.add(0, b"a")
    log.add(0, b"b\xc3")
    log.add(0, b"\xa4")
    log.add(2, b"c")
    assert log.turns() == [(0, "abä"), (2, "c")]


def test_the_head_and_the_tail_are_kept() -> None:
    log = StderrLog()
    log.add(1, b"h" * PART)
    for turn in range(2, 100):
        log.add(turn, b"m" * PART)
    log.add(100, b"t" * 10)
    kept = log.turns()
    assert kept[0] == (1, "h" * PART)
    assert kept[-1] == (100, "t" * 10)
    assert sum(len(text) for _, text in kept) < 3 * PART + 100
    assert f"… {97 * PART} bytes left out …" in kept[1][1]


def test_a_single_large_piece() -> None:
    log = StderrLog()
    log.add(1, b"a" * PART + b"b" * PART + b"c" * PART)
    ((turn, text),) = log.turns()
    assert turn == 1
    assert text.startswith("a" * PART)
    assert text.endswith("c" * PART)
    assert "b" not in text.replace("bytes", "")


def test_pieces_of_any_size_fill_the_head_exactly() -> None:
    """Small ones first: what is kept of the first turns is the first part, to the byte."""
    log = StderrLog()
    log.add(1, b"h")
    log.add(2, b"h" * (PART - 2))
    log.add(3, b"hm" + b"m" * PART)
    log.add(4, b"t" * PART)
    assert log.turns()[:2] == [(1, "h"), (2, "h" * (PART - 2))]
    assert log.turns()[2] == (3, "h")
    assert log.turns()[3] == (4, f"\n… {PART + 1} bytes left out …\n" + "t" * PART)


def test_nothing() -> None:
    assert StderrLog().turns() == []


@pytest.mark.parametrize(
    ("size", "tail"),
    [
        (0, []),
        (3, [(3, "ccc")]),
        (5, [(2, "bb"), (3, "ccc")]),
        (7, [(2, "bbbb"), (3, "ccc")]),
        (8, [(1, "a"), (2, "bbbb"), (3, "ccc")]),
        (99, [(1, "aaaa"), (2, "bbbb"), (3, "ccc")]),
    ],
)
def test_the_tail_is_the_end_of_all_turns(size: int, tail: list[tuple[int, str]]) -> None:
    log = StderrLog()
    for turn, data in ((1, b"aaaa"), (2, b"bbbb"), (3, b"ccc")):
        log.add(turn, data)
    assert log.tail(size) == tail
