"""What a match is asked to be, and what is told of it afterwards: plain values without any
machinery, so that commands can make and print them before (and without) loading Trio."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from msgspec import Struct

from arena.bots import BotProgram
from arena.clock import Clock
from arena.limits import Limits
from arena.sandbox.levels import Level, Means, Wish
from arena.settings import Settings
from arena.steps import Fate


class MatchSpec(Struct, frozen=True):
    """Everything that says which match to play. It can be sent to another process."""

    game: str
    bots: tuple[BotProgram, ...]
    """By seat."""
    seed: str
    settings: Settings
    map: Any = None
    limits: Limits = Limits()
    """For each bot."""
    sandbox: Level | Wish = Level.OFF
    replay: Path | None = None
    sequential: bool = False
    clock: Clock = Clock.WALL
    pondering: bool = True
    """Whether bots may run while they are not asked."""


class FaultReport(Struct, frozen=True):
    """The first example of a fault."""

    round: int
    request: int
    detail: str


class TimeReport(Struct, frozen=True):
    """Thinking time in milliseconds: of the match, and of the slowest answer."""

    total: float
    max: float


class InstructionReport(Struct, frozen=True):
    """Instructions that were counted: of the match, and of the dearest answer."""

    total: int
    max: int


class StderrReport(Struct, frozen=True):
    """What a program wrote to stderr from one request (0: its start) to the next."""

    request: int
    text: str


class PlayerReport(Struct, frozen=True):
    """What became of one seat."""

    seat: int
    name: str
    command: str
    rank: int
    points: float
    fate: Fate
    stopped: str | None
    stopped_detail: str
    faults: dict[str, int]
    first_faults: dict[str, FaultReport]
    requests: int
    time_ms: TimeReport
    """What its time bank was charged."""
    wall_ms: TimeReport | None
    """The real time of the same."""
    thought_ms: TimeReport | None
    """CPU time while it was asked."""
    delay_ms: TimeReport | None
    """Time, while it was asked, in which it was ready and the machine did not run it. Counted for
    answers that took a millisecond or more."""
    pondered_ms: float | None
    """CPU time while it was not asked, from its first request to its last."""
    instructions: InstructionReport | None
    """None where time is what counts."""
    cpu_ms: float | None
    """CPU time in all."""
    peak_memory: int | None
    exit: dict[str, Any] | None
    left_behind: bool
    """Something of it could not be ended, and may still run."""
    last_request: str
    last_answer: str
    last_answered: int
    """The number of the request that had the last answer."""
    stderr: list[StderrReport]
    """The last of what it wrote, by turn."""


class MatchReport(Struct, frozen=True):
    """What `arena play --json` prints for a match."""

    game: str
    seed: str
    rules_version: int
    status: str
    reason: str
    sentence: str
    rounds: int
    requests: int
    wall_ms: float
    clock: Clock
    """By which clock the time banks were charged."""
    players: list[PlayerReport]
    sandbox: Level
    """The walls that stood around the bots."""
    means: Means
    """By what their limits were kept."""
    replay: str | None
    digest: str | None
