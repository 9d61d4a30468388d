"""What a match grants each of its players."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct, structs

from arena.core.budget import Budget
from arena.core.limits import Limits
from arena.players.request import Timing
from arena.sandbox.levels import Level


class Terms(Struct, frozen=True):
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

    def of_seat(self, seat: int) -> Terms:
        """Those of one seat."""
        keep = None if self.keep is None else self.keep / f"player{seat + 1}"
        return structs.replace(self, keep=keep)
