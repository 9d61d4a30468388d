"""Programs that are brought to their gates before they are needed.

What a sandbox takes (namespaces, mounts, another user, a control group, a filter) is the same for
each program that is asked for in the same words. So it can be done while there is time: of the next
match of a series while this one is played, of a single match while the arena still imports. What is
left is to open the gate (`keeper.request`).

A prepared program shares nothing with the one before: its pipes, processes, namespaces, user id,
memory file systems, control group and private folder are new, and none of them is within reach of a
program that plays behind walls. One that is not used is ended; one that has failed is made anew
when it is needed, so a preparation never decides a match.
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
    """What it is: programs of equal keys may stand for each other."""
    folder: Callable[[], AbstractContextManager[Path]]
    """Makes its private folder."""
    request: Callable[[Path], SpawnRequest]
    """What is asked for, in that folder. Raises OSError for a wall that cannot be."""


def prepare(children: Children, recipes: Iterable[PrestartSpec]) -> None:
    """Bring programs to their gates. One that cannot be is left to `opening`, which tells."""
    for recipe in recipes:
        with suppress(OSError, ArenaError):
            children.keeper.ahead.append(_make(children, recipe))


async def end_unused(children: Children) -> None:
    """End what was prepared and is not needed."""
    while children.keeper.ahead:
        await children.keeper.ahead.pop().end()


@asynccontextmanager
async def opening(children: Children, recipe: PrestartSpec) -> AsyncIterator[Prepared]:
    """A program at its gate, prepared before or now, and its folder for the time of an ``async
    with``. Its end is the caller's to see to (`Children.started`)."""
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
    """One that was prepared under this key, if it is still there."""
    ahead = children.keeper.ahead
    if ahead:
        children.catch_up()  # it may have ended while no loop ran
    for one in [one for one in ahead if one.key == key]:
        ahead.remove(one)
        if not one.child.ended_early:
            return one
        await one.end()
    return None
