"""How a match is played: one value from the command line to the player.

`Terms` are what all seats of a match share, whatever the game. A caller states them by keywords
(`arena.api.conditions`), a league keeps them in its file, and a record's header has the part on
which its times depend. `PlayerTerms` are what becomes of them for one seat, once the walls stand.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from msgspec import Meta, Struct, structs

from arena.core.budget import Budget
from arena.core.clock import NS_PER_MS, Clock
from arena.core.limits import Limits
from arena.sandbox.environment import Variables
from arena.sandbox.levels import Level, SandboxWish

MOST_START_UP = 600_000
"""Maximum start-up time in milliseconds."""


class Timing(Struct, frozen=True, forbid_unknown_fields=True):
    """How programs are timed."""

    clock: Clock = Clock.WALL
    """The clock by which time banks are charged."""
    pondering: bool = True
    """Whether programs may run between requests."""
    start_up: Annotated[int, Meta(ge=0, le=MOST_START_UP, extra={"unit": "ms"})] = 0
    """Milliseconds from the start of a program to its first answer that are not charged to its time
    bank."""


class Terms(Struct, frozen=True, forbid_unknown_fields=True):
    """How a match is played, the same for every seat."""

    limits: Limits = Limits()
    """The limits of each program."""
    timing: Timing = Timing()
    sandbox: SandboxWish = Level.OFF
    """The walls that are asked for."""
    sequential: bool = False
    """Ask seats one after the other where requests could be open at once."""
    forfeit: bool = False
    """Whether a seat whose program was stopped ranks below all others."""


class Grant(Struct, frozen=True):
    """The time that a program's bank grants it, for the limit of CPU time. In milliseconds."""

    timebank: int
    time_per_move: int = 0
    start_up: int = 0

    def by(self, turn: int) -> int:
        """Nanoseconds granted by the end of a turn (1 is the first request)."""
        return (self.timebank + self.start_up + (turn - 1) * self.time_per_move) * NS_PER_MS


class PlayerTerms(Struct, frozen=True):
    """The terms of one seat. All but `keep` are the same for every seat. A player ignores terms
    that do not apply to it."""

    limits: Limits = Limits()
    timing: Timing = Timing()
    level: Level = Level.OFF
    """The walls, proved to stand on this machine."""
    grant: Grant | None = None
    """What the limit of CPU time allows; None for no such limit."""
    budget: Budget | None = None
    """The budget of instructions; None if time is what counts."""
    keep: Path | None = None
    """A folder for the files that the program leaves; None to discard them."""
    environment: Variables = ()
    """Variables of the program's environment besides those that all programs have."""

    def of_seat(self, seat: int) -> PlayerTerms:
        """The terms of one seat."""
        keep = None if self.keep is None else self.keep / f"player{seat + 1}"
        return structs.replace(self, keep=keep)
