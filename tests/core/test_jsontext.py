"""JSON of strangers: what is wrong with it is one sentence, and bounded work."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from arena.core.jsontext import MAX_DEPTH, MAX_JSON_SIZE, decode_json

ANYTHING: msgspec.json.Decoder[Any] = msgspec.json.Decoder()
NUMBERS = msgspec.json.Decoder(dict[str, int])


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[1, 2.5, null]", [1, 2.5, None]),
        ('{"a": {"b": ["c"]}}', {"a": {"b": ["c"]}}),
        ('"' + "[" * 1000 + '"', "[" * 1000),
        (r'["\"[[", "{\\", "]"]', ['"[[', "{\\", "]"]),
        ("[" + "[]," * 1000 + "[]]", [[]] * 1001),
    ],
)
def test_what_it_says(text: str, value: object) -> None:
    assert decode_json(text, ANYTHING) == decode_json(text.encode(), ANYTHING) == value


@pytest.mark.parametrize(
    ("opening", "closing", "levels"),
    [("[", "]", 1), ('{"a":', "}", 1), ('{"a":[', "]}", 2), ('["]",', "]", 1), ('["[",', "]", 1)],
)
def test_how_deep_it_may_be(opening: str, closing: str, levels: int) -> None:
    most = MAX_DEPTH // levels
    assert decode_json(opening * most + "1" + closing * most, ANYTHING)
    for depth in (most + 1, 100_000):
        with pytest.raises(ValueError, match=f"nested deeper than {MAX_DEPTH}"):
            decode_json(opening * depth + "1" + closing * depth, ANYTHING)
        with pytest.raises(ValueError, match=f"nested deeper than {MAX_DEPTH}"):
            decode_json(opening * depth, ANYTHING)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "truncated"),
        ("{", "truncated"),
        ('{"a": "b"}', "Expected `int`, got `str`"),
        (b"\xff", "malformed"),
        (b'"\xff"', "utf-8|Expected"),
        ("\ud800", "surrogates"),
        ('"' + "x" * MAX_JSON_SIZE + '"', "larger than 8 MiB"),
    ],
)
def test_what_is_none(text: str | bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        decode_json(text, NUMBERS)


def test_what_is_unknown_is_skipped_only_so_deep() -> None:
    with pytest.raises(ValueError, match="nested deeper"):
        decode_json('{"x":' + "[" * 100_000, NUMBERS)
