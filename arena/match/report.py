"""The report of a match or rerun: plain values that load without Trio."""

from __future__ import annotations

from msgspec import Struct

from arena.core.clock import Clock
from arena.core.steps import Fate
from arena.players.player import Stopped
from arena.record.format import Origin
from arena.sandbox.enforcement import Enforcement
from arena.sandbox.levels import Level

PROTOCOL = (
    *("timeout", "late", "behind", "unfinished", "excess", "garbled", "refused"),
    *(why.value for why in Stopped),
)
"""Codes of protocol faults. All other faults are orders that the rules refused."""


class FaultReport(Struct, frozen=True):
    """The first example of a fault."""

    round: int
    request: int
    detail: str


class TimeReport(Struct, frozen=True):
    """Thinking time in milliseconds: the total of the match, and the slowest answer."""

    total: float
    max: float


class InstructionReport(Struct, frozen=True):
    """Counted instructions: the total of the match, and the maximum of one answer."""

    total: int
    max: int


class ExitReport(Struct, frozen=True, omit_defaults=True):
    """How a program ended: its exit `code`, or else the `signal` that ended it."""

    code: int | None = None
    signal: str | None = None
    by_arena: bool | None = None
    """With a signal: whether the arena sent it."""


class StderrReport(Struct, frozen=True):
    """What a program wrote to stderr from one request (0: its start) to the next."""

    request: int
    text: str


class PlayerReport(Struct, frozen=True):
    """The result of one seat."""

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
    """Time charged to its time bank."""
    wall_ms: TimeReport | None
    """Real time of the requests."""
    thought_ms: TimeReport | None
    """CPU time during requests."""
    delay_ms: TimeReport | None
    """Time during requests in which the program was ready but the machine did not run it. Counted
    for answers that took a millisecond or more."""
    held_up_ms: TimeReport | None
    """Time that answers waited unread because the arena was held up; charged to no player. None if
    there was no such time."""
    pondered_ms: float | None
    """CPU time between requests, from the first request to the last."""
    start_up_ms: float | None
    """Start-up time used, which is not charged; None if there was none."""
    instructions: InstructionReport | None
    """Counted instructions; None if time is what counts."""
    cpu_ms: float | None
    """Total CPU time."""
    peak_memory: int | None
    exit: ExitReport | None
    """How the program ended; None for a player without a program."""
    left_behind: bool
    """Whether some of its processes were not gone two seconds after they were killed."""
    last_request: str
    last_answer: str
    last_answered: int
    """The number of the last request that was answered."""
    stderr: list[StderrReport]
    """The end of its stderr, by turn."""
    untimed: bool = False
    """Whether the player had no clock: a person, or a bot under a debugger."""
    debugged: bool = False
    """Whether the bot ran under a debugger."""
    not_drawn: list[str] = []
    """Which drawings were left out of the replay, and why."""


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
    """The clock by which the time banks were charged."""
    players: list[PlayerReport]
    sandbox: Level
    """The level of the walls around the bots."""
    means: Enforcement
    """How the limits of the bots were enforced."""
    replay: str | None
    digest: str | None
    """The digest of the last round of the record."""
    seal: str | None = None
    """The SHA-256 over the whole record, as in its last line and in `arena verify`. Keep it apart
    from the record: a record that was changed later has a different seal."""
    position: Origin | None = None
    """The position from which the match was played; None if from its start."""


class Rerun(Struct, frozen=True):
    """A new answer beside the recorded one. Silence is shown as words in brackets."""

    request: int
    """The number of the request in the match, from 1."""
    round: int
    asked: str
    recorded: str
    answered: str
    same: bool
    recorded_ms: float
    """The charge of the recorded answer."""
    wall_ms: float
    """The real time of the new answer."""
    faults: dict[str, str] = {}
    """Protocol breaches that came with the new answer, by code."""


class RerunEnd(Struct, frozen=True):
    """How the bot ended in a rerun."""

    stopped: str | None
    """Why the bot ended before the last request; None if it did not."""
    stopped_detail: str
    exit: ExitReport | None
    stderr: str
    """What the bot wrote to stderr; only the beginning and the end if that was much."""
