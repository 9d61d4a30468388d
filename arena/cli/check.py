"""``arena check GAME BOT``"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from arena.bots import BotProgram, find_bot
from arena.builds import behind
from arena.cli import BAD, DONE, metering, print_json, walls
from arena.cli.text import safe, styled
from arena.game import Game, find_game
from arena.limits import Limits
from arena.run import keeper_running, run_with
from arena.sandbox.levels import WISHES, Level, Wish
from arena.settings import Settings, parse_changes
from arena.sizes import parse_size

if TYPE_CHECKING:
    from arena.check import Check
    from arena.sandbox.children import Children


@click.command(name="check")
@click.argument("game")
@click.argument("bot")
@click.option("--set", "changes", multiple=True, metavar="KEY=VALUE", help="A setting of the game.")
@metering.option
@walls.option
@click.option("--memory", metavar="SIZE", help="Limit for the bot, as in 512M.  [default: 1G]")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def command(
    game: str, bot: str, changes: tuple[str, ...], memory: str | None, **options: Any
) -> int:
    """Test one bot: whole matches of GAME from each seat against a partner with random moves.
    Exit status 1 when it does not keep the protocol."""
    found = find_game(game)
    settings = metering.settings_for(found, parse_changes(changes), options["meter"])
    limits = Limits(memory=parse_size(memory)) if memory else Limits()
    wish = WISHES[options["sandbox"]]
    program = find_bot(bot, run=behind(wish))
    metering.require_countable(options["meter"], [program])
    result = _run(found, program, settings, limits, wish)
    if options["as_json"]:
        print_json(result)
    else:
        click.echo(_text(program, result))
    return DONE if result.ok else BAD


def _run(
    game: Game, bot: BotProgram, settings: Settings, limits: Limits, wish: Level | Wish
) -> Check:
    async def main(children: Children) -> Check:
        from arena.check import check  # with Trio, while the keeper starts

        return await check(game, bot, settings, children, limits=limits, sandbox=wish)

    with keeper_running(wish) as keeper:
        return run_with(keeper, main)


def _text(bot: BotProgram, result: Check) -> str:
    lines = [f"{_mark('ok', 'green')}  builds and starts: {safe(bot.name)}"]
    for step in result.steps:
        mark = (
            _mark("ok", "green")
            if step.ok
            else _mark("warning", "yellow")
            if step.warning
            else _mark("FAILED", "red")
        )
        lines.append(f"{mark}  {step.name}: {safe(step.detail)}")
    if not result.ok:
        lines += [
            "",
            f"last asked: {safe(result.last_request[:400])}",
            f"last answer: {safe(result.last_answer[:400]) or '(nothing)'}",
            "its stderr:",
            *(f"  {line}" for line in safe(result.stderr).splitlines()[-20:] or ["(nothing)"]),
        ]
    return "\n".join(lines)


def _mark(word: str, colour: str) -> str:
    return styled(f"{word:7}", fg=colour)
