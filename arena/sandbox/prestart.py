"""Bring programs to their gates before they are needed.

The setup of a sandbox (namespaces, mounts, another user, a control group, a filter) is the same for
equal requests. So it is done ahead of time: for the next match of a series during the current one,
for a single match while the arena still imports. Starting then only opens the gate
(`keeper.messages`). Without walls only the private folder is made ahead of time.

A prepared program shares nothing with the one before: its pipes, processes, namespaces, user id,
memory file systems and control group are new, its private folder is as new (`folders`), and no
program that plays behind walls can reach them. Unused programs are ended; one that failed is
started again when it is needed, so a preparation never decides a match.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from arena.errors import ArenaError
from arena.sandbox.child import Prepared

if TYPE_CHECKING:
    from arena.sandbox.children import Children
    from arena.sandbox.keeper.messages import SpawnRequest


class PrestartSpec(Struct, frozen=True):
    """How a program is brought to its gate."""

    key: object
    """Identity of the program: those with equal keys are interchangeable."""
    folder: Callable[[], AbstractContextManager[Path]]
    """Makes the program's private folder."""
    request: Callable[[Path], SpawnRequest]
    """Builds the request for that folder. Raises OSError for an impossible wall."""


def prepare(children: Children, recipes: Iterable[PrestartSpec]) -> None:
    """Bring programs to their gates. Failures are left to `opening`, which reports them."""
    for recipe in recipes:
        with suppress(OSError, ArenaError):
            children.keeper.ahead.append(_make(children, recipe))


async def end_unused(children: Children) -> None:
    """End all prepared programs that were not used."""
    while children.keeper.ahead:
        await children.keeper.ahead.pop().end()


@asynccontextmanager
async def opening(children: Children, recipe: PrestartSpec) -> AsyncIterator[Prepared]:
    """Yield a program at its gate, prepared earlier or now; its folder lasts for the ``async with``
    block. The caller must end the program (`Children.started`)."""
    prepared = await _take(children, recipe.key) or _make(children, recipe)
    try:
        yield prepared
    finally:
        prepared.close()


def _make(children: Children, recipe: PrestartSpec) -> Prepared:
    with ExitStack() as stack:
        folder = stack.enter_context(recipe.folder())
        child = children.prepare(recipe.request(folder))
        return Prepared(recipe.key, child, folder, stack.pop_all())


async def _take(children: Children, key: object) -> Prepared | None:
    """A program prepared under this key, if one is still alive."""
    ahead = children.keeper.ahead
    if ahead:
        children.catch_up()  # it may have ended while no loop ran
    for one in [one for one in ahead if one.key == key]:
        ahead.remove(one)
        if not one.child.ended_early:
            return one
        await one.end()
    return None
