"""What the tests of the doctor share."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from arena.doctor.capability import Capability, Status
from arena.doctor.examine import missing_levels
from arena.sandbox.children import Children, open_children
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import keeper_running


@asynccontextmanager
async def at_level(level: Level) -> AsyncIterator[Children]:
    """A keeper for programs behind the walls of a level, or skip the test."""
    with keeper_running(SandboxMode.AUTO) as keeper:
        async with open_children(keeper) as children:
            if (problem := (await missing_levels(children)).get(level)) is not None:
                pytest.skip(f"this machine lacks the level {level}: {problem}")
            yield children


def by_name(rows: list[Capability]) -> dict[str, Capability]:
    """Capabilities by their names, which must differ."""
    names = {row.name: row for row in rows}
    assert len(names) == len(rows)
    return names


def assert_told(row: Capability, status: Status, *words: str) -> None:
    assert row.status is status, row
    assert row.consequence
    for word in words:
        assert word in f"{row.found} {row.repair}", row
