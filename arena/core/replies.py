"""What a seat sends back: an answer, or silence and why; what it cost; and breaches of protocol."""

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
    """No answer came within the patience of a request that had more than one bank of it."""
    DEAD = "dead"
    """The program is not there any more."""
    STOPPED = "stopped"
    """The arena ended the program, for a limit or by the rules."""


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

    A player makes it; the seat adds it up, the record and the report tell it.
    """

    charged: int
    """What the time bank is charged."""
    wall: int | None = None
    """Real time, from when the request was written until the answer lay in the pipe."""
    cpu: int | None = None
    """CPU time of the program's whole tree in that span; None where nothing is measured."""
    delay: int | None = None
    """Time in that span in which the program was ready and the machine did not run it."""
    instructions: int | None = None
    """What the program executed, where that is counted."""
    held_up: int | None = None
    """Time for which the answer lay there because the arena was held up; None for none. It is no
    part of `wall`."""
    stalled: int | None = None
    """Time in that span in which all of the program waited for a disk or for memory, as far as it
    is known; None for none. It is charged."""


FREE = Cost(0)
"""What a reply costs that took no time."""


class TimedReply(Struct, frozen=True, gc=False):
    """What came back for a request, and what it cost."""

    reply: Reply
    cost: Cost


class Violation(Struct, frozen=True, gc=False):
    """A breach of the protocol, `count` times over, with the first example in words."""

    code: str
    detail: str
    count: int = 1
    fault: bool = True
    """False for a mere remark."""
