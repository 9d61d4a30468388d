"""A bot as a match starts it, and its first answer."""

from __future__ import annotations

from arena.bots.program import BotProgram
from arena.core.replies import Reply
from arena.players.open import open_program
from arena.players.terms import PlayerTerms
from arena.sandbox.children import Children
from arena.sandbox.levels import Level, SandboxMode
from arena.sandbox.probe import prove_level
from arena.sandbox.session import run_with
from tests.support.keepers import shared_keeper


def first_answer(bot: BotProgram, mode: Level | SandboxMode) -> tuple[Reply, str]:
    """What it answers to its first request, and what it says on stderr."""

    async def main(children: Children) -> tuple[Reply, str]:
        level = await prove_level(children, mode)
        async with open_program(children, bot, PlayerTerms(level=level)) as player:
            player.post("go\n", 60_000_000_000)
            timed = await player.reply()
            player.process.read_stderr()
            return timed.reply, player.stderr.text()

    with shared_keeper(mode) as keeper:
        return run_with(keeper, main)
