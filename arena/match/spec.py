"""What a match is asked to be: a plain value, made without loading Trio."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.core.clock import Clock
from arena.core.game import AnyGame, Setup
from arena.core.limits import Limits
from arena.core.registry import find_game
from arena.core.settings import Settings
from arena.players.debugged import DebuggedEntrant
from arena.players.entrant import Entrant
from arena.sandbox.levels import Level, SandboxMode


class MatchSpec(Struct, frozen=True):
    """Everything that says which match to play. It can be sent to another process, if its entrants
    can."""

    game: str
    """Its name."""
    entrants: tuple[Entrant, ...]
    """By seat."""
    seed: str
    settings: Settings
    map: Any = None
    limits: Limits = Limits()
    """For each program."""
    sandbox: Level | SandboxMode = Level.OFF
    replay: Path | None = None
    """Where the record goes."""
    sequential: bool = False
    """Ask one after the other what could be asked at once."""
    clock: Clock = Clock.WALL
    pondering: bool = True
    """Whether programs may run while they are not asked."""
    start_up: int = 0
    """Milliseconds from the start of a program to its first answer that its time bank is not
    charged."""
    forfeit: bool = False
    """Whether a seat whose program was stopped ranks below all others."""
    keep_files: Path | None = None
    """A folder for what programs write beside themselves, by seat."""
    given_game: AnyGame | None = None
    """The game itself, where it is not the installed one of that name."""

    def find_game(self) -> AnyGame:
        """The game to play. Raises UsageError when none of that name can be used."""
        return self.given_game or find_game(self.game)

    @property
    def untimed(self) -> tuple[int, ...]:
        """The seats without a clock."""
        return tuple(seat for seat, one in enumerate(self.entrants) if one.untimed)

    @property
    def debugged(self) -> int | None:
        """The seat whose bot runs under a debugger."""
        for seat, one in enumerate(self.entrants):
            if isinstance(one, DebuggedEntrant):
                return seat
        return None

    @property
    def setup(self) -> Setup[Settings]:
        """What the table of the match depends on."""
        return Setup(self.seed, len(self.entrants), self.settings, self.map, self.forfeit)


def numbered(path: Path | None, number: int) -> Path | None:
    """The record of a game: of ``r.jsonl.gz`` the first is ``r-1.jsonl.gz``."""
    if path is None:
        return None
    stem, dot, endings = path.name.partition(".")
    return path.with_name(f"{stem}-{number}{dot}{endings}")
