"""Determine the isolation level of this machine by starting a test program behind its walls."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from arena.core.limits import Limits
from arena.errors import ArenaError, UsageError
from arena.sandbox.children import Children
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.messages import SpawnRequest
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level, SandboxMode, SandboxWish
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.prestart import PrestartSpec, opening, prepare

CANDIDATES: dict[SandboxWish, Sequence[Level]] = {
    SandboxMode.STRICT: (Level.CGROUP, Level.SANDBOX),
    SandboxMode.AUTO: (Level.CGROUP, Level.SANDBOX, Level.GUARD, Level.OFF),
}


def candidates(wish: SandboxWish) -> Sequence[Level]:
    """The levels that satisfy a wish, the strongest first. A level stands for itself."""
    return (wish,) if isinstance(wish, Level) else CANDIDATES[wish]


async def prove_level(children: Children, mode: SandboxWish) -> Level:
    """The proven level for a mode on this machine; a level stands for itself. Cached in the keeper.

    Raises UsageError, with what is missing, when no level can be proven.
    """
    levels = children.keeper.levels
    if mode not in levels:
        levels[mode] = await _first_proven(children, mode)
    return levels[mode]


async def _first_proven(children: Children, mode: SandboxWish) -> Level:
    missing: dict[str, Level] = {}
    for level in candidates(mode):
        problem = await why_unavailable(children, level)
        if problem is None:
            return level
        missing[problem] = level  # report a repeated problem once, for the weaker level
    raise UsageError(_refusal(mode, missing))


def _refusal(mode: SandboxWish, missing: dict[str, Level]) -> str:
    lacks = "; ".join(
        f"the level {level} lacks: {problem.rstrip('.')}" for problem, level in missing.items()
    )
    return (
        f"this machine lacks the walls of --sandbox {mode}: {lacks}. "
        "Run `arena doctor` for the repair, or play bots that you trust with --sandbox auto (for a "
        "league: arena league new FILE --sandbox auto)"
    )


async def why_unavailable(children: Children, level: Level) -> str | None:
    """Why the level is unavailable here; None when a program was started behind its walls."""
    if level is Level.OFF:
        return None
    if level is Level.CGROUP:
        problem = await children.no_groups_because()
        if problem is not None:
            return problem
    try:
        return await _start_and_see(children, level)
    except (OSError, ArenaError) as error:
        return str(error)


def prepare_proof(children: Children, mode: SandboxWish, level: Level) -> None:
    """Prepare the test program of a level, unless the mode is already proven."""
    if level is not Level.OFF and mode not in children.keeper.levels:
        prepare(children, [_proof(children.keeper, level)])


async def likely_level(children: Children, mode: SandboxWish) -> Level | None:
    """The level that a mode will probably have, without proof; None if that cannot be told."""
    if mode in children.keeper.levels:
        return children.keeper.levels[mode]
    if isinstance(mode, Level):
        return mode
    if shutil.which("bwrap") is None:
        return None
    return Level.CGROUP if await children.no_groups_because() is None else Level.SANDBOX


def _proof(keeper: KeeperProcess, level: Level) -> PrestartSpec:
    program = shutil.which("true", path="/usr/bin:/bin") or "/bin/true"

    def request(folder: Path) -> SpawnRequest:
        return bot_request(Program([program], (), folder), level, Limits(), keeper)

    return PrestartSpec(("proof", level), _folder, request)


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix=tempdirs.prefix()) as folder:
        yield Path(folder)


async def _start_and_see(children: Children, level: Level) -> str | None:
    async with (
        opening(children, _proof(children.keeper, level)) as prepared,
        children.started(prepared.child, name="the test program") as child,
    ):
        await child.exited.wait()
        said = child.last_words()
    if child.exit is not None and child.exit.code == 0 and child.exit.entered:
        return None
    return said or "a program behind the walls did not run"
