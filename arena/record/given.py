"""What a recorded match shows of a seat: what it heard, gave, and did wrong."""

from __future__ import annotations

from msgspec import Struct

from arena.core.replies import Cost, Reply


class GivenReply(Struct, frozen=True):
    """What a seat gave for one request."""

    round: int
    request: str
    """The request as the bot read it."""
    bank_ms: int
    """Its time bank at the request."""
    reply: Reply
    cost: Cost


class GivenFault(Struct, frozen=True):
    """What a seat did wrong, `count` times, with an example in words."""

    round: int
    code: str
    detail: str
    count: int = 1


class HeardLine(Struct, frozen=True):
    """A line as the bot of a seat read it."""

    seat: int
    round: int
    text: str
    given: GivenReply | None = None
    """The reply, when the line is a request."""
