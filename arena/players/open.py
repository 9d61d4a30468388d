"""Open a player from a bot: start its program in a private folder, and end it afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, asynccontextmanager, closing, contextmanager
from functools import partial
from pathlib import Path

import trio

from arena.bots.program import BotProgram
from arena.bots.runtimes import with_runtime
from arena.core.limits import Limits
from arena.errors import BotError
from arena.players.counted import CountedPlayer
from arena.players.kept import keep, private_folder, watch
from arena.players.program import ProgramPlayer
from arena.players.terms import PlayerTerms
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.installations import way
from arena.sandbox.keeper import tempdirs
from arena.sandbox.keeper.messages import SpawnRequest
from arena.sandbox.launch import KeeperProcess
from arena.sandbox.levels import Level
from arena.sandbox.loop_delay import LoopDelay
from arena.sandbox.placement import Program, bot_request, moved, places_inside
from arena.sandbox.prestart import PrestartSpec, opening
from arena.sandbox.usage.choice import meter_of


@asynccontextmanager
async def open_program(
    children: Children, bot: BotProgram, terms: PlayerTerms
) -> AsyncIterator[ProgramPlayer]:
    """Run the bot on these terms for the span of the ``async with``.

    With a budget its instructions are counted (the bot must be WebAssembly). Raises BotError when
    the bot cannot be started, MachineError when a wall cannot be put up.
    """
    async with opening(children, recipe(children.keeper, bot, terms)) as prepared:
        program, limits = _started(bot, terms)
        async with children.started(prepared.child, name=bot.name) as child:
            with closing(_player(bot.name, child, limits, terms, children.loop_delay)) as player:
                async with _watched(prepared.folder, player, terms):
                    yield player
        if terms.keep is not None:
            shown = {*program.parts, *map(Path, way(program.argv[0]))}
            keep(prepared.folder, terms.keep, terms.limits.disk, shown)


def recipe(keeper: KeeperProcess, bot: BotProgram, terms: PlayerTerms) -> PrestartSpec:
    """How to prestart the program of a bot, up to its gate."""
    program, limits = _started(bot, terms)
    return PrestartSpec(
        (bot, terms),
        partial(_folder, program, terms, keeper),
        partial(_request, program, limits, terms, keeper),
    )


def _started(bot: BotProgram, terms: PlayerTerms) -> tuple[BotProgram, Limits]:
    """The program to start for a bot, and the limits of its process."""
    budget = terms.budget
    return with_runtime(bot, terms.limits, budget.game if budget else None)


@contextmanager
def _folder(bot: BotProgram, terms: PlayerTerms, keeper: KeeperProcess) -> Iterator[Path]:
    walled, kept = terms.level in (Level.SANDBOX, Level.CGROUP), terms.keep is not None
    with _kept_folder(shared=walled) if kept else keeper.folders.lent() as folder:
        if bot.numbers_file:
            numbers = folder / bot.numbers_file
            numbers.write_text(bot.numbers_text, "utf-8")
            numbers.chmod(0o644)
        if bot.files and (kept or not walled):  # otherwise the sandbox has a home of its own
            places = places_inside(bot.argv, bot.parts) if walled else {}
            for entry in bot.files.iterdir():
                # the bot finds its files in its working folder, and writes beside them
                if entry.name != bot.numbers_file:  # that is for runs without the arena
                    (folder / entry.name).symlink_to(moved(str(entry), places))
        yield folder


def _kept_folder(*, shared: bool) -> AbstractContextManager[Path]:
    """A folder whose files are kept; never used again."""
    return private_folder(Path(tempfile.mkdtemp(prefix=tempdirs.prefix())), shared=shared)


@asynccontextmanager
async def _watched(folder: Path, player: ProgramPlayer, terms: PlayerTerms) -> AsyncIterator[None]:
    """Watch the size of what the program writes, if its files are to be kept."""
    if terms.keep is None:
        yield
        return
    async with trio.open_nursery() as nursery:
        nursery.start_soon(watch, folder, terms.limits, player)
        yield
        nursery.cancel_scope.cancel()


def _player(
    name: str, child: Child, limits: Limits, terms: PlayerTerms, loop_delay: LoopDelay
) -> ProgramPlayer:
    meter = meter_of(child, limits, terms.level)
    if terms.budget is None:
        return ProgramPlayer(
            name,
            child,
            limits,
            meter=meter,
            timing=terms.timing,
            grant=terms.grant,
            loop_delay=loop_delay,
        )
    return CountedPlayer(
        name, child, limits, terms.budget, meter=meter, timing=terms.timing, grant=terms.grant
    )


def _request(
    bot: BotProgram, limits: Limits, terms: PlayerTerms, keeper: KeeperProcess, folder: Path
) -> SpawnRequest:
    kept = terms.keep is not None
    program = Program(
        argv=bot.words,
        parts=bot.parts,
        folder=folder,
        cwd=bot.cwd,
        files=bot.files,
        written=bot.numbers_file,
        kept=kept,
    )
    try:
        request = bot_request(program, terms.level, limits, keeper)
    except OSError as error:
        raise BotError(f"cannot start {bot.name}: {error}") from error
    return request._replace(env={**request.env, **dict(terms.environment)})
