"""A player: one seat's mind for one match, whether a program, a human or a Python object.

The referee sees only `Player`. A request has two halves, so that the answer of an instant player
costs no trip through the scheduler, and so that requests to several players are all on their
way before any answer is waited for::

    player.post(text, bank)                      # the request is out, as far as it goes
    timed = player.poll() or await player.reply()
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from arena.core.budget import Budget
from arena.core.limits import Limits
from arena.core.replies import TimedReply, Violation
from arena.core.table import Table
from arena.players.request import Timing
from arena.players.stderr import StderrLog
from arena.sandbox.levels import Level

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
    """The arena ended it: it did not leave by itself."""


class Player(ABC):
    """One seat's mind, for one match. A player must have `post` and `poll`; all else has a default
    that suits an object without a process."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.stopped: Stopped | None = None
        """Set once it can answer no more."""
        self.stopped_detail = ""
        """In words; of a limit: used X of Y."""
        self.start_up_ms: float | None = None
        """What it took of the time that it had for its start; None where it had none."""
        self.violations: list[Violation] = []
        """The breaches of the protocol that nobody was told of yet."""
        self.stderr = StderrLog()
        """What it wrote for its author."""
        self.pid: int | None = None
        """The id of its process (of what stands around it, in a sandbox); None without one."""
        self.waited_for: int | None = None
        """A descriptor that can be read when the answer is there, where that may be at once: within
        a millisecond of the request."""
        self.waiting: trio.CancelScope | None = None
        """The wait for its reply, while there is one: cancelled where `poll` is to be called before
        something can be read."""

    @property
    def cpu_ms(self) -> float | None:
        """CPU time in all, known once it has ended; None where nothing is measured."""
        return None

    @property
    def peak_memory(self) -> int | None:
        """Bytes of its whole tree; None where nothing is measured."""
        return None

    @property
    def pondered_ms(self) -> float | None:
        """CPU time that it used while it was not asked; None where nothing is measured."""
        return None

    @property
    def prompt_ms(self) -> float | None:
        """CPU time of answers that came too soon to measure each by itself; None where nothing is
        measured."""
        return None

    @property
    def ending(self) -> Ending | None:
        """How it ended; None before that, and of what is no program."""
        return None

    @property
    def left_behind(self) -> bool:
        """Whether something of it could not be ended, and may still run."""
        return False

    async def watch(self) -> None:  # noqa: B027  # the default
        """What must run beside the match, until cancelled."""

    def sit(self, table: Table[Any], seat: int) -> None:  # noqa: B027  # the default
        """The match is about to begin: what a mind in the arena's own process may look at."""

    def tell(self, text: str) -> None:  # noqa: B027  # the default
        """Send lines without a request, as far as they go."""

    @abstractmethod
    def post(self, text: str, bank: int, patience: int = 1) -> None:
        """Send lines that end with a request; the answer is due in `bank` nanoseconds, and waited
        for `patience` times as long."""

    @abstractmethod
    def poll(self) -> TimedReply | None:
        """The reply to what was posted, if it is already decided."""

    def wait_at(self) -> int | None:
        """Where several are waited for together: the descriptor that can be read when it is worth
        to `poll` again; None when only `reply` knows. Called only where `poll` gave none."""
        return None

    def next_look(self) -> float:
        """When to `poll` again if nothing can be read (`trio.current_time`). Called once after each
        `poll` that gave none."""
        raise NotImplementedError(
            f"{type(self).__name__}.wait_at() gave a pipe, and no next_look()"
        )

    async def reply(self) -> TimedReply:
        """Wait for the reply, at most until it is due. Called only where `poll` gave none."""
        raise NotImplementedError(f"{type(self).__name__}.poll() gave no reply, and has no reply()")

    def take_violations(self) -> list[Violation]:
        """The breaches of the protocol since the last call."""
        taken = self.violations.copy()
        self.violations.clear()  # others add to the same list
        return taken

    async def shut_down(self, why: Stopped, detail: str) -> None:
        """End it now. The seat answers no more; the match goes on."""
        self.mark_stopped(why, detail)

    async def finish(self, text: str) -> None:  # noqa: B027  # the default
        """The match is over: tell it the last lines, let it leave, and see that it is gone."""

    def mark_stopped(self, why: Stopped, detail: str) -> None:
        """It answers no more. Only the first reason counts."""
        if self.stopped is None:
            self.stopped, self.stopped_detail, self.waited_for = why, detail, None


# What a match grants each of its players.


class PlayerTerms(Struct, frozen=True):
    """The same for every seat of a match, but for `keep`. A player to which one does not apply
    ignores it."""

    limits: Limits = Limits()
    level: Level = Level.OFF
    """The walls, proved to stand on this machine."""
    timing: Timing = Timing()
    budget: Budget | None = None
    """Of instructions; None where time is what counts."""
    keep: Path | None = None
    """A folder for the files that the program leaves; None: they go with it."""

    def of_seat(self, seat: int) -> PlayerTerms:
        """Those of one seat."""
        keep = None if self.keep is None else self.keep / f"player{seat + 1}"
        return structs.replace(self, keep=keep)
