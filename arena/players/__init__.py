"""Who sits at a table: a program, a human, or a Python object.

The referee sees only `Player`. A request has two halves, so that the answer of an instant player
costs no trip through the scheduler, and so that requests to several players are all on their
way before any answer is waited for::

    player.post(text, bank)                      # the request is out, as far as it goes
    heard = player.poll() or await player.reply()
"""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from arena.steps import Reply


class Stopped(StrEnum):
    """Why a player's program ended before the match did."""

    TIMEOUTS = "timeouts"
    CRASHED = "crashed"
    EXITED = "exited"
    CLOSED = "closed"
    MEMORY = "memory"
    OUTPUT = "output"
    CPU = "cpu"
    PROCESSES = "processes"


class Heard(Struct, frozen=True, gc=False):
    """What came back for a request, and what it took in nanoseconds."""

    reply: Reply
    elapsed: int
    """What its time bank is charged."""
    wall: int | None = None
    """Real time, from the end of the request's write to the answer."""
    cpu: int | None = None
    """CPU time of the program's whole tree in that span; None where nothing is measured."""
    delay: int | None = None
    """Time in that span in which the program was ready and the machine did not run it."""
    lag: int = 0
    """How much later than meant a missed answer was found out, where that may be why it was missed:
    our own slowness, not the bot's."""
    instructions: int | None = None
    """What it cost, where that is counted."""


class Fault(Struct, frozen=True, gc=False):
    """A breach of the protocol, `count` times over, with the first example in words."""

    code: str
    detail: str
    count: int = 1
    fault: bool = True
    """False for a mere remark."""


class Player(Protocol):
    """One seat's mind, for one match."""

    name: str
    stopped: Stopped | None
    """Set once it can answer no more. `stopped_detail` says which limit, used X of Y."""
    stopped_detail: str

    @property
    def cpu_ms(self) -> float | None:
        """CPU time of the program, known once it has ended."""

    @property
    def peak_memory(self) -> int | None:
        """Bytes of its whole tree; None where nothing is measured."""

    @property
    def pondered_ms(self) -> float | None:
        """CPU time that it used while it was not asked; None where nothing is measured."""

    async def watch(self) -> None:
        """Whatever must run beside the match, until cancelled."""

    def tell(self, text: str) -> None:
        """Send lines without a request, as far as they go."""

    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Send lines that end with a request; the answer is due in `bank` nanoseconds, and waited
        for `patience` times as long."""

    def poll(self) -> Heard | None:
        """The reply to what was posted, if it is already decided."""

    async def reply(self) -> Heard:
        """Wait for the reply, at most until it is due."""

    def take_faults(self) -> list[Fault]:
        """The protocol faults since the last call."""

    async def shut_down(self, why: Stopped, detail: str) -> None:
        """End it now. The seat answers no more; the match goes on."""

    async def finish(self, text: str) -> None:
        """The match is over: tell it the last lines, let it leave, and see that it is gone."""
