"""Lines come out the same however the bytes came in."""

from __future__ import annotations

import hypothesis.strategies as st
from hypothesis import given, settings

from arena.core.lines import LINE_CAP, LineBuffer


def whole(data: bytes, cap: int = 10) -> tuple[list[bytes], bytes, bool]:
    buffer = LineBuffer(cap)
    return buffer.feed(data), buffer.partial, buffer.overlong


def by_byte(data: bytes, cap: int = 10) -> tuple[list[bytes], bytes, bool]:
    buffer = LineBuffer(cap)
    lines = [line for byte in data for line in buffer.feed(bytes([byte]))]
    return lines, buffer.partial, buffer.overlong


def test_lines_and_the_rest() -> None:
    assert whole(b"a\n\nbc\nrest") == ([b"a", b"", b"bc"], b"rest", False)


def test_only_lf_ends_a_line() -> None:
    data = "a\rb\u2028c\x0bd\x85e\n".encode()
    assert whole(data, 99)[0] == [data[:-1]]


def test_the_cap_is_exact() -> None:
    assert whole(b"x" * 10 + b"\n") == ([b"x" * 10], b"", False)
    assert whole(b"x" * 10)[2] is False
    assert whole(b"x" * 11)[2] is True
    assert whole(b"a\n" + b"x" * 11 + b"\nb\n") == ([b"a"], b"x" * 10, True)


def test_the_usual_cap_is_64_kib() -> None:
    assert LINE_CAP == 65_536
    buffer = LineBuffer()
    assert buffer.feed(b"x" * LINE_CAP + b"\n") == [b"x" * LINE_CAP]
    assert buffer.feed(b"x" * (LINE_CAP + 1) + b"\n") == []


def test_nothing_comes_after_an_overlong_line() -> None:
    buffer = LineBuffer(3)
    assert buffer.feed(b"abcd") == []
    assert buffer.feed(b"\nab\n") == []
    assert len(buffer.partial) == 3


@settings(derandomize=True, deadline=None)
@given(st.text(alphabet="a\n\r", max_size=60).map(str.encode))
def test_chunks_do_not_matter(data: bytes) -> None:
    assert whole(data) == by_byte(data)
