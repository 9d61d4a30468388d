"""The specification of a match: a plain value, made without loading Trio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct

from arena.core.game import AnyGame, Setup
from arena.core.listener import Listener
from arena.core.registry import find_game
from arena.core.settings import Settings
from arena.players.debugged import DebuggedEntrant
from arena.players.entrant import Entrant
from arena.players.terms import Terms

if TYPE_CHECKING:
    from arena.record.position import Position


class MatchSpec(Struct, frozen=True):
    """Everything that defines a match. Can be sent to another process if its entrants can."""

    game: str
    """The name of the game."""
    entrants: tuple[Entrant, ...]
    """Entrants by seat."""
    seed: str
    settings: Settings
    terms: Terms = Terms()
    map: Any = None
    replay: Path | None = None
    """The file for the record."""
    keep_files: Path | None = None
    """A folder for the files that programs write, by seat."""
    position: Position | None = None
    """Where the match begins, if not at its start. Its seed, map and settings (but for the time
    settings) must be those of the match."""
    given_game: AnyGame | None = None
    """The game itself, if it is not the installed game of that name."""
    pass_env: tuple[str, ...] = ()
    """Variables of the arena's own environment that programs get. (Only their names: values may be
    secret.)"""
    listen: Callable[[], Sequence[Listener]] | None = None
    """Makes the listeners of the match, in the process that plays it."""

    def find_game(self) -> AnyGame:
        """The game to play. Raises UsageError when there is no usable game of that name."""
        return self.given_game or find_game(self.game)

    @property
    def has_programs(self) -> bool:
        """Whether an entrant is a program, so that the match needs a keeper."""
        return any(one.is_program for one in self.entrants)

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
        """The set-up of the match's table."""
        return Setup(
            seed=self.seed,
            seats=len(self.entrants),
            settings=self.settings,
            map=self.map,
            forfeit=self.terms.forfeit,
        )


def numbered(path: Path | None, number: int) -> Path | None:
    """The path of the numbered record of a match: ``r.jsonl.gz`` and 1 give ``r-1.jsonl.gz``."""
    if path is None:
        return None
    stem, dot, endings = path.name.partition(".")
    return path.with_name(f"{stem}-{number}{dot}{endings}")


def existing_record(path: Path, *, games: int | None = None) -> Path | None:
    """The record of a match that is there already; of the numbered ones of a series with so many
    `games`, the first. Lists the folder only once, since a series may have millions of games."""
    if games is None:
        return path if path.is_file() else None
    try:
        names = {entry.name for entry in path.parent.iterdir()}
    except OSError:
        return None
    records = (numbered(path, game + 1) for game in range(min(games, len(names) + 1)))
    return next((one for one in records if one is not None and one.name in names), None)
