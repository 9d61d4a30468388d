"""Executing the commands of a build: as the caller, or behind the walls that bots have.

Both ways go through a keeper, as bots do, so a build ends like a match: with a Ctrl-C, and with an
arena that is killed; and nothing that a command starts outlives it, daemons included. Each build
has a keeper of its own, which starts while Trio is imported (30 ms of a build).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.bots.staging import Staged, StagingError, Steps, discard, seal
from arena.errors import BotError
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.session import keeper_running, run_with

if TYPE_CHECKING:
    from arena.sandbox.children import Children


def execute(what: str, steps: Steps, staged: Staged, sandbox: Level | SandboxMode) -> str:
    """Run the commands in the folder `staged.files`. Nothing of them runs when this returns or
    raises. `what` is for errors: "compile bot.cpp". Returns what they said.

    Behind walls, what is left in `staged.entry` is sealed; and removed if this raises.

    Raises BotError when a command fails or exceeds a limit, UsageError when such walls are not to
    be had (then nothing was executed), and MachineError when walls that stood before could not be
    put up. Not to be called from inside Trio, but in a thread (`trio.to_thread.run_sync`).
    """
    if sandbox is Level.OFF:
        return _run(what, steps, staged, sandbox)
    try:
        said = _run(what, steps, staged, sandbox)
        seal(staged.entry)
        return said
    except StagingError as error:
        discard(staged.entry)
        raise BotError(f"cannot {what}: it leaves {error}") from None
    except BaseException:
        discard(staged.entry)
        raise


def _run(what: str, steps: Steps, staged: Staged, sandbox: Level | SandboxMode) -> str:
    async def main(children: Children) -> str:
        from arena.bots.steps import run_steps  # with Trio, while the keeper starts

        return await run_steps(children, sandbox, what, steps, staged)

    with keeper_running(sandbox) as keeper:
        return run_with(keeper, main)
