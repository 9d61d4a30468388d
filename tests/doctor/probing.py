"""What a single probe stands on, for the tests of the probes, and what is expected of it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from arena.doctor import examine as examination
from arena.doctor.capability import Capability, Status
from arena.doctor.context import ProbeContext
from arena.sandbox.children import open_children
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import keeper_running


@asynccontextmanager
async def here(folder: Path) -> AsyncIterator[ProbeContext]:
    """The context of a single probe, with the best level of this machine."""
    with keeper_running(SandboxMode.AUTO) as keeper:
        async with open_children(keeper) as children:
            yield ProbeContext(children, folder, await examination.missing_levels(children))


@asynccontextmanager
async def with_groups(folder: Path) -> AsyncIterator[ProbeContext]:
    """The same, where there are control groups."""
    async with here(folder) as context:
        if context.best is not Level.CGROUP:
            pytest.skip("this machine has no control groups")
        yield context


class NoChildren:
    """What stands for the bots where none can be started."""

    groups: str | None = None

    async def no_groups_because(self) -> str | None:
        """As set."""
        return self.groups


def without(*levels: Level, why: str) -> Any:
    """A context on which nothing can be started, since those levels are not to be had."""
    return ProbeContext(NoChildren(), Path("/"), dict.fromkeys(levels, why))  # type: ignore[arg-type]


def only(found: list[Capability]) -> Capability:
    [one] = found
    return one


def assert_told(one: Capability, status: Status, *words: str) -> None:
    assert one.status is status, one
    assert one.consequence
    for word in words:
        assert word in f"{one.found} {one.repair}", one
