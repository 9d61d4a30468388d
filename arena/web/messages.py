"""What the page of a person may ask for. Each message names the request that it is about."""

from __future__ import annotations

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta, Struct

from arena.core.jsontext import decode_json

LONGEST = 70_000
"""Characters of a line: a little more than an answer may have, so that this is explained."""

NOT_READ = {"refused": ["The arena cannot read it: it is too long, or no text."]}
"""The answer to a message that is none of these."""

Line: TypeAlias = Annotated[str, Meta(max_length=LONGEST)]


class Message(Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """The base of all."""

    turn: int


class Pick(Message, frozen=True, tag="pick"):
    """What can be picked next, beside the orders held?"""

    held: Line
    picks: Annotated[list[Line], Meta(max_length=10)]


class Complete(Message, frozen=True, tag="complete"):
    """Which words may come next?"""

    typed: Line


class Help(Message, frozen=True, tag="help"):
    """What may be answered?"""


class Give(Message, frozen=True, tag="give"):
    """This is the answer."""

    line: Line


class Leave(Message, frozen=True, tag="leave"):
    """The person gives up."""


Wish: TypeAlias = Pick | Complete | Help | Give | Leave
_DECODER: msgspec.json.Decoder[Wish] = msgspec.json.Decoder(Wish)


def read_wish(text: str) -> Wish | None:
    """The message; None for what is none."""
    try:
        return decode_json(text, _DECODER)
    except ValueError:
        return None
