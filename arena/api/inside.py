"""Inside Trio, or not: what the functions of the face need to know of the loop around them."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from arena.errors import UsageError
from arena.sandbox.launch import launch_keeper
from arena.sandbox.levels import Level, SandboxMode

if TYPE_CHECKING:
    from arena.sandbox.children import Children


def refuse_inside_trio(name: str, instead: str) -> None:
    """Raise UsageError when the caller runs inside Trio, whose loop the call would stop."""
    trio = sys.modules.get("trio")
    if trio is not None and trio.lowlevel.in_trio_run():
        raise UsageError(f"arena.{name} would block the loop of Trio: use arena.{instead}")


@asynccontextmanager
async def children_running(mode: Level | SandboxMode) -> AsyncIterator[Children]:
    """A keeper for bots behind such walls, for the time of an ``async with``."""
    import trio

    from arena.sandbox.children import open_children

    keeper = launch_keeper(mode)
    try:
        async with open_children(keeper) as children:
            yield children
    finally:
        with trio.CancelScope(shield=True):
            await trio.to_thread.run_sync(keeper.close)
