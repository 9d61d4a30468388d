"""What the doctor says: capabilities, and the diagnosis made of them."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from arena.sandbox.levels import Level


class Status(StrEnum):
    """How much of a capability there is."""

    PASS = "PASS"
    """All of it."""
    DEGRADED = "DEGRADED"
    """Less than could be, or something to know."""
    FAIL = "FAIL"
    """Nothing, or not what was promised."""


class Capability(Struct, frozen=True):
    """One thing that was tried. Unless it passed, `consequence` says what that means for bots, and
    `repair` what to do: a command, where there is one."""

    name: str
    status: Status
    found: str
    consequence: str = ""
    repair: str = ""


class Diagnosis(Struct, frozen=True):
    """All of it. `level` is in force with ``auto``; `granted` says whether the sandbox mode that
    was asked for (`wished`) holds, with every wall that belongs to it."""

    level: Level
    wished: str
    granted: bool
    capabilities: list[Capability]
    missing: dict[str, str]
    """Why higher levels are not to be had, strongest first."""

    def named(self, name: str) -> Capability:
        """A capability by its name. Raises StopIteration when it was not looked at."""
        return next(one for one in self.capabilities if one.name == name)


def passed(name: str, found: str) -> Capability:
    """All is well."""
    return Capability(name, Status.PASS, found)


def degraded(name: str, found: str, consequence: str, repair: str = "") -> Capability:
    """Less than could be."""
    return Capability(name, Status.DEGRADED, found, consequence, repair)


def failed(name: str, found: str, consequence: str, repair: str = "") -> Capability:
    """Not there, or not what was promised."""
    return Capability(name, Status.FAIL, found, consequence, repair)
