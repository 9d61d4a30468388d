"""The self-tests of languages: small programs in ``selftests/``, built and run at a level.

Each prints a line unasked, answers one, and exits at the end of its input. It fails if its output
stays in a buffer, if its interpreter prompts or greets, or if it misses the end of its input.
"""

from __future__ import annotations

import os
from pathlib import Path

import trio

from arena.bots.find import find_bot
from arena.bots.language import Language
from arena.bots.runtimes import with_runtime
from arena.core.limits import Limits
from arena.sandbox.child import Child
from arena.sandbox.children import Children
from arena.sandbox.levels import Level
from arena.sandbox.placement import Program, bot_request
from arena.sandbox.session import keeper_running, run_with

FOLDER = Path(__file__).with_name("selftests")


def source_of(language: Language) -> Path:
    """The program of a language, which may not be there."""
    return FOLDER / f"bot{language.endings[0]}"


def run_selftest(language: Language, level: Level, folder: Path) -> list[str]:
    """What the program says: unasked, and as an answer."""
    source = folder / source_of(language).name
    source.write_bytes(source_of(language).read_bytes())
    bot = find_bot(str(source), cache=folder / "cache", sandbox=level)

    async def main(children: Children) -> list[str]:
        program, limits = with_runtime(bot, Limits())
        (place := folder / "private").mkdir()
        placed = Program([*program.argv], [*program.parts], place)
        request = bot_request(placed, level, limits, children.keeper)
        async with children.running(request, name="the self-test") as child:
            with trio.fail_after(60):
                ready = await line_of(child)
                os.write(child.stdin, b"one\n")
                answer = await line_of(child)
                child.close_pipe("stdin")
                await child.exited.wait()
            assert child.exit is not None
            assert child.exit.code == 0, child.last_words()
            return [ready, answer]

    with keeper_running(level) as keeper:
        return run_with(keeper, main)


async def line_of(child: Child) -> str:
    """The next line of output, or what there is of it at the end."""
    line = b""
    while not line.endswith(b"\n"):
        await trio.lowlevel.wait_readable(child.stdout)
        if not (data := os.read(child.stdout, 1)):
            return f"{line.decode()}, and the end: {child.last_words()}"
        line += data
    return line.decode().rstrip()
