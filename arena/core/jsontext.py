"""Reads untrusted JSON with bounded memory and stack, and one-sentence errors.

A recursive parser fails where the stack ends, and that depth depends on the interpreter and the
caller. So text nested deeper than any of ours is refused before it is parsed.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TypeVar

import msgspec

from arena.text import size_text

MAX_JSON_SIZE = 8 << 20
"""Maximum bytes of one text. As objects, a text takes at most 30 times its size."""
MAX_DEPTH = 64
"""Maximum nesting of lists and objects. Our deepest texts have seven levels."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_ALL_ELSE = bytes(set(range(256)) - set(_STEPS))

T = TypeVar("T")


def decode_json(text: bytes | str, decoder: msgspec.json.Decoder[T]) -> T:
    """Decode the text. Raises ValueError, worded to follow "it is not JSON:"."""
    data = text.encode() if isinstance(text, str) else text
    if len(data) > MAX_JSON_SIZE:
        raise ValueError(f"larger than {size_text(MAX_JSON_SIZE)}")
    if _depth(data) > MAX_DEPTH:
        raise ValueError(f"nested deeper than {MAX_DEPTH} lists and objects")
    try:
        return decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def _depth(data: bytes) -> int:
    """The deepest nesting of lists and objects."""
    brackets = _STRING.sub(b"", data).translate(None, _ALL_ELSE)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)
