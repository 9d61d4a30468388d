"""stderr by turn, bounded."""

from __future__ import annotations

from arena.players.turnlog import TurnLog

PART = TurnLog.PART


def test_pieces_of_one_turn_are_joined() -> None:
    log = TurnLog()
    log.add(0, b"a")
    log.add(0, b"b\xc3")
    log.add(0, b"\xa4")
    log.add(2, b"c")
    assert log.turns() == [(0, "abä"), (2, "c")]


def test_the_head_and_the_tail_are_kept() -> None:
    log = TurnLog()
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
    log = TurnLog()
    log.add(1, b"a" * PART + b"b" * PART + b"c" * PART)
    ((turn, text),) = log.turns()
    assert turn == 1
    assert text.startswith("a" * PART)
    assert text.endswith("c" * PART)
    assert "b" not in text.replace("bytes", "")


def test_nothing() -> None:
    assert TurnLog().turns() == []
