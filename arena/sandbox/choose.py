"""Which isolation level this machine has: found out by starting a program behind its walls."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path

from arena.errors import ArenaError, UsageError
from arena.limits import Limits
from arena.sandbox import bubblewrap, folders
from arena.sandbox.children import Children
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level, Wish
from arena.sandbox.walls import Placed, order

CANDIDATES: dict[Wish, Sequence[Level]] = {
    Wish.STRICT: (Level.CGROUP, Level.SANDBOX),
    Wish.AUTO: (Level.CGROUP, Level.SANDBOX, Level.GUARD, Level.OFF),
}


async def choose(children: Children, wish: Level | Wish) -> Level:
    """The level for a wish; for a level, that level, proven. What is found the keeper keeps.

    Raises UsageError when the wish cannot be granted, saying what is missing.
    """
    levels = children.keeper.levels
    if wish not in levels:
        levels[wish] = await _first_proven(children, wish)
    return levels[wish]


async def _first_proven(children: Children, wish: Level | Wish) -> Level:
    candidates = CANDIDATES[wish] if isinstance(wish, Wish) else (wish,)
    missing: dict[str, Level] = {}
    for level in candidates:
        problem = await trouble(children, level)
        if problem is None:
            return level
        missing[problem] = level  # the same trouble twice is told once, for the weaker level
    raise UsageError(_refusal(wish, missing))


def _refusal(wish: Level | Wish, missing: dict[str, Level]) -> str:
    lacks = "; ".join(
        f"the level {level} lacks: {problem.rstrip('.')}" for problem, level in missing.items()
    )
    return (
        f"this machine cannot give bots the walls that {wish} asks for: {lacks}. "
        "Run `arena doctor` for the repair, or play your own bots with --sandbox auto"
    )


async def trouble(children: Children, level: Level) -> str | None:
    """Why the level is not to be had here; None when a program was started behind its walls."""
    if level is Level.OFF:
        return None
    if level is Level.CGROUP:
        problem = await children.no_groups_because()
        if problem is not None:
            return problem
    with tempfile.TemporaryDirectory(prefix=folders.prefix()) as folder:
        try:
            if level is not Level.GUARD:
                _prepare(children.keeper)
            return await _start_and_see(children, level, Path(folder))
        except (OSError, ArenaError) as error:
            return str(error)


def _prepare(keeper: KeeperProcess) -> None:
    """Make once what all sandboxes share."""
    if keeper.etc is None:
        keeper.etc = Path(tempfile.mkdtemp(prefix=folders.prefix()))
        bubblewrap.copy_etc(keeper.etc)


async def _start_and_see(children: Children, level: Level, folder: Path) -> str | None:
    program = shutil.which("true", path="/usr/bin:/bin") or "/bin/true"
    how = order(Placed([program], (), folder), level, Limits(), children.keeper.etc)
    async with children.running(**how, name="the test program") as child:
        await child.exited.wait()
        said = child.last_words()
    if child.exit is not None and child.exit.code == 0 and child.exit.entered:
        return None
    return said or "a program behind the walls did not run"
