"""Drawings are sifted out of stderr, in pieces of any size, within their budget."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.core.tally import Drawing
from arena.players.stderr import LINES, MATCH, REQUEST, DrawingLog

STDERR = b"log\n@viz mark 1\n@vizard\n @viz no\n\n@viz \xff\n@vi\nmore @viz text\n@viz last\nend"


@given(st.lists(st.integers(0, len(STDERR)), max_size=8))
def test_pieces_of_any_size_give_the_same(cuts: list[int]) -> None:
    at = [0, *sorted(cuts), len(STDERR)]
    drawings = DrawingLog()
    pieces = [STDERR[a:b] for a, b in pairwise(at)]
    log = b"".join([drawings.sift(1, piece) for piece in pieces])
    assert log == b"log\n@vizard\n @viz no\n\n@vi\nmore @viz text\nend"
    assert drawings.turns() == (Drawing(1, "mark 1\n\\xff\nlast"),)
    assert drawings.total == len(b"@viz mark 1@viz \xff@viz last")


def test_each_turn_has_its_own_lines() -> None:
    drawings = DrawingLog()
    drawings.sift(0, b"@viz a\n@viz b")
    drawings.sift(2, b"b\n")
    assert drawings.turns() == (Drawing(0, "a"), Drawing(2, "bb"))


def test_lines_over_the_budget_of_a_request_are_counted() -> None:
    drawings = DrawingLog()
    assert drawings.sift(1, b"@viz a\n" * (LINES + 5)) == b""
    assert drawings.turns() == (Drawing(1, "\n".join("a" * LINES), 5),)


def test_bytes_over_the_budget_of_a_request_are_counted() -> None:
    drawings = DrawingLog()
    drawings.sift(1, b"@viz " + b"x" * (REQUEST - 5) + b"\n@viz y\n")
    assert drawings.turns() == (Drawing(1, "x" * (REQUEST - 5), 1),)


def test_a_line_without_an_end_takes_no_room() -> None:
    drawings = DrawingLog()
    for _ in range(100):
        assert drawings.sift(1, b"@viz " + b"x" * 65536) == b""
    assert drawings.sift(2, b"\nlog\n@viz z\n") == b"log\n"
    assert drawings.turns() == (Drawing(1, "", 1), Drawing(2, "z"))


@pytest.mark.parametrize("turns", [MATCH // REQUEST + 10])
def test_a_match_has_a_budget(turns: int) -> None:
    drawings = DrawingLog()
    for turn in range(turns):
        drawings.sift(turn, b"@viz " + b"x" * (REQUEST - 5) + b"\n")
    kept = drawings.turns()
    assert sum(len(one.text) for one in kept) <= MATCH
    assert sum(one.left_out for one in kept) == 10
