"""JSON that strangers wrote: whatever it says, reading it takes bounded memory and a bounded stack,
and what is wrong with it is one sentence.

A parser that recurses ends where the stack does, and how deep that is depends on the interpreter
and on the caller. So what is nested deeper than anything of ours is refused before it is parsed.
"""

from __future__ import annotations

import re
from itertools import accumulate
from typing import TypeVar

import msgspec

from arena.text import size_text

LARGEST = 8 << 20
"""Bytes of one text. As objects it takes at most 30 times its size."""
DEEPEST = 64
"""Lists and objects inside each other. The deepest of ours are seven."""

_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)
_STEPS = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
_ALL_ELSE = bytes(set(range(256)) - set(_STEPS))

T = TypeVar("T")


def decode_json(text: bytes | str, decoder: msgspec.json.Decoder[T]) -> T:
    """What the text says. Raises ValueError in words that may follow "it is not JSON:"."""
    data = text.encode() if isinstance(text, str) else text
    if len(data) > LARGEST:
        raise ValueError(f"larger than {size_text(LARGEST)}")
    if _depth(data) > DEEPEST:
        raise ValueError(f"nested deeper than {DEEPEST} lists and objects")
    try:
        return decoder.decode(data)
    except msgspec.MsgspecError as error:
        raise ValueError(str(error)) from None


def _depth(data: bytes) -> int:
    """How many lists and objects are open at once, at most."""
    brackets = _STRING.sub(b"", data).translate(None, _ALL_ELSE)
    return max(accumulate(map(_STEPS.__getitem__, brackets)), default=0)
