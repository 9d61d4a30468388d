"""Execution of build commands: as the caller, or behind the same walls as bots.

Both run under a keeper, as bots do, so a build ends like a match, on Ctrl-C or when the arena is
killed, and nothing that a command starts outlives it, daemons included. Each build has its own
keeper, which starts while Trio is imported (30 ms of a build).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from arena.bots.staging import Staged, StagingError, Steps, discard, seal
from arena.errors import BotError
from arena.sandbox.environment import Variables
from arena.sandbox.levels import Level, SandboxWish
from arena.sandbox.session import keeper_running, run_with

if TYPE_CHECKING:
    from arena.sandbox.children import Children


def execute(
    what: str, steps: Steps, staged: Staged, sandbox: SandboxWish, variables: Variables = ()
) -> str:
    """Run the commands in the folder `staged.files` and return their output. None of their
    processes survives this call. `what` is for errors: "compile bot.cpp". `variables` are added to
    their environment.

    Behind walls, what is left in `staged.entry` is sealed, or removed if this raises.

    Raises BotError when a command fails or exceeds a limit, UsageError when such walls are not
    available (then nothing was executed), and MachineError when walls that worked before could not
    be set up. Inside Trio, call it in a thread (`trio.to_thread.run_sync`).
    """
    if sandbox is Level.OFF:
        return _run(what, steps, staged, sandbox, variables)
    try:
        said = _run(what, steps, staged, sandbox, variables)
        seal(staged.entry)
        return said
    except StagingError as error:
        discard(staged.entry)
        raise BotError(f"cannot {what}: it leaves {error}") from None
    except BaseException:
        discard(staged.entry)
        raise


def _run(
    what: str, steps: Steps, staged: Staged, sandbox: SandboxWish, variables: Variables
) -> str:
    async def main(children: Children) -> str:
        from arena.bots.steps import run_steps  # with Trio, while the keeper starts

        return await run_steps(children, sandbox, what, steps, staged, variables)

    with keeper_running(sandbox) as keeper:
        return run_with(keeper, main)
