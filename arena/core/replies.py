"""What a seat sends back: an answer or silence, its cost, and breaches of the protocol."""

from __future__ import annotations

from enum import StrEnum
from typing import TypeAlias

from msgspec import Struct


class Answer(Struct, frozen=True, gc=False, tag="answer"):
    """The line that a seat gave, trimmed. It may be empty."""

    text: str


class Why(StrEnum):
    """Why there is no answer."""

    LATE = "late"
    """The time bank ran out before the answer came."""
    ABSENT = "absent"
    """No answer came within the patience of a request whose patience exceeds one bank."""
    DEAD = "dead"
    """The program is gone."""
    STOPPED = "stopped"
    """The arena ended the program, because of a limit or the rules."""


class Silence(Struct, frozen=True, gc=False, tag="silence"):
    """No answer, and why."""

    why: Why

    @property
    def missed(self) -> bool:
        """Whether an answer was due and did not come in time."""
        return self.why is Why.LATE or self.why is Why.ABSENT


Reply: TypeAlias = Answer | Silence


class Cost(Struct, frozen=True, gc=False):
    """What one reply cost: times in nanoseconds, and a count of instructions.

    A player creates the cost, the seat adds it up, and the record and the report show it.
    """

    charged: int
    """The charge to the time bank."""
    wall: int | None = None
    """Real time, from when the request was written until the answer was in the pipe."""
    cpu: int | None = None
    """CPU time of the program's whole tree in that span; None where nothing is measured."""
    delay: int | None = None
    """Time in that span in which the program was ready but the machine did not run it."""
    instructions: int | None = None
    """Instructions that the program executed, where counted."""
    held_up: int | None = None
    """Time that the answer waited unread because the arena was held up; None for no such time. Not
    part of `wall`."""
    stalled: int | None = None
    """Time in that span in which the whole program waited for a disk or for memory, as far as is
    known; None for no such time. It is charged."""


FREE = Cost(0)
"""The cost of a reply that took no time."""


class TimedReply(Struct, frozen=True, gc=False):
    """The reply to a request, and its cost."""

    reply: Reply
    cost: Cost


class Violation(Struct, frozen=True, gc=False):
    """A breach of the protocol, committed `count` times, with the first example in words."""

    code: str
    detail: str
    count: int = 1
    fault: bool = True
    """False for a mere remark."""
