"""The doctor's results: capabilities, the next step, and the diagnosis."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from arena.sandbox.levels import Level


class Status(StrEnum):
    """Result of one examination."""

    PASS = "PASS"
    """Fully available."""
    DEGRADED = "DEGRADED"
    """Less than possible, or worth knowing."""
    FAIL = "FAIL"
    """Missing, or not as promised."""


class Capability(Struct, frozen=True):
    """The result for one examined capability. Unless it passed, `consequence` says what that means
    for bots, and `repair` what to do, if anything can be done: a command, where there is one."""

    name: str
    status: Status
    found: str
    consequence: str = ""
    repair: str = ""


class NextStep(Struct, frozen=True):
    """How to get the level above the one that this machine has."""

    level: Level
    lacks: str
    """What the machine lacks for that level."""
    step: str
    """What to do: a command, where there is one."""


class Diagnosis(Struct, frozen=True):
    """The whole diagnosis. `level` is the level of ``auto``; `granted` says whether the requested
    sandbox mode (`wished`) is available, with every wall that belongs to it."""

    level: Level
    wished: str
    granted: bool
    next_step: NextStep | None
    """None at the strongest level."""
    capabilities: list[Capability]
    missing: dict[str, str]
    """Why other levels are unavailable, strongest first."""


def passed(name: str, found: str) -> Capability:
    """A capability that is fully available."""
    return Capability(name, Status.PASS, found)


def degraded(name: str, found: str, consequence: str, repair: str = "") -> Capability:
    """A capability that is less than possible."""
    return Capability(name, Status.DEGRADED, found, consequence, repair)


def failed(name: str, found: str, consequence: str, repair: str = "") -> Capability:
    """A capability that is missing or not as promised."""
    return Capability(name, Status.FAIL, found, consequence, repair)
