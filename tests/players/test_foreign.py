"""Bytes from strangers."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings

from arena.players.foreign import garble, shown


@settings(derandomize=True, deadline=None)
@given(st.binary(max_size=400))
def test_what_is_shown_is_short_and_commands_no_terminal(data: bytes) -> None:
    text = shown(data)
    assert len(text) <= 80
    assert text.isprintable()


def test_escapes_are_spelled_out() -> None:
    assert shown(b"\x1b[31mred\x00\xff") == "\\x1b[31mred\\x00\\xff"


@settings(derandomize=True, deadline=None)
@given(st.binary(min_size=1, max_size=100))
def test_garble_is_one_word(data: bytes) -> None:
    word = garble(data)
    assert word.isascii()
    assert word.isprintable()
    assert not set(word) & set(" ,")
    assert word
