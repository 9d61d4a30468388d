"""The player interface: one seat's mind for one match, be it a program, a human or a Python object.

The referee sees only `Player`. A request has two halves, so that an instant answer costs no trip
through the scheduler, and so that requests to several players are all sent before the arena waits
for any answer::

    player.post(text, bank)                      # send the request, as far as the pipe takes it
    timed = player.poll() or await player.reply()
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from arena.core.replies import TimedReply, Violation
from arena.core.table import Table
from arena.players.stderr import StderrLog

if TYPE_CHECKING:
    import trio


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


class Ending(Struct, frozen=True):
    """How a program ended: with an exit code, or by a signal."""

    code: int | None
    signal: str | None
    by_arena: bool
    """Whether the arena ended the program; it did not leave by itself."""


class Player(ABC):
    """One seat's mind, for one match. Subclasses must define `post` and `poll`; all else has a
    default that suits a player without a process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stopped: Stopped | None = None
        """Why the player can no longer answer; None while it can."""
        self.stopped_detail = ""
        """The reason in words; for a limit: used X of Y."""
        self.start_up_ms: float | None = None
        """How much of its start-up time the player used; None if it had none."""
        self.violations: list[Violation] = []
        """Protocol breaches that are not reported yet."""
        self.stderr = StderrLog()
        """What the player wrote for its author."""
        self.pid: int | None = None
        """The id of its process (in a sandbox, of the wrapper); None without a process."""
        self.waited_for: int | None = None
        """A descriptor that becomes readable with the answer, if the answer may come within a
        millisecond of the request."""
        self.waiting: trio.CancelScope | None = None
        """The current wait for its reply, if any; cancelled when `poll` must be called before
        something can be read."""

    @property
    def is_asked_again(self) -> bool:
        """Whether it learns the past of a position as a program does: asked every earlier request,
        with answers that do not count."""
        return True

    @property
    def cpu_ms(self) -> float | None:
        """Total CPU time, known once the player has ended; None where nothing is measured."""
        return None

    @property
    def peak_memory(self) -> int | None:
        """Bytes of its whole process tree; None where nothing is measured."""
        return None

    @property
    def pondered_ms(self) -> float | None:
        """CPU time used while no request was open; None where nothing is measured."""
        return None

    @property
    def prompt_ms(self) -> float | None:
        """CPU time of answers too quick to be measured singly; None where nothing is measured."""
        return None

    @property
    def ending(self) -> Ending | None:
        """How the program ended; None before that, and for a player without a program."""
        return None

    @property
    def left_behind(self) -> bool:
        """Whether some of its processes were not gone two seconds after they were killed."""
        return False

    async def watch(self) -> None:  # noqa: B027  # the default
        """Run alongside the match, until cancelled."""

    def sit(self, table: Table[Any], seat: int) -> None:  # noqa: B027  # the default
        """Take a seat before the match begins. A player in the arena's own process may look at the
        table."""

    def tell(self, text: str) -> None:  # noqa: B027  # the default
        """Send lines without a request, as far as the pipe takes them."""

    @abstractmethod
    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Send lines that end with a request. The answer is due in `bank` nanoseconds; the arena
        waits `patience` times as long."""

    @abstractmethod
    def poll(self) -> TimedReply | None:
        """The reply to the posted request, if already decided."""

    def wait_at(self) -> int | None:
        """The descriptor to wait on before the next `poll`, when several players are waited for
        together; None when only `reply` will do. Called only after `poll` returned None."""
        return None

    def next_look(self) -> float:
        """When to `poll` again if nothing can be read (`trio.current_time`). Called once after each
        `poll` that returned None."""
        raise NotImplementedError(
            f"{type(self).__name__}.wait_at() gave a pipe, and no next_look()"
        )

    def wake(self) -> None:
        """Make a wait for its reply look again."""
        if self.waiting is not None:
            self.waiting.cancel()

    async def reply(self) -> TimedReply:
        """Wait for the reply, at most until it is due. Called only after `poll` returned None."""
        raise NotImplementedError(f"{type(self).__name__}.poll() gave no reply, and has no reply()")

    def take_violations(self) -> list[Violation]:
        """Protocol breaches since the last call."""
        taken = self.violations.copy()
        self.violations.clear()  # others add to the same list
        return taken

    async def shut_down(self, why: Stopped, detail: str) -> None:
        """End the player now. Its seat no longer answers; the match goes on."""
        self.mark_stopped(why, detail)

    async def finish(self, text: str) -> None:  # noqa: B027  # the default
        """End the match for the player: send the last lines, let it leave, ensure it is gone."""

    def mark_stopped(self, why: Stopped, detail: str) -> None:
        """Record why the player no longer answers. Only the first reason counts."""
        if self.stopped is None:
            self.stopped, self.stopped_detail, self.waited_for = why, detail, None
