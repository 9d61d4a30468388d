"""What the input test of a bot found, and the report on a submission. Whoever reads them, as a
league does, imports nothing that plays (such as Trio, which takes 0.2 s)."""

from __future__ import annotations

from msgspec import Struct

from arena.sandbox.levels import Level
from arena.trial.diagnosis import Cause


class CheckStep(Struct, frozen=True):
    """One finding. A `warning` is not a failure."""

    name: str
    ok: bool
    detail: str = ""
    warning: bool = False


class Use(Struct, frozen=True):
    """The bot's highest use of resources in any of the matches."""

    slowest_ms: float
    """The highest charge for one answer."""
    bank_ms: int
    """Capacity of its time bank."""
    cpu_ms: float | None
    memory: int | None
    """Bytes."""
    memory_limit: int | None
    start_up_ms: float | None = None
    """The time it took of its start-up time, which is not charged to its bank; null if it has
    none."""
    start_up_limit_ms: int = 0
    """The start-up time allowed."""


class Check(Struct, frozen=True):
    """All findings, and the bot's own output."""

    name: str
    ok: bool
    cause: Cause | None
    """What is wrong, and what to do; None if all is well. A warning unless it `fails`: the bot may
    play."""
    steps: list[CheckStep]
    sandbox: Level
    """The walls around the bot."""
    last_request: str
    last_answer: str
    stderr: str
    argv: list[str] = []
    """The command that runs it; empty for a bot that is not a program."""
    use: Use | None = None


class Amount(Struct, frozen=True):
    """A limit, and how much of it was used."""

    name: str
    used: float
    allowed: float
    unit: str


class SubmissionReport(Struct, frozen=True):
    """The report on a submission for its author."""

    name: str
    game: str
    ok: bool
    """Whether the bot may play."""
    address: str
    """The address of its content (`arena.bots.address`); empty when it was not taken in."""
    sandbox: str
    """The walls around its build and its test; empty when it came to neither."""
    steps: list[CheckStep]
    cause: Cause | None
    """Why it failed the test, and what to do."""
    compiler: str | None
    """The output of its compiler; null if empty."""
    stderr: str | None
    """The stderr of the bot itself; null if empty."""
    last_request: str | None
    last_answer: str | None
    limits: list[Amount]
