"""What is told of a match afterwards: plain values, read without loading Trio."""

from __future__ import annotations

from msgspec import Struct

from arena.core.clock import Clock
from arena.core.steps import Fate
from arena.players.player import Stopped
from arena.sandbox.enforcement import Enforcement
from arena.sandbox.levels import Level

PROTOCOL = (
    *("timeout", "late", "behind", "unfinished", "excess", "garbled", "refused"),
    *(why.value for why in Stopped),
)
"""Faults against the protocol. All others are orders that the rules did not like."""


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
    """Instructions that were counted: of the match, and the most of one answer."""

    total: int
    max: int


class ExitReport(Struct, frozen=True, omit_defaults=True):
    """How a program ended: the `code` that it left with, or else the `signal` that ended it."""

    code: int | None = None
    signal: str | None = None
    by_arena: bool | None = None
    """With a signal: whether the arena sent it."""


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
    held_up_ms: TimeReport | None
    """Time for which its answers lay there because the arena was held up: it is charged to no
    player. None where none did."""
    pondered_ms: float | None
    """CPU time while it was not asked, from its first request to its last."""
    start_up_ms: float | None
    """What it took of the time for its start, which is not charged; None where it had none."""
    instructions: InstructionReport | None
    """None where time is what counts."""
    cpu_ms: float | None
    """CPU time in all."""
    peak_memory: int | None
    exit: ExitReport | None
    """None for a player that is no program."""
    left_behind: bool
    """Something of it could not be ended, and may still run."""
    last_request: str
    last_answer: str
    last_answered: int
    """The number of the request that had the last answer."""
    stderr: list[StderrReport]
    """The last of what it wrote, by turn."""
    untimed: bool = False
    """It had no clock: it is a person, or ran under a debugger."""
    debugged: bool = False
    """It ran under a debugger."""
    not_drawn: list[str] = []
    """What was left out of what it drew into the replay, and why."""


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
    means: Enforcement
    """By what their limits were kept."""
    replay: str | None
    digest: str | None
    """Of the last round of the record."""
    seal: str | None = None
    """The SHA-256 over the whole record, as its last line and `arena verify` tell it. Keep it apart
    from the record: then a record that was changed later is known by its other seal."""


class Rerun(Struct, frozen=True):
    """One answer beside the recorded one. Silence is told in words, in brackets."""

    request: int
    """Its number in the match, from 1."""
    round: int
    asked: str
    recorded: str
    answered: str
    same: bool
    recorded_ms: float
    """What the recorded answer was charged."""
    wall_ms: float
    """The real time of the new one."""
    faults: dict[str, str] = {}
    """Breaches of the protocol that came with it, by code."""


class RerunEnd(Struct, frozen=True):
    """How the bot ended."""

    stopped: str | None
    """Why it ended before all was asked; None when it did not."""
    stopped_detail: str
    exit: ExitReport | None
    stderr: str
    """What it wrote, its beginning and its end if that was much."""
